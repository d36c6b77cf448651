//! Bytes in, events out: the rules of server-sent events, and how a response may end.

mod faults;
mod framing;

use std::convert::Infallible;

use futures_util::stream;
use seam_loop::{AssistantBlock, AssistantMessage, Model, StopReason};
use serde_json::json;

use super::*;
use crate::answer::Part;
use crate::table::Facts;

/// `{"say": TEXT}` is a piece, `{"stop": true}` the reason, `{"over": true}` the end.
struct Plain;

impl Reader for Plain {
    fn take(&mut self, _: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        if let Some(text) = data.get("say").and_then(Value::as_str) {
            let place = answer.continued(&Part::Text);
            answer.push(place, text)?;
        }
        if data.get("stop").is_some() {
            answer.stop = Some(StopReason::Stop);
        }
        Ok(if data.get("over").is_some() { Flow::Complete } else { Flow::Goes })
    }

    fn end(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        answer.stop.map(drop).ok_or_else(Fault::truncated)
    }
}

const SILENCE: Duration = Duration::from_secs(30);

fn reading() -> Reading {
    Reading {
        answer: Answer::new(Model { provider: "p".to_owned(), id: "m".to_owned() }),
        reader: Box::new(Plain),
        silence: SILENCE,
        abort: CancellationToken::new(),
        blame: Blame {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            base_url: "http://here/v1".to_owned(),
            keys_at: None,
            key: None,
            secrets: Vec::new(),
        },
        facts: Facts::default(),
    }
}

/// What a body of these chunks is.
fn chunks<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let chunks: Vec<_> = chunks.into_iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
    stream::iter(chunks)
}

/// The events of a body in one piece.
async fn events_of(body: &str) -> Vec<StreamEvent> {
    read(chunks([body.as_bytes()]), reading()).collect().await
}

/// The message at the end.
fn message(events: &[StreamEvent]) -> &AssistantMessage {
    match events.last() {
        Some(StreamEvent::End(message)) => message,
        other => panic!("{other:?}"),
    }
}

/// The text of an answer, or why it failed.
fn told(events: &[StreamEvent]) -> Result<String, String> {
    let message = message(events);
    match &message.error_message {
        Some(error) => Err(error.clone()),
        None => Ok(message.content.iter().map(text).collect()),
    }
}

fn text(block: &AssistantBlock) -> &str {
    match block {
        AssistantBlock::Text { text } => text,
        other => panic!("{other:?}"),
    }
}

async fn tells(body: &str) -> Result<String, String> {
    told(&events_of(body).await)
}

/// An event with a piece of text.
fn says(text: &str) -> String {
    format!("data: {}\n\n", json!({ "say": text }))
}

const OVER: &str = "data: {\"stop\":1,\"over\":1}\n\n";
