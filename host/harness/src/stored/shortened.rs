//! What a session file says of compactions, and what single entries of it say.

use std::collections::HashSet;

use seam_loop::Message;
use seam_session::{EntryKind, Session, SessionError};
use serde_json::{Map, Value};

use super::{Reader, Sources, take, text};
use crate::compaction::{Files, Shortening};

/// The compaction that a conversation begins with.
#[derive(Debug)]
pub(crate) struct Shortened {
    /// What it says.
    pub(crate) shortening: Shortening,
    /// How many messages, from the first on, were there when it was made. Its summary is the first.
    pub(crate) old: usize,
}

impl Shortened {
    /// Reads it, if the first message is the summary of one.
    pub(super) fn of(session: &Session, sources: &Sources) -> Result<Option<Self>, SessionError> {
        let first = sources.id(0).and_then(|id| session.entry(id));
        let Some(entry) = first.filter(|entry| matches!(entry.kind(), EntryKind::Compaction { .. })) else {
            return Ok(None);
        };
        let Value::Object(mut fields) = session.json(entry.id())? else { return Ok(None) };
        let details = take(&mut fields, "details");
        let of_plugin = fields.get("fromHook").and_then(Value::as_bool).unwrap_or_default();
        let files = if of_plugin { Files::default() } else { Files::of_details(details.as_ref()) };
        let shortening = Shortening { summary: text(&mut fields, "summary").unwrap_or_default(), files };
        let after = session.branch().skip_while(|other| other.id() != entry.id()).skip(1);
        let after: HashSet<&str> = after.map(|entry| entry.id()).collect();
        let is_new = |place: &usize| sources.id(*place).is_some_and(|id| after.contains(&**id));
        let old = (0..sources.places.len()).find(is_new).unwrap_or(sources.places.len());
        Ok(Some(Self { shortening, old }))
    }
}

/// The message that an entry adds to a conversation, whatever branch it is on.
pub(crate) fn said(entry: Value) -> Option<Message> {
    let Value::Object(mut fields) = entry else { return None };
    let role = match &*text(&mut fields, "type")? {
        "message" => return Reader::default().message(take(&mut fields, "message")?),
        "custom_message" => "custom",
        "compaction" => "compactionSummary",
        "branch_summary" => "branchSummary",
        _ => return None,
    };
    // Its time is a text here, and of no interest.
    let mut message = Map::from_iter([("role".to_owned(), role.into())]);
    message.extend(fields.into_iter().filter(|(name, _)| name != "timestamp"));
    Reader::default().message(Value::Object(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In memory a result is right behind its call, and what stands between them in the file comes after both.
    #[test]
    fn it_can_be_cut_where_the_file_can_be_cut_too() {
        let ids = ["u", "a", "r1", "m", "r2", "u2"].map(Into::into).to_vec();
        // The last but one had no entry: it was made for a call without a result.
        let places = vec![Some(0), Some(1), Some(2), Some(4), Some(3), None, Some(5)];
        let sources = Sources { ids, places };
        let cuts: Vec<usize> = (0..8).filter(|place| sources.may_cut(*place)).collect();
        assert_eq!(cuts, [0, 1, 2, 6]);
        assert_eq!((sources.id(4).map(|id| &**id), sources.id(5), sources.id(9)), (Some("m"), None, None));
    }
}
