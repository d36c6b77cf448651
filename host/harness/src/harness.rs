//! One conversation.

use std::sync::Arc;

use seam_loop::{
    CancellationToken, EventSink, Message, Model, NoHooks, Provider, Queue, RunConfig, RunOutcome, ThinkingLevel,
    Transcript, prompt,
};

use crate::dispatcher::Dispatcher;
use crate::ids::UniqueIds;

/// Owns one conversation: its transcript, its queues, its provider and the way its tool calls take.
pub struct Harness {
    provider: UniqueIds,
    dispatcher: Dispatcher,
    model: Model,
    system_prompt: String,
    transcript: Transcript,
    /// Messages that join a run at its next request. Can be filled while one runs.
    pub steering: Queue,
    /// Messages that keep a run going when it would stop. Can be filled while one runs.
    pub follow_up: Queue,
}

impl Harness {
    /// An empty conversation with a model.
    pub fn new(provider: Arc<dyn Provider>, dispatcher: Dispatcher, model: Model, system_prompt: String) -> Self {
        Self {
            provider: UniqueIds::new(provider),
            dispatcher,
            model,
            system_prompt,
            transcript: Transcript::new(),
            steering: Queue::default(),
            follow_up: Queue::default(),
        }
    }

    /// Says something to the model and lets it work until it is done. Its failures are outcomes; the conversation can
    /// go on after each.
    pub async fn prompt(&mut self, text: &str, events: &dyn EventSink, abort: &CancellationToken) -> RunOutcome {
        let config = RunConfig {
            provider: &self.provider,
            dispatch: &self.dispatcher,
            hooks: &NoHooks,
            events,
            steering: &self.steering,
            follow_up: &self.follow_up,
            model: &self.model,
            thinking_level: ThinkingLevel::Off,
            system_prompt: &self.system_prompt,
            sequential: false,
            abort,
        };
        prompt(&config, &mut self.transcript, vec![Message::user(text)]).await
    }

    /// What was said so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }
}
