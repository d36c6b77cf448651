//! `seam session`.

mod change;
mod export;

use anyhow::{Context, Result, bail};
use seam_harness::{Left, Move};
use seam_session::{Durability, Entry, ForkPoint, Session, SessionLog};
use serde_json::{Value, json};

use crate::args::{SessionArgs, SessionCommand};
use crate::exit::Exit;
use crate::sessions::{Sessions, short};
use crate::terminal::output::Output;
use crate::terminal::style::{Style, clean, one_line};
use crate::terminal::{entry, session_tree, transcript};
use crate::threads::with_threads;

/// How long a name, a label or the first words of a session get, in characters.
const WORDS: usize = 60;
/// How many entries are named to choose from.
const NAMED: usize = 10;

pub(crate) fn session(args: &SessionArgs) -> Result<Exit> {
    let cwd = args.cwd.canonicalize().with_context(|| format!("--cwd {} cannot be used", args.cwd.display()))?;
    let sessions = Sessions::of(args.session_dir.as_deref(), &cwd)?;
    let text = match &args.command {
        SessionCommand::Export(args) => return export::export(&sessions, args),
        SessionCommand::Ls { json } => list(&sessions, *json)?,
        SessionCommand::Show { session, json: true } => as_json(&read(&sessions, session)?)?,
        SessionCommand::Show { session, json: false } => {
            transcript::render(&read(&sessions, session)?, Style::for_stdout())?
        }
        SessionCommand::Tree { session } => session_tree::render(&read(&sessions, session)?, Style::for_stdout())?,
        SessionCommand::Fork { session, at, before, asks } => {
            let source = sessions.find(session)?;
            let point = point(&Session::read(&source)?, at.as_deref(), before.as_deref())?;
            return with_threads(change::fork(&sessions, asks, &source, point));
        }
        SessionCommand::Compact { session, focus, model, asks } => {
            let file = sessions.find(session)?;
            return with_threads(change::compact(&sessions, asks, file, model, focus.as_deref()));
        }
        SessionCommand::Go { session, entry, summary, label, model, asks } => {
            let file = sessions.find(session)?;
            let left = summary.clone().map_or(Left::Nothing, Left::Summary);
            let to = Move { target: find(&Session::read(&file)?, entry)?, left, label: label.clone() };
            return with_threads(change::go(&sessions, asks, file, model, &to));
        }
        SessionCommand::Label { session, entry, label } => label_entry(&sessions, session, entry, label.as_deref())?,
        SessionCommand::Name { session, name } => {
            let mut log = write(&sessions, session)?;
            log.name(name)?;
            match log.session().name() {
                Some(name) => format!("the session is named `{}`", one_line(name, WORDS)),
                None => "the session has no name now".to_owned(),
            }
        }
    };
    let output = Output::default();
    output.print(&format!("{}\n", text.trim_end()));
    Ok(if output.has_failed() { Exit::RunFailed } else { Exit::Done })
}

fn read(sessions: &Sessions, named: &str) -> Result<Session> {
    Ok(Session::read(sessions.find(named)?)?)
}

fn write(sessions: &Sessions, named: &str) -> Result<SessionLog> {
    Ok(SessionLog::open(sessions.find(named)?, Durability::EachEntry)?)
}

fn list(sessions: &Sessions, as_json: bool) -> Result<String> {
    let all: Vec<Session> =
        sessions.list()?.into_iter().map(|listed| Session::read(listed.path)).collect::<Result<_, _>>()?;
    if as_json {
        let all = all.iter().map(facts).collect::<Result<Vec<Value>>>()?;
        return Ok(serde_json::to_string_pretty(&all)?);
    }
    if all.is_empty() {
        return Ok(format!("no sessions of {}", clean(&sessions.cwd.display().to_string())));
    }
    let lines = all.iter().map(line).collect::<Result<Vec<String>>>()?;
    Ok(lines.join("\n"))
}

