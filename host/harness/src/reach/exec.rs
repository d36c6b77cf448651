//! `exec`: programs that plugins run. Each is a call of the tool `bash`.

use std::sync::Arc;

use seam_loop::{Content, ToolOutput};
use serde_json::{Value, json};

use crate::reach::call_tool::{NotCalled, words};
use crate::reach::{Led, Reach};

/// The tool that runs commands.
const BASH: &str = "bash";
/// Where it says with which code a command ended.
const CODE: &str = "exitCode";
/// What it says of a command that wrote nothing.
const NOTHING: &str = "(no output)";

/// What a program gave that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What it wrote.
    pub text: String,
    /// The code it ended with.
    pub code: i32,
}

impl Reach {
    /// Runs a command for a plugin, in the way of every call. It ends when this is dropped.
    ///
    /// # Errors
    /// When it was not run, or did not come to its end.
    pub async fn run_command(&self, plugin: &Arc<str>, command: &str, led: &Led) -> Result<Ran, NotCalled> {
        let output = self.make(plugin, BASH, json!({ "command": command }), led).await?;
        match code(&output) {
            Some(code) => Ok(Ran { text: written(&output, code), code }),
            None => Err(NotCalled::Failed(words(&output))),
        }
    }
}

/// The code it ended with; none when it did not come to its end, or a plugin has withheld what it gave.
fn code(output: &ToolOutput) -> Option<i32> {
    let told = output.details.as_ref().and_then(|details| details.get(CODE)).and_then(Value::as_i64);
    match (told.and_then(|code| i32::try_from(code).ok()), output.is_error) {
        (Some(0) | None, true) => None,
        (code, _) => Some(code.unwrap_or(0)),
    }
}

/// What the program wrote, without what the tool says of its end. A line that has no end may get one. What the host says
/// of the call stays, behind it.
fn written(output: &ToolOutput, code: i32) -> String {
    let mut texts = output.content.iter().filter_map(Content::as_text);
    let written = texts.next().map_or("", |text| programs(text, code));
    std::iter::once(written).filter(|text| !text.is_empty()).chain(texts).collect::<Vec<_>>().join("\n")
}

/// The program's own words of what the tool says.
fn programs(text: &str, code: i32) -> &str {
    let note = format!("\nThe command exited with code {code}.");
    let written = if code == 0 { text } else { text.strip_suffix(&note).unwrap_or(text) };
    if written.trim_end_matches('\n') == NOTHING { "" } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(details: Value, is_error: bool) -> ToolOutput {
        ToolOutput { details: Some(details), is_error, ..ToolOutput::text("x") }
    }

    #[test]
    fn a_code_is_there_when_the_program_came_to_its_end() {
        let told = |details, is_error| code(&output(details, is_error));
        assert_eq!(told(json!({ "exitCode": 0, "signal": null }), false), Some(0));
        assert_eq!(told(json!({ "exitCode": 3, "signal": null }), true), Some(3));
        assert_eq!(told(json!({ "exitCode": null, "signal": 9 }), true), None);
        assert_eq!(told(json!({ "timedOut": true }), true), None);
        // What a plugin made of the result.
        assert_eq!(told(json!({}), true), None);
        assert_eq!(told(json!({ "exitCode": 0 }), true), None);
        assert_eq!(told(json!({ "exitCode": 3 }), false), Some(3));
        assert_eq!(told(json!({}), false), Some(0));
    }

    #[test]
    fn what_the_tool_says_of_the_end_is_not_the_programs() {
        let note = "The command exited with code 2.";
        assert_eq!(programs(&format!("a\n\n{note}"), 2), "a\n");
        assert_eq!(programs(&format!("(no output)\n\n{note}"), 2), "");
        assert_eq!(programs("(no output)", 0), "");
        assert_eq!(programs(note, 0), note);
        assert_eq!(programs("all else", 2), "all else");
        let content = ["(no output)", "[Changed]"].map(Content::text).into();
        assert_eq!(written(&ToolOutput { content, ..ToolOutput::default() }, 0), "[Changed]");
    }
}
