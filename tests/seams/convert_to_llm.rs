//! `convert-to-llm`: what the model sees of a plugin's own messages.

use seam_loop::message::{CustomMessage, now};
use seam_loop::{Content, Message};
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::{Talk, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

/// A plugin that adds a message and says what the model sees of it.
fn adds(message: &str, conversion: Value) -> Value {
    json!({ "before-agent-start": { "message": message }, "convert-to-llm": conversion, "observe": "quiet" })
}

async fn said(bed: Bed) -> Talk {
    let mut talk = bed.talk(json!([says("yes")])).await;
    talk.say("hi").await;
    talk
}

#[tokio::test]
async fn the_owner_decides_what_the_model_sees_and_the_message_stays() {
    for (conversion, seen, changes) in [
        (json!({ "do": "content", "text": "<{}>" }), vec!["user: hi", "user: <note>"], true),
        (json!({ "do": "omit" }), vec!["user: hi"], true),
        (json!({}), vec!["user: hi", "user: note"], false),
    ] {
        let talk = said(Bed::new().everything("p", adds("note", conversion))).await;
        assert_eq!(talk.last_request().messages, seen);
        assert_eq!(talk.transcript()[1], "p/note: note");
        // Nothing is told when it is what the model would have seen.
        assert_eq!(trail(&talk.decided()).contains(&"p convert-to-llm change".to_owned()), changes);
    }
}

#[tokio::test]
async fn without_an_owner_the_model_sees_the_content_as_said_by_the_user() {
    let mut talk = Bed::new().talk(json!([says("yes")])).await;
    talk.harness.handle().next_turn(Message::Custom(CustomMessage {
        custom_type: "gone/note".to_owned(),
        content: vec![Content::text("left behind")],
        display: true,
        details: None,
        timestamp: now(),
    }));
    talk.say("hi").await;
    assert_eq!(talk.last_request().messages, ["user: hi", "user: left behind"]);
}

#[tokio::test]
async fn each_decides_about_its_own_alone() {
    let plugins = ["a", "b", "c"].map(|name| match name {
        "b" => adds(name, json!({ "do": "omit" })),
        _ => adds(name, json!({ "do": "content", "text": format!("{{}}, says {name}") })),
    });
    for (order, bed) in in_every_order(plugins) {
        let talk = said(bed).await;
        let seen = order.replace('b', "");
        let seen = seen.chars().map(|name| format!("user: {name}, says {name}"));
        let expected: Vec<_> = ["user: hi".to_owned()].into_iter().chain(seen).collect();
        assert_eq!(talk.last_request().messages, expected, "{order}");
        let kinds: Vec<_> = order.chars().map(|letter| format!("{}/note: {letter}", name(order, letter))).collect();
        assert_eq!(talk.transcript()[1..4], kinds, "{order}");
    }
}

/// A name that begins like another one is another one.
#[tokio::test]
async fn it_sees_its_own_messages_and_no_others() {
    let mut settings = adds("mine", json!({}));
    settings["tell"] = json!(["convert-to-llm"]);
    let bed = Bed::new().everything("own", settings).everything("own2", adds("not mine", json!({})));
    let talk = said(bed).await;
    assert_eq!(talk.last_request().messages, ["user: hi", "user: mine", "user: not mine"]);
    let [note] = &told("own")[..] else { panic!("it is asked once, for all its messages") };
    assert!(
        note.starts_with(r#"convert-to-llm: CustomMessage { kind: "own/note", content: [Content::Text("mine")], display: true, details: None, timestamp: "#),
        "{note}"
    );
}

#[tokio::test]
async fn messages_that_are_not_shown_are_not_asked_about() {
    let mut settings = adds("mine", json!({}));
    settings["tell"] = json!(["convert-to-llm"]);
    settings["transform-context"] = json!({ "drop": [[1, 2]] });
    let talk = said(Bed::new().everything("not-asked", settings)).await;
    assert_eq!(talk.last_request().messages, ["user: hi"]);
    assert_eq!(told("not-asked"), Vec::<String>::new());
}
