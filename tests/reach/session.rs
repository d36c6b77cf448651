//! `session`: entries, labels and a name, written into the session's file.

use std::collections::BTreeSet;
use std::fs;

use seam_plugins::{Grants, Mode};
use seam_session::Session;
use seam_tests::bed::{Bed, text};
use seam_tests::notes;
use seam_tests::recording::Recording;
use seam_tests::talk::{calls, entries, says};
use serde_json::{Value, json};

use super::steps::{ask, at, custom, does, grants, place, problem, results, step, told};

#[tokio::test]
async fn without_the_grant_it_is_not_loaded_and_the_line_to_add_is_named() {
    assert_eq!(
        problem(Grants { session: false, ..grants() }).await,
        "it imports `seam:harness/session@0.1.0`, which is not granted to it; to grant that, add to `seam.toml`:\n    \
         [plugins.\"my plugin\".grants]\n    session = true"
    );
    let all = problem(Grants::default()).await;
    assert!(all.ends_with("\n    messages = true\n    session = true\n    models = true"), "{all}");
}

#[tokio::test]
async fn it_names_the_session_labels_and_adds_entries_between_a_call_and_its_result() {
    let (_folder, file) = place();
    let steps = json!([
        ["name"],
        ["set-name", "a\u{1b}[31m\n\u{202e}b\u{200b}"],
        ["name"],
        ["append", "note", "{\"a\": [1]}"],
        ["set-label", "LEAF", "here"],
        ["append", "note", "null"],
        ["set-label", "LEAF", "there"],
        ["unlabel", "LEAF"]
    ]);
    let mut talk = told().talk_in(&file, json!([step(steps), says("done")])).await;
    talk.say("hi").await;
    let answers = results(&talk)[0].clone();
    let answers: Vec<&str> = answers.split(" | ").collect();
    let session = Session::read(&file).unwrap();
    let ids: Vec<&str> = session.entries().iter().map(seam_session::Entry::id).collect();
    assert_eq!(answers, ["none", "ok", "a[31m b", ids[4], "ok", ids[6], "ok", "ok"]);
    let expected = ["model_change", "user", "assistant", "session_info", "custom", "label", "custom", "label", "label"];
    assert_eq!(entries(&file), [&expected[..], &["toolResult", "assistant"]].concat());
    assert_eq!(custom(&file), [("p/note".to_owned(), json!({ "a": [1] })), ("p/note".to_owned(), Value::Null)]);
    let labels: BTreeSet<_> = session.labels().collect();
    let expected = BTreeSet::from([(ids[4], "here"), (ids[6], "there")]);
    assert_eq!((session.name(), labels), (Some("a[31m b"), expected));
    // The model is shown nothing of it, now and when the session goes on.
    let transcript = talk.transcript();
    assert_eq!(transcript.len(), 4);
    talk.close().await;
    let mut talk = told().talk_in(&file, json!([says("again")])).await;
    assert_eq!(talk.transcript(), transcript);
    assert_eq!(ask(&mut talk, json!([["set-name", ""], ["name"], ["leaf"]])).await.split(" | ").nth(1), Some("none"));
    talk.say("on").await;
    assert_eq!(talk.last_request().messages.len(), 5);
}

#[tokio::test]
async fn the_id_and_the_leaf_are_those_of_the_session() {
    let (_folder, file) = place();
    let mut talk = told().talk_in(&file, json!([])).await;
    assert_eq!(ask(&mut talk, json!([["leaf"]])).await, "none");
    let id = ask(&mut talk, json!([["id"]])).await;
    assert!(format!("{:?}", talk.harness).contains(&format!("session: {id:?}")), "{id}");
    let entry = ask(&mut talk, json!([["append", "a", "1"]])).await;
    assert_eq!(ask(&mut talk, json!([["leaf"]])).await, entry);
}

