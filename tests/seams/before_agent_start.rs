//! `before-agent-start`: what goes with a prompt.

use seam_loop::Ruling;
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::says;
use seam_tests::three::{in_every_order, name, told};
use serde_json::json;

#[tokio::test]
async fn a_message_stands_behind_the_prompt_under_the_plugins_name() {
    let bed = Bed::new().everything("p", json!({ "before-agent-start": { "message": "be brief", "kind": "style" } }));
    let mut talk = bed.talk(json!([says("yes")])).await;
    talk.say("hi").await;
    assert_eq!(talk.transcript(), ["user: hi", "p/style: be brief", "assistant: yes"]);
    assert_eq!(talk.last_request().messages, ["user: hi", "user: be brief"]);
    assert_eq!(trail(&talk.decided())[0], "p before-agent-start change");
}

/// No plugin speaks under the name of another.
#[tokio::test]
async fn a_kind_that_is_no_name_is_the_plugins_failure() {
    for kind in ["other/style", "", "a b", &"k".repeat(65)] {
        let settings = json!({ "before-agent-start": { "message": "x", "kind": kind } });
        let mut talk = Bed::new().everything("p", settings).talk(json!([says("yes")])).await;
        talk.say("hi").await;
        assert_eq!(talk.transcript(), ["user: hi", "assistant: yes"]);
        let failure = "its answer is not usable: the kind of a message is not a name".to_owned();
        assert_eq!(talk.decided()[0].ruling, Ruling::Failure { failure, refused: false }, "{kind}");
    }
}

#[tokio::test]
async fn a_system_prompt_holds_for_one_run() {
    let settings = json!({
        "before-agent-start": { "system-prompt": "{}, and brief" }, "tell": ["before-agent-start"], "observe": "quiet"
    });
    let mut talk = Bed::new().everything("start-sees", settings).talk(json!([says("1"), says("2")])).await;
    for said in ["a", "b"] {
        talk.say(said).await;
        assert_eq!(talk.last_request().system_prompt, "be kind, and brief");
    }
    let seen =
        |prompt| format!(r#"before-agent-start: Event {{ prompt: "{prompt}", images: [], system-prompt: "be kind" }}"#);
    assert_eq!(told("start-sees"), ["a", "b"].map(seen));
}

/// The prompt is what `input` made of it.
#[tokio::test]
async fn it_sees_the_prompt_after_input() {
    let first = json!({ "input": { "do": "replace", "text": "{}!" } });
    let second = json!({ "tell": ["before-agent-start"], "observe": "quiet" });
    let bed = Bed::new().everything("1", first).everything("start-after-input", second);
    bed.talk(json!([says("yes")])).await.say("hi").await;
    assert!(told("start-after-input")[0].contains(r#"prompt: "hi!""#));
}

#[tokio::test]
async fn the_system_prompt_chains_and_messages_add_up() {
    let adds = |name| json!({ "before-agent-start": { "system-prompt": format!("{{}}{name}"), "message": name } });
    for (order, bed) in in_every_order([adds("a"), json!({}), adds("c")]) {
        let mut talk = bed.talk(json!([says("yes")])).await;
        talk.say("hi").await;
        let asked = talk.last_request();
        let adding = order.replace('b', "");
        assert_eq!(asked.system_prompt, format!("be kind{adding}"), "{order}");
        let added = adding.chars().map(|plugin| format!("{}/note: {plugin}", name(order, plugin)));
        let expected: Vec<_> =
            ["user: hi".to_owned()].into_iter().chain(added).chain(["assistant: yes".to_owned()]).collect();
        assert_eq!(talk.transcript(), expected, "{order}");
    }
}
