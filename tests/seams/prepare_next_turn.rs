//! `prepare-next-turn`: model, level and messages of the next turn.

use std::sync::Arc;

use seam_harness::Event;
use seam_loop::Message;
use seam_tests::bed::{Bed, trail, wait};
use seam_tests::talk::{Talk, calls, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

fn after_first(change: Value) -> Value {
    let mut settings = json!({ "prepare-next-turn": change, "observe": "quiet" });
    settings["prepare-next-turn"]["turn"] = json!(1);
    settings
}

/// A run of three turns: two calls and a text.
async fn three_turns(bed: Bed) -> Talk {
    let mut talk = bed.talk(json!([calls("echo", "x"), calls("echo", "y"), says("done"), says("again")])).await;
    talk.say("hi").await;
    talk
}

fn models(talk: &Talk) -> Vec<String> {
    talk.requests.lock().unwrap().iter().map(|asked| asked.model.clone()).collect()
}

#[tokio::test]
async fn model_and_level_hold_to_the_end_of_the_run() {
    let change = after_first(json!({ "model": "p/big", "thinking-level": "high" }));
    let mut talk = three_turns(Bed::new().everything("p", change)).await;
    assert_eq!(models(&talk), ["scripted/m Off", "p/big High", "p/big High"]);
    talk.say("again").await;
    assert_eq!(models(&talk)[3], "scripted/m Off");
    assert_eq!(trail(&talk.decided()), ["p prepare-next-turn change"]);
}

#[tokio::test]
async fn a_message_is_stored_under_the_plugins_name_before_what_is_queued() {
    let bed = Bed::new().everything("p", after_first(json!({ "message": "look twice", "kind": "advice" })));
    let slow = json!({ "toolCall": { "id": "c", "name": "bash", "args": { "command": "sleep 0.3; echo x" } } });
    let mut talk = bed.talk(json!([{ "content": [slow] }, says("done")])).await;
    let (handle, events) = (talk.harness.handle(), Arc::clone(&talk.events));
    let steer = async {
        let running = |event: &Event| event.seam() == Some("tool-execution-start");
        while !events.lock().unwrap().iter().any(running) {
            wait(5).await;
        }
        handle.steer(Message::user("queued")).unwrap();
    };
    tokio::join!(talk.say("hi"), steer);
    assert_eq!(talk.transcript()[2..], ["tool: x\n", "p/advice: look twice", "user: queued", "assistant: done"]);
    assert_eq!(talk.last_request().messages[2..], ["tool: x\n", "user: look twice", "user: queued"]);
}

#[tokio::test]
async fn fields_and_messages_of_different_plugins_add_up() {
    let plugins = [
        after_first(json!({ "message": "a", "model": "p/a" })),
        json!({ "observe": "quiet" }),
        after_first(json!({ "message": "c", "thinking-level": "low" })),
    ];
    for (order, bed) in in_every_order(plugins) {
        let talk = three_turns(bed).await;
        assert_eq!(models(&talk), ["scripted/m Off", "p/a Low", "p/a Low"], "{order}");
        let adding = order.replace('b', "");
        let added: Vec<_> = adding.chars().map(|letter| format!("{}/note: {letter}", name(order, letter))).collect();
        assert_eq!(talk.transcript()[3..5], added, "{order}");
    }
}

#[tokio::test]
async fn of_one_field_the_last_plugin_decides() {
    let model = |name| after_first(json!({ "model": format!("p/{name}") }));
    for (order, bed) in in_every_order([model("a"), json!({}), model("c")]) {
        let last = order.replace('b', "").split_off(1);
        assert_eq!(models(&three_turns(bed).await)[1], format!("p/{last} Off"), "{order}");
    }
}

#[tokio::test]
async fn it_sees_the_turn_and_what_the_plugin_before_chose() {
    let first = after_first(json!({ "model": "p/big", "thinking-level": "minimal" }));
    let second = json!({ "tell": ["prepare-next-turn"], "sees": ["prepare-next-turn"], "observe": "quiet" });
    three_turns(Bed::new().everything("1", first).everything("next-sees", second)).await;
    let told = told("next-sees");
    assert_eq!(
        told[..2],
        [
            r#"prepare-next-turn: Event { session: _, turn: 1, message: 1, results: Range { start: 2, end: 3 }, model: Model { provider: "p", id: "big" }, thinking-level: ThinkingLevel::Minimal }"#,
            r#"prepare-next-turn sees: user "hi" | assistant "" | tool echo "x""#,
        ]
    );
    // There is no third turn to prepare after the last one.
    assert_eq!(told.len(), 4, "{told:?}");
}

#[tokio::test]
async fn a_kind_that_is_no_name_is_the_plugins_failure() {
    let bed =
        Bed::new().everything("p", after_first(json!({ "message": "x", "kind": "other/advice", "model": "p/big" })));
    let talk = three_turns(bed).await;
    assert_eq!(trail(&talk.decided()), ["p prepare-next-turn failure"]);
    // Nothing of the answer counts.
    assert_eq!(models(&talk), vec!["scripted/m Off"; 3]);
    assert_eq!(talk.transcript().len(), 6);
}
