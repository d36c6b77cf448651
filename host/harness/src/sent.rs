//! What a provider is sent of the messages that are shown: no answer that failed, and no block with nothing in it. Most
//! providers refuse a request with an empty block, and a conversation that holds one would be refused for ever.

use std::sync::Arc;

use seam_loop::message::UserMessage;
use seam_loop::{AssistantBlock, AssistantMessage, Content, Message};

use crate::compaction::is_failed;

/// Whether a message is sent exactly as it is stored, as far as this is concerned.
pub(crate) fn goes_as_it_is(message: &Message) -> bool {
    match message {
        Message::User(user) => !user.content.iter().any(is_blank),
        Message::Assistant(said) => {
            !is_failed(message) && !said.content.is_empty() && !said.content.iter().any(is_empty)
        }
        Message::ToolResult(_) | Message::Custom(_) => true,
    }
}

/// What is sent of a message, if anything is.
pub(crate) fn sent(message: Arc<Message>) -> Option<Arc<Message>> {
    if goes_as_it_is(&message) {
        return Some(message);
    }
    match &*message {
        Message::User(UserMessage { content, timestamp }) => {
            let content: Vec<_> = content.iter().filter(|block| !is_blank(block)).cloned().collect();
            let is_told = !content.is_empty();
            is_told.then(|| Arc::new(Message::User(UserMessage { content, timestamp: *timestamp })))
        }
        Message::Assistant(said) => {
            let content: Vec<_> = said.content.iter().filter(|block| !is_empty(block)).cloned().collect();
            let is_told = !content.is_empty() && !is_failed(&message);
            is_told.then(|| Arc::new(Message::Assistant(AssistantMessage { content, ..said.clone() })))
        }
        Message::ToolResult(_) | Message::Custom(_) => None,
    }
}

fn is_blank(block: &Content) -> bool {
    block.as_text().is_some_and(|text| text.trim().is_empty())
}

/// Whether a block says nothing. Reasoning that is signed is proof of something, though nobody can read it.
fn is_empty(block: &AssistantBlock) -> bool {
    match block {
        AssistantBlock::Text { text } => text.trim().is_empty(),
        AssistantBlock::Thinking { thinking, signature, .. } => signature.is_none() && thinking.trim().is_empty(),
        AssistantBlock::ToolCall(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seam_loop::{ErrorKind, StopReason, Usage};

    fn said(content: Vec<AssistantBlock>) -> Message {
        Message::Assistant(AssistantMessage {
            content,
            provider: "p".to_owned(),
            model: "m".to_owned(),
            usage: Usage::default(),
            thinking_level: None,
            stop_reason: StopReason::Stop,
            error_message: None,
            error_kind: ErrorKind::Other,
            timestamp: 0,
        })
    }

    fn stopped(stop_reason: StopReason) -> Message {
        let Message::Assistant(said) = said(vec![text("a")]) else { unreachable!() };
        Message::Assistant(AssistantMessage { stop_reason, ..said })
    }

    fn text(text: &str) -> AssistantBlock {
        AssistantBlock::Text { text: text.to_owned() }
    }

    fn thinking(signature: Option<&str>) -> AssistantBlock {
        AssistantBlock::Thinking { thinking: " ".to_owned(), signature: signature.map(str::to_owned), redacted: false }
    }

    fn user(texts: &[&str]) -> Message {
        Message::User(UserMessage { content: texts.iter().map(|text| Content::text(*text)).collect(), timestamp: 0 })
    }

    /// Bug log 94.
    #[test]
    fn no_empty_block_and_no_empty_message_is_sent() {
        for (message, expected) in [
            (said(vec![]), None),
            (said(vec![text("\n\n")]), None),
            (said(vec![thinking(None), text("")]), None),
            (said(vec![thinking(Some("s")), text("\n\n")]), Some(said(vec![thinking(Some("s"))]))),
            (said(vec![text(" "), text("a ")]), Some(said(vec![text("a ")]))),
            (user(&["", "a"]), Some(user(&["a"]))),
            (user(&[" \n"]), None),
            (stopped(StopReason::Aborted), None),
            (stopped(StopReason::Error), None),
            (stopped(StopReason::Length), Some(stopped(StopReason::Length))),
        ] {
            let after = sent(Arc::new(message.clone()));
            assert_eq!(after.as_deref(), expected.as_ref(), "{message:?}");
            assert_eq!(goes_as_it_is(&message), expected.as_ref() == Some(&message), "{message:?}");
        }
    }
}
