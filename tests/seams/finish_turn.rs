//! `finish-turn`: whether a run goes on after a turn.

use seam_harness::Heard;
use seam_loop::{Message, Ruling};
use seam_plugins::{OnFailureRules, Word};
use seam_tests::bed::{Bed, trail, wait};
use seam_tests::talk::{Talk, calls, says};
use seam_tests::three::{in_every_order, told};
use serde_json::{Value, json};

fn at_first(what: &str) -> Value {
    json!({ "finish-turn": { "do": what, "turn": 1 }, "observe": "quiet" })
}

/// A run whose first turn is this one.
async fn run(bed: Bed, first: Value) -> Talk {
    let mut talk = bed.talk(json!([first, says("more"), says("even more")])).await;
    talk.say("hi").await;
    talk
}

#[tokio::test]
async fn a_run_ends_though_the_model_waits_for_results() {
    let talk = run(Bed::new().everything("p", at_first("end")), calls("echo", "x")).await;
    assert_eq!((talk.asked(), talk.bed.echoed.lock().unwrap().len()), (1, 1));
    assert_eq!(talk.transcript().last().unwrap(), "tool: x");
    assert_eq!(trail(&talk.decided()), ["p finish-turn change"]);
}

#[tokio::test]
async fn a_run_goes_on_though_the_model_has_nothing_more_to_say() {
    let talk = run(Bed::new().everything("p", at_first("continue")), says("that is all")).await;
    assert_eq!(talk.asked(), 2);
    assert_eq!(talk.transcript(), ["user: hi", "assistant: that is all", "assistant: more"]);
}

/// Plugins alone cannot make a run endless. What that failure means is for the user to say, like of any other.
#[tokio::test]
async fn a_run_that_is_kept_going_for_nothing_ends() {
    for refuses in [false, true] {
        let settings = json!({ "finish-turn": { "do": "continue" }, "observe": "quiet" });
        let word = if refuses { Word::Refuse } else { Word::Skip };
        let bed = Bed::new().everything("p", settings).set("p", |settings| {
            settings.on_failure = OnFailureRules::Everywhere(word);
        });
        let mut talk = bed.talk(json!(vec![says("on"); 30])).await;
        let Heard::Ran(outcome) = talk.say("hi").await else { panic!("it ran") };
        let failure = "it kept the run going 25 times in a row though no tool was called".to_owned();
        let error = format!(
            "The run ended: plugin `p` failed at `finish-turn`: {failure}. This plugin was set to refuse; this is a \
             failure, not a decision."
        );
        assert_eq!(outcome.error, refuses.then_some(error));
        assert_eq!(talk.asked(), 26);
        assert_eq!(talk.decided().last().unwrap().ruling, Ruling::Failure { failure, refused: refuses });
    }
}

#[tokio::test]
async fn with_nothing_to_say_it_goes_on_as_it_would_have() {
    assert_eq!(run(Bed::new().everything("p", json!({})), says("that is all")).await.asked(), 1);
    assert_eq!(run(Bed::new().everything("p", json!({})), calls("echo", "x")).await.asked(), 2);
}

#[tokio::test]
async fn end_beats_continue_in_every_order() {
    for (order, bed) in in_every_order([at_first("end"), at_first("continue"), at_first("")]) {
        assert_eq!(run(bed, calls("echo", "x")).await.asked(), 1, "{order}");
    }
    for (order, bed) in in_every_order([at_first(""), at_first("continue"), at_first("")]) {
        assert_eq!(run(bed, says("that is all")).await.asked(), 2, "{order}");
    }
}

/// What waits for the run does so after its end.
#[tokio::test]
async fn what_is_queued_stays_queued() {
    let slow = json!({ "content": [{ "text": "1" }], "delay": 100 });
    let mut talk = Bed::new().everything("p", at_first("end")).talk(json!([slow, says("2"), says("3")])).await;
    let handle = talk.harness.handle();
    let adds = async {
        wait(20).await;
        handle.follow_up(Message::user("and then")).unwrap();
    };
    tokio::join!(talk.say("hi"), adds);
    assert_eq!(talk.transcript(), ["user: hi", "assistant: 1"]);
    // It joins the next run, when that would stop; its first turn is ended too, so it still waits.
    talk.say("on").await;
    assert_eq!(talk.transcript()[2..], ["user: on", "assistant: 2"]);
}

#[tokio::test]
async fn it_sees_the_turn_and_where_its_messages_are() {
    let settings = json!({ "tell": ["finish-turn"], "sees": ["finish-turn"], "observe": "quiet" });
    run(Bed::new().everything("finish-sees", settings), calls("echo", "x")).await;
    assert_eq!(
        told("finish-sees"),
        [
            "finish-turn: Event { session: _, turn: 1, stop-reason: StopReason::ToolUse, message: 1, results: Range { start: 2, end: 3 } }",
            r#"finish-turn sees: user "hi" | assistant "" | tool echo "x""#,
            "finish-turn: Event { session: _, turn: 2, stop-reason: StopReason::Stop, message: 3, results: Range { start: 4, end: 4 } }",
            r#"finish-turn sees: user "hi" | assistant "" | tool echo "x" | assistant "more""#,
        ]
    );
}
