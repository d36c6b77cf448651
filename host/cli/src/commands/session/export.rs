//! `seam session export`.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use seam_session::Session;
use tempfile::NamedTempFile;

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::export;
use crate::sessions::Sessions;
use crate::terminal::output::{Output, complain};
use crate::terminal::style::clean;

/// The name that means stdout.
const STDOUT: &str = "-";

pub(super) fn export(sessions: &Sessions, args: &ExportArgs) -> Result<Exit> {
    ensure!(args.html, "no format is given; there is one: `--html`, a page for a browser that needs nothing else");
    let session = Session::read(sessions.find(&args.session)?)?;
    if args.output.as_deref() == Some(Path::new(STDOUT)) {
        return Ok(to_stdout(&session));
    }
    let target = args.output.clone().unwrap_or_else(|| named_after(&session));
    check(&target, &session, args.force)?;
    let bytes = to_file(&session, &target, args.force)?;
    let output = Output::default();
    output
        .print(&format!("{}\n  a page of {bytes} bytes; any browser shows it\n", clean(&target.display().to_string())));
    Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

fn to_stdout(session: &Session) -> Exit {
    let mut stdout = BufWriter::new(io::stdout().lock());
    let written = export::write(session, &mut stdout).and_then(|()| Ok(stdout.flush()?));
    match written {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&crate::faults::told(&error));
            Exit::RunFailed
        }
    }
}

/// `ID.html` in the current folder. An id of somebody else's file may be no name for a file.
fn named_after(session: &Session) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let id: String = session.header().id.chars().take(100).map(plain).collect();
    let id = id.trim_start_matches('.');
    PathBuf::from(format!("{}.html", if id.is_empty() { "session" } else { id }))
}

/// Whether the page may be put there.
fn check(target: &Path, session: &Session, force: bool) -> Result<()> {
    let folder = folder(target);
    ensure!(folder.is_dir(), "`{}` is no folder; make it, or give another name with `--output`", folder.display());
    let Ok(there) = fs::symlink_metadata(target) else { return Ok(()) };
    let name = target.display();
    ensure!(there.is_file(), "`{name}` is no regular file; give another name with `--output`, or `-` for stdout");
    let is_session =
        target.canonicalize().is_ok_and(|target| session.path().canonicalize().is_ok_and(|it| it == target));
    ensure!(!is_session, "`{name}` is the session itself; give another name with `--output`");
    ensure!(force, "{}", exists(target));
    Ok(())
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn exists(target: &Path) -> String {
    format!("`{}` is there already; give another name with `--output`, or `--force` to replace it", target.display())
}

/// Writes a file beside it, which takes its place when it is complete. Gives its length.
fn to_file(session: &Session, target: &Path, force: bool) -> Result<u64> {
    let folder = folder(target);
    let failed = || format!("`{}` cannot be written; give another name with `--output`", target.display());
    let mut file = NamedTempFile::new_in(folder).with_context(failed)?;
    let mut out = BufWriter::new(file.as_file_mut());
    export::write(session, &mut out).and_then(|()| Ok(out.flush()?)).with_context(failed)?;
    drop(out);
    let bytes =
        file.as_file().metadata().and_then(|is| file.as_file().sync_all().map(|()| is.len())).with_context(failed)?;
    let kept = if force { file.persist(target) } else { file.persist_noclobber(target) };
    match kept {
        Ok(_file) => Ok(bytes),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => bail!("{}", exists(target)),
        Err(error) => Err(error.error).with_context(failed),
    }
}
