//! A script: the answers of a [`Scripted`](super::Scripted) provider, read from JSON. Every fault is found while
//! reading; playing a script cannot fail.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::node::{Fault, Node};
use super::repeat::expand;
use super::turn::Turn;

/// The keys of a scenario. All but `turns` are for whoever runs it.
const SCENARIO_KEYS: &[&str] = &[
    "name",
    "description",
    "traceOrder",
    "agent",
    "models",
    "tools",
    "turns",
    "hooks",
    "observe",
    "installLater",
    "inject",
    "events",
    "steps",
];

/// The answers to a sequence of requests.
#[derive(Debug, Clone)]
pub struct Script {
    turns: Vec<Turn>,
}

impl Script {
    /// Reads the script in `text`: a JSON object whose `turns` are the answers, in order. The other keys of a scenario
    /// may be there and are not looked at. Errors speak of the script as `name`.
    ///
    /// # Errors
    /// When the text is not JSON or not a script.
    pub fn parse(text: &str, name: &str) -> Result<Self, ScriptError> {
        let document =
            serde_json::from_str(text).map_err(|source| ScriptError::Json { name: name.to_owned(), source })?;
        Self::from_value(document, name)
    }

    /// Reads a script that is already JSON; see [`Script::parse`].
    ///
    /// # Errors
    /// When it is not a script.
    pub fn from_value(mut document: Value, name: &str) -> Result<Self, ScriptError> {
        let turns = expand(&mut document).and_then(|()| turns(&document));
        turns
            .map(|turns| Self { turns })
            .map_err(|fault| ScriptError::Invalid { name: name.to_owned(), problem: fault.to_string() })
    }

    /// Reads the script in the file at `path`; see [`Script::parse`].
    ///
    /// # Errors
    /// When the file cannot be read or holds no script.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The turn at `index`, from 0.
    pub(super) fn turn(&self, index: usize) -> Option<Turn> {
        self.turns.get(index).cloned()
    }
}

fn turns(document: &Value) -> Result<Vec<Turn>, Fault> {
    let document = Node::root(document).object(SCENARIO_KEYS)?;
    document.require("turns")?.list()?.map(|turn| Turn::parse(&turn)).collect()
}

/// Why there is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The text is not JSON.
    #[error("{name}: not JSON: {source}")]
    Json {
        /// What the script is called.
        name: String,
        /// Where and why reading stopped.
        source: serde_json::Error,
    },
    /// The JSON is not a script.
    #[error("{name}: {problem}")]
    Invalid {
        /// What the script is called.
        name: String,
        /// Where in the document, and what was expected there.
        problem: String,
    },
}

#[cfg(test)]
mod tests;
