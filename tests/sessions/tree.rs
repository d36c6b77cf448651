//! Moves in the tree of a session, forks, and the way to another session.

mod leaving;
mod summaries;

use std::fs;
use std::path::{Path, PathBuf};

use seam_harness::{Event, Heard, Left, Move, Moved, NotMoved, SessionEvent};
use seam_loop::{CancellationToken, StopReason};
use seam_session::Session;
use seam_tests::bed::Bed;
use seam_tests::talk::{Talk, entries, says};
use serde_json::{Value, json};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    (folder, file)
}

fn ran(heard: Heard) {
    assert!(matches!(&heard, Heard::Ran(outcome) if outcome.stop_reason == StopReason::Stop), "{heard:?}");
}

/// A conversation of two turns in a file.
async fn two_turns(file: &Path, bed: Bed, then: &[Value]) -> Talk {
    let turns: Vec<Value> = [says("first"), says("second")].into_iter().chain(then.to_vec()).collect();
    let mut talk = bed.talk_in(file, json!(turns)).await;
    ran(talk.say("one").await);
    ran(talk.say("two").await);
    talk
}

/// The id of the entry of this message.
fn entry(file: &Path, text: &str) -> String {
    let session = Session::read(file).unwrap();
    let is_it = |entry: &&seam_session::Entry| {
        let json = session.json(entry.id()).unwrap();
        let content = json.get("content").or_else(|| json["message"].get("content")).cloned().unwrap_or_default();
        content == json!(text) || content[0]["text"] == text
    };
    session.entries().iter().find(is_it).unwrap().id().to_owned()
}

async fn go(talk: &mut Talk, to: &Move) -> Result<Moved, NotMoved> {
    talk.harness.navigate(to, &CancellationToken::new()).await
}

fn to(target: String) -> Move {
    Move { target, ..Move::default() }
}

fn moves(talk: &Talk) -> usize {
    let events = talk.events.lock().unwrap();
    events.iter().filter(|event| matches!(event, Event::Session(SessionEvent::SessionTree { .. }))).count()
}

#[tokio::test]
async fn back_before_a_message_of_the_users_to_say_something_else() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[says("other"), says("third")]).await;
    let two = entry(&file, "two");
    let moved = go(&mut talk, &to(two.clone())).await.unwrap();
    assert_eq!(moved, Moved { text: Some("two".to_owned()), summary: None, moved: true });
    assert_eq!(talk.transcript(), ["user: one", "assistant: first"]);
    ran(talk.say("instead").await);
    assert_eq!(talk.last_request().messages, ["user: one", "assistant: first", "user: instead"]);
    // Over to the other branch, at an answer.
    let second = entry(&file, "second");
    assert_eq!(go(&mut talk, &to(second)).await.unwrap(), Moved { moved: true, ..Moved::default() });
    assert_eq!(talk.transcript(), ["user: one", "assistant: first", "user: two", "assistant: second"]);
    // And before everything.
    let one = entry(&file, "one");
    assert_eq!(go(&mut talk, &to(one)).await.unwrap().text.as_deref(), Some("one"));
    assert_eq!((talk.transcript().len(), moves(&talk)), (0, 3));
    ran(talk.say("new").await);
    assert_eq!(talk.last_request().messages, ["user: new"]);
    talk.close().await;
    let mut talk = Bed::new().talk_in(&file, json!([says("ok")])).await;
    ran(talk.say("on").await);
    assert_eq!(talk.last_request().messages, ["user: new", "assistant: third", "user: on"]);
}

#[tokio::test]
async fn where_it_is_already_nobody_is_asked_and_nothing_is_written() {
    let (_folder, file) = place();
    let cancels = json!({ "session-before-tree": { "do": "cancel", "text": "no" }, "observe": "quiet" });
    let mut talk = two_turns(&file, Bed::new().everything("p", cancels), &[]).await;
    let before = fs::read(&file).unwrap();
    let here = Move { left: Left::Summary(None), label: Some("here".to_owned()), ..to(entry(&file, "second")) };
    assert_eq!(go(&mut talk, &here).await.unwrap(), Moved::default());
    assert_eq!((fs::read(&file).unwrap(), moves(&talk), talk.asked()), (before, 0, 2));
}

#[tokio::test]
async fn a_place_that_is_not_there_is_an_error() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[]).await;
    let before = fs::read(&file).unwrap();
    let told = go(&mut talk, &to("nowhere".to_owned())).await.unwrap_err().to_string();
    assert!(told.ends_with("has no entry `nowhere`; choose one of its entries"), "{told}");
    assert_eq!(fs::read(&file).unwrap(), before);
    ran(two_turns(&place().1, Bed::new(), &[says("x")]).await.say("on").await);
    let mut talk = Bed::new().talk(json!([])).await;
    let told = go(&mut talk, &to("x".to_owned())).await.unwrap_err().to_string();
    assert_eq!(told, "There is nowhere to go: the conversation is not kept in a session");
}

#[tokio::test]
async fn a_label_is_given_to_where_it_goes() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[says("x")]).await;
    let first = entry(&file, "first");
    go(&mut talk, &Move { label: Some("good\u{1b}".to_owned()), ..to(first.clone()) }).await.unwrap();
    ran(talk.say("three").await);
    let session = Session::read(&file).unwrap();
    assert_eq!(session.labels().collect::<Vec<_>>(), [(&*first, "good")]);
    assert_eq!(talk.transcript(), ["user: one", "assistant: first", "user: three", "assistant: x"]);
    assert_eq!(entries(&file)[5..], ["leaf", "label", "user", "assistant"]);
}

#[tokio::test]
async fn plugins_are_asked_and_observers_see_it() {
    let settings =
        json!({ "tell": ["session-before-tree"], "observe": "quiet", "observe-at": { "session-tree": "note" } });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("tree-watches", settings), &[]).await;
    let (first, second) = (entry(&file, "first"), entry(&file, "second"));
    go(&mut talk, &to(first.clone())).await.unwrap();
    talk.close().await;
    let asked = format!(
        "session-before-tree: Event {{ session: _, target: \"{first}\", old-leaf: Some(\"{second}\"), entries: 2, \
         wants-summary: false, instructions: None }}"
    );
    let notes = seam_tests::three::told("tree-watches");
    assert_eq!(notes[0], asked);
    let seen = format!(" {first} {second} -");
    assert!(notes[1].starts_with("session-tree: ") && notes[1].ends_with(&seen), "{notes:?}");
}

#[tokio::test]
async fn a_plugin_that_cancels_or_fails_keeps_it_where_it_is() {
    for (deed, told) in [
        (json!({ "do": "cancel", "text": "stay" }), "Not moved: plugin `p` cancelled it: stay"),
        (json!({ "do": "trap" }), "Not moved: plugin `p` failed at `session-before-tree`: it crashed"),
    ] {
        let (_folder, file) = place();
        let settings = json!({ "session-before-tree": deed, "observe": "quiet" });
        let mut talk = two_turns(&file, Bed::new().everything("p", settings), &[]).await;
        let before = fs::read(&file).unwrap();
        let first = entry(&file, "first");
        let error = go(&mut talk, &to(first)).await.unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
        assert_eq!((fs::read(&file).unwrap(), moves(&talk), talk.transcript().len()), (before, 0, 4));
    }
}
