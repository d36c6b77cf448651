//! The fake of the import `ui`.

use std::cell::RefCell;
use std::collections::VecDeque;

thread_local! {
    static ANSWERS: RefCell<VecDeque<Answer>> = const { RefCell::new(VecDeque::new()) };
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// What the user answers to one question. To a question of another kind it is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing.
    None,
    /// Yes.
    Yes,
    /// The option at this place.
    Option(u32),
    /// This text.
    Text(String),
}

/// Sets what the user answers, question by question; after the last of them nobody does.
pub fn set_answers(answers: impl IntoIterator<Item = Answer>) {
    ANSWERS.set(answers.into_iter().collect());
}

/// Takes what was said to the user since the last time, each as `function: text`, options as `[A | B]` behind it.
pub fn said() -> Vec<String> {
    SAID.take()
}

pub(crate) fn notify(text: &str) {
    say("notify", text);
}

pub(crate) fn status(text: &str) {
    say("status", text);
}

pub(crate) fn confirm(question: &str) -> bool {
    say("confirm", question);
    answer() == Answer::Yes
}

pub(crate) fn select(question: &str, options: &[String]) -> Option<u32> {
    say("select", &format!("{question} [{}]", options.join(" | ")));
    match answer() {
        Answer::Option(place) if (place as usize) < options.len() => Some(place),
        _ => None,
    }
}

pub(crate) fn input(question: &str) -> Option<String> {
    say("input", question);
    match answer() {
        Answer::Text(text) => Some(text),
        _ => None,
    }
}

fn say(function: &str, text: &str) {
    SAID.with_borrow_mut(|said| said.push(format!("{function}: {text}")));
}

fn answer() -> Answer {
    ANSWERS.with_borrow_mut(VecDeque::pop_front).unwrap_or(Answer::None)
}
