//! The branches that are not shown: what is on them, entry by entry, on a line each.

use std::collections::HashMap;

use anyhow::Result;
use seam_session::{Entry, Session};

use crate::export::html::Html;
use crate::export::verdict::counted;
use crate::terminal::entry::Words;
use crate::terminal::style::one_line;

/// How many branches are listed, and how many entries of each.
const BRANCHES: usize = 100;
const ENTRIES: usize = 60;
/// How wide an entry gets, in characters.
const WIDTH: usize = 200;

/// The entries that hang below an entry of the branch that is shown, and are not on it.
struct Branch<'a> {
    /// The place of that entry. Nothing: they begin at the root.
    from: Option<usize>,
    entries: Vec<&'a Entry>,
}

pub(crate) fn write(html: &mut Html<'_>, session: &Session) -> Result<()> {
    let branches = branches(session);
    if branches.is_empty() {
        return Ok(());
    }
    html.raw(
        "<section id=\"branches\"><h2>Other branches</h2><p class=\"note\">The conversation above is the branch that \
              the session goes on from. Here is what else the file has.</p>",
    );
    for branch in branches.iter().take(BRANCHES) {
        self::branch(html, session, branch)?;
    }
    let more = branches.len().saturating_sub(BRANCHES);
    if more > 0 {
        html.raw("<p class=\"note\">").text(&counted(more, "more branch", "more branches")).raw("; ");
        html.raw("<code>seam session tree</code> shows all.</p>");
    }
    html.raw("</section>");
    Ok(())
}

/// Each entry that is not on the branch, by the first entry above it that hangs on the branch.
fn branches(session: &Session) -> Vec<Branch<'_>> {
    let shown: HashMap<&str, usize> = session.branch().enumerate().map(|(place, entry)| (entry.id(), place)).collect();
    let mut branches: Vec<Branch<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for entry in session.entries().iter().filter(|entry| !shown.contains_key(entry.id())) {
        let parent = session.parent(entry).map(Entry::id);
        let at = parent.and_then(|parent| known.get(parent).copied()).unwrap_or_else(|| {
            branches.push(Branch { from: parent.and_then(|parent| shown.get(parent).copied()), entries: Vec::new() });
            branches.len() - 1
        });
        known.insert(entry.id(), at);
        if let Some(branch) = branches.get_mut(at) {
            branch.entries.push(entry);
        }
    }
    // A move of the leaf, a label or a name is an entry too, and alone it is no branch.
    branches.retain(|branch| branch.entries.iter().any(|entry| !NOTES.contains(&entry.kind().name())));
    branches
}

/// The types of entries that note something of the session itself.
const NOTES: [&str; 3] = ["leaf", "label", "session_info"];

fn branch(html: &mut Html<'_>, session: &Session, branch: &Branch<'_>) -> Result<()> {
    let messages = branch.entries.iter().filter(|entry| entry.kind().name() == "message").count();
    html.raw("<details class=\"branch\"><summary>");
    html.text(&counted(branch.entries.len(), "entry", "entries"))
        .raw(", ")
        .text(&counted(messages, "message", "messages"));
    html.raw("</summary><p class=\"note\">");
    match branch.from {
        Some(place) => drop(
            html.raw("It leaves the conversation after <a href=\"#e").number(place as u64).raw("\">this entry</a>."),
        ),
        None => drop(html.raw("It begins at the root.")),
    }
    html.raw("</p><ul>");
    for entry in branch.entries.iter().take(ENTRIES) {
        let words = Words::of(&session.json(entry.id())?).line(WIDTH);
        html.raw("<li><span class=\"id\">").text(&one_line(entry.id(), 40)).raw("</span> ").text(&words).raw("</li>");
    }
    html.raw("</ul>");
    let more = branch.entries.len().saturating_sub(ENTRIES);
    if more > 0 {
        html.raw("<p class=\"note\">").text(&counted(more, "more entry", "more entries")).raw(".</p>");
    }
    html.raw("</details>");
    Ok(())
}
