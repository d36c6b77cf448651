//! `input`: what the user says, before anything else happens.

use seam_harness::Heard;
use seam_harness::seams::{Said, Source};
use seam_loop::{CancellationToken, Content, Message};
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::says;
use seam_tests::three::{in_every_order, name, told};
use serde_json::json;

#[tokio::test]
async fn a_replacement_is_what_the_model_is_asked_and_what_is_stored() {
    let bed = Bed::new().everything("input-up", json!({ "input": { "do": "replace", "text": "{}, please" } }));
    let mut talk = bed.talk(json!([says("yes")])).await;
    talk.say("go").await;
    assert_eq!(talk.last_request().messages, ["user: go, please"]);
    assert_eq!(talk.transcript(), ["user: go, please", "assistant: yes"]);
    assert_eq!(trail(&talk.decided()), ["input-up input change"]);
}

#[tokio::test]
async fn what_is_handled_goes_no_further_and_the_user_reads_the_reply() {
    let bed = Bed::new().everything("p", json!({ "input": { "do": "handled", "text": "`{}` is done" } }));
    let mut talk = bed.talk(json!([])).await;
    assert_eq!(talk.say("go").await, Heard::Replied("`go` is done".to_owned()));
    assert_eq!((talk.asked(), talk.transcript().len()), (0, 0));
    assert_eq!(trail(&talk.decided()), ["p input handled"]);
}

#[tokio::test]
async fn a_reply_is_bounded_and_holds_no_control_characters() {
    let reply = format!("\u{1b}[31m{}", "x".repeat(10_000));
    let bed = Bed::new().everything("p", json!({ "input": { "do": "handled", "text": reply } }));
    let Heard::Replied(reply) = bed.talk(json!([])).await.say("go").await else { panic!("nobody replied") };
    assert!(reply.starts_with("[31mx") && reply.len() <= 4096, "{} bytes", reply.len());
}

/// Each sees what the one before it made; nothing to say changes nothing.
#[tokio::test]
async fn replacements_form_a_chain() {
    let add = |text| json!({ "input": { "do": "replace", "text": text } });
    for (order, bed) in in_every_order([add("{}a"), json!({}), add("{}c")]) {
        let mut talk = bed.talk(json!([says("yes")])).await;
        talk.say("x").await;
        assert_eq!(talk.last_request().messages, [format!("user: x{}", order.replace('b', ""))], "{order}");
    }
}

#[tokio::test]
async fn the_first_that_handles_stops_the_chain() {
    let does = |what, text| json!({ "input": { "do": what, "text": text } });
    let plugins = [does("replace", "{}a"), does("handled", "<{}>"), does("replace", "{}c")];
    for (order, bed) in in_every_order(plugins) {
        let mut talk = bed.talk(json!([])).await;
        let before = order.split('b').next().unwrap();
        assert_eq!(talk.say("x").await, Heard::Replied(format!("<x{before}>")), "{order}");
        let mut asked: Vec<_> = before.chars().map(|plugin| format!("{} input change", name(order, plugin))).collect();
        asked.push(format!("{} input handled", name(order, 'b')));
        assert_eq!(trail(&talk.decided()), asked, "{order}");
    }
}

#[tokio::test]
async fn what_a_plugin_replaced_is_said_by_a_plugin() {
    let bed = Bed::new().everything("1", json!({ "input": { "do": "replace", "text": "{}!" } }));
    let sees = json!({ "tell": ["input"], "observe": "quiet" });
    let mut talk = bed.everything("input-after", sees).talk(json!([says("yes")])).await;
    talk.say("go").await;
    assert_eq!(told("input-after"), [r#"input: Event { text: "go!", images: [], source: Source::Plugin }"#]);
}

#[tokio::test]
async fn it_sees_what_is_said_the_pictures_and_by_whom() {
    let settings = json!({ "tell": ["input"], "observe": "quiet", "input": { "do": "replace", "text": "seen" } });
    let mut talk = Bed::new().everything("input-sees", settings).talk(json!([says("yes"), says("yes")])).await;
    let picture = Content::Image { data: vec![1, 2], mime_type: "image/png".to_owned() };
    for source in [Source::User, Source::Program] {
        let said = Said { text: "look".to_owned(), images: vec![picture.clone()], source };
        talk.harness.say(said, &CancellationToken::new()).await;
    }
    assert_eq!(
        told("input-sees"),
        ["User", "Program"].map(|source| format!(
            r#"input: Event {{ text: "look", images: [Image {{ mime-type: "image/png", data: [1, 2] }}], source: Source::{source} }}"#
        ))
    );
    let Message::User(stored) = &*talk.harness.transcript().messages()[0] else { panic!("the user said it") };
    assert_eq!(stored.content, [Content::text("seen"), picture]);
}
