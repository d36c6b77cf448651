//! One thing to do, and the line that says what it came to.
//!
//! | step | line |
//! |---|---|
//! | `{"call": "TOOL", "with": ARGUMENTS}` | `call: ok TEXT`, `call: not-run WHY`, `call: failed WHY` |
//! | `{"exec": ["PROGRAM", "WORD"]}` | `exec: CODE TEXT`, or as above |
//! | `{"ask": "PROMPT", "system": "TEXT", "most": 10}` | `ask: TOKENS TEXT`, `ask: no-budget`, `ask: failed WHY` |
//! | `{"left": true}` | `left: TOKENS` |
//! | `{"notify": "TEXT"}`, `{"status": "TEXT"}` | none |
//! | `{"confirm": "TEXT"}`, `{"select": "TEXT", "of": ["A"]}`, `{"input": "TEXT"}` | `confirm: true`, `select: 0`, ... |
//!
//! `GIVEN` in a text is what the running call was given. With `times` it is done as often.

use seam::call_tool::{self, Failure};
use seam::complete::{self, Request};
use seam::{exec, log, ui};
use serde::Deserialize;
use serde_json::Value;

/// A step.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Step {
    call: Option<String>,
    with: Value,
    exec: Option<Vec<String>>,
    ask: Option<String>,
    system: String,
    most: u32,
    left: bool,
    notify: Option<String>,
    status: Option<String>,
    confirm: Option<String>,
    select: Option<String>,
    of: Vec<String>,
    input: Option<String>,
    times: Option<u32>,
}

/// Does all of them. Gives their lines.
pub(crate) fn all(steps: &[Step], text: &str) -> String {
    let mut lines = Vec::new();
    for step in steps {
        for _ in 0..step.times.unwrap_or(1) {
            if let Some(line) = step.act(text) {
                log::info(&short(&line));
                lines.push(line);
            }
        }
    }
    lines.join("\n")
}

impl Step {
    fn act(&self, given: &str) -> Option<String> {
        let text = |text: &String| text.replace("GIVEN", given);
        if let Some(tool) = &self.call {
            let arguments = self.with.to_string().replace("GIVEN", given);
            return Some(match call_tool::call_json(tool, &arguments) {
                Ok(output) => format!("call: ok {}", output.text()),
                Err(Failure::NotRun(why)) => format!("call: not-run {why}"),
                Err(Failure::Failed(why)) => format!("call: failed {why}"),
            });
        }
        if let Some((program, words)) = self.exec.as_ref().and_then(|words| words.split_first()) {
            return Some(match exec::run(program, words.iter().map(text)) {
                Ok(output) => format!("exec: {} {}", output.code, output.text),
                Err(exec::Failure::NotRun(why)) => format!("exec: not-run {why}"),
                Err(exec::Failure::Failed(why)) => format!("exec: failed {why}"),
            });
        }
        if let Some(prompt) = &self.ask {
            return Some(match complete::ask(&Request::new(&self.system, text(prompt), self.most)) {
                Ok(answer) => {
                    format!("ask: {} {}{}", answer.tokens, answer.text, if answer.cut_off { " (cut)" } else { "" })
                }
                Err(complete::Failure::NoBudget) => "ask: no-budget".to_owned(),
                Err(complete::Failure::Failed(why)) => format!("ask: failed {why}"),
            });
        }
        if self.left {
            return Some(format!("left: {}", complete::left()));
        }
        self.talk(text)
    }

    fn talk(&self, text: impl Fn(&String) -> String) -> Option<String> {
        if let Some(words) = &self.notify {
            ui::notify(&text(words));
        }
        if let Some(words) = &self.status {
            ui::status(&text(words));
        }
        if let Some(question) = &self.confirm {
            return Some(format!("confirm: {}", ui::confirm(&text(question))));
        }
        if let Some(question) = &self.select {
            return Some(format!("select: {:?}", ui::select(&text(question), &self.of)));
        }
        self.input.as_ref().map(|question| format!("input: {:?}", ui::input(&text(question))))
    }
}

/// The first of a long line, and how long it is.
fn short(line: &str) -> String {
    match line.char_indices().nth(500) {
        Some((end, _)) => format!("{}... {} bytes", &line[..end], line.len()),
        None => line.to_owned(),
    }
}
