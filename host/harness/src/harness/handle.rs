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
    pub(crate) tell: Arc<Tell>,
    pub(super) steering: Queue,
    pub(super) follow_up: Queue,
    pub(super) next_turn: Queue,
}

impl Handle {
    /// A handle with queues of its own.
    pub(super) fn new(tell: &Arc<Tell>) -> Self {
        let (steering, follow_up) = (Queue::default(), Queue::default());
        Self { tell: Arc::clone(tell), steering, follow_up, next_turn: Queue::new(seam_loop::QueueMode::All) }
    }

    /// What the conversation is doing.
    pub fn phase(&self) -> Phase {
        self.tell.settings.phase()
    }

    /// This joins the run at its next request.
    ///
    /// # Errors
    /// When nothing is going on that it could join.
    pub fn steer(&self, message: Message) -> Result<(), NoRun> {
        self.tell.settings.is_heard();
        self.queue(&self.steering, message, NoRun::Steer)
    }

    /// This keeps the run going when it would stop.
    ///
    /// # Errors
    /// When nothing is going on that it could keep going.
    pub fn follow_up(&self, message: Message) -> Result<(), NoRun> {
        self.tell.settings.is_heard();
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

    /// The same for a message of a plugin.
    pub(crate) fn queue_for_plugin(&self, message: Message, joins: NoRun) -> Result<(), NoRun> {
        let queue = match joins {
            NoRun::Steer => &self.steering,
            NoRun::FollowUp => &self.follow_up,
        };
        self.queue(queue, message, joins)
    }

    /// What waits of plugins for the run waits for the next prompt now. Gives the kinds of these messages.
    pub(crate) fn postpone(&self) -> Vec<String> {
        let mut kinds = Vec::new();
        for queue in [&self.steering, &self.follow_up] {
            let (plugins, others): (Vec<_>, Vec<_>) = queue
                .with_mode(seam_loop::QueueMode::All)
                .poll()
                .into_iter()
                .partition(|message| matches!(message, Message::Custom(_)));
            queue.put_back(others);
            for message in plugins {
                if let Message::Custom(custom) = &message {
                    kinds.push(custom.custom_type.clone());
                }
                self.next_turn.push(message);
            }
        }
        if !kinds.is_empty() {
            self.update();
        }
        kinds
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
