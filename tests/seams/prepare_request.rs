//! `prepare-request`: the model of a request and what it is shown.

use seam_harness::Heard;
use seam_loop::StopReason;
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::{Talk, calls, says};
use seam_tests::three::{in_every_order, told};
use serde_json::{Value, json};

/// A run of two requests: a call, then a text. Gives what the model was asked.
async fn two_requests(bed: Bed) -> Talk {
    let mut talk = bed.talk(json!([calls("echo", "x"), says("done"), says("again")])).await;
    talk.say("hi").await;
    talk
}

fn models(talk: &Talk) -> Vec<String> {
    talk.requests.lock().unwrap().iter().map(|asked| asked.model.clone()).collect()
}

fn shown(talk: &Talk) -> Vec<Vec<String>> {
    talk.requests.lock().unwrap().iter().map(|asked| asked.messages.clone()).collect()
}

fn at_first(change: Value) -> Value {
    let mut settings = json!({ "prepare-request": change });
    settings["prepare-request"]["turn"] = json!(1);
    settings
}

#[tokio::test]
async fn model_and_level_change_for_a_request_or_for_the_rest_of_the_run() {
    let change = |scope| at_first(json!({ "model": "p/big", "thinking-level": "high", "scope": scope }));
    let mut talk = two_requests(Bed::new().everything("p", change("request"))).await;
    talk.say("again").await;
    assert_eq!(models(&talk), ["p/big High", "scripted/m Off", "p/big High"]);
    assert_eq!(trail(&talk.decided())[0], "p prepare-request change");

    let talk = two_requests(Bed::new().everything("p", change("run"))).await;
    assert_eq!(models(&talk), ["p/big High", "p/big High"]);
}

#[tokio::test]
async fn what_holds_for_the_run_ends_with_it() {
    let settings = json!({ "prepare-request": { "turn": 2, "model": "p/big", "scope": "run" } });
    let mut talk = two_requests(Bed::new().everything("p", settings)).await;
    talk.say("again").await;
    assert_eq!(models(&talk), ["scripted/m Off", "p/big Off", "scripted/m Off"]);
}

#[tokio::test]
async fn edits_change_what_is_shown_and_not_what_is_stored() {
    let edits = |scope| at_first(json!({ "replace": [[0, "hello"]], "insert": [[1, "more"]], "scope": scope }));
    let rest = ["assistant: [echo {\"text\":\"x\"}]", "tool: x"];
    for (scope, second) in [("request", vec!["user: hi"]), ("run", vec!["user: hello", "user: more"])] {
        let mut talk = two_requests(Bed::new().everything("p", edits(scope))).await;
        let second: Vec<_> = second.into_iter().chain(rest).collect();
        assert_eq!(shown(&talk), [vec!["user: hello", "user: more"], second], "{scope}");
        assert_eq!(talk.transcript()[0], "user: hi");
        talk.say("again").await;
        assert!(talk.transcript().contains(&"user: again".to_owned()));
    }
}

#[tokio::test]
async fn it_sees_the_request_as_the_plugin_before_left_it() {
    let first = at_first(json!({ "model": "p/big", "thinking-level": "low", "insert": [[1, "more"]] }));
    let second = json!({ "tell": ["prepare-request"], "sees": ["prepare-request"], "observe": "quiet" });
    let talk = two_requests(Bed::new().everything("1", first).everything("prepare-sees", second)).await;
    assert_eq!(talk.asked(), 2);
    assert_eq!(
        told("prepare-sees"),
        [
            r#"prepare-request: Event { session: _, turn: 1, model: Model { provider: "p", id: "big" }, thinking-level: ThinkingLevel::Low, length: 2 }"#,
            r#"prepare-request sees: user "hi" | user "more""#,
            r#"prepare-request: Event { session: _, turn: 2, model: Model { provider: "scripted", id: "m" }, thinking-level: ThinkingLevel::Off, length: 3 }"#,
            r#"prepare-request sees: user "hi" | assistant "" | tool echo "x""#,
        ]
    );
}

