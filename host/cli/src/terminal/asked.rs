//! What plugins ask the user, and what a typed line answers.

use std::fmt::Write as _;

use crate::terminal::spoken::{NAME, marked, spoken};
use crate::terminal::style::one_line;

/// A question that is answered with yes or no.
pub(crate) fn confirm(plugin: &str, question: &str) -> String {
    format!("\n{}  {} [y/N] ", asks(plugin, question), your("answer to", plugin))
}

/// A question with choices. They are numbered from 1.
pub(crate) fn select(plugin: &str, question: &str, options: &[String]) -> String {
    let mut text = format!("\n{}", asks(plugin, question));
    for (place, option) in options.iter().enumerate() {
        text.push_str(&marked(&format!("{:>2}  {option}", place + 1)));
    }
    let _always = write!(text, "  {} [1-{}, else none] ", your("choice for", plugin), options.len());
    text
}

/// A question that is answered in words.
pub(crate) fn input(plugin: &str, question: &str) -> String {
    format!("\n{}  {} [nothing: none] ", asks(plugin, question), your("answer to", plugin))
}

fn asks(plugin: &str, question: &str) -> String {
    spoken(plugin, "asks", question)
}

fn your(what: &str, plugin: &str) -> String {
    format!("Your {what} `{}`", one_line(plugin, NAME))
}

/// Only a plain yes is one.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// The place of a choice, from 0.
pub(crate) fn choice(answer: &str, options: usize) -> Option<usize> {
    let number: usize = answer.trim().parse().ok()?;
    (1..=options).contains(&number).then(|| number - 1)
}

/// What is answered in words, if anything is.
pub(crate) fn words(answer: String) -> Option<String> {
    (!answer.trim().is_empty()).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_whose_it_is() {
        let asked = confirm("guard", "Delete it?\nRun it? [y/N]");
        assert_eq!(asked, "\n  guard asks: Delete it?\n  │ Run it? [y/N]\n  Your answer to `guard` [y/N] ");
        let options = ["a".to_owned(), "b\u{1b}".to_owned()];
        let asked = select("guard", "Which?", &options);
        let rows = "\n  guard asks: Which?\n  │  1  a\n  │  2  b\\u{1b}\n";
        assert_eq!(asked, format!("{rows}  Your choice for `guard` [1-2, else none] "));
        let asked = input("guard", "What name?");
        assert_eq!(asked, "\n  guard asks: What name?\n  Your answer to `guard` [nothing: none] ");
    }

    #[test]
    fn what_is_no_answer_does_nothing() {
        assert_eq!(["y", " YES ", "yes!", "", "ja"].map(is_yes), [true, true, false, false, false]);
        assert_eq!(
            ["1", " 2 ", "0", "3", "", "-1", "a"].map(|answer| choice(answer, 2)),
            [Some(0), Some(1), None, None, None, None, None]
        );
        assert_eq!([" a", " ", ""].map(|answer| words(answer.to_owned())), [Some(" a".to_owned()), None, None]);
    }
}
