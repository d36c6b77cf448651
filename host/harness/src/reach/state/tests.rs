//! What is remembered, with and without a file, of several plugins and calls.

use seam_session::{Durability, NewSession, SessionLog};

use super::*;

/// What a plugin remembers, as `key=text`.
fn seen(conversation: &Arc<Conversation>, by: Writer<'_>) -> Vec<String> {
    let draft = conversation.moment().remembered(by);
    draft.keys().iter().map(|key| format!("{key}={}", draft.get(key).unwrap())).collect()
}

/// A call that writes these texts, and forgets the keys without one.
fn write(conversation: &Arc<Conversation>, by: Writer<'_>, writes: &[(&str, Option<&str>)]) -> bool {
    let moment = conversation.moment();
    let draft = written(moment.remembered(by), writes);
    moment.keeping().keep(by, &draft)
}

fn written(mut draft: Draft, writes: &[(&str, Option<&str>)]) -> Draft {
    for (key, text) in writes {
        match text {
            Some(text) => draft.set(key, text),
            None => draft.delete(key),
        }
    }
    draft
}

#[test]
fn a_draft_shows_its_own_writes_over_what_was_there() {
    let conversation = Arc::new(Conversation::new("s"));
    let p = "p".into();
    let by = Writer { plugin: &p, shadow: false };
    assert!(write(&conversation, by, &[("a", Some("1")), ("b", Some("2"))]));
    let draft = written(conversation.moment().remembered(by), &[("b", None), ("ä", Some("4")), ("c", Some("3"))]);
    assert_eq!(
        (draft.keys(), draft.get("b"), draft.get("c")),
        (["a", "c", "ä"].map(str::to_owned).to_vec(), None, Some("3"))
    );
    assert_eq!(seen(&conversation, by), ["a=1", "b=2"]);
}

#[test]
fn the_quota_is_of_keys_and_texts_together_and_what_is_forgotten_makes_room() {
    let mut draft = Draft::of(Arc::default());
    assert!(draft.has_room("key", "1234567", 10) && !draft.has_room("key", "12345678", 10));
    draft.set("key", "1234567");
    assert!(!draft.has_room("k", "", 10) && draft.has_room("key", "7654321", 10));
    draft.set("key", "1");
    draft.set("k", "12345");
    assert!(draft.has_room("k", "12345", 10) && !draft.has_room("k", "123456", 10));
    draft.delete("key");
    draft.delete("none");
    assert!(draft.has_room("", "1234", 10) && !draft.has_room("", "12345", 10));
}

/// What each of two calls writes to other keys is kept; of one key what is written last.
#[test]
fn of_two_calls_at_once_each_changes_what_it_wrote() {
    let conversation = Arc::new(Conversation::new("s"));
    let p = "p".into();
    let by = Writer { plugin: &p, shadow: false };
    let moment = conversation.moment();
    let first = written(moment.remembered(by), &[("a", Some("1")), ("both", Some("1"))]);
    let second = written(moment.remembered(by), &[("b", Some("2")), ("both", Some("2"))]);
    assert!(moment.keeping().keep(by, &second) && moment.keeping().keep(by, &first));
    assert_eq!(seen(&conversation, by), ["a=1", "b=2", "both=1"]);
    let (big, other) = ("x".repeat(30), "y".repeat(30));
    let third = written(moment.remembered(by), &[("c", Some(&big))]);
    let fourth = written(moment.remembered(by), &[("d", Some(&other))]);
    assert!(moment.keeping().fits(by, &third, 50) && moment.keeping().keep(by, &third));
    assert!(!moment.keeping().fits(by, &fourth, 50) && moment.keeping().fits(by, &fourth, 80));
}

#[test]
fn plugins_and_shadows_have_each_their_own() {
    let conversation = Arc::new(Conversation::new("s"));
    let (p, q) = ("p".into(), "q".into());
    let of = |plugin, shadow| Writer { plugin, shadow };
    assert!(write(&conversation, of(&p, false), &[("a", Some("1"))]));
    assert!(write(&conversation, of(&q, false), &[("a", Some("2"))]));
    assert!(write(&conversation, of(&p, true), &[("b", Some("3"))]));
    let all = [of(&p, false), of(&q, false), of(&p, true)].map(|of| seen(&conversation, of).join(" "));
    assert_eq!(all, ["a=1", "a=2", "a=1 b=3"]);
}

#[test]
fn an_entry_says_what_changed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let log = SessionLog::create(&path, NewSession::new("/work"), Durability::Never).unwrap();
    let record = Record::new(log, None);
    let before = written(Draft::of(Arc::default()), &[("a", Some("1")), ("b", Some("2"))]);
    let (after, first) = Remembered::default().with(&before.changes);
    let again =
        written(Draft::of(Arc::new(after.clone())), &[("a", Some("1")), ("b", None), ("none", None), ("c", Some("3"))]);
    let (after, second) = after.with(&again.changes);
    assert!(stored(Some(&record), "p", &first) && stored(Some(&record), "p", &second));
    let mut data = Vec::new();
    record.read(|session| session.each_custom(ENTRY, |entry| data.push(entry))).unwrap();
    let first = json!({ "plugin": "p", "set": { "a": "1", "b": "2" }, "delete": [] });
    assert_eq!(data, [first, json!({ "plugin": "p", "set": { "c": "3" }, "delete": ["b"] })]);
    let read = record.read(reduced).unwrap();
    assert_eq!((read.len(), &*read["p"]), (1, &after));
}

/// A hand-made file keeps no session from being opened.
#[test]
fn what_cannot_be_read_of_an_entry_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut log =
        SessionLog::create(folder.path().join("s.jsonl"), NewSession::new("/work"), Durability::Never).unwrap();
    for data in [json!([]), json!({ "plugin": 1 }), json!({ "plugin": "p", "set": { "a": 1, "b": "2" }, "delete": 7 })]
    {
        log.append(NewEntry::Custom { custom_type: ENTRY.to_owned(), data: Some(data) }).unwrap();
    }
    log.append(NewEntry::Custom { custom_type: ENTRY.to_owned(), data: None }).unwrap();
    let conversation = Arc::new(Conversation::of(log.session()).unwrap());
    let p = "p".into();
    assert_eq!(seen(&conversation, Writer { plugin: &p, shadow: false }), ["b=2"]);
}
