//! Finds the end of a journal that goes on, and mends it. Of a long segment only the end is read.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::journal::files::{self, Files};
use crate::journal::head;
use crate::journal::parse::{Base, Parsed, parse};
use crate::journal::seal::Seal;
use crate::journal::writer::Chain;
use crate::journal::{JournalError, Mended, Open, Record};
use crate::lines::{Lines, MAX_LINE};

/// So much is read at once, at first.
const CHUNK: u64 = 1 << 16;

/// Where a journal goes on.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) chain: Chain,
    /// The segment that is written.
    pub(crate) segment: u64,
    /// Its length, without half a line.
    pub(crate) end: u64,
    /// Its file has to be made.
    pub(crate) is_new: bool,
    /// The oldest segment that is kept.
    pub(crate) oldest: u64,
    /// Those that are closed, from it on, with their lengths.
    pub(crate) closed: VecDeque<(u64, u64)>,
    /// The number of this opening.
    pub(crate) run: u64,
    /// The end that the head knows, as long as this opening has written nothing: what is missing now is missed until then.
    /// Nothing: the head that should be there is not, and is not made before that is written.
    pub(crate) known: Option<Chain>,
    /// What was amiss.
    pub(crate) mended: Option<Mended>,
}

/// The end of a segment.
#[derive(Default)]
struct End {
    last: Option<Last>,
    /// Its length, without half a line.
    end: u64,
    /// How long the half line is.
    torn: u64,
}

/// The last line of a segment.
struct Last {
    path: PathBuf,
    chain: Chain,
    /// The first line of the segment.
    open: Open<'static>,
}

/// Finds the end, and cuts half a line off.
pub(crate) fn find(files: &Files, session: &str) -> Result<Start, JournalError> {
    let (head, closed, current) = (head::read(files)?, files.list()?, files::read(files.current())?);
    let is_new = current.is_none();
    let End { last, end, torn } = current.map(|file| End::of(files.current(), &file)).transpose()?.unwrap_or_default();
    let (last, begins) = match last {
        None => (closed.last().map(|number| before(&files.closed(*number))).transpose()?, true),
        last => (last, false),
    };
    let (segment, oldest) = last.as_ref().map_or((0, 1), |last| (last.open.segment, last.open.oldest));
    let segment = segment + u64::from(begins);
    check(files, session, last.as_ref(), closed.last().copied() >= Some(segment))?;
    if torn > 0 {
        cut(files.current(), end)?;
    }
    let chain = last.as_ref().map_or(Chain::NEW, |last| last.chain);
    let run = match (&head, &last) {
        (head::Found::Head(head), _) => head.run,
        (_, Some(last)) => last_run(&last.path)?,
        (_, None) => 0,
    };
    let known = match head {
        head::Found::Head(head) => Some(Chain { n: head.n, hash: head.hash }),
        head::Found::Absent if chain.n == 0 => Some(chain),
        head::Found::Absent | head::Found::Damaged => None,
    };
    let lost = lost(head, chain);
    let mended = (torn > 0 || lost != Some(0)).then_some(Mended { bytes: torn, lost });
    let closed = kept(files, &closed, oldest)?;
    Ok(Start { chain, segment, end, is_new, oldest, closed, run: run + 1, known, mended })
}

/// The last line of a segment that was closed.
fn before(path: &Path) -> Result<Last, JournalError> {
    let file = File::open(path).map_err(|error| failed(path, error))?;
    match End::of(path, &file)? {
        End { last: Some(last), torn: 0, .. } => Ok(last),
        _ => Err(damaged(path, "it does not end with a whole line")),
    }
}

fn check(files: &Files, session: &str, last: Option<&Last>, is_older: bool) -> Result<(), JournalError> {
    if let Some(other) = last.map(|last| &last.open.session).filter(|other| *other != session) {
        return Err(damaged(files.current(), &format!("it belongs to session {other}, not to {session}")));
    }
    if is_older {
        return Err(damaged(files.current(), "there is a later segment beside it"));
    }
    Ok(())
}

/// How many entries a session has. One that is not there has none.
pub(crate) fn entries(session: &Path) -> Result<u64, JournalError> {
    let Some(mut file) = files::read(session)? else { return Ok(0) };
    let (mut chunk, mut lines) = (vec![0; 1 << 16], 0_u64);
    loop {
        match file.read(&mut chunk).map_err(|error| failed(session, error))? {
            0 => return Ok(lines.saturating_sub(1)),
            read => lines += memchr::memchr_iter(b'\n', chunk.get(..read).unwrap_or_default()).count() as u64,
        }
    }
}

