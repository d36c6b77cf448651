//! Words for the user, and questions: the import `ui`. Needs the grant `ui`.
//!
//! All of it is shown under this plugin's name. Without a user, after an abort and when nobody answers in time, every
//! question has the answer that does nothing. The time it takes is not this plugin's.
//!
//! ```
//! use seam::ui;
//!
//! # seam::testing::set_answers([seam::testing::Answer::Yes]);
//! if ui::confirm("Remember this for the session?") {
//!     ui::notify("I shall remember it.");
//! }
//! # assert_eq!(seam::testing::said(), ["confirm: Remember this for the session?", "notify: I shall remember it."]);
//! ```

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::ui as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::ui as import;

/// Shows a text. Beyond 60 a minute the rest is dropped.
pub fn notify(text: &str) {
    import::notify(text);
}

/// Shows what the plugin is doing, on one line, until the next one; an empty one takes it away.
pub fn status(text: &str) {
    import::status(text);
}

/// Asks yes or no. Without an answer: no.
pub fn confirm(question: &str) -> bool {
    import::confirm(question)
}

/// Asks for one of at most 64 options, and gives its place. Without an answer: `None`.
pub fn select<O: Into<String>>(question: &str, options: impl IntoIterator<Item = O>) -> Option<usize> {
    let options: Vec<String> = options.into_iter().map(Into::into).collect();
    import::select(question, &options).map(|place| place as usize)
}

/// Asks for a line of text. Without an answer: `None`.
pub fn input(question: &str) -> Option<String> {
    import::input(question)
}