#[tokio::test]
async fn names_labels_kinds_data_and_their_number_are_bounded() {
    let (_folder, file) = place();
    let mut talk = told().talk_in(&file, json!([])).await;
    let (fits, long) = ("n".repeat(256), "n".repeat(257));
    let names = json!([
        ["set-name", fits],
        ["set-name", long],
        ["append", "a", "1"],
        ["set-label", "LEAF", fits],
        ["set-label", "LEAF", long],
        ["set-label", "none", "x"],
        ["unlabel", ""]
    ]);
    let answers = ask(&mut talk, names).await;
    let answers: Vec<&str> = answers.split(" | ").collect();
    assert_eq!(
        (&answers[..2], &answers[3..]),
        (&["ok", "too-large"][..], &["ok", "too-large", "no-entry", "no-entry"][..])
    );
    let kinds = ["", "a/b", "ä", "a b", &"k".repeat(65)].map(|kind| json!(["append", kind, "1"]));
    assert_eq!(ask(&mut talk, json!(kinds)).await, ["not-usable"; 5].join(" | "));
    let unusable = json!([
        ["append", "a", ""],
        ["append", "a", "{"],
        ["append", "a", "1 2"],
        ["append", "a", "1e999"],
        ["append-deep", "a", "101"],
        ["append-deep", "a", "127"],
        ["append-deep", "a", "20000"]
    ]);
    assert_eq!(ask(&mut talk, unusable).await, ["not-usable"; 7].join(" | "));
    let large =
        json!([["append-big", "a", "65535"], ["append-big", "a", "65534"], ["append-deep", &"k".repeat(64), "100"]]);
    let answers = ask(&mut talk, large).await;
    let answers: Vec<&str> = answers.split(" | ").collect();
    assert!(answers[0] == "too-large" && answers[1].len() < 20 && answers[2].len() < 20, "{answers:?}");
    let many = json!([["times", "1001", "set-name", "x"], ["append", "a", "1"], ["unlabel", "LEAF"], ["name"]]);
    assert_eq!(ask(&mut talk, many).await, "too-many after 1000 | too-many | too-many | x");
    assert_eq!(ask(&mut talk, json!([["set-name", "y"]])).await, "ok");
    talk.close().await;
    // All of it can be read again.
    assert!(Session::read(&file).unwrap().notices().is_empty());
}

#[tokio::test]
async fn a_session_that_is_not_kept_says_so() {
    let steps = json!([["name"], ["leaf"], ["set-name", "x"], ["set-label", "x", "y"], ["append", "a", "1"]]);
    let expected = "none | none | not-kept | not-kept | not-kept";
    let mut talk = told().talk(json!([])).await;
    assert_eq!(ask(&mut talk, steps.clone()).await, expected);
    let session = told().start().await;
    assert_eq!(text(&session.call("do", json!({ "text": steps.to_string() })).await), expected);
    // For a shadow no session is kept, and what it sees of it is there.
    let (_folder, file) = place();
    let steps = json!([["name"], ["set-name", "x"], ["set-label", "LEAF", "y"], ["append", "a", "1"]]);
    let bed = does(Bed::new(), "session-shadow", at("input", steps));
    let bed = bed.set("session-shadow", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.talk_in(&file, json!([says("yes")])).await;
    talk.say("hi").await;
    talk.close().await;
    assert_eq!(notes::take("session-shadow"), ["input: none | not-kept | not-kept | not-kept"]);
    assert_eq!(entries(&file), ["model_change", "user", "assistant"]);
}

#[tokio::test]
async fn what_cannot_be_written_fails_the_call_and_ends_the_conversation() {
    let (_folder, file) = place();
    let mut talk = told().talk_in(&file, json!([says("a"), says("b")])).await;
    talk.say("one").await;
    fs::remove_file(&file).unwrap();
    let heard = talk.say(r#"/do [["append", "a", "1"]]"#).await;
    let seam_harness::Heard::Failed(why) = heard else { panic!("{heard:?}") };
    assert!(why.contains("could not be recorded"), "{why}");
    assert!(matches!(talk.say("two").await, seam_harness::Heard::Ran(outcome) if outcome.error.is_some()));
}

#[tokio::test]
async fn a_replay_writes_nothing_and_says_what_was_said() {
    let (_folder, file) = place();
    let recording = Recording::new();
    let steps =
        json!([["name"], ["set-name", "x"], ["name"], ["append", "a", "1"], ["leaf"], ["set-label", "LEAF", "y"]]);
    let bed = || does(Bed::new(), "session-again", at("tool-call", steps.clone()));
    let turns = json!([step(steps.clone()), calls("echo", "x"), says("done")]);
    let mut talk = bed().journal(recording.journal.clone()).talk_in(&file, turns).await;
    talk.say("hi").await;
    talk.close().await;
    let before = fs::read(&file).unwrap();
    assert!(recording.assert_same(&bed().load().await).await > 3);
    assert_eq!(fs::read(&file).unwrap(), before);
}
