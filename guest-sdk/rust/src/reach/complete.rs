//! Questions of the plugin's own to the session's model: the import `complete`. Needs the grant `complete`, a budget of
//! tokens for the session.
//!
//! The model gets the two texts of the request and nothing else. What is asked must fit into what is left, with all that
//! may be answered. The time it takes is not this plugin's.
//!
//! ```
//! use seam::complete::{self, Request};
//!
//! # seam::testing::on_ask(|_| Ok(complete::Completion { text: "no".to_owned(), cut_off: false, tokens: 9 }));
//! let asked = Request::new("You answer with yes or no.", "Is `rm -rf build` harmful?", 10);
//! let answer = complete::ask(&asked)?;
//! assert_eq!(answer.text, "no");
//! # Ok::<(), complete::Failure>(())
//! ```

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::complete as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::complete as import;

pub use crate::bindings::reach::seam::harness::complete::{Completion, Failure, Request};

/// How many tokens of the budget are left.
pub fn left() -> u32 {
    import::left()
}

/// Asks.
///
/// # Errors
///
/// When the budget has not enough left, or there is no answer.
pub fn ask(request: &Request) -> Result<Completion, Failure> {
    import::ask(request)
}

impl Request {
    /// What the model is for this request, what it is asked, and how many tokens it may answer with.
    pub fn new(system: impl Into<String>, prompt: impl Into<String>, max_tokens: u32) -> Self {
        Self { system: system.into(), prompt: prompt.into(), max_tokens }
    }
}
