//! It follows the branch that is chosen, and forks; a compaction takes nothing from it.

use std::path::Path;

use seam_harness::{Left, Move, NewFork};
use seam_loop::CancellationToken;
use seam_session::{Durability, ForkPoint, NewSession, Session};
use seam_tests::bed::Bed;
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};

use super::super::steps::{ask, at, does, place};

/// Counts each thing that the user says.
fn counts() -> Bed {
    does(Bed::new(), "p", at("input", json!([["count", "said"]])))
}

async fn count(talk: &mut Talk) -> String {
    ask(talk, json!([["get", "said"]])).await
}

/// A conversation of so many turns, and what comes then.
async fn turns(file: &Path, said: &[&str], then: usize) -> Talk {
    let turns: Vec<Value> = said.iter().map(|text| says(&format!("{text}!"))).chain(vec![says("then"); then]).collect();
    let mut talk = counts().talk_in(file, json!(turns)).await;
    for text in said {
        talk.say(text).await;
    }
    talk
}

/// The id of the entry of this message.
fn place_of(file: &Path, text: &str) -> String {
    let session = Session::read(file).unwrap();
    let is_it =
        |entry: &&seam_session::Entry| session.json(entry.id()).unwrap()["message"]["content"][0]["text"] == text;
    session.entries().iter().find(is_it).unwrap().id().to_owned()
}

async fn go(talk: &mut Talk, target: String, left: Left) {
    let to = Move { target, left, ..Move::default() };
    assert!(talk.harness.navigate(&to, &CancellationToken::new()).await.unwrap().moved);
}

#[tokio::test]
async fn back_and_over_to_another_branch() {
    let (_folder, file) = place();
    let mut talk = turns(&file, &["one", "two", "three"], 3).await;
    assert_eq!(count(&mut talk).await, "3");
    go(&mut talk, place_of(&file, "two!"), Left::Nothing).await;
    assert_eq!(count(&mut talk).await, "2");
    // Another third, and a fourth.
    talk.say("other").await;
    talk.say("more").await;
    assert_eq!(count(&mut talk).await, "4");
    go(&mut talk, place_of(&file, "three!"), Left::Nothing).await;
    assert_eq!(count(&mut talk).await, "3");
    go(&mut talk, place_of(&file, "one!"), Left::Summary(None)).await;
    assert_eq!(count(&mut talk).await, "1");
    // So it is when the session goes on.
    talk.close().await;
    let mut talk = counts().talk_in(&file, json!([says("again")])).await;
    assert_eq!(count(&mut talk).await, "1");
    talk.say("again").await;
    assert_eq!(count(&mut talk).await, "2");
}

#[tokio::test]
async fn a_fork_has_what_was_remembered_where_it_begins() {
    let ((_folder, file), forks) = (place(), tempfile::tempdir().unwrap());
    let mut talk = turns(&file, &["one", "two", "three"], 1).await;
    let at = ForkPoint::At(place_of(&file, "two!"));
    for (point, expected) in [(ForkPoint::Whole, "3"), (at, "2")] {
        let new = NewSession::new("/work");
        let fork = NewFork { point, folder: forks.path(), new, durability: Durability::EachEntry };
        let log = talk.harness.fork(fork, &CancellationToken::new()).await.unwrap();
        let path = log.session().path().to_owned();
        drop(log);
        let mut fork = counts().talk_in(&path, json!([says("there")])).await;
        assert_eq!(count(&mut fork).await, expected);
        fork.say("there").await;
    }
    // The source knows nothing of it.
    talk.say("here").await;
    assert_eq!(count(&mut talk).await, "4");
}

#[tokio::test]
async fn it_outlasts_a_compaction() {
    let (_folder, file) = place();
    let mut bed = counts();
    let mut upkeep = seam_harness::Upkeep::default();
    upkeep.compaction.keep_recent_tokens = 1;
    bed = bed.upkeep(upkeep);
    let long = "a text that is longer than its summary ".repeat(50);
    let mut talk = bed.talk_in(&file, json!([says(&long), says(&long), says("in short"), says("more")])).await;
    talk.say("one").await;
    talk.say("two").await;
    talk.harness.compact(None, &CancellationToken::new()).await.unwrap();
    assert_eq!(count(&mut talk).await, "2");
    talk.close().await;
    let mut talk = counts().talk_in(&file, json!([says("more")])).await;
    assert_eq!(count(&mut talk).await, "2");
    talk.say("three").await;
    assert_eq!(count(&mut talk).await, "3");
}