/// `ID  WHEN  MESSAGES  NAME: FIRST WORDS`.
fn line(session: &Session) -> Result<String> {
    let header = session.header();
    let name = session.name().map(|name| format!("{}: ", one_line(name, WORDS))).unwrap_or_default();
    let words = one_line(first_words(session)?.trim(), WORDS);
    let damaged = session.notices().iter().any(|notice| notice.problem.forbids_writing());
    let damaged = if damaged { "damaged  " } else { "" };
    let (id, when, count) = (one_line(short(&header.id), WORDS), entry::when(&header.timestamp), messages(session));
    let noun = if count == 1 { "message" } else { "messages" };
    Ok(format!("{id:13}  {when:16}  {count:>4} {noun:8}  {damaged}{name}{words}"))
}

fn facts(session: &Session) -> Result<Value> {
    let header = session.header();
    Ok(json!({
        "id": header.id,
        "timestamp": header.timestamp,
        "cwd": header.cwd,
        "path": session.path(),
        "parentSession": header.parent_session,
        "name": session.name(),
        "messages": messages(session),
        "firstWords": first_words(session)?,
        "notices": session.notices().iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

fn messages(session: &Session) -> usize {
    session.entries().iter().filter(|entry| entry.kind().name() == "message").count()
}

/// What the user said first.
fn first_words(session: &Session) -> Result<String> {
    let is_user = |entry: &&Entry| matches!(entry.kind(), seam_session::EntryKind::Message { role: Some(role), .. } if &**role == "user");
    let Some(first) = session.entries().iter().find(is_user) else { return Ok(String::new()) };
    Ok(entry::Words::of(&session.json(first.id())?).text)
}

fn as_json(session: &Session) -> Result<String> {
    let entries = session.branch().map(|entry| session.json(entry.id())).collect::<Result<Vec<Value>, _>>()?;
    Ok(serde_json::to_string_pretty(&json!({ "session": facts(session)?, "entries": entries }))?)
}

fn point(source: &Session, at: Option<&str>, before: Option<&str>) -> Result<ForkPoint> {
    Ok(match (at, before) {
        (Some(at), _) => ForkPoint::At(find(source, at)?),
        (_, Some(before)) => ForkPoint::Before(find(source, before)?),
        _ => ForkPoint::Whole,
    })
}

fn label_entry(sessions: &Sessions, named: &str, entry: &str, label: Option<&str>) -> Result<String> {
    let mut log = write(sessions, named)?;
    let id = find(log.session(), entry)?;
    log.label(&id, label)?;
    let label = log.session().labels().find(|(target, _)| *target == id).map(|(_, label)| one_line(label, WORDS));
    Ok(match label {
        Some(label) => format!("entry {id} has the label `{label}`"),
        None => format!("entry {id} has no label now"),
    })
}

/// The id of an entry that is named by it, by its label, or by the beginning of its id.
fn find(session: &Session, named: &str) -> Result<String> {
    if let Some(entry) = session.entry(named) {
        return Ok(entry.id().to_owned());
    }
    let labelled: Vec<&str> = session.labels().filter(|(_, label)| *label == named).map(|(id, _)| id).collect();
    if let [one] = &*labelled {
        return Ok((*one).to_owned());
    }
    let found: Vec<&str> = session.entries().iter().map(Entry::id).filter(|id| id.starts_with(named)).collect();
    match &*found {
        [one] => Ok((*one).to_owned()),
        [] if labelled.len() > 1 => {
            bail!("{} entries have the label `{named}`; give an id: {}", labelled.len(), labelled.join(", "))
        }
        [] => bail!("no entry has the label `{named}` or an id that begins so; `seam session tree` shows them"),
        several => {
            let first: Vec<&str> = several.iter().take(NAMED).copied().collect();
            let more = several.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            bail!("`{named}` begins the ids of {} entries; give more of it: {}{more}", several.len(), first.join(", "))
        }
    }
}
