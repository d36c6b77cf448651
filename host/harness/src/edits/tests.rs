use seam_loop::message::{AssistantMessage, CustomMessage, Usage};
use seam_loop::{AssistantBlock, StopReason};
use serde_json::json;

use super::*;
use crate::moment::Conversation;

fn text(message: &Message) -> String {
    match message {
        Message::User(user) => user.content.iter().filter_map(Content::as_text).collect(),
        Message::Assistant(said) => format!("calls {}", said.tool_calls().map(|call| &*call.id).collect::<String>()),
        Message::ToolResult(result) => format!("result {}", result.tool_call_id),
        Message::Custom(custom) => custom.custom_type.clone(),
    }
}

fn texts(messages: &[Arc<Message>]) -> Vec<String> {
    messages.iter().map(|message| text(message)).collect()
}

fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text))
}

fn edited(edits: &[Edit]) -> Result<Vec<String>, Failure> {
    let conversation = Arc::new(Conversation::new("s"));
    ["a", "b", "c", "d"].into_iter().for_each(|text| conversation.push(user(text)));
    apply(edits, &conversation.moment(), "own").map(|shown| texts(&shown))
}

#[test]
fn places_are_those_before_all_edits() {
    let edits = [
        Edit::Insert(4, user("end")),
        Edit::Drop(1..3),
        Edit::Insert(0, user("x")),
        Edit::Insert(0, user("y")),
        Edit::Replace(3, user("D")),
        Edit::Insert(2, user("in the gap")),
    ];
    assert_eq!(edited(&edits), Ok(["x", "y", "a", "in the gap", "D", "end"].map(str::to_owned).to_vec()));
    assert_eq!(edited(&[Edit::Drop(0..4)]), Ok(vec![]));
    assert_eq!(
        edited(&[Edit::Drop(2..2), Edit::Drop(1..2), Edit::Drop(2..3)]),
        Ok(["a", "d"].map(str::to_owned).to_vec())
    );
}

#[test]
fn what_lies_outside_or_overlaps_is_a_failure() {
    let outside = [
        Edit::Drop(3..5),
        Edit::Drop(Range { start: 3, end: 2 }),
        Edit::Replace(4, user("x")),
        Edit::Replace(usize::MAX, user("x")),
        Edit::Insert(5, user("x")),
        Edit::Drop(0..usize::MAX),
    ];
    for edit in outside {
        assert!(edited(std::slice::from_ref(&edit)).is_err(), "{edit:?}");
    }
    let overlapping = [
        [Edit::Drop(0..2), Edit::Drop(1..3)],
        [Edit::Drop(0..2), Edit::Replace(1, user("x"))],
        [Edit::Replace(1, user("x")), Edit::Replace(1, user("y"))],
    ];
    for edits in overlapping {
        assert!(edited(&edits).is_err(), "{edits:?}");
    }
}

fn calls(ids: &[&str]) -> Arc<Message> {
    let call = |id: &&str| {
        let call = RequestedCall {
            id: (*id).to_owned(),
            name: "t".to_owned(),
            arguments: json!({}),
            arguments_error: None,
            signature: None,
        };
        AssistantBlock::ToolCall(call)
    };
    Arc::new(Message::Assistant(AssistantMessage {
        content: ids.iter().map(call).collect(),
        provider: String::new(),
        model: String::new(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: StopReason::ToolUse,
        error_message: None,
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 0,
    }))
}

fn result(id: &str) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.to_owned(),
        tool_name: "t".to_owned(),
        content: vec![],
        details: None,
        structured_content: None,
        usage: None,
        is_error: false,
        timestamp: 0,
    }))
}

#[test]
fn calls_and_results_stay_together() {
    let shown = vec![result("0"), user("u"), calls(&["1", "2"]), result("2"), user("v"), result("1"), calls(&["3"])];
    let paired = texts(&paired(shown));
    assert_eq!(paired, ["u", "calls 12", "result 2", "result 1", "v", "calls 3", "result 3"]);
}

#[test]
fn what_stands_between_a_call_and_its_result_comes_after_both() {
    let between = user("between");
    let given = result("1");
    let shown = paired(vec![calls(&["1", "2"]), Arc::clone(&between), Arc::clone(&given), user("after")]);
    assert_eq!(texts(&shown), ["calls 12", "result 1", "result 2", "between", "after"]);
    assert!(Arc::ptr_eq(&shown[1], &given), "it is the result that there was");
}

fn custom(kind: &str) -> Arc<Message> {
    Arc::new(Message::Custom(CustomMessage {
        custom_type: kind.to_owned(),
        content: vec![],
        display: true,
        details: None,
        timestamp: 0,
    }))
}

#[test]
fn no_plugin_speaks_for_another() {
    let conversation = Arc::new(Conversation::new("s"));
    conversation.push(custom("other/note"));
    let at = conversation.moment();
    let tried = |edit: Edit| apply(&[edit], &at, "own").is_ok();
    assert!(tried(Edit::Insert(0, custom("own/note"))));
    assert!(tried(Edit::Replace(0, custom("other/note"))) && tried(Edit::Replace(0, custom("own/note"))));
    assert!(!tried(Edit::Insert(0, custom("other/note"))) && !tried(Edit::Replace(0, custom("other/more"))));
    assert!(!tried(Edit::Insert(0, custom("note"))) && !tried(Edit::Insert(0, custom("owner/note"))));
}

#[test]
fn no_plugin_puts_words_into_the_mouth_of_another() {
    let conversation = Arc::new(Conversation::new("s"));
    conversation.push(custom("other/note"));
    let at = conversation.moment();
    let says = |change: &dyn Fn(&mut CustomMessage)| {
        let mut message = custom("other/note");
        let Message::Custom(custom) = Arc::make_mut(&mut message) else { panic!("it is one") };
        change(custom);
        apply(&[Edit::Replace(0, message)], &at, "own").is_ok()
    };
    assert!(says(&|_| {}));
    assert!(!says(&|message| message.content.push(Content::text("x"))));
    assert!(!says(&|message| message.display = false));
    assert!(!says(&|message| message.details = Some(json!(1))));
}

#[test]
fn the_kind_of_an_own_message_is_a_name() {
    let at = Arc::new(Conversation::new("s")).moment();
    let tried = |kind: &str| apply(&[Edit::Insert(0, custom(kind))], &at, "own").is_ok();
    assert!(tried("own/A-b_c.9") && tried(&format!("own/{}", "k".repeat(64))));
    for kind in ["own", "own/", "own/a/b", "own/a b", "own/\u{e4}", &format!("own/{}", "k".repeat(65))] {
        assert!(!tried(kind), "{kind}");
    }
}
