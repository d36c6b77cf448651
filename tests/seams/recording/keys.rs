//! Keys: what plugins give as one is in no journal.

use std::fs;

use seam_session::journal::Outcome;
use seam_session::{Durability, NewEntry, SessionLog};
use seam_tests::bed::Bed;
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::says;
use serde_json::json;

use super::super::failures::asking::ask;

const KEY: &str = "sk-live-0123456789abcdef";

fn assert_nowhere(recording: &Recording) {
    for file in fs::read_dir(recording.folder()).unwrap() {
        let text = String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned();
        assert!(!text.contains(KEY), "{text}");
    }
}

#[tokio::test]
async fn nothing_of_a_key_is_written() {
    let recording = Recording::new();
    let settings = json!({ "get-api-key": { "do": "key", "text": KEY }, "sees": ["get-api-key"], "observe": "quiet",
        "input": { "do": "handled", "text": format!("it is {KEY}") } });
    let session = Bed::new().everything("p", settings).journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    let at = bus.conversation.moment();
    assert_eq!(bus.get_api_key("x", &at, &mut Vec::new()).await.unwrap().as_deref(), Some(KEY));
    ask(&session, "input").await;
    let crossings = recording.crossings();
    let key = crossings.iter().find(|crossing| crossing.seam == "get-api-key").unwrap();
    assert_eq!((&key.outcome, key.host.len()), (&Outcome::Withheld(true), 0));
    assert_eq!(answer(crossings.last().unwrap()), json!({ "handled": "it is [secret]" }));
    assert_nowhere(&recording);
}

/// It is asked for before anything that was said is shown to a plugin.
#[tokio::test]
async fn a_key_that_was_said_in_an_earlier_run_is_nowhere_in_the_journal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    let mut before = Bed::new().talk_in(&file, json!([says(&format!("your key is {KEY}"))])).await;
    before.say(&format!("my key is {KEY}")).await;
    before.close().await;
    let recording = Recording::new();
    let seen = ["session-start", "input", "transform-context"];
    let settings = json!({ "get-api-key": { "do": "key", "text": KEY }, "sees": seen });
    let bed = Bed::new().everything("p", settings).journal(recording.journal.clone());
    let mut talk = bed.talk_in(&file, json!([says("yes")])).await;
    talk.say(&format!("again: {KEY}")).await;
    assert_eq!(talk.last_request().api_key.as_deref(), Some(KEY));
    talk.close().await;
    for seam in seen {
        let crossings = recording.crossings();
        let crossing = crossings.iter().find(|crossing| crossing.seam == seam).unwrap();
        let answers: String = crossing.host.iter().map(|call| call.answer.text()).collect();
        assert!(answers.contains("your key is [secret]"), "{seam}: {answers}");
    }
    assert_nowhere(&recording);
}

/// A run may have another provider, or none: what is shown of the session can hold the key of the one before.
#[tokio::test]
async fn the_key_of_the_provider_that_the_session_had_is_asked_for_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    let mut before = Bed::new().talk_in(&file, json!([says("yes")])).await;
    before.say(&format!("my key is {KEY}")).await;
    before.close().await;
    let mut log = SessionLog::open(&file, Durability::Never).unwrap();
    log.append(NewEntry::ModelChange { provider: "other".to_owned(), model_id: "m".to_owned() }).unwrap();
    drop(log);
    let recording = Recording::new();
    let settings = json!({ "get-api-key": { "do": "key", "text": KEY, "provider": "other" }, "sees": ["input"] });
    let bed = Bed::new().everything("p", settings).journal(recording.journal.clone());
    let mut talk = bed.talk_in(&file, json!([says("yes")])).await;
    talk.say("on").await;
    talk.close().await;
    let input = recording.crossings().into_iter().find(|crossing| crossing.seam == "input").unwrap();
    assert!(input.host.iter().any(|call| call.answer.text().contains("my key is [secret]")), "{input:?}");
    assert_nowhere(&recording);
}

/// In pieces it cannot be found: none of them is kept.
#[tokio::test]
async fn a_key_that_a_model_streams_is_not_in_the_journal_in_pieces() {
    let recording = Recording::new();
    let settings = json!({ "get-api-key": { "do": "key", "text": KEY }, "observe": "quiet" });
    let bed = Bed::new().everything("p", settings).journal(recording.journal.clone());
    let mut talk = bed.talk(json!([says(&format!("your key is {KEY}"))])).await;
    talk.say("hi").await;
    talk.close().await;
    let crossings = recording.crossings();
    let deltas = crossings
        .iter()
        .filter(|crossing| crossing.seam == "message-update")
        .map(|crossing| crossing.input.value().unwrap()[0]["delta"].as_str().unwrap().to_owned());
    let deltas: Vec<String> = deltas.collect();
    assert!(!deltas.is_empty() && deltas.iter().all(|delta| delta == "[secret]"), "{deltas:?}");
    assert_nowhere(&recording);
}

/// What cannot be used is no secret: a plugin could have hidden what others say.
#[tokio::test]
async fn what_cannot_be_a_key_is_not_hidden() {
    let recording = Recording::new();
    let settings = json!({ "get-api-key": { "do": "key", "text": "rm -rf everything" }, "observe": "quiet",
        "input": { "do": "handled", "text": "it is rm -rf everything" } });
    let session = Bed::new().everything("p", settings).journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    assert_eq!(bus.get_api_key("x", &bus.conversation.moment(), &mut Vec::new()).await, Ok(None));
    ask(&session, "input").await;
    assert_eq!(answer(recording.crossings().last().unwrap()), json!({ "handled": "it is rm -rf everything" }));
}
