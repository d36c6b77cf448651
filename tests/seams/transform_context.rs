//! `transform-context`: which messages the model is shown in one request.

use seam_harness::Heard;
use seam_loop::StopReason;
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::{calls, says};
use seam_tests::three::{in_every_order, told};
use serde_json::json;

const CALL: &str = "assistant: [echo {\"text\":\"x\"}]";

#[tokio::test]
async fn edits_change_one_request_and_nothing_that_is_stored() {
    let edits = json!({ "transform-context": { "replace": [[0, "hello"]], "insert": [[1, "more"]] } });
    let mut talk = Bed::new().everything("p", edits).talk(json!([says("yes"), says("yes")])).await;
    talk.say("hi").await;
    assert_eq!(talk.last_request().messages, ["user: hello", "user: more"]);
    assert_eq!(talk.transcript(), ["user: hi", "assistant: yes"]);
    assert_eq!(trail(&talk.decided()), ["p transform-context change"]);
    // Asked again it sees what is stored, not what it made of it.
    talk.say("on").await;
    assert_eq!(talk.last_request().messages, ["user: hello", "user: more", "assistant: yes", "user: on"]);
}

#[tokio::test]
async fn edits_form_a_chain() {
    let front = |name| json!({ "transform-context": { "insert": [[0, name]] } });
    for (order, bed) in in_every_order([front("a"), json!({}), front("c")]) {
        let mut talk = bed.talk(json!([says("yes")])).await;
        talk.say("hi").await;
        let mut expected: Vec<_> =
            order.replace('b', "").chars().rev().map(|plugin| format!("user: {plugin}")).collect();
        expected.push("user: hi".to_owned());
        assert_eq!(talk.last_request().messages, expected, "{order}");
    }
}

/// Each sees the list as the one before it left it, and `prepare-request` before all of them.
#[tokio::test]
async fn it_sees_the_edited_list() {
    let sees = |edits| {
        json!({
            "transform-context": edits, "tell": ["transform-context"], "sees": ["transform-context"], "observe": "quiet"
        })
    };
    let prepares = json!({ "prepare-request": { "insert": [[1, "prepared"]] } });
    let bed = Bed::new().everything("context-1", sees(json!({ "insert": [[2, "one"]] })));
    let bed = bed.everything("context-2", sees(json!({ "drop": [[0, 1]] }))).everything("context-3", sees(json!({})));
    bed.everything("z", prepares).talk(json!([says("yes")])).await.say("hi").await;
    for (plugin, length, seen) in [
        ("context-1", 2, r#"user "hi" | user "prepared""#),
        ("context-2", 3, r#"user "hi" | user "prepared" | user "one""#),
        ("context-3", 2, r#"user "prepared" | user "one""#),
    ] {
        let event = format!("transform-context: Event {{ session: _, length: {length} }}");
        assert_eq!(told(plugin), [event, format!("transform-context sees: {seen}")]);
    }
}

#[tokio::test]
async fn edits_that_cannot_be_made_are_the_plugins_failure_and_nothing_is_sent() {
    for (edits, fault) in [
        (json!({ "drop": [[0, 2]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "drop": [[1, 0]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "insert": [[2, "x"]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "replace": [[0, "x"], [0, "y"]] }), "two edits overlap"),
    ] {
        let bed = Bed::new().everything("p", json!({ "transform-context": edits }));
        let mut talk = bed.talk(json!([says("yes")])).await;
        let Heard::Ran(outcome) = talk.say("hi").await else { panic!("it was a run") };
        let error = outcome.error.unwrap();
        assert_eq!((outcome.stop_reason, talk.asked()), (StopReason::Error, 0));
        let words = format!("plugin `p` failed at `transform-context`: its answer is not usable: {fault}");
        assert!(error.contains(&words), "{error}");
    }
}

/// A provider takes no call without its result and no result without its call.
#[tokio::test]
async fn a_call_and_its_result_stay_together() {
    let hidden = "tool: The result of this call is no longer shown.";
    for (edits, expected) in [
        (json!({ "drop": [[1, 2]] }), vec!["user: hi"]),
        (json!({ "drop": [[2, 3]] }), vec!["user: hi", CALL, hidden]),
        (json!({ "replace": [[2, "instead"]] }), vec!["user: hi", CALL, hidden, "user: instead"]),
        (json!({ "insert": [[2, "between"]] }), vec!["user: hi", CALL, "tool: x", "user: between"]),
        (json!({ "drop": [[1, 3]] }), vec!["user: hi"]),
    ] {
        // The first request holds no call yet: there these edits fail and are skipped.
        let bed = Bed::new().everything("p", json!({ "transform-context": edits })).skip_failures("p");
        let mut talk = bed.talk(json!([calls("echo", "x"), says("done")])).await;
        talk.say("hi").await;
        assert_eq!(talk.last_request().messages, expected, "{edits}");
        assert_eq!(talk.transcript(), ["user: hi", CALL, "tool: x", "assistant: done"]);
    }
}
