//! Messages of the plugin in the conversation: the import `messages`. Needs the grant `messages`.
//!
//! At most 100 in a run, of 256 KiB each. Plugins keep a run going for 25 turns in a row in which no tool is called;
//! what they still have to say in it then waits for the next prompt.
//!
//! ```
//! use seam::{NewMessage, messages};
//!
//! # seam::testing::set_run(true);
//! messages::steer(NewMessage::hidden("hint", "The tests are in `tests/`."))?;
//! # assert_eq!(seam::testing::sent().len(), 1);
//! # Ok::<(), messages::Refusal>(())
//! ```

use crate::NewMessage;

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::messages::send as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::messages::send as import;

pub use crate::bindings::reach::seam::harness::messages::{Delivery, Refusal};

/// Sends a message.
///
/// # Errors
///
/// When it is not taken.
pub fn send(message: NewMessage, delivery: Delivery) -> Result<(), Refusal> {
    import(&message, delivery)
}

/// The model gets to see it at the next request of the run.
///
/// # Errors
///
/// When it is not taken: there is no run, say.
pub fn steer(message: NewMessage) -> Result<(), Refusal> {
    send(message, Delivery::Steer)
}

/// When the run would stop, it goes on with this.
///
/// # Errors
///
/// When it is not taken: there is no run, say.
pub fn follow_up(message: NewMessage) -> Result<(), Refusal> {
    send(message, Delivery::FollowUp)
}

/// The model gets to see it with the user's next prompt.
///
/// # Errors
///
/// When it is not taken.
pub fn next_turn(message: NewMessage) -> Result<(), Refusal> {
    send(message, Delivery::NextTurn)
}

/// It is stored, and nobody is asked to answer it.
///
/// # Errors
///
/// When it is not taken.
pub fn store(message: NewMessage) -> Result<(), Refusal> {
    send(message, Delivery::Stored)
}
