//! A conversation that is too long, as its service says: it is made shorter, and the run goes on.

use std::time::Duration;

use seam_harness::{CompactionSettings, RetrySettings, Upkeep};
use seam_tests::models::{Frames, Place, Plan, Said, Trouble};

use super::super::run;
use super::*;

/// A word, and so much after it that the last two turns are all that is kept.
fn long(word: &str) -> String {
    format!("{word} {}", ".".repeat(395))
}

fn small() -> Upkeep {
    Upkeep {
        context_window: Some(1_000),
        compaction: CompactionSettings { enabled: true, reserve_tokens: 200, keep_recent_tokens: 150 },
        retry: RetrySettings { max: 0, base: Duration::from_millis(1) },
    }
}

/// A conversation with two turns, of which the next answer is this.
async fn two_turns(protocol: Protocol, then: Plan) -> (Server, Talk) {
    let server = Server::start();
    let mut talk = talk(Bed::new().upkeep(small()), &services(&server), protocol).await;
    for word in ["one", "two"] {
        server.say(protocol, &Said::text(&long(&format!("answer {word}"))));
        assert_eq!(run(&mut talk, &long(word)).await.error, None);
    }
    server.push(then);
    (server, talk)
}

async fn goes_on(protocol: Protocol, plan: Plan) {
    let (server, mut talk) = two_turns(protocol, plan).await;
    for word in ["A summary.", "Another.", "third"] {
        server.say(protocol, &Said::text(word));
    }
    let outcome = run(&mut talk, "three").await;
    assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{protocol:?}");
    let events = talk.events.lock().unwrap().clone();
    let compacted = events.iter().filter(|event| matches!(event, Event::Session(SessionEvent::SessionCompact { .. })));
    assert_eq!(compacted.count(), 1, "{protocol:?}");
    let last = server.requests().last().unwrap().body.to_string();
    assert!(
        last.contains("three") && last.contains("A summary.") && !last.contains("answer one"),
        "{protocol:?}: {last}"
    );
    assert_eq!(talk.transcript().last().unwrap().split('\n').next(), Some("assistant: third"));
}

#[tokio::test]
async fn the_conversation_is_made_shorter_and_the_run_goes_on() {
    for protocol in Protocol::ALL {
        for trouble in [Trouble::Overflow, Trouble::TooLarge] {
            goes_on(protocol, Plan::trouble(protocol, trouble)).await;
        }
    }
}

#[tokio::test]
async fn the_same_when_it_is_said_within_a_stream() {
    for protocol in Protocol::ALL {
        let plan = Frames::of(protocol, &Said::text("x")).error(Place::Start, Trouble::Overflow).plan();
        goes_on(protocol, plan).await;
    }
}

#[tokio::test]
async fn what_cannot_be_made_shorter_is_told_with_what_to_do() {
    let server = Server::start();
    let mut talk = talk(Bed::new().upkeep(again(0)), &services(&server), Protocol::Anthropic).await;
    server.push(Plan::trouble(Protocol::Anthropic, Trouble::Overflow));
    let error = run(&mut talk, "go").await.error.unwrap();
    insta::assert_snapshot!(error, @"anthropic-messages answered 400: prompt is too long: 213462 tokens > 200000 maximum. The conversation was not made shorter: Nothing to compact: everything that was said is recent, and is kept as it is. Begin a new session, choose a model that can read more, or say less at once");
}
