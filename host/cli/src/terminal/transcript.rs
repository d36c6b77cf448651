//! A session as a person reads it.

use std::collections::HashMap;

use anyhow::Result;
use seam_session::Session;

use crate::terminal::entry::{Words, when};
use crate::terminal::style::{Style, clean, one_line};

/// How many lines of a tool's result are shown.
const SHOWN_LINES: usize = 8;
/// How wide they get, and headings too, in characters.
const WIDTH: usize = 110;

/// The branch that the session goes on from.
pub(crate) fn render(session: &Session, style: Style) -> Result<String> {
    let labels: HashMap<&str, &str> = session.labels().collect();
    let mut text = heading(session, style);
    let mut was_aside = false;
    for entry in session.branch() {
        let words = Words::of(&session.json(entry.id())?);
        let label = labels.get(entry.id()).map(|label| style.yellow(&format!("  [{}]", one_line(label, WIDTH))));
        let (id, label) = (style.dim(&one_line(entry.id(), WIDTH)), label.unwrap_or_default());
        if words.is_aside {
            let gap = if was_aside { "" } else { "\n" };
            text.push_str(&format!("{gap}{id} {}{label}\n", style.dim(&words.line(WIDTH))));
        } else {
            text.push_str(&format!("\n{id} {}{label}\n{}", style.bold(&one_line(&words.who, WIDTH)), body(&words)));
        }
        was_aside = words.is_aside;
    }
    Ok(text)
}

fn heading(session: &Session, style: Style) -> String {
    let header = session.header();
    let mut lines = vec![("session", header.id.clone())];
    lines.extend(session.name().map(|name| ("name", name.to_owned())));
    lines.push(("made", format!("{} UTC", when(&header.timestamp))));
    lines.push(("in", header.cwd.clone()));
    lines.push(("file", session.path().display().to_string()));
    lines.extend(header.parent_session.clone().map(|parent| ("from", parent)));
    lines.extend(session.notices().iter().map(|notice| ("note", notice.to_string())));
    let line =
        |(name, value): (&str, String)| format!("{} {}\n", style.dim(&format!("{name:7}")), one_line(&value, 400));
    lines.into_iter().map(line).collect()
}

/// What is said, whole; of a result the beginning.
fn body(words: &Words) -> String {
    let text = clean(words.text.trim_end());
    let lines = text.lines();
    let mut shown: Vec<String> = match words.is_result {
        false => lines.map(str::to_owned).collect(),
        true => lines.clone().take(SHOWN_LINES).map(|line| one_line(line, WIDTH)).collect(),
    };
    let more = text.lines().count() - shown.len();
    if more > 0 {
        shown.push(format!("… {more} more lines"));
    }
    shown.extend(words.calls.iter().cloned());
    shown.iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}
