//! An observer that is behind: what comes as one, what is reported, what is given up.

use std::time::{Duration, Instant};

use seam_harness::{Event, SessionEvent};
use seam_loop::Message;
use seam_tests::bed::Bed;
use seam_tests::notes;
use serde_json::json;

use super::{calls, says};

/// Pieces of one block come as one when the observer is behind. Nothing of the text is lost.
#[tokio::test]
async fn text_comes_in_fewer_pieces_and_whole() {
    let settings = json!({ "observe": "quiet", "observe-at": { "message-update": { "busy": 20 } } });
    let bed = Bed::new().everything("behind", settings).time_limit("behind", 10_000);
    let text = "a word and another ".repeat(20);
    let response = json!({ "content": [{ "thinking": "hmm" }, { "text": text }], "chunks": 100 });
    let mut talk = bed.talk(json!([response])).await;
    talk.say("1").await;
    talk.close().await;

    let notes = notes::take("behind");
    let pieces: Vec<(&str, String)> = notes.iter().map(|note| piece(note)).collect();
    let of = |kind: &'static str| pieces.iter().filter(move |piece| piece.0 == kind).map(|piece| &*piece.1);
    assert_eq!((of("thinking-delta").collect::<String>(), of("text-delta").collect::<String>()), ("hmm".into(), text));
    assert!(of("text-delta").count() < 100, "{notes:#?}");
    // What begins and ends is never merged.
    let mut kinds: Vec<&str> = pieces.iter().map(|piece| piece.0).collect();
    kinds.dedup();
    let expected = ["thinking-start", "thinking-delta", "thinking-end", "text-start", "text-delta", "text-end"];
    assert_eq!(kinds, expected);
}

/// The kind and the delta in a note: `message-update: SESSION KIND BLOCK "DELTA" CALL`.
fn piece(note: &str) -> (&str, String) {
    let mut words = note.splitn(5, ' ');
    let kind = words.nth(2).unwrap();
    let (delta, _call) = words.nth(1).unwrap().rsplit_once(' ').unwrap();
    (kind, serde_json::from_str(delta).unwrap())
}

/// Of several updates of a running tool, one that is behind sees the last.
#[tokio::test]
async fn a_running_tool_is_seen_as_it_is_last() {
    let settings = json!({
        "tools": [{ "name": "slow", "do": "updates", "updates": 5, "millions": 200 }],
        "observe": "quiet", "observe-at": { "tool-execution-start": "loop", "tool-execution-update": "note" }
    });
    let bed = Bed::new().everything("updates", settings).time_limit("updates", 1500);
    let bed = bed.set("updates", |settings| settings.limits.tool_time_ms = 60_000);
    let turns = json!([calls("c1", "slow", json!({ "text": "x" })), says("a")]);
    let mut talk = bed.talk(turns).await;
    talk.say("1").await;
    talk.close().await;
    let notes = notes::take("updates");
    assert!(notes.len() < 5 && notes.last().unwrap().ends_with(r#" c1 slow "x 5" -"#), "{notes:#?}");
}

/// 1,000 waiting events are reported, once. At the end an observer has two seconds; then the rest is given up, and
/// that is reported too.
#[tokio::test]
async fn a_lag_is_reported_and_the_session_does_not_wait_for_it() {
    let stuck = json!({ "observe": "quiet", "observe-at": { "session-start": "loop" } });
    let talk = Bed::new().everything("stuck", stuck).time_limit("stuck", 60_000).talk(json!([])).await;
    let handle = talk.harness.handle();
    for _ in 0..1_500 {
        handle.next_turn(Message::user("n"));
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let began = Instant::now();
    let told = talk.close().await;
    let took = began.elapsed();
    assert!((2..10).contains(&took.as_secs()), "{took:?}");

    let stuck = told.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::ObserverBehind { plugin, waiting, given_up }) if &**plugin == "stuck" => {
            Some((*waiting, *given_up))
        }
        _ => None,
    });
    // What is given up: the start it never got over, 1,500 changes of a queue, and the shutdown.
    assert_eq!(stuck.collect::<Vec<_>>(), [(1_000, false), (1_502, true)]);
}
