//! It happens when the provider says that the conversation is too long.

use seam_harness::{Event, Heard, SessionEvent};
use seam_loop::{AgentEvent, StopReason};
use seam_tests::bed::Bed;
use seam_tests::talk::{calls, entries, says};
use serde_json::{Value, json};

use super::{SUMMARISED, asked, compactions, long, place, ran, resumed, small, two_turns};

fn too_long() -> Value {
    json!({ "error": { "message": "It is too long.", "kind": "overflow" } })
}

fn failed(heard: &Heard) -> &str {
    match heard {
        Heard::Ran(outcome) if outcome.stop_reason == StopReason::Error => outcome.error.as_deref().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn it_is_made_shorter_once_and_the_run_goes_on() {
    let (_folder, file) = place();
    let turns = [calls("echo", "x"), too_long(), says("A"), says("B"), says("third")];
    let mut talk = two_turns(&file, Bed::new(), &turns).await;
    ran(talk.say("three").await);
    // The call is not made again, and the answer that failed is not shown.
    assert_eq!(*talk.bed.echoed.lock().unwrap(), ["x"]);
    let shown = asked(&talk);
    let lines: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    let kept = ["assistant: second", "user: three", r#"assistant: [echo {"t"#, "tool: x"];
    assert_eq!((lines[0], &lines[1..]), (SUMMARISED.trim_end(), &kept[..]));
    let events = talk.events.lock().unwrap().clone();
    let settled = events.iter().filter(|event| matches!(event, Event::Session(SessionEvent::Settled { .. }))).count();
    let runs = events.iter().filter(|event| matches!(event, Event::Agent(AgentEvent::AgentStart))).count();
    assert_eq!((settled, runs), (3, 4));
    let written = entries(&file);
    let expected = ["user", "assistant", "toolResult", "assistant", "compaction", "assistant"];
    assert_eq!(written[written.len() - 6..], expected);
    talk.close().await;
    let again = resumed(&file).await;
    assert_eq!(again[..shown.len()], shown);
    assert_eq!(again.len(), shown.len() + 2);
}

#[tokio::test]
async fn a_second_time_is_an_error_that_says_what_to_do() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[too_long(), says("A"), says("B"), too_long(), says("fourth")]).await;
    let heard = talk.say("three").await;
    assert_eq!(
        failed(&heard),
        "It is too long. It is too long also after it was compacted. Begin a new session, choose a model that can read \
         more, or say less at once"
    );
    assert_eq!((talk.asked(), compactions(&file).len()), (6, 1));
    // It is tried again for what is said next.
    ran(talk.say("four").await);
}

#[tokio::test]
async fn when_it_cannot_be_made_shorter_the_error_says_both() {
    let (_folder, file) = place();
    let cancels = json!({ "session-before-compact": { "do": "cancel", "text": "no" }, "observe": "quiet" });
    let mut talk = two_turns(&file, Bed::new().everything("p", cancels), &[too_long()]).await;
    let heard = talk.say("three").await;
    let expected = "It is too long. The conversation was not made shorter: Compaction cancelled: plugin `p` cancelled it: \
                    no. Begin";
    assert!(failed(&heard).starts_with(expected), "{heard:?}");
    assert_eq!(talk.asked(), 3);
}

/// Also of one whose guessed length is far below the window, half is summarised.
#[tokio::test]
async fn a_conversation_that_seems_short_is_made_shorter_too() {
    let (_folder, file) = place();
    let turns = json!([says(&long("first", 60)), too_long(), says("A"), says("second")]);
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, turns).await;
    ran(talk.say(&long("one", 40)).await);
    ran(talk.say(&long("two", 10)).await);
    assert_eq!(compactions(&file).len(), 1);
}

/// What is kept is no more than half, also when one message is more than that.
#[tokio::test]
async fn one_long_message_is_summarised_though_everything_after_it_is_short() {
    let (_folder, file) = place();
    let turns = json!([says("first"), says("second"), too_long(), says("A"), says("third")]);
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, turns).await;
    ran(talk.say(&long("one", 600)).await);
    ran(talk.say("two").await);
    ran(talk.say("three").await);
    let shown = ["assistant: first", "user: two", "assistant: second", "user: three"].map(str::to_owned);
    assert_eq!((&asked(&talk)[1..], compactions(&file).len()), (&shown[..], 1));
}
