//! The fake of the import `call-tool`.

#![allow(clippy::panic, reason = "a test that calls a tool says what it gives")]

use std::cell::RefCell;

use serde_json::Value;

use crate::call_tool::{Failure, Output};
use crate::json;

type Tools = Box<dyn FnMut(&str, &Value) -> Result<Output, Failure>>;

thread_local! {
    static TOOLS: RefCell<Option<Tools>> = const { RefCell::new(None) };
    static CALLS: RefCell<Vec<(String, Value)>> = const { RefCell::new(Vec::new()) };
}

/// Sets what calls of tools give, by the tool's name and its arguments.
pub fn on_call(tools: impl FnMut(&str, &Value) -> Result<Output, Failure> + 'static) {
    TOOLS.set(Some(Box::new(tools)));
}

/// Takes the calls made since the last time: each tool and its arguments.
pub fn calls() -> Vec<(String, Value)> {
    CALLS.take()
}

pub(crate) fn call(tool: &str, arguments: &str) -> Result<Output, Failure> {
    let arguments: Value = json::read("the arguments", arguments);
    CALLS.with_borrow_mut(|calls| calls.push((tool.to_owned(), arguments.clone())));
    TOOLS.with_borrow_mut(|tools| match tools {
        Some(tools) => tools(tool, &arguments),
        None => panic!("no tool answers: call `seam::testing::on_call` first"),
    })
}
