//! A response as it arrives: server-sent events, each given to the protocol's reader, until the answer is complete, the
//! service fails, or the user wants no more of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, StreamEvent};
use serde_json::Value;
use sse_stream::{Sse, SseByteStream};

use crate::answer::Answer;
use crate::blame::Blame;
use crate::fault::Fault;
use crate::json::parse;
use crate::protocol::{Flow, Reader};
use crate::table::Facts;

/// How long one event may be, in bytes.
const LONGEST_EVENT: usize = 16 << 20;
/// How much comes behind a complete answer at most, in bytes, and how long that is waited for: then the connection is
/// closed instead of being used again.
const REST: (usize, Duration) = (64 << 10, Duration::from_secs(2));

/// How a response is read.
pub(crate) struct Reading {
    pub(crate) answer: Answer,
    pub(crate) reader: Box<dyn Reader>,
    /// For how long the service may be silent.
    pub(crate) silence: Duration,
    pub(crate) abort: CancellationToken,
    pub(crate) blame: Blame,
    pub(crate) facts: Facts,
}

/// The bytes of a response.
type Body = BoxStream<'static, Result<Bytes, Broken>>;

/// Why there are no more bytes, though there should be.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("it sent more than {} MiB that are no event", LONGEST_EVENT >> 20)]
    TooLong,
    #[error("the connection broke off: {0}")]
    Connection(String),
    #[error("it was silent for {} s", .0.as_secs_f64())]
    Silent(Duration),
}

/// Reads a response.
pub(crate) fn read<E: std::fmt::Display + 'static>(
    body: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    reading: Reading,
) -> ResponseStream {
    let room = Arc::new(AtomicUsize::new(LONGEST_EVENT));
    let left = Arc::clone(&room);
    let bounded = timed(body.boxed(), reading.silence).map(move |chunk| {
        let chunk = chunk?;
        let takes = |room: usize| room.checked_sub(chunk.len());
        let is_taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, takes).is_ok();
        if is_taken { Ok(chunk) } else { Err(Broken::TooLong) }
    });
    let events = Some(SseByteStream::new(bounded.boxed()));
    let response = Response { events, room, reading };
    stream::unfold(response, |mut response| async { response.next().await.map(|event| (event, response)) }).boxed()
}

/// The bytes as they come, until there is an error, or nothing for too long. A comment is something: who sends one is
/// there.
fn timed<E: std::fmt::Display + 'static>(
    body: BoxStream<'static, Result<Bytes, E>>,
    silence: Duration,
) -> impl Stream<Item = Result<Bytes, Broken>> {
    stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        let chunk = match tokio::time::timeout(silence, body.next()).await {
            Ok(chunk) => chunk?.map_err(|error| Broken::Connection(error.to_string())),
            Err(_) => Err(Broken::Silent(silence)),
        };
        let rest = chunk.is_ok().then_some(body);
        Some((chunk, rest))
    })
}

struct Response {
    /// None when nothing more is read.
    events: Option<SseByteStream<Body>>,
    /// How many bytes may come before the next event.
    room: Arc<AtomicUsize>,
    reading: Reading,
}

/// What came.
enum Came {
    Event(Sse),
    /// The response is over.
    End,
    /// Nothing: the user wants no more of it, and the answer says so.
    Abort,
}

impl Response {
    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(event) = self.reading.answer.next_event() {
                return Some(event);
            }
            let came = self.wait().await?;
            match came.and_then(|came| self.take(came)) {
                Ok(Flow::Goes) => {}
                Ok(Flow::Complete) => self.complete(),
                Err(fault) => {
                    self.events = None;
                    self.reading.answer.fail(self.reading.blame.error(&fault));
                }
            }
        }
    }

    /// What comes next; none when nothing is read any more. After an abort nothing is, and the connection is closed.
    async fn wait(&mut self) -> Option<Result<Came, Fault>> {
        let events = self.events.as_mut()?;
        let came = tokio::select! {
            biased;
            () = self.reading.abort.cancelled() => None,
            came = events.next() => Some(came),
        };
        Some(match came {
            None => {
                self.events = None;
                self.reading.answer.abort();
                Ok(Came::Abort)
            }
            Some(None) => Ok(Came::End),
            Some(Some(Err(error))) => Err(unread(&error)),
            Some(Some(Ok(event))) => {
                self.room.store(LONGEST_EVENT, Ordering::Relaxed);
                Ok(Came::Event(event))
            }
        })
    }

    fn take(&mut self, came: Came) -> Result<Flow, Fault> {
        let Reading { reader, answer, .. } = &mut self.reading;
        let Sse { event: name, data, .. } = match came {
            Came::Event(event) => event,
            Came::End => return reader.end(answer).map(|()| Flow::Complete),
            Came::Abort => return Ok(Flow::Goes),
        };
        let (name, data) = (name.as_deref(), data.unwrap_or_default());
        let is_error = name == Some("error");
        match data.trim() {
            "" | "null" if is_error => return Err(Fault::stream("it reports an error and does not say which")),
            "" => return Ok(Flow::Goes),
            "[DONE]" => return reader.end(answer).map(|()| Flow::Complete),
            _ => {}
        }
        let parsed: Value = parse(&data).map_err(|error| match is_error {
            true => Fault::of_text(&data),
            false => Fault::stream(format!("it sent an event that is no JSON ({error})")),
        })?;
        match parsed {
            Value::Null => Ok(Flow::Goes),
            data if is_error || has_error(&data) => Err(Fault::of_event(&data)),
            data => {
                let flow = reader.take(name, &data, answer)?;
                answer.check().map(|()| flow)
            }
        }
    }

    /// The answer is complete. What comes behind it is read beside the run, so that the connection can be used again.
    fn complete(&mut self) {
        let Reading { answer, facts, blame, .. } = &mut self.reading;
        if let Err(fault) = answer.finish(|usage| facts.cost(usage)) {
            answer.fail(blame.error(&fault));
        }
        let (Some(mut events), abort) = (self.events.take(), self.reading.abort.clone()) else { return };
        // From here on it is not filled again.
        self.room.store(REST.0, Ordering::Relaxed);
        tokio::spawn(tokio::time::timeout(REST.1, async move {
            let rest = async { while let Some(Ok(_)) = events.next().await {} };
            tokio::select! {
                () = abort.cancelled() => {}
                () = rest => {}
            }
        }));
    }
}

/// Whether an event says that something failed. Some have the field always.
pub(crate) fn has_error(event: &Value) -> bool {
    match event.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(_) => true,
    }
}

/// What could not be read.
fn unread(error: &sse_stream::Error) -> Fault {
    match error {
        sse_stream::Error::Body(cause) => match cause.downcast_ref() {
            Some(Broken::TooLong) | None => Fault::stream(cause.to_string()),
            Some(Broken::Connection(_) | Broken::Silent(_)) => Fault::network(cause.to_string()),
        },
        sse_stream::Error::Utf8Parse(error) => Fault::stream(format!("it sent an event that is no UTF-8 ({error})")),
        error => Fault::stream(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
