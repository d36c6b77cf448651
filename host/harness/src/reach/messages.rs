//! `messages`: messages of plugins, on the ways on which those of the user come.

use std::sync::Arc;

use seam_loop::Message;

use crate::phase::{NoRun, Phase};
use crate::reach::Reach;
use crate::reach::budget::Bounded;
use crate::seams::NewMessage;

/// When the model gets to see a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// With the next prompt.
    NextTurn,
    /// When the run would stop.
    FollowUp,
    /// At the next request of the run.
    Steer,
    /// It is stored, and nobody is asked to answer it.
    Stored,
}

/// Why a message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    /// There is no run that it could join.
    NoRun,
    /// The plugin has sent as many as it may, or plugins have kept the run going as often as they may.
    TooMany,
    /// It could not be stored, and the conversation does not go on.
    NotStored,
}

impl Reach {
    /// Takes a message of a plugin.
    ///
    /// # Errors
    /// When it is not taken.
    pub fn send(&self, plugin: &Arc<str>, message: NewMessage, delivery: Delivery) -> Result<(), NotTaken> {
        let joins = match delivery {
            Delivery::FollowUp => Some(NoRun::FollowUp),
            Delivery::Steer => Some(NoRun::Steer),
            Delivery::NextTurn | Delivery::Stored => None,
        };
        if joins.is_some() && self.handle.phase() == Phase::Idle {
            return Err(NotTaken::NoRun);
        }
        let (settings, conversation) = (&self.handle.tell.settings, &self.handle.tell.conversation);
        if (joins.is_some() && settings.is_endless()) || !conversation.may(plugin, Bounded::Message) {
            return Err(NotTaken::TooMany);
        }
        match (message.from(plugin), joins) {
            (message, Some(joins)) => self.handle.queue_for_plugin(message, joins).map_err(|_| NotTaken::NoRun),
            (Message::Custom(message), None) if delivery == Delivery::Stored => {
                self.handle.append_message(message);
                if self.has_failed() { Err(NotTaken::NotStored) } else { Ok(()) }
            }
            (message, None) => {
                self.handle.next_turn(message);
                Ok(())
            }
        }
    }
}
