//! Which model is asked.

use std::path::PathBuf;

use clap::Parser;

/// Which model is asked.
#[derive(Debug, Parser)]
pub(crate) struct ModelArgs {
    /// Ask this model, such as `anthropic/claude-sonnet-5:high`. Levels of thinking are off, minimal, low, medium, high,
    /// xhigh and max. A session that goes on keeps it [default: the session's own, or else `model` of the settings]
    #[arg(long, value_name = "PROVIDER/NAME[:LEVEL]", conflicts_with = "script")]
    pub(crate) model: Option<String>,
    /// Play the model from this JSON file (its `turns`) instead of asking a real one
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
}
