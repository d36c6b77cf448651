//! Ten conversations: the same events and the same messages, whatever the protocol, and requests that hold what was
//! said.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use seam_loop::provider::BlockKind;
use seam_tests::models::conversations::{PICTURE, SIGNATURE, tools};
use seam_tests::models::{Conversation, Frames, conversations};

use super::*;

/// The events that come before the end, each block as its kind, its pieces in one, and what it is at its end. The
/// blocks are in their order.
fn blocks(events: &[StreamEvent]) -> Vec<(BlockKind, String, AssistantBlock)> {
    assert_eq!(events[0], StreamEvent::Start);
    let mut open: Vec<(BlockKind, String, Option<AssistantBlock>)> = Vec::new();
    for event in &events[1..events.len() - 1] {
        match event {
            StreamEvent::BlockStart { index, kind } => {
                assert_eq!(*index, open.len(), "blocks begin in their order");
                open.push((kind.clone(), String::new(), None));
            }
            StreamEvent::BlockDelta { index, delta } => {
                assert!(open[*index].2.is_none() && !delta.is_empty(), "{event:?}");
                open[*index].1.push_str(delta);
            }
            StreamEvent::BlockEnd { index, block } => assert_eq!(open[*index].2.replace(block.clone()), None),
            other => panic!("{other:?}"),
        }
    }
    open.into_iter().map(|(kind, pieces, block)| (kind, pieces, block.expect("it ends"))).collect()
}

/// Each block is what its pieces say, and the message is all of them.
fn fit(events: &[StreamEvent]) {
    let blocks = blocks(events);
    for (kind, pieces, block) in &blocks {
        match (kind, block) {
            (BlockKind::Text, AssistantBlock::Text { text }) => assert_eq!(text, pieces),
            (BlockKind::Thinking, AssistantBlock::Thinking { thinking, .. }) => assert_eq!(thinking, pieces),
            (BlockKind::ToolCall { id, name }, AssistantBlock::ToolCall(call)) => {
                assert_eq!((id, name), (&call.id, &call.name));
                let pieces = if pieces.is_empty() { "{}" } else { pieces };
                let value: Value = serde_json::from_str(pieces).unwrap_or_else(|_| pieces.into());
                assert_eq!(call.arguments, value);
            }
            other => panic!("{other:?}"),
        }
    }
    let content: Vec<_> = blocks.into_iter().map(|(_, _, block)| block).collect();
    assert_eq!(whole(events).content, content);
}

/// Holds a conversation, and gives what the model said, and all messages.
async fn hold(wire: &Wire, protocol: Protocol, conversation: &Conversation) -> Vec<Told> {
    let mut messages = vec![user(conversation.prompt.clone())];
    let mut told = Vec::new();
    for turn in &conversation.turns {
        wire.server.say(protocol, &turn.said);
        let events = wire.ask(&model(protocol), &messages, &tools()).await.unwrap();
        fit(&events);
        told.push(Told::of(whole(&events)));
        messages.push(Arc::new(Message::Assistant(whole(&events).clone())));
        messages.extend(turn.results.iter().map(result));
    }
    told
}

#[tokio::test]
async fn ten_conversations_give_the_same_events_over_all_protocols() {
    for conversation in conversations() {
        for protocol in Protocol::ALL {
            let wire = Wire::new();
            let told = hold(&wire, protocol, &conversation).await;
            let expected: Vec<_> = conversation.turns.iter().map(|turn| Told::expected(protocol, &turn.said)).collect();
            assert_eq!(told, expected, "{protocol:?}: {}", conversation.name);
        }
    }
}

/// How often a text stands in a body, as JSON has it.
fn count(body: &Value, text: &str) -> usize {
    let quoted = json!(text).to_string();
    body.to_string().matches(quoted.trim_matches('"')).count()
}

#[tokio::test]
async fn each_request_holds_what_was_said_before_results_and_pictures_and_proof() {
    for conversation in conversations() {
        for protocol in Protocol::ALL {
            let wire = Wire::new();
            hold(&wire, protocol, &conversation).await;
            let requests = wire.server.requests();
            assert_eq!(requests.len(), conversation.turns.len());
            assert_eq!(wire.server.left(), 0);
            let mut results: Vec<&Answered> = Vec::new();
            for (request, turn) in requests.iter().zip(&conversation.turns) {
                let at = format!("{protocol:?}: {}", conversation.name);
                assert_eq!(request.protocol, Some(protocol), "{at}");
                let given = conversation.prompt.iter().chain(results.iter().flat_map(|result| &result.content));
                for text in given.clone().filter_map(Content::as_text) {
                    assert_eq!(count(&request.body, text), 1, "{at}: {text}");
                }
                let pictures = given.filter(|content| content.as_text().is_none()).count();
                assert_eq!(count(&request.body, &STANDARD.encode(PICTURE)), pictures, "{at}");
                results.extend(&turn.results);
            }
            if conversation.turns[0].said.blocks.contains(&Block::thinking("I have to look first.", Some(SIGNATURE))) {
                let proofs = usize::from(protocol != Protocol::Chat);
                assert_eq!(count(&requests[1].body, SIGNATURE), proofs, "{protocol:?}");
            }
        }
    }
}

/// What services and what stands between may put among the events (bug log 147 and 141).
#[tokio::test]
async fn what_is_put_between_events_changes_nothing() {
    let call = Block::call("call_1", "look", json!({ "path": "日本 😀" }));
    let said = Said::new(vec![Block::thinking("hm", None), Block::text("é\r\nú"), call]).in_pieces(4);
    for protocol in Protocol::ALL {
        let frames = || Frames::of(protocol, &said);
        let spoiled = [
            frames().plan().bytewise(),
            frames().plan().in_one(),
            frames().comments().plan(),
            frames().pings().plan(),
            frames().no_data().plan(),
            frames().null_data().plan(),
            frames().empty_data().plan(),
            frames().unknown_events().plan(),
            frames().unknown_fields().plan(),
            frames().many_lines().line_end("\r\n").plan().bytewise(),
            frames().line_end("\r").plan(),
            frames().no_blank().plan(),
        ];
        let wire = Wire::new();
        for (number, plan) in spoiled.into_iter().enumerate() {
            wire.server.push(plan);
            let message = wire.say(protocol, "hi").await;
            assert_eq!(Told::of(&message), Told::expected(protocol, &said), "{protocol:?} {number}: {message:?}");
        }
    }
}
