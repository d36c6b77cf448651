//! Fuzz targets: what has to hold whatever comes in. Each takes bytes and panics when something does not.
//!
//! `tests/fuzz` runs them under libFuzzer, and the tests run them over the inputs kept there and some mutations of them.

pub mod arguments;
pub mod config;
pub mod edits;
pub mod load;
pub mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

use self::mutate::Mutations;
use crate::files;

/// A way in, and what has to hold there.
pub struct Target {
    /// Its name: that of its program, and of the folder of inputs that are kept for it.
    pub name: &'static str,
    /// Takes an input.
    pub check: fn(&[u8]),
    /// How many mutations a short run is of.
    pub rounds: usize,
}

/// Bytes into the loader and the audit.
pub const LOAD: Target = Target { name: "load", check: load::check, rounds: 600 };
/// Arguments into the dispatcher.
pub const ARGUMENTS: Target = Target { name: "arguments", check: arguments::check, rounds: 5000 };
/// Edits into a list of messages.
pub const EDITS: Target = Target { name: "edits", check: edits::check, rounds: 10_000 };

/// Text into the settings.
pub const CONFIG: Target = Target { name: "config", check: config::check, rounds: 10_000 };

/// All of them.
pub const TARGETS: [&Target; 4] = [&LOAD, &ARGUMENTS, &EDITS, &CONFIG];

impl Target {
    /// The inputs that are kept, by the names of their files.
    pub fn corpus(&self) -> Vec<(String, Vec<u8>)> {
        let folder = files::root().join("tests/fuzz/corpus").join(self.name);
        let entries = std::fs::read_dir(&folder).expect("the folder is there").map(|entry| entry.expect("an entry"));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.iter().map(|path| (name(path), std::fs::read(path).expect("it is read"))).collect()
    }

    /// A short run: everything that is kept, then mutations of it. The same seed gives the same run.
    pub fn run(&self, seed: u64) {
        println!("fuzz target {}: SEAM_FUZZ_SEED={seed}", self.name);
        let corpus = self.corpus();
        for (name, input) in &corpus {
            self.try_one(input, name);
        }
        let mut mutations = Mutations::new(corpus.into_iter().map(|(_, input)| input).collect(), seed);
        for round in 0..self.rounds {
            self.try_one(&mutations.next(), &format!("mutation {round} of SEAM_FUZZ_SEED={seed}"));
        }
    }

    fn try_one(&self, input: &[u8], what: &str) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.check)(input))) {
            println!("fuzz target {}: {what} fails: b\"{}\"", self.name, input.escape_ascii());
            resume_unwind(panic);
        }
    }
}