/// How many lines were there and are not any more.
fn lost(head: head::Found, chain: Chain) -> Option<u64> {
    match head {
        head::Found::Head(head) if head.n == chain.n && head.hash != chain.hash => None,
        head::Found::Head(head) => Some(head.n.saturating_sub(chain.n)),
        head::Found::Absent if chain.n == 0 => Some(0),
        head::Found::Absent | head::Found::Damaged => None,
    }
}

/// The segments that are kept, with their lengths. Those before them were about to be removed.
fn kept(files: &Files, closed: &[u64], oldest: u64) -> Result<VecDeque<(u64, u64)>, JournalError> {
    let mut kept = VecDeque::new();
    for &number in closed {
        let path = files.closed(number);
        let length = if number < oldest {
            fs::remove_file(&path).map(|()| None)
        } else {
            fs::metadata(&path).map(|file| Some((number, file.len())))
        };
        kept.extend(length.map_err(|error| failed(&path, error))?);
    }
    Ok(kept)
}

fn cut(path: &Path, end: u64) -> Result<(), JournalError> {
    let cut = OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(end));
    cut.map_err(|source| JournalError::File { path: path.to_owned(), done: "mended", source })
}

/// The highest number of an opening in a segment.
fn last_run(path: &Path) -> Result<u64, JournalError> {
    let mut lines = Lines::new(File::open(path).map_err(|error| failed(path, error))?);
    let (mut text, mut run) = (Vec::new(), 0);
    while lines.next(&mut text).map_err(|error| failed(path, error))?.is_some() {
        if let Ok((_, Parsed::Record(Record::Open(open)))) = parse(&text) {
            run = run.max(open.run);
        }
    }
    Ok(run)
}

impl End {
    fn of(path: &Path, file: &File) -> Result<Self, JournalError> {
        let length = file.metadata().map_err(|error| failed(path, error))?.len();
        let end = after_line_end(file, length).map_err(|error| failed(path, error))?;
        let torn = length - end;
        let last = if end == 0 { None } else { Some(Last::of(path, file, end)?) };
        Ok(Self { last, end, torn })
    }
}

impl Last {
    /// The line that ends here.
    fn of(path: &Path, file: &File, end: u64) -> Result<Self, JournalError> {
        let start = after_line_end(file, end - 1).map_err(|error| failed(path, error))?;
        if end - start > MAX_LINE {
            return Err(damaged(path, "its last line is longer than a line may be"));
        }
        let mut line = vec![0; usize::try_from(end - 1 - start).unwrap_or_default()];
        file.read_exact_at(&mut line, start).map_err(|error| failed(path, error))?;
        let seal = Seal::of(&line).filter(|seal| seal.intact);
        let base: Option<Base<'_>> = serde_json::from_slice(&line).ok();
        let (Some(seal), Some(base)) = (seal, base) else {
            return Err(damaged(path, "its last line is not as it was written"));
        };
        Ok(Self { path: path.to_owned(), chain: Chain { n: base.n, hash: seal.hash }, open: first(path)? })
    }
}

/// The first line of a segment.
fn first(path: &Path) -> Result<Open<'static>, JournalError> {
    let mut text = Vec::new();
    let file = File::open(path).map_err(|error| failed(path, error))?;
    Lines::new(file).header(&mut text).map_err(|error| failed(path, error))?;
    match parse(&text) {
        Ok((_, Parsed::Record(Record::Open(open)))) => Ok(open),
        _ => Err(damaged(path, "its first line is not as it was written")),
    }
}

/// Where the last line end before this place is over; the start of the file without one.
fn after_line_end(file: &File, place: u64) -> io::Result<u64> {
    let (mut end, mut chunk) = (place, Vec::new());
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        chunk.resize(usize::try_from(end - start).unwrap_or_default(), 0);
        file.read_exact_at(&mut chunk, start)?;
        if let Some(found) = memchr::memrchr(b'\n', &chunk) {
            return Ok(start + found as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

fn failed(path: &Path, source: io::Error) -> JournalError {
    JournalError::File { path: path.to_owned(), done: "read", source }
}

fn damaged(path: &Path, reason: &str) -> JournalError {
    JournalError::Damaged { path: path.to_owned(), reason: reason.to_owned() }
}
