//! All entries of a session: what hangs below what.

use std::collections::HashMap;

use anyhow::Result;
use seam_session::{Entry, Session};

use crate::terminal::entry::Words;
use crate::terminal::style::{Style, one_line};

/// How wide an entry gets, in characters.
const WIDTH: usize = 90;
/// No branch is drawn further to the right than this, in characters.
const DEEPEST: usize = 60;

/// An entry with what stands before it, and before what hangs below it.
struct Node<'a> {
    entry: &'a Entry,
    head: String,
    below: String,
}

/// Each entry on a line. Where a branch begins, the entries of each are set off.
pub(crate) fn render(session: &Session, style: Style) -> Result<String> {
    let mut below: HashMap<Option<&str>, Vec<&Entry>> = HashMap::new();
    for entry in session.entries() {
        below.entry(session.parent(entry).map(Entry::id)).or_default().push(entry);
    }
    let labels: HashMap<&str, &str> = session.labels().collect();
    let leaf = session.leaf().map(Entry::id);
    let mut text = String::new();
    let mut open = children(below.get(&None), "");
    while let Some(Node { entry, head, below: prefix }) = open.pop() {
        let words = Words::of(&session.json(entry.id())?).line(WIDTH);
        let label = labels.get(entry.id()).map(|label| format!("  [{}]", one_line(label, WIDTH))).unwrap_or_default();
        let here = if leaf == Some(entry.id()) { "  ← here" } else { "" };
        let id = style.dim(&one_line(entry.id(), WIDTH));
        text.push_str(&format!("{head}{id} {words}{}{}\n", style.yellow(&label), style.bold(here)));
        open.extend(children(below.get(&Some(entry.id())), &prefix));
    }
    Ok(if text.is_empty() { "the session has no entries".to_owned() } else { text })
}

/// The entries below one, the first of them last: it is the next to be taken.
fn children<'a>(entries: Option<&Vec<&'a Entry>>, prefix: &str) -> Vec<Node<'a>> {
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    let is_branch = entries.len() > 1 && prefix.chars().count() < DEEPEST;
    let node = |(index, entry): (usize, &&'a Entry)| {
        let (head, below) = match (is_branch, index + 1 == entries.len()) {
            (false, _) => ("", ""),
            (true, false) => ("├─ ", "│  "),
            (true, true) => ("└─ ", "   "),
        };
        Node { entry, head: format!("{prefix}{head}"), below: format!("{prefix}{below}") }
    };
    entries.iter().enumerate().map(node).rev().collect()
}
