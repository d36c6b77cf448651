//! The queues of a conversation, from outside, while a run lasts.

use std::sync::Arc;

use seam_loop::{Message, Queue};

use crate::event::SessionEvent;
use crate::tell::Tell;

/// Puts messages into the queues of a conversation. Cloning it shares them.
#[derive(Clone)]
pub struct Handle {
    pub(super) tell: Arc<Tell>,
    pub(super) steering: Queue,
    pub(super) follow_up: Queue,
    pub(super) next_turn: Queue,
}

impl Handle {
    /// This joins the run at its next request.
    pub fn steer(&self, message: Message) {
        self.steering.push(message);
        self.update();
    }

    /// This keeps the run going when it would stop.
    pub fn follow_up(&self, message: Message) {
        self.follow_up.push(message);
        self.update();
    }

    /// This goes with the next prompt.
    pub fn next_turn(&self, message: Message) {
        self.next_turn.push(message);
        self.update();
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
