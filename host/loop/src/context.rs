//! What the model is shown: the transcript, until a hook puts something in its place.

use std::borrow::Cow;
use std::sync::Arc;

use crate::message::Message;
use crate::transcript::Transcript;

/// The context of a run. It is never a copy of the transcript: only what a hook gave is held.
#[derive(Debug, Default)]
pub(crate) struct Context {
    replaced: Option<Vec<Arc<Message>>>,
}

impl Context {
    pub(crate) fn messages<'a>(&'a self, transcript: &'a Transcript) -> &'a [Arc<Message>] {
        self.replaced.as_deref().unwrap_or_else(|| transcript.messages())
    }

    pub(crate) fn replace(&mut self, messages: Vec<Arc<Message>>) {
        self.replaced = Some(messages);
    }

    /// Takes in what was appended to the transcript.
    pub(crate) fn push(&mut self, message: &Arc<Message>) {
        if let Some(messages) = &mut self.replaced {
            messages.push(Arc::clone(message));
        }
    }
}

/// What is sent when no hook converts: everything but custom messages. Copies nothing when there are none.
pub(crate) fn sent<'a>(messages: Cow<'a, [Arc<Message>]>, custom: bool) -> Cow<'a, [Arc<Message>]> {
    if !custom {
        return messages;
    }
    let is_sent = |message: &&Arc<Message>| !matches!(***message, Message::Custom(_));
    Cow::Owned(messages.iter().filter(is_sent).cloned().collect())
}
