//! `messages`: messages of the plugin in the conversation. Those of a plugin in the shadow are taken and go nowhere.

use seam_harness::reach::messages::{self, NotTaken};
use seam_harness::seams::NewMessage as Message;
use wasmtime::Result;

use crate::bindings::seam::harness::messages::{Delivery, Host, Refusal};
use crate::bindings::seam::harness::types::{ContentResult, NewMessage};
use crate::convert::message::from_new;
use crate::state::{NotStored, State};

/// The longest message, in bytes: content, details and kind together.
const LONGEST: usize = 256 << 10;

impl Host for State {
    fn send(&mut self, message: NewMessage, delivery: Delivery) -> Result<Result<(), Refusal>> {
        self.answered_again("messages.send", &(&message, delivery), |state| {
            if size(&message) > LONGEST {
                return Ok(Err(Refusal::TooLarge));
            }
            match from_new(message.clone()) {
                Ok(message) => sent(state, message, delivery),
                Err(_) => Ok(Err(Refusal::NotUsable)),
            }
        })
    }
}

fn sent(state: &State, message: Message, delivery: Delivery) -> Result<Result<(), Refusal>> {
    let reach = state.reach("it sent a message outside a session")?;
    if state.shared.shadow {
        return Ok(Ok(()));
    }
    Ok(match reach.send(&state.shared.name, message, way(delivery)) {
        Ok(()) => Ok(()),
        Err(NotTaken::NoRun) => Err(Refusal::NoRun),
        Err(NotTaken::TooMany) => Err(Refusal::TooMany),
        Err(NotTaken::NotStored) => return Err(NotStored.into()),
    })
}

fn way(delivery: Delivery) -> messages::Delivery {
    match delivery {
        Delivery::NextTurn => messages::Delivery::NextTurn,
        Delivery::FollowUp => messages::Delivery::FollowUp,
        Delivery::Steer => messages::Delivery::Steer,
        Delivery::Stored => messages::Delivery::Stored,
    }
}

/// How long a message is.
fn size(message: &NewMessage) -> usize {
    /// What a piece of content takes besides what it holds.
    const PIECE: usize = 32;
    let content = message.content.iter().map(|piece| match piece {
        ContentResult::Text(text) => text.len(),
        ContentResult::Image(image) => image.data.len() + image.mime_type.len(),
    });
    let details = message.details.as_ref().map_or(0, String::len);
    message.kind.len() + content.map(|bytes| bytes + PIECE).sum::<usize>() + details
}