/// Who says nothing about a field leaves it.
#[tokio::test]
async fn fields_of_different_plugins_stand_beside_each_other() {
    let plugins = [at_first(json!({ "model": "p/a" })), json!({}), at_first(json!({ "thinking-level": "max" }))];
    for (order, bed) in in_every_order(plugins) {
        assert_eq!(models(&two_requests(bed).await), ["p/a Max", "scripted/m Off"], "{order}");
    }
}

#[tokio::test]
async fn of_one_field_the_last_plugin_decides() {
    let model = |name| at_first(json!({ "model": format!("p/{name}") }));
    for (order, bed) in in_every_order([model("a"), json!({}), model("c")]) {
        let last = order.replace('b', "").split_off(1);
        assert_eq!(models(&two_requests(bed).await)[0], format!("p/{last} Off"), "{order}");
    }
}

/// The one that came last saw what the one before had chosen, and chose otherwise.
#[tokio::test]
async fn a_choice_for_the_run_takes_the_place_of_an_earlier_one_for_the_request() {
    let model = |name, scope| at_first(json!({ "model": name, "scope": scope }));
    for (order, bed) in in_every_order([model("p/request", "request"), json!({}), model("p/run", "run")]) {
        let request_is_last = order.find('a') > order.find('c');
        let first = if request_is_last { "p/request Off" } else { "p/run Off" };
        assert_eq!(models(&two_requests(bed).await), [first, "p/run Off"], "{order}");
    }
}

#[tokio::test]
async fn edits_form_a_chain() {
    let front = |name| at_first(json!({ "insert": [[0, name]] }));
    for (order, bed) in in_every_order([front("a"), json!({}), front("c")]) {
        let talk = two_requests(bed).await;
        let mut expected: Vec<_> =
            order.replace('b', "").chars().rev().map(|plugin| format!("user: {plugin}")).collect();
        expected.push("user: hi".to_owned());
        assert_eq!(shown(&talk)[0], expected, "{order}");
    }
}

#[tokio::test]
async fn edits_that_cannot_be_made_are_the_plugins_failure_and_nothing_is_sent() {
    for (edits, fault) in [
        (json!({ "drop": [[0, 2]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "drop": [[1, 0]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "insert": [[2, "x"]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "replace": [[4_000_000_000_u32, "x"]] }), "an edit lies outside the 1 messages there are"),
        (json!({ "drop": [[0, 1]], "replace": [[0, "x"]] }), "two edits overlap"),
    ] {
        let bed = Bed::new().everything("p", json!({ "prepare-request": edits }));
        let mut talk = bed.talk(json!([says("yes")])).await;
        let Heard::Ran(outcome) = talk.say("hi").await else { panic!("it was a run") };
        let error = outcome.error.unwrap();
        assert_eq!((outcome.stop_reason, talk.asked()), (StopReason::Error, 0));
        let words = format!("plugin `p` failed at `prepare-request`: its answer is not usable: {fault}");
        assert!(error.contains(&words), "{error}");
    }
}

/// A provider takes no call without its result and no result without its call.
#[tokio::test]
async fn a_call_and_its_result_stay_together() {
    let hidden = "tool: The result of this call is no longer shown.";
    let call = "assistant: [echo {\"text\":\"x\"}]";
    for scope in ["request", "run"] {
        for (edits, expected) in [
            (json!({ "drop": [[1, 2]] }), vec!["user: hi"]),
            (json!({ "drop": [[2, 3]] }), vec!["user: hi", call, hidden]),
            (json!({ "insert": [[2, "between"]] }), vec!["user: hi", call, "tool: x", "user: between"]),
        ] {
            let mut change = edits.clone();
            change["turn"] = json!(2);
            change["scope"] = json!(scope);
            let talk = two_requests(Bed::new().everything("p", json!({ "prepare-request": change }))).await;
            assert_eq!(shown(&talk)[1], expected, "{scope} {edits}");
        }
    }
}
