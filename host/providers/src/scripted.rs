//! A provider that plays answers from a script: for tests, demonstrations and recordings. It is not a model, and it
//! does not read what it is asked.
//!
//! Request number n gets turn n of the [`Script`], counted over the provider's life. Once no turn is left, every request
//! gets the error `script exhausted`.
//!
//! # Keys of a turn
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `content` | the blocks of the answer: `{"text"}`, `{"thinking"}`, `{"toolCall": {"id", "name", "args", "argumentsError"}}` | `[]` |
//! | `stopReason` | `stop`, `length`, `toolUse`, `deferred`, `aborted` or `error` | `toolUse` with a tool call, else `stop` |
//! | `error` | stop reason `error` with this message, or with `{"message", "kind", "retryAfter"}`; stands for `stopReason` and `errorMessage` | none |
//! | `errorMessage` | the message beside a `stopReason` | none |
//! | `usage` | tokens: `input`, `output`, `cacheRead`, `cacheWrite` | 0 each |
//! | `stream` | `blocks` or `end`: piece by piece. `none`: only the final event | `blocks` |
//! | `chunks` | in how many deltas a text or thinking block comes (never more than it has code points) | 1 |
//! | `delay` | milliseconds before anything happens; an abort ends it | 0 |
//! | `chunkDelay` | milliseconds before each event, the final one included; an abort is looked for after it | 0 |
//! | `ignoreAbort` | never look at the abort signal | `false` |
//! | `throws` | no answer at all: the request fails with this, given like an `error`; stands alone | none |
//!
//! The `kind` of an error is `overflow` (the conversation is too long), `transient` (it may work later; with
//! `retryAfter`, milliseconds, the provider says when) or `other`, which is the default.
//!
//! A tool call comes in one delta, its arguments as canonical JSON (RFC 8785). Anywhere in a script,
//! `{"repeat": "ab", "times": 3}` stands for `"ababab"`.
//!
//! An aborted answer ends with a message that holds the content streamed so far (a tool call whose delta has not come
//! has the arguments `{}`), no usage, and the error message `Request was aborted`.

mod node;
mod repeat;
mod script;
mod stream;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Provider, ProviderError, Request};

pub use repeat::{MAX_EXPANDED_BYTES, expand_repeats};
pub use script::{Script, ScriptError};

use stream::{Speaker, respond};
use turn::{Answer, Turn};

/// A provider that answers from a [`Script`].
#[derive(Debug)]
pub struct Scripted {
    name: String,
    script: Script,
    requests: AtomicUsize,
}

impl Scripted {
    /// A provider with the name `scripted`, at the script's first turn.
    pub fn new(script: Script) -> Self {
        Self { name: "scripted".to_owned(), script, requests: AtomicUsize::new(0) }
    }

    /// The same provider under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    fn next_turn(&self) -> Turn {
        let taken = self.requests.fetch_add(1, Ordering::Relaxed);
        self.script.turn(taken).unwrap_or_else(|| Turn::Answer(Arc::new(Answer::exhausted())))
    }
}

#[async_trait]
impl Provider for Scripted {
    fn names(&self) -> Vec<&str> {
        vec![&self.name]
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        match self.next_turn() {
            Turn::Throws(text, kind) => Err(ProviderError { text, kind }),
            Turn::Answer(answer) => {
                let speaker = Speaker { provider: self.name.clone(), model: request.model.id.clone() };
                Ok(respond(answer, speaker, abort))
            }
        }
    }
}

#[cfg(test)]
mod tests;
