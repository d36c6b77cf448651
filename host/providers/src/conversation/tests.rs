//! Conversations as a model is told them that had no part in them, or only one.

mod calls;

use seam_loop::ErrorKind;
use seam_loop::message::{RequestedCall, ToolResultMessage, Usage, UserMessage};
use serde_json::json;

use super::*;

fn model(provider: &str, id: &str) -> Model {
    Model { provider: provider.to_owned(), id: id.to_owned() }
}

fn us() -> Model {
    model("p", "m")
}

fn user(content: Vec<Content>) -> Arc<Message> {
    Arc::new(Message::User(UserMessage { content, timestamp: 0 }))
}

fn says(text: &str) -> Arc<Message> {
    user(vec![Content::text(text)])
}

fn picture() -> Content {
    Content::Image { data: vec![1, 2], mime_type: "image/png".to_owned() }
}

/// What a model said.
fn said_by(model: &Model, stop_reason: StopReason, content: Vec<AssistantBlock>) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content,
        provider: model.provider.clone(),
        model: model.id.clone(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason,
        error_message: None,
        error_kind: ErrorKind::Other,
        timestamp: 0,
    }))
}

fn said(content: Vec<AssistantBlock>) -> Arc<Message> {
    said_by(&us(), StopReason::Stop, content)
}

fn text(text: &str) -> AssistantBlock {
    AssistantBlock::Text { text: text.to_owned() }
}

fn thought(thinking: &str, signature: Option<&str>) -> AssistantBlock {
    let (thinking, signature) = (thinking.to_owned(), signature.map(str::to_owned));
    AssistantBlock::Thinking { thinking, signature, redacted: false }
}

fn call(id: &str) -> AssistantBlock {
    AssistantBlock::ToolCall(RequestedCall {
        id: id.to_owned(),
        name: "t".to_owned(),
        arguments: json!({}),
        arguments_error: None,
        signature: Some("proof".to_owned()),
    })
}

fn result(id: &str, content: Vec<Content>) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.to_owned(),
        tool_name: "t".to_owned(),
        content,
        details: None,
        structured_content: None,
        usage: None,
        is_error: false,
        timestamp: 0,
    }))
}

fn gives(id: &str, text: &str) -> Arc<Message> {
    result(id, vec![Content::text(text)])
}

/// A line for each turn, as a model that sees pictures is told it.
fn told(messages: &[Arc<Message>]) -> Vec<String> {
    lines(&turns(messages, &us(), true, Ids::USUAL))
}

fn lines(turns: &[Turn<'_>]) -> Vec<String> {
    turns.iter().map(line).collect()
}

fn line(turn: &Turn<'_>) -> String {
    match turn {
        Turn::User(content) => format!("user {}", pieces(content)),
        Turn::Model(said) => format!("model {}", said.iter().map(part).collect::<Vec<_>>().join(" ")),
        Turn::Results(results) => {
            let result = |Answered { id, content, is_error, .. }: &Answered<'_>| {
                format!("{id}{} {}", if *is_error { "!" } else { "" }, pieces(content))
            };
            format!("results {}", results.iter().map(result).collect::<Vec<_>>().join(", "))
        }
    }
}

fn pieces(content: &[Piece<'_>]) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => format!("{text:?}"),
        Piece::Image { mime_type, .. } => (*mime_type).to_owned(),
    };
    content.iter().map(piece).collect::<Vec<_>>().join(" ")
}

fn part(said: &Said<'_>) -> String {
    let proof = |signature: &Option<&str>| signature.map(|proof| format!("#{proof}")).unwrap_or_default();
    match said {
        Said::Text(text) => format!("{text:?}"),
        Said::Thinking { text, signature, .. } => format!("({text}{})", proof(signature)),
        Said::Call { id, signature, .. } => format!("[{id}{}]", proof(signature)),
    }
}

