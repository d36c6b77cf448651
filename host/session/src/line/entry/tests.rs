use super::{Parsed, Reader};
use crate::entry::{EntryKind, Model};

fn read(line: &str) -> Result<Parsed, String> {
    Reader::new(3).read(line)
}

/// A line with a good base and these fields.
fn kind(name: &str, fields: &str) -> Result<EntryKind, String> {
    let base = format!(r#"{{"type":"{name}","id":"a","parentId":null,"timestamp":"t"{fields}}}"#);
    read(&base).map(|parsed| parsed.kind)
}

#[test]
fn every_type_is_told_apart() {
    let text = |text: &str| Some(text.into());
    let model = |provider: &str, id: &str| Model { provider: text(provider), model_id: text(id) };
    let assistant = r#","message":{"role":"assistant","provider":"p","model":"m","content":[{"role":"no"}]}"#;
    for (name, fields, expected) in [
        ("message", r#","message":{"role":"user"}"#, EntryKind::Message { role: Some("user".into()), model: None }),
        ("message", assistant, EntryKind::Message { role: Some("assistant".into()), model: Some(model("p", "m")) }),
        ("message", r#","message":{}"#, EntryKind::Message { role: None, model: None }),
        ("model_change", r#","provider":"p","modelId":"m""#, EntryKind::ModelChange(model("p", "m"))),
        ("thinking_level_change", r#","thinkingLevel":"high""#, EntryKind::ThinkingLevelChange("high".into())),
        ("active_tools_change", r#","activeToolNames":["a"]"#, EntryKind::ActiveToolsChange(vec!["a".to_owned()])),
        ("active_tools_change", r#","activeToolNames":[]"#, EntryKind::ActiveToolsChange(vec![])),
        ("compaction", r#","firstKeptEntryId":"b""#, EntryKind::Compaction { first_kept: Some("b".into()) }),
        ("branch_summary", r#","summary":"s","fromId":"b""#, EntryKind::BranchSummary),
        ("custom", r#","customType":"x","data":{}"#, EntryKind::Custom { custom_type: Some("x".into()) }),
        ("custom_message", r#","customType":"x""#, EntryKind::CustomMessage { custom_type: Some("x".into()) }),
        ("label", r#","targetId":"b","label":"l""#, EntryKind::Label { target: "b".into(), label: Some("l".into()) }),
        ("label", r#","targetId":"b""#, EntryKind::Label { target: "b".into(), label: None }),
        ("session_info", r#","name":"n""#, EntryKind::SessionInfo { name: Some("n".into()) }),
        ("leaf", r#","targetId":null"#, EntryKind::Leaf { target: None }),
        ("context_edit", r#","targetId":"b","replacement":null"#, EntryKind::ContextEdit { target: "b".into() }),
        ("usage", "", EntryKind::Usage),
        ("tomorrow", "", EntryKind::Other("tomorrow".into())),
    ] {
        assert_eq!(kind(name, fields), Ok(expected.clone()), "{name} {fields}");
        assert_eq!(expected.name(), name);
    }
}

#[test]
fn a_line_that_is_no_entry_says_why() {
    let base = |fields: &str| format!(r#"{{"type":"custom"{fields}}}"#);
    for (line, reason) in [
        ("[]".to_owned(), "is not a JSON object"),
        (base(""), "has no `id`"),
        (base(r#","id":"""#), "has no `id`"),
        (base(r#","id":7"#), "has a `id` that is no text"),
        (base(r#","id":"a""#), "has no `parentId`"),
        (base(r#","id":"a","parentId":7"#), "has a `parentId` that is neither a text nor null"),
        (base(r#","id":"a","parentId":null"#), "has no `timestamp`"),
        (r#"{"id":"a"}"#.to_owned(), "has no `type`"),
        (r#"{"type":"session","id":"a"}"#.to_owned(), "is a second header"),
    ] {
        assert_eq!(read(&line), Err(reason.to_owned()), "{line}");
    }
    let cut = read(r#"{"type":"cus"#).unwrap_err();
    assert!(cut.starts_with("is not JSON that can be read: EOF"), "{cut}");
    for (name, fields, reason) in [
        ("message", "", "has no `message` that is an object"),
        ("message", r#","message":"hi""#, "has no `message` that is an object"),
        ("leaf", "", "has no `targetId` that is a text or null"),
        ("label", "", "has no `targetId`"),
        ("thinking_level_change", "", "has no `thinkingLevel`"),
        ("active_tools_change", r#","activeToolNames":[1]"#, "has no `activeToolNames` that are a list of texts"),
        ("context_edit", r#","targetId":"b""#, "has no `replacement` that is an object or null"),
    ] {
        assert_eq!(kind(name, fields), Err(reason.to_owned()), "{name} {fields}");
    }
}

#[test]
fn what_only_the_newer_dialect_writes_is_noticed() {
    for (fields, newer) in [("", false), (r#","systemMessage":{}"#, true), (r#","usage":{}"#, true)] {
        let line = format!(r#"{{"type":"compaction","id":"a","parentId":null,"timestamp":"t"{fields}}}"#);
        assert_eq!(read(&line).unwrap().newer, newer, "{line}");
    }
}

#[test]
fn version_1_is_a_chain_named_by_place() {
    let mut reader = Reader::new(1);
    let first = reader.read(r#"{"type":"message","timestamp":"t","message":{}}"#).unwrap();
    assert_eq!((&*first.id, first.parent), ("00000001", None));
    assert!(reader.read(r#"{"type":"message"}"#).is_err());
    let third = reader.read(r#"{"type":"compaction","timestamp":"t","firstKeptEntryIndex":1}"#).unwrap();
    assert_eq!((&*third.id, third.parent.as_deref()), ("00000003", Some("00000001")));
    assert_eq!(third.kind, EntryKind::Compaction { first_kept: Some("00000001".into()) });
}
