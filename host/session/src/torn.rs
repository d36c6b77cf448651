//! The end of a file before the first entry is appended to it: a cut line is moved aside, a missing line end is added.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::lines::Place;
use crate::load::Ending;
use crate::notice::{Notice, Problem};
use crate::{Session, SessionError, time};

/// The memory that moving a line takes.
const CHUNK: usize = 1 << 16;

/// Makes the file end with a whole line.
pub(crate) fn mend_end(session: &mut Session) -> Result<(), SessionError> {
    match session.ending {
        Ending::Whole => return Ok(()),
        Ending::NoLineEnd => {
            let written = io::Write::write_all(&mut &session.file, b"\n");
            let failed = |source| SessionError::OpenForWriting { path: session.path.clone(), source };
            written.and_then(|()| session.file.sync_data()).map_err(failed)?;
            session.end += 1;
        }
        Ending::Torn(place) => cut_off(session, place)?,
    }
    session.ending = Ending::Whole;
    Ok(())
}

/// Copies the cut line first and cuts it off then, so that it is never in neither file.
fn cut_off(session: &mut Session, place: Place) -> Result<(), SessionError> {
    let aside = aside(&session.path);
    let failed = |source| SessionError::KeepAside { path: session.path.clone(), aside: aside.clone(), source };
    copy(&session.file, place, &aside).map_err(failed)?;
    let cut = session.file.set_len(place.offset).and_then(|()| session.file.sync_all());
    cut.map_err(|source| SessionError::OpenForWriting { path: session.path.clone(), source })?;
    session.end = place.offset;
    session.lines = place.line - 1;
    let torn = session.notices.iter_mut().rfind(|notice| notice.line == place.line);
    if let Some(Notice { problem: Problem::Torn { kept, .. }, .. }) = torn {
        *kept = Some(aside);
    }
    Ok(())
}

/// `FILE.torn-2026-11-30T14-37-43-120Z`.
fn aside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".torn-{}", time::iso(time::now()).replace([':', '.'], "-")));
    name.into()
}

fn copy(from: &File, place: Place, to: &Path) -> io::Result<()> {
    let to = OpenOptions::new().write(true).create_new(true).open(to)?;
    let (mut chunk, mut done) = (vec![0; CHUNK], 0);
    while done < place.bytes {
        let length = usize::try_from(place.bytes - done).unwrap_or(CHUNK).min(CHUNK);
        let part = chunk.get_mut(..length).unwrap_or_default();
        from.read_exact_at(part, place.offset + done)?;
        to.write_all_at(part, done)?;
        done += length as u64;
    }
    to.sync_all()
}
