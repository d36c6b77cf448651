//! Entries of versions 1 and 2 as entries of version 3. The file they come from is left as it is.

use serde_json::{Map, Value};

use crate::entry::Entry;
use crate::line::first_version_id;

/// Makes an entry what version 3 would have written.
///
/// Version 1 has no ids and no parents, and its compactions count lines. Version 2 has another word for the role of
/// messages by extensions.
pub(crate) fn migrate(version: u64, entry: &Entry, parent: Option<&Entry>, fields: &mut Map<String, Value>) {
    if version < 2 {
        fields.insert("id".to_owned(), entry.id().into());
        fields.insert("parentId".to_owned(), parent.map(Entry::id).into());
        if let Some(Value::Number(ordinal)) = fields.shift_remove("firstKeptEntryIndex")
            && let Some(ordinal) = ordinal.as_u64().filter(|ordinal| *ordinal > 0)
        {
            fields.insert("firstKeptEntryId".to_owned(), first_version_id(ordinal).into());
        }
    }
    if version < 3
        && let Some(role) = fields.get_mut("message").and_then(|message| message.get_mut("role"))
        && role == "hookMessage"
    {
        *role = "custom".into();
    }
}
