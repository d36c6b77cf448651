//! A conversation from outside, while a run lasts.

use std::sync::Arc;

use seam_loop::message::CustomMessage;
use seam_loop::{Message, Model, Queue, ThinkingLevel};

use crate::event::SessionEvent;
use crate::phase::{NoRun, Phase};
use crate::settings::{Change, InvalidTools};
use crate::tell::Tell;

/// Reaches into a conversation, whoever owns it. Cloning it shares it.
#[derive(Clone)]
pub struct Handle {
    pub(super) tell: Arc<Tell>,
    pub(super) steering: Queue,
    pub(super) follow_up: Queue,
    pub(super) next_turn: Queue,
}

impl Handle {
    /// What the conversation is doing.
    pub fn phase(&self) -> Phase {
        self.tell.settings.phase()
    }

    /// This joins the run at its next request.
    ///
    /// # Errors
    /// When nothing is going on that it could join.
    pub fn steer(&self, message: Message) -> Result<(), NoRun> {
        self.queue(&self.steering, message, NoRun::Steer)
    }

    /// This keeps the run going when it would stop.
    ///
    /// # Errors
    /// When nothing is going on that it could keep going.
    pub fn follow_up(&self, message: Message) -> Result<(), NoRun> {
        self.queue(&self.follow_up, message, NoRun::FollowUp)
    }

    /// This goes with the next prompt.
    pub fn next_turn(&self, message: Message) {
        self.next_turn.push(message);
        self.update();
    }

    /// Chooses another model, from the next turn on. While nothing runs it is stored at once; if that fails nothing
    /// changes, and the next run says why. During a run it is stored when the turn is over.
    pub fn set_model(&self, model: Model) {
        self.tell.change(Change::Model(model));
    }

    /// Chooses how much the model should think, in the same way.
    pub fn set_thinking_level(&self, level: ThinkingLevel) {
        self.tell.change(Change::ThinkingLevel(level));
    }

    /// Chooses the tools that the model may call, in the same way.
    ///
    /// # Errors
    /// When a name stands there twice, or no tool has it.
    pub fn set_active_tools(&self, names: Vec<String>) -> Result<(), InvalidTools> {
        self.tell.settings.check(&names)?;
        self.tell.change(Change::ActiveTools(names));
        Ok(())
    }

    /// Adds a message that nobody answers. While nothing runs it is stored at once, during a run when the turn is over.
    pub fn append_message(&self, message: CustomMessage) {
        self.tell.change(Change::Message(Arc::new(Message::Custom(message))));
    }

    fn queue(&self, queue: &Queue, message: Message, no_run: NoRun) -> Result<(), NoRun> {
        if self.phase() == Phase::Idle {
            return Err(no_run);
        }
        queue.push(message);
        self.update();
        Ok(())
    }

    /// Empties the queues of a run that was aborted.
    pub(super) fn aborted(&self) {
        let (cleared_steering, cleared_follow_up) = (self.steering.len(), self.follow_up.len());
        self.steering.clear();
        self.follow_up.clear();
        if cleared_steering + cleared_follow_up > 0 {
            self.update();
        }
        self.tell.tell(SessionEvent::Abort { cleared_steering, cleared_follow_up });
    }

    /// Tells how full the queues are.
    pub(super) fn update(&self) {
        self.tell.tell(SessionEvent::QueueUpdate {
            steering: self.steering.len(),
            follow_up: self.follow_up.len(),
            next_turn: self.next_turn.len(),
        });
    }
}
