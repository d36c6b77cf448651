//! The fake of the import `exec`.

#![allow(clippy::panic, reason = "a test that runs a program says what it gives")]

use std::cell::RefCell;

use crate::exec::{Failure, Output};

type Programs = Box<dyn FnMut(&str, &[String]) -> Result<Output, Failure>>;

thread_local! {
    static PROGRAMS: RefCell<Option<Programs>> = const { RefCell::new(None) };
    static RUNS: RefCell<Vec<Vec<String>>> = const { RefCell::new(Vec::new()) };
}

/// Sets what programs give, by their name and their words.
pub fn on_run(programs: impl FnMut(&str, &[String]) -> Result<Output, Failure> + 'static) {
    PROGRAMS.set(Some(Box::new(programs)));
}

/// Takes what was run since the last time: each program with its words behind it.
pub fn runs() -> Vec<Vec<String>> {
    RUNS.take()
}

pub(crate) fn run(program: &str, arguments: &[String]) -> Result<Output, Failure> {
    let words = std::iter::once(program.to_owned()).chain(arguments.iter().cloned());
    RUNS.with_borrow_mut(|runs| runs.push(words.collect()));
    PROGRAMS.with_borrow_mut(|programs| match programs {
        Some(programs) => programs(program, arguments),
        None => panic!("no program answers: call `seam::testing::on_run` first"),
    })
}
