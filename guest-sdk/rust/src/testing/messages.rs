//! The fake of the import `messages`.

use std::cell::{Cell, RefCell};

use crate::NewMessage;
use crate::messages::{Delivery, Refusal};

thread_local! {
    static SENT: RefCell<Vec<(NewMessage, Delivery)>> = const { RefCell::new(Vec::new()) };
    static RUN: Cell<bool> = const { Cell::new(true) };
}

/// Takes the messages sent since the last time.
pub fn sent() -> Vec<(NewMessage, Delivery)> {
    SENT.take()
}

/// Whether there is a run that a message could join. There is one unless a test says otherwise.
pub fn set_run(run: bool) {
    RUN.set(run);
}

pub(crate) fn send(message: &NewMessage, delivery: Delivery) -> Result<(), Refusal> {
    if matches!(delivery, Delivery::Steer | Delivery::FollowUp) && !RUN.get() {
        return Err(Refusal::NoRun);
    }
    SENT.with_borrow_mut(|sent| sent.push((message.clone(), delivery)));
    Ok(())
}
