//! How one request is answered: status, headers, the pieces of the body with their delays, and how it ends.

use std::time::Duration;

use axum::body::Bytes;

use super::errors::{self, Trouble};
use super::frames::Frames;
use super::{Protocol, Said};

/// When the answer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// At once.
    No,
    /// After this time: status and headers come so late.
    For(Duration),
    /// Never: the connection stays open and silent.
    Forever,
}

/// How an answer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// As HTTP wants it.
    Clean,
    /// The connection is closed in the middle of the body.
    Cut,
    /// Silence: nothing more comes, and the connection stays open.
    Hang,
    /// These bytes again and again, until the client leaves or [`ENDLESS`] is reached. They are not held in memory.
    Endless(Bytes),
}

/// How much an endless body has at most.
pub const ENDLESS: u64 = 512 << 20;

/// An answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// When it begins.
    pub wait: Wait,
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The pieces of the body, each an HTTP chunk of its own, and how long each is waited for.
    pub pieces: Vec<(Duration, Bytes)>,
    /// How it ends.
    pub end: End,
}

impl Plan {
    /// A whole answer, each event a piece.
    pub fn whole(protocol: Protocol, said: &Said) -> Self {
        Frames::of(protocol, said).plan()
    }

    /// A stream of these pieces, with the headers that the service sends.
    pub fn streamed(protocol: Protocol, pieces: Vec<Vec<u8>>) -> Self {
        let pieces = pieces.into_iter().map(|piece| (Duration::ZERO, Bytes::from(piece))).collect();
        let plan = Self { wait: Wait::No, status: 200, headers: Vec::new(), pieces, end: End::Clean };
        let kind = match protocol {
            Protocol::Anthropic | Protocol::Responses | Protocol::Chat => "text/event-stream; charset=utf-8",
            Protocol::Gemini => "text/event-stream",
        };
        plan.header("content-type", kind).header("cache-control", "no-cache").serviced(protocol)
    }

    /// The service refuses the request.
    pub fn trouble(protocol: Protocol, trouble: Trouble) -> Self {
        errors::refused(protocol, trouble)
    }

    /// Any answer that is no stream.
    pub fn plain(status: u16, kind: &str, body: &str) -> Self {
        let pieces = vec![(Duration::ZERO, Bytes::from(body.to_owned()))];
        let plan = Self { wait: Wait::No, status, headers: Vec::new(), pieces, end: End::Clean };
        plan.header("content-type", kind)
    }

    /// Adds the headers that a service puts on every answer.
    pub(super) fn serviced(self, protocol: Protocol) -> Self {
        match protocol {
            Protocol::Anthropic => self
                .header("request-id", errors::REQUEST_ID)
                .header("anthropic-organization-id", "0d6f1d9c-7a52-4c59-8a3b-1f5f1d0c9d11")
                .header("anthropic-ratelimit-requests-limit", "4000")
                .header("anthropic-ratelimit-requests-remaining", "3999"),
            Protocol::Chat | Protocol::Responses => self
                .header("x-request-id", errors::REQUEST_ID)
                .header("openai-version", "2020-10-01")
                .header("openai-processing-ms", "257")
                .header("x-ratelimit-remaining-requests", "9999"),
            Protocol::Gemini => {
                self.header("server", "scaffolding on HTTPServer2").header("x-frame-options", "SAMEORIGIN")
            }
        }
    }

    /// The whole body, without what is endless.
    pub fn body(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|(_, piece)| piece.to_vec()).collect()
    }

    /// With this status.
    pub fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// With one header more.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this end.
    pub fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// The head comes so late.
    pub fn after(self, wait: Duration) -> Self {
        Self { wait: Wait::For(wait), ..self }
    }

    /// The head never comes.
    pub fn never(self) -> Self {
        Self { wait: Wait::Forever, ..self }
    }

    /// Each piece is waited for so long.
    pub fn slowly(mut self, wait: Duration) -> Self {
        self.pieces.iter_mut().for_each(|(delay, _)| *delay = wait);
        self
    }

    /// The body as one piece.
    pub fn in_one(self) -> Self {
        let pieces = vec![(Duration::ZERO, Bytes::from(self.body()))];
        Self { pieces, ..self }
    }

    /// Each byte a piece.
    pub fn bytewise(self) -> Self {
        let pieces = self.body().into_iter().map(|byte| (Duration::ZERO, Bytes::from(vec![byte]))).collect();
        Self { pieces, ..self }
    }

    /// The body in two pieces, the second from this byte on. A moment between them keeps them apart.
    pub fn split_at(self, byte: usize) -> Self {
        self.pause_at(byte, Duration::from_millis(2))
    }

    /// The body in two pieces with silence between them.
    pub fn pause_at(self, byte: usize, pause: Duration) -> Self {
        let body = Bytes::from(self.body());
        let pieces = vec![(Duration::ZERO, body.slice(..byte)), (pause, body.slice(byte..))];
        Self { pieces, ..self }
    }

    /// The first bytes only, and then this end: `truncated(9, End::Hang)` is silence in the middle.
    pub fn truncated(self, byte: usize, end: End) -> Self {
        let pieces = vec![(Duration::ZERO, Bytes::from(self.body()).slice(..byte))];
        Self { pieces, end, ..self }
    }

    /// What there is, and then a line that never ends.
    pub fn endless_line(mut self) -> Self {
        self.pieces.push((Duration::ZERO, Bytes::from_static(b"data: ")));
        self.ending(End::Endless(Bytes::from(vec![b'x'; 64 << 10])))
    }

    /// What there is, and then `data` lines that never become an event.
    pub fn endless_event(self) -> Self {
        self.ending(End::Endless(Bytes::from(b"data: xxxxxxxx\n".repeat(4096))))
    }

    /// What there is, and then comments that never end.
    pub fn endless_comments(self) -> Self {
        self.ending(End::Endless(Bytes::from(b": keep-alive\n\n".repeat(4096))))
    }
}
