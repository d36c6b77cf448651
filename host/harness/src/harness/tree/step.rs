//! A move, seen in the tree: where it leads, and what it leaves.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use seam_loop::{Content, Message};
use seam_session::{Entry, EntryKind, Session, SessionError};

use crate::compaction::tokens;
use crate::stored;

/// A move, seen in the tree.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// Where the next entry will hang. Nothing: it will be a root.
    pub(super) to: Option<String>,
    pub(super) old_leaf: Option<String>,
    /// What the user said at the target.
    pub(super) text: Option<String>,
    /// What is said on the branch that is left, the oldest first: whether it is a summary, and the message.
    pub(super) left: Vec<(bool, Message)>,
}

/// The newest of these messages that have no more than so many tokens together, without results. The last summary that
/// does not fit is taken all the same when there is a little room: it says more than its length.
pub(super) fn newest(left: &[(bool, Message)], most: u64) -> Vec<Arc<Message>> {
    let (mut used, mut taken) = (0, VecDeque::new());
    for (is_summary, message) in left.iter().rev() {
        if matches!(message, Message::ToolResult(_)) {
            continue;
        }
        let size = tokens(message);
        let fits = used + size <= most;
        if fits || (*is_summary && used < most / 10 * 9) {
            taken.push_front(Arc::new(message.clone()));
            used += size;
        }
        if !fits {
            break;
        }
    }
    taken.into()
}

impl Step {
    pub(super) fn of(session: &Session, target: &str) -> Result<Self, SessionError> {
        // An id that is not there is an error.
        let fields = session.json(target)?;
        let Some(entry) = session.entry(target) else { return Ok(Self::default()) };
        let old_leaf = session.leaf().map(|leaf| leaf.id().to_owned());
        let is_said = matches!(entry.kind(), EntryKind::CustomMessage { .. })
            || matches!(entry.kind(), EntryKind::Message { role: Some(role), .. } if &**role == "user");
        let (to, text) = match is_said {
            true => (session.parent(entry).map(Entry::id), stored::said(fields).map(|message| text(&message))),
            false => (Some(entry.id()), None),
        };
        let to = to.map(str::to_owned);
        Ok(Self { left: left(session, entry)?, to, old_leaf, text })
    }
}

/// What is said between the leaf and the branch of the target.
fn left(session: &Session, target: &Entry) -> Result<Vec<(bool, Message)>, SessionError> {
    let up = |entry: &Entry| session.parent(entry).map(Entry::id);
    let there: HashSet<&str> =
        std::iter::successors(Some(target), |entry| session.parent(entry)).map(Entry::id).collect();
    let mut left = VecDeque::new();
    let mut next = session.leaf().map(Entry::id);
    while let Some(entry) = next.filter(|id| !there.contains(id)).and_then(|id| session.entry(id)) {
        let is_summary = matches!(entry.kind(), EntryKind::Compaction { .. } | EntryKind::BranchSummary);
        if let Some(message) = stored::said(session.json(entry.id())?) {
            left.push_front((is_summary, message));
        }
        next = up(entry);
    }
    Ok(left.into())
}

fn text(message: &Message) -> String {
    let content = match message {
        Message::User(said) => &said.content,
        Message::Custom(custom) => &custom.content,
        Message::Assistant(_) | Message::ToolResult(_) => return String::new(),
    };
    content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}
