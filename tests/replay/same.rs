//! The same plugin says the same.

use std::time::Instant;

use seam_harness::seams::{Said, Source};
use seam_loop::{CancellationToken, Content};
use seam_session::JournalBounds;
use seam_session::journal::Record;
use seam_tests::bed::Bed;
use seam_tests::files;
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::{calls, says};
use serde_json::json;

/// Each test once for each language.
macro_rules! in_every_language {
    ($($language:ident)*) => {
        $(#[tokio::test]
        async fn $language() {
            a_guest_says_the_same(stringify!($language)).await;
        })*
    };
}

in_every_language! { polyglot c go javascript }

/// It lets pass, blocks, asks, changes, withholds, reads the conversation, and crashes.
async fn a_guest_says_the_same(guest: &str) {
    let recording = Recording::new();
    let bed = Bed::new().plugin("p", &files::guest(guest), json!({})).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let texts =
        ["hello", "forbidden", "ask-me", "SECRET", "withhold-me", "crash-gate", "crash-patch", "stale", "mark-me"];
    let turns: Vec<_> = texts.iter().map(|text| calls("echo", text)).chain([says("done")]).collect();
    let mut talk = bed.talk(json!(turns)).await;
    talk.say("hi").await;
    talk.close().await;
    let calls = recording.assert_same(&plugins).await;
    assert!(calls >= 25, "{calls}");
}

#[tokio::test]
async fn a_clock_and_random_numbers_are_the_same() {
    let recording = Recording::new();
    let bed = Bed::new().plugin("p", &files::wasi(), json!({})).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let session = bed.start().await;
    for text in ["a", "b"] {
        session.echo(text).await;
    }
    recording.assert_same(&plugins).await;
}

/// They come in with what the user says, lie in the conversation, and go out again.
#[tokio::test]
async fn pictures_come_through() {
    let recording = Recording::new();
    let settings =
        json!({ "observe": "quiet", "sees": ["transform-context"], "input": { "do": "replace", "text": "{}" } });
    let bed = Bed::new().everything("p", settings).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let mut talk = bed.talk(json!([says("nice")])).await;
    let images = vec![
        Content::Image { data: (0..=255).collect(), mime_type: "image/png".to_owned() },
        Content::Image { data: Vec::new(), mime_type: "image/gif".to_owned() },
    ];
    let said = Said { text: "look".to_owned(), images, source: Source::User };
    talk.harness.say(said, &CancellationToken::new()).await;
    talk.close().await;
    let crossings = recording.crossings();
    let seen = crossings.iter().find(|crossing| crossing.seam == "transform-context").unwrap();
    assert!(seen.host.iter().any(|call| call.answer.text().contains("AAECAwQF")), "{:?}", seen.host);
    recording.assert_same(&plugins).await;
}

#[tokio::test]
async fn its_failures_are_the_same() {
    for (deed, kind) in [
        (json!("panic"), "crash"),
        (json!("recurse"), "crash"),
        (json!("loop"), "time-limit"),
        (json!("memory"), "memory-limit"),
        (json!({ "answer": 4096 }), "data-limit"),
        (json!("read-result"), "misuse"),
        (json!({ "say-then-crash": "x" }), "crash"),
        (json!({ "log": 1 }), "\"proceed\""),
    ] {
        let recording = Recording::new();
        let bed =
            Bed::new().stress("p", json!({ "gate": deed })).time_limit("p", 400).journal(recording.journal.clone());
        let plugins = bed.load().await;
        bed.start().await.echo("x").await;
        let crossings = recording.crossings();
        let told = answer(crossings.iter().find(|crossing| crossing.seam == "tool-call").unwrap()).to_string();
        assert!(told.trim_start_matches('"').starts_with(kind.trim_start_matches('"')), "{deed}: {told}");
        recording.assert_same(&plugins).await;
    }
}

#[tokio::test]
async fn many_segments_are_the_same() {
    let recording = Recording::bounded(JournalBounds { segment: 8 << 10, total: 64 << 10 });
    let bed = Bed::new().stress("p", json!({ "gate": "count", "patch": "count" })).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let session = bed.start().await;
    for _ in 0..200 {
        session.echo("x").await;
    }
    let (first, _) = recording.records()[0];
    assert!(first > 1, "the first segments are gone");
    recording.assert_same(&plugins).await;
}

/// Ten thousand calls of a gate that was asked three times.
#[tokio::test]
async fn ten_thousand_calls_are_the_same() {
    let recording = Recording::new();
    let bed = Bed::new().example("protected-paths", json!({})).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let session = bed.start().await;
    for path in [".env", "src/a.rs", "~/.ssh/id"] {
        session.call("write", json!({ "path": path, "content": "x" })).await;
    }
    let asked = recording.crossings();
    for crossing in asked.iter().cycle().take(10_000) {
        recording.journal.write(&Record::Crossing(crossing.clone())).unwrap();
    }
    let began = Instant::now();
    let calls = recording.assert_same(&plugins).await;
    println!("{calls} calls in {:?}", began.elapsed());
    assert_eq!(calls, 10_000 + asked.len() as u64);
}