#[test]
fn thinking_and_proof_are_told_to_the_very_same_model_only() {
    let content = || vec![thought("hm", Some("s")), thought("", Some("t")), thought(" ", None), text("hi"), call("c")];
    let by = |model: &Model| said_by(model, StopReason::ToolUse, content());
    assert_eq!(told(&[by(&us()), gives("c", "r")]), [r#"model (hm#s) (#t) "hi" [c#proof]"#, r#"results c "r""#]);
    for other in [model("p", "n"), model("q", "m")] {
        assert_eq!(told(&[by(&other), gives("c", "r")]), [r#"model "hi" [c]"#, r#"results c "r""#]);
    }
    // What only thought says nothing to another one.
    let only = [says("1"), said_by(&model("q", "m"), StopReason::Stop, vec![thought("hm", Some("s"))]), says("2")];
    assert_eq!(told(&only), [r#"user "1" "2""#]);
}

#[test]
fn an_answer_that_failed_or_was_aborted_is_left_out_with_its_calls() {
    for stop in [StopReason::Error, StopReason::Aborted] {
        let failed = said_by(&us(), stop, vec![text("half"), call("c")]);
        let messages = [says("1"), failed, gives("c", "r"), said(vec![text("whole")]), says("2")];
        assert_eq!(told(&messages), [r#"user "1""#, r#"model "whole""#, r#"user "2""#]);
    }
}

/// Bug log 94 and 151.
#[test]
fn what_says_nothing_is_not_told() {
    let messages = [
        says("1"),
        said(vec![]),
        user(vec![Content::text(" \n"), Content::text("2")]),
        said(vec![text(""), text("\n\n"), thought("", None)]),
        user(vec![Content::text("")]),
        says("3"),
        said(vec![text("\n"), call("c")]),
        result("c", vec![Content::text(""), Content::text("\n")]),
    ];
    assert_eq!(told(&messages), [r#"user "1" "2" "3""#, "model [c#proof]", r#"results c "(no output)""#]);
}

#[test]
fn who_speaks_twice_speaks_once() {
    let custom = Arc::new(Message::Custom(seam_loop::message::CustomMessage {
        custom_type: "note".to_owned(),
        content: vec![Content::text("3")],
        display: false,
        details: None,
        timestamp: 0,
    }));
    let messages = [says("1"), says("2"), custom, said(vec![text("a")]), said(vec![text("b")]), says("4")];
    assert_eq!(told(&messages), [r#"user "1" "2" "3""#, r#"model "a" "b""#, r#"user "4""#]);
}

#[test]
fn a_model_that_sees_no_pictures_is_told_that_there_is_one() {
    let messages = [
        user(vec![Content::text("look"), picture()]),
        said(vec![call("c")]),
        result("c", vec![picture(), Content::text("a.png")]),
    ];
    assert_eq!(told(&messages), [r#"user "look" image/png"#, "model [c#proof]", r#"results c image/png "a.png""#]);
    let blind = turns(&messages, &us(), false, Ids::USUAL);
    let none = "\"[A picture, which this model cannot see]\"";
    let expected =
        [format!("user \"look\" {none}"), "model [c#proof]".to_owned(), format!("results c {none} \"a.png\"")];
    assert_eq!(lines(&blind), expected);
}

#[test]
fn a_conversation_is_taken_for_rather_fewer_tokens_than_it_has() {
    let messages = [says(&"x".repeat(3_000)), user(vec![picture()]), said(vec![text(&"x".repeat(300)), call("c")])];
    let turns = turns(&messages, &us(), true, Ids::USUAL);
    assert_eq!(tokens(&"x".repeat(600), &turns), (3_000 + 4_800 + 300 + 3 + 600 + NO_RESULT.len() as u32) / 4);
    assert_eq!(tokens("", &[]), 0);
}

#[test]
fn a_picture_of_a_kind_that_services_refuse_is_told_of() {
    let odd = Content::Image { data: vec![1], mime_type: "image/svg+xml".to_owned() };
    let messages = [user(vec![odd])];
    let told = [Turn::User(vec![Piece::Text(ODD_PICTURE)])];
    assert_eq!(turns(&messages, &us(), true, Ids::USUAL), told);
}
