//! A plugin that calls tools, runs programs and asks the model and the user, as its settings say. For the host's tests.
//!
//! `gate`, `patch`, `turn-end` and `key` hold what to do at a seam: `{"steps": [STEP], "only": "TOOL"}`. With `only` it is
//! done at calls of that tool alone; `mine: false` leaves out the calls of plugins. A gate with `then` blocks with that
//! text. `tools` and `commands` are lists of `{"name": "NAME", "steps": [STEP]}`; what the steps came to is the result, a
//! line each. See `step.rs` for the steps. What each came to is noted too.

use seam::commands::{self, Command, Commands};
use seam::get_api_key::{Answer, GetApiKey};
use seam::observe::{TurnEnd, TurnEndObserver};
use seam::tools::{self, Call, Failure, Output, Tools};
use seam::{Origin, Outcome, ToolCall, ToolCallGate, ToolResult, ToolResultPatch, Verdict};
use serde::Deserialize;

mod step;

use step::Step;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct ReachB {
    gate: At,
    patch: At,
    turn_end: At,
    key: At,
    tools: Vec<Named>,
    commands: Vec<Named>,
}

/// What to do at a seam, and when.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct At {
    steps: Vec<Step>,
    only: Option<String>,
    mine: bool,
    then: Option<String>,
}

impl Default for At {
    fn default() -> Self {
        Self { steps: Vec::new(), only: None, mine: true, then: None }
    }
}

#[derive(Deserialize)]
struct Named {
    name: String,
    steps: Vec<Step>,
}

/// The argument that all tools of the tests have.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Text {
    text: String,
}

impl At {
    fn act(&self, call: &ToolCall) -> bool {
        let is_it = self.only.as_ref().is_none_or(|only| *only == call.tool);
        let acts = is_it && (self.mine || !matches!(call.origin, Origin::Plugin(_)));
        if acts {
            let text = serde_json::from_str::<Text>(&call.arguments).unwrap_or_default().text;
            step::all(&self.steps, &text);
        }
        acts
    }
}

impl ToolCallGate for ReachB {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        match &self.gate.then {
            Some(then) if self.gate.act(call) => Verdict::block(then),
            Some(_) => Verdict::Proceed,
            None => {
                self.gate.act(call);
                Verdict::Proceed
            }
        }
    }
}

impl ToolResultPatch for ReachB {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        if !result.partial {
            self.patch.act(&result.call);
        }
        Outcome::Keep
    }
}

impl TurnEndObserver for ReachB {
    fn observe_turn_end(&mut self, _: &TurnEnd) {
        step::all(&self.turn_end.steps, "");
    }
}

impl GetApiKey for ReachB {
    fn get(&mut self, _: &str) -> Answer {
        step::all(&self.key.steps, "");
        Answer::Pass
    }
}

impl Tools for ReachB {
    fn list_tools(&mut self) -> Vec<tools::Definition> {
        const TEXT: &str = r#"{"type":"object","properties":{"text":{"type":"string"}}}"#;
        self.tools.iter().map(|tool| tools::Definition::new(&tool.name, "A tool of a test.", TEXT)).collect()
    }

    fn execute(&mut self, call: &Call) -> Result<Output, Failure> {
        let tool = self.tools.iter().find(|tool| tool.name == call.tool).expect("a tool of the settings");
        Ok(Output::text(step::all(&tool.steps, &call.args::<Text>().text)))
    }
}

impl Commands for ReachB {
    fn list_commands(&mut self) -> Vec<commands::Definition> {
        self.commands.iter().map(|command| commands::Definition::new(&command.name, "A command of a test.")).collect()
    }

    fn run(&mut self, asked: &Command) -> commands::Outcome {
        let command = self.commands.iter().find(|command| command.name == asked.name).expect("one of the settings");
        commands::Outcome::reply(step::all(&command.steps, &asked.arguments))
    }
}

seam::plugin!(ReachB from config: commands, get_api_key, tool_call, tool_result, tools, turn_end);
