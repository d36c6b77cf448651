//! Programs: the import `exec`. Needs the grant `exec`, a list of their names.
//!
//! A program is a call of the tool `bash`, with every word quoted, in the workspace. So every gate judges the command, and
//! what it prints passes every patch. The time it takes is not this plugin's.
//!
//! ```
//! use seam::exec;
//!
//! # seam::testing::on_run(|_, _| Ok(exec::Output { text: "main\n".to_owned(), code: 0 }));
//! let branch = exec::run("git", &["branch", "--show-current"])?;
//! assert!(branch.succeeded());
//! assert_eq!(branch.text.trim(), "main");
//! # Ok::<(), exec::Failure>(())
//! ```

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::exec as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::exec as import;

pub use crate::bindings::reach::seam::harness::exec::{Failure, Output};

/// Runs a program with these words. It is named as it was granted, without a path.
///
/// A program that ends with a code other than 0 has come to its end: that is no error here.
///
/// # Errors
///
/// When it was not run, or did not come to its end.
pub fn run<W: AsRef<str>>(program: &str, arguments: impl IntoIterator<Item = W>) -> Result<Output, Failure> {
    let arguments: Vec<String> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
    import::run(program, &arguments)
}

impl Output {
    /// Whether it ended with the code 0.
    pub fn succeeded(&self) -> bool {
        self.code == 0
    }
}

impl Failure {
    /// What the host or the tool says about it.
    pub fn reason(&self) -> &str {
        match self {
            Self::NotRun(reason) | Self::Failed(reason) => reason,
        }
    }
}
