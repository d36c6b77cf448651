//! The fake of the import `complete`.

#![allow(clippy::panic, reason = "a test that asks a model says what it answers")]

use std::cell::{Cell, RefCell};

use crate::complete::{Completion, Failure, Request};

type Model = Box<dyn FnMut(&Request) -> Result<Completion, Failure>>;

thread_local! {
    static MODEL: RefCell<Option<Model>> = const { RefCell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Sets what the model answers. What an answer says it took is taken off the budget.
pub fn on_ask(model: impl FnMut(&Request) -> Result<Completion, Failure> + 'static) {
    MODEL.set(Some(Box::new(model)));
}

/// Sets how many tokens are left. A request whose `max-tokens` are more is not asked.
pub fn set_budget(tokens: u32) {
    LEFT.set(tokens);
}

pub(crate) fn left() -> u32 {
    LEFT.get()
}

pub(crate) fn ask(request: &Request) -> Result<Completion, Failure> {
    if request.max_tokens > left() {
        return Err(Failure::NoBudget);
    }
    let answer = MODEL.with_borrow_mut(|model| match model {
        Some(model) => model(request),
        None => panic!("no model answers: call `seam::testing::on_ask` first"),
    })?;
    LEFT.set(left().saturating_sub(answer.tokens));
    Ok(answer)
}
