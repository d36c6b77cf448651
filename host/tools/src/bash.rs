//! `bash`: a shell command.
//!
//! - It runs as `bash -c` in the workspace root, in a session and process group of its own, without a terminal. Standard
//!   input is empty. The environment is inherited, with what [`Workspace::with_variable`] adds
//!   and without what [`Workspace::without_variable`] takes away.
//! - Both output streams share one pipe, so they come in the order they were written.
//! - The result holds all of the output, 4 MiB at most, so that patches see all of it. Only then is it [cut](Tool::fit)
//!   to its last 2,000 lines or 50 KiB, and the whole is kept in a file that the model can read.
//! - At the time limit (120 s unless the call says otherwise, 600 s at most) or on abort the group gets SIGTERM, and
//!   after 2 s SIGKILL. A process that leaves the group (`setsid`) is out of reach.
//! - It returns when the shell exits. A child in the background lives on, but what it writes later is lost; once it
//!   writes, SIGPIPE may end it.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use seam_loop::Tool;
use seam_loop::arguments::ValidArguments;
use seam_loop::tool::{ResolvedTool, Target, ToolContext, ToolDefinition, ToolError, ToolOutput};
use serde::Deserialize;
use serde_json::json;

use crate::blocking::blocking;
use crate::define::definition;
use crate::path::{Workspace, reason};

mod collected;
mod cut;
mod fit;
mod run;
mod shell;
#[cfg(test)]
mod tests;

use collected::{Collected, MOST};
use run::End;
use shell::Shell;

/// The time limit of a command that names none, in seconds.
const DEFAULT_LIMIT: f64 = 120.0;

/// The longest time limit, in seconds.
const MAX_LIMIT: f64 = 600.0;

pub(crate) struct Bash {
    definition: ToolDefinition,
    workspace: Arc<Workspace>,
}

#[derive(Debug, Deserialize)]
struct Arguments {
    command: String,
    timeout: Option<f64>,
}

struct Call {
    workspace: Arc<Workspace>,
    arguments: Arguments,
}

impl Bash {
    pub(crate) fn new(workspace: &Arc<Workspace>) -> Self {
        let description = "Run a bash command in the workspace. Standard input is empty. Gives the last 2,000 lines or \
                           50 KiB of what it prints on both streams, and the exit code when it is not 0. The whole \
                           of a longer output is kept in a file that the result names.";
        let properties = json!({
            "command": { "type": "string", "description": "The command" },
            "timeout": {
                "type": "number", "exclusiveMinimum": 0, "maximum": MAX_LIMIT,
                "description": "Time limit in seconds (default 120)",
            },
        });
        Self { definition: definition("bash", description, &["command"], properties), workspace: workspace.clone() }
    }
}

#[async_trait]
impl Tool for Bash {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments: Arguments = arguments.parse()?;
        if arguments.command.contains('\0') {
            return Err(ToolError::Failed("The command holds a NUL byte, which no shell takes.".to_owned()));
        }
        Ok(Box::new(Call { workspace: self.workspace.clone(), arguments }))
    }

    async fn fit(&self, output: ToolOutput) -> ToolOutput {
        fit::fit(&self.workspace, output).await
    }
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        vec![Target::Command { command: self.arguments.command.clone(), cwd: self.cwd() }]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        if context.abort.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        let workspace = self.workspace.clone();
        blocking(move || if workspace.is_in_place() { Ok(()) } else { Err(moved(&workspace)) }).await?;
        let failed =
            |error| ToolError::Failed(format!("The command could not be run with `bash`: {}.", reason(&error)));
        let mut shell = Shell::spawn(&self.arguments.command, &self.workspace).map_err(failed)?;
        let limit = self.arguments.timeout.unwrap_or(DEFAULT_LIMIT).clamp(0.0, MAX_LIMIT);
        let collected = Mutex::new(Collected::default());
        let end = run::run(&mut shell, &collected, Duration::from_secs_f64(limit), &context).await.map_err(failed)?;
        report(&end, &collected.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), limit)
    }
}

impl Call {
    fn cwd(&self) -> PathBuf {
        self.workspace.root().as_path().to_owned()
    }
}

fn moved(workspace: &Workspace) -> ToolError {
    let root = workspace.root().as_path().display();
    ToolError::Failed(format!(
        "The workspace {root} was moved or replaced since the start, so the command was not run."
    ))
}

fn report(end: &End, collected: &Collected, limit: f64) -> Result<ToolOutput, ToolError> {
    let (note, details) = match end {
        End::Aborted => return Err(ToolError::Aborted),
        End::TimedOut => (
            Some(format!("The command reached its time limit of {limit} s and was stopped.")),
            json!({ "timedOut": true }),
        ),
        End::Exited(status) => (failure(*status), json!({ "exitCode": status.code(), "signal": status.signal() })),
    };
    let (mut text, cut) = collected.text();
    if text.is_empty() {
        text.push_str("(no output)");
    }
    let is_error = note.is_some();
    let dropped = cut.map(|total| {
        format!(
            "[The command printed {total} bytes; only the last {} MiB were kept. To keep all, send them to a file.]",
            MOST >> 20
        )
    });
    for note in [dropped, note].into_iter().flatten() {
        let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
        text.push_str(gap);
        text.push_str(&note);
    }
    Ok(ToolOutput { details: Some(details), is_error, ..ToolOutput::text(text) })
}

fn failure(status: ExitStatus) -> Option<String> {
    match (status.code(), status.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("The command exited with code {code}.")),
        (None, Some(signal)) => Some(format!("The command was ended by signal {signal}.")),
        (None, None) => Some(format!("The command ended with {status}.")),
    }
}
