//! A run as a person reads it: the model's words as they come, and each tool call with who decided what and why.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use seam_loop::event::UpdateKind;
use seam_loop::{AgentEvent, Decider, Decision, EventSink, Ruling, ToolOutput};
use serde_json::Value;

use crate::terminal::style::{Style, clean, one_line};

/// How many lines of a result are shown.
const SHOWN_LINES: usize = 8;
/// How wide calls and lines of results get, in characters.
const WIDTH: usize = 110;
/// How long what somebody decided gets, in characters.
const REASON: usize = 400;

/// Prints a run.
pub(crate) struct Terminal {
    style: Style,
    /// The width of the column of names.
    names: usize,
    calls: Mutex<HashMap<String, Value>>,
}

impl Terminal {
    pub(crate) fn new(plugins: &[&str]) -> Self {
        let names = plugins.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("host".len());
        Self { style: Style::for_stdout(), names, calls: Mutex::default() }
    }

    fn print(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        // A reader that has gone away is no reason to stop half-way in an effect.
        let _gone = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }

    fn call(&self, tool: &str, args: &Value, result: &ToolOutput, is_error: bool, decisions: &[Decision]) -> String {
        let mut text =
            format!("\n{} {}\n", self.style.bold(&format!("→ {}", clean(tool))), short_arguments(args, WIDTH));
        for decision in decisions.iter().filter(|decision| decision.ruling != Ruling::Proceed) {
            text.push_str(&self.decision(decision));
        }
        let silent = silent(decisions);
        if !silent.is_empty() {
            text.push_str(&format!("  {}\n", self.style.dim(&format!("no objection: {}", silent.join(", ")))));
        }
        if decisions.iter().any(is_refusal) {
            return format!("{text}  {}\n", self.style.red("✗ not run"));
        }
        let mark = if is_error { self.style.red("✗ failed") } else { self.style.green("✓ done") };
        format!("{text}  {mark}\n{}", self.result(result))
    }

    fn decision(&self, decision: &Decision) -> String {
        let by = name(&decision.by);
        let what = match &decision.ruling {
            Ruling::Proceed => "no objection".to_owned(),
            Ruling::Rewrite { arguments } => {
                format!("{} {}", self.style.yellow("rewrote the call:"), short_arguments(arguments, REASON))
            }
            Ruling::Block { reason } => format!("{} {}", self.style.red("refused:"), one_line(reason, REASON)),
            Ruling::Ask { question } => format!("{} {}", self.style.yellow("asked:"), one_line(question, REASON)),
            Ruling::Change { fields } => self.style.yellow(&format!("changed the result: {}", fields.join(", "))),
            Ruling::Withhold { reason } => {
                format!("{} {}", self.style.red("withheld the result:"), one_line(reason, REASON))
            }
            Ruling::Failure { failure, refused } => {
                let then = if *refused { "so it is refused" } else { "skipped, as set" };
                self.style.red(&format!("failed ({failure}), {then}"))
            }
        };
        format!("  {by:<width$}  {what}\n", width = self.names)
    }

    fn result(&self, result: &ToolOutput) -> String {
        let mut lines: Vec<String> = Vec::new();
        for content in &result.content {
            match content.as_text() {
                Some(text) => lines.extend(clean(text).lines().map(str::to_owned)),
                None => lines.push("[image]".to_owned()),
            }
        }
        let more = lines.len().saturating_sub(SHOWN_LINES);
        let mut text: String = lines
            .iter()
            .take(SHOWN_LINES)
            .map(|line| format!("    {}\n", self.style.dim(&one_line(line, WIDTH))))
            .collect();
        if more > 0 {
            text.push_str(&format!("    {}\n", self.style.dim(&format!("… {more} more lines"))));
        }
        text
    }
}

impl EventSink for Terminal {
    fn emit(&self, event: AgentEvent) {
        match event {
            AgentEvent::MessageUpdate { kind: UpdateKind::TextDelta, delta: Some(delta), .. } => {
                self.print(&clean(&delta))
            }
            AgentEvent::MessageUpdate { kind: UpdateKind::TextEnd, .. } => self.print("\n"),
            AgentEvent::ToolExecutionStart { tool_call_id, args, .. } => {
                self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(tool_call_id, args);
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, decisions } => {
                let args = self.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&tool_call_id);
                let args = args.unwrap_or_default();
                self.print(&self.call(&tool_name, &args, &result, is_error, &decisions));
            }
            AgentEvent::TurnEnd { .. } => self.print("\n"),
            _ => {}
        }
    }
}

fn name(by: &Decider) -> &str {
    match by {
        Decider::Host => "host",
        Decider::User => "you",
        Decider::Plugin(name) => name,
    }
}

/// Who was asked and had nothing to say at any seam.
fn silent(decisions: &[Decision]) -> Vec<&str> {
    let spoke = |by: &Decider| decisions.iter().any(|other| other.by == *by && other.ruling != Ruling::Proceed);
    let mut silent: Vec<&str> = Vec::new();
    for decision in decisions.iter().filter(|decision| !spoke(&decision.by)) {
        if !silent.contains(&name(&decision.by)) {
            silent.push(name(&decision.by));
        }
    }
    silent
}

/// Whether the call did not run because of it.
fn is_refusal(decision: &Decision) -> bool {
    match &decision.ruling {
        Ruling::Block { .. } => true,
        Ruling::Failure { refused, .. } => *refused && decision.seam != "tool-result",
        _ => false,
    }
}

/// Arguments as a person reads them: the one that says it all plain, the rest as JSON.
fn short_arguments(args: &Value, most: usize) -> String {
    let Value::Object(map) = args else { return one_line(&args.to_string(), most) };
    let parts: Vec<String> = map
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) if matches!(key.as_str(), "command" | "path" | "pattern") => text.clone(),
            other => format!("{key}={other}"),
        })
        .collect();
    one_line(&parts.join("  "), most)
}
