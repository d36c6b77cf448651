//! One conversation.

use std::sync::Arc;

use seam_loop::{CancellationToken, EventSink, Message, Provider, RunConfig, RunOutcome, Transcript, run};

use crate::dispatcher::Dispatcher;

/// Owns one conversation: its transcript, its provider and the way its tool calls take.
pub struct Harness {
    provider: Arc<dyn Provider>,
    dispatcher: Dispatcher,
    model: String,
    system_prompt: String,
    transcript: Transcript,
}

impl Harness {
    /// An empty conversation with a model.
    pub fn new(provider: Arc<dyn Provider>, dispatcher: Dispatcher, model: String, system_prompt: String) -> Self {
        Self { provider, dispatcher, model, system_prompt, transcript: Transcript::new() }
    }

    /// Says something to the model and lets it work until it is done. Its failures are outcomes; the conversation can
    /// go on after each.
    pub async fn prompt(&mut self, text: &str, events: &dyn EventSink, abort: &CancellationToken) -> RunOutcome {
        let config = RunConfig {
            provider: &*self.provider,
            dispatch: &self.dispatcher,
            events,
            model: &self.model,
            system_prompt: &self.system_prompt,
            abort,
        };
        run(&config, &mut self.transcript, vec![Message::user(text)]).await
    }

    /// What was said so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}
