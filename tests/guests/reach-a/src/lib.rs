//! A plugin that uses `state`, `session`, `messages` and `models` as it is told. For the host's tests.
//!
//! A step is a list of words, such as `["set", "key", "text"]`; see `steps.rs`. Its tool `do` takes steps as JSON in
//! `text`, its command `/do` as its arguments, and answers with what came of each. The settings hold `steps` by seam, which
//! are done whenever it is asked there, and noted as `SEAM: ANSWER | ANSWER`. With `next`, `finish-turn` answers that.
//! At `tool-call` and `tool-result` calls of `do` are left alone.

use std::collections::BTreeMap;

use seam::commands::{Command, Commands, Definition as Offered, Outcome as Replied};
use seam::finish_turn::{FinishTurn, Next, Turn};
use seam::observe::*;
use seam::session_before_fork::{Fork, Outcome as Allowed, SessionBeforeFork};
use seam::tools::{Call, Definition, Failure, Output, Tools};
use seam::{Outcome, ToolCall, ToolCallGate, ToolResult, ToolResultPatch, Verdict, input, log};
use serde::Deserialize;

mod steps;

const PARAMETERS: &str = r#"{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}"#;

#[derive(Deserialize)]
struct Does {
    #[serde(default)]
    steps: BTreeMap<String, Vec<steps::Step>>,
    #[serde(default)]
    next: String,
}

impl Does {
    fn at(&self, seam: &str) {
        if let Some(steps) = self.steps.get(seam) {
            log::info(&format!("{seam}: {}", steps::all(steps)));
        }
    }
}

impl Tools for Does {
    fn list_tools(&mut self) -> Vec<Definition> {
        self.at("list-tools");
        vec![Definition::new("do", "Does steps.", PARAMETERS)]
    }

    fn execute(&mut self, call: &Call) -> Result<Output, Failure> {
        #[derive(Deserialize)]
        struct Arguments {
            text: String,
        }
        Ok(Output::text(steps::read(&call.args::<Arguments>().text)))
    }
}

impl Commands for Does {
    fn list_commands(&mut self) -> Vec<Offered> {
        vec![Offered::new("do", "Does steps.")]
    }

    fn run(&mut self, command: &Command) -> Replied {
        Replied::reply(steps::read(&command.arguments))
    }
}

impl ToolCallGate for Does {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if call.tool != "do" {
            self.at("tool-call");
        }
        Verdict::Proceed
    }
}

impl ToolResultPatch for Does {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        if result.call.tool != "do" {
            self.at("tool-result");
        }
        Outcome::Keep
    }
}

impl FinishTurn for Does {
    fn finish(&mut self, _: &Turn) -> Next {
        self.at("finish-turn");
        if self.next == "continue" { Next::Continue } else { Next::Pass }
    }
}

impl input::Input for Does {
    fn receive(&mut self, _: &input::Said) -> input::Outcome {
        self.at("input");
        input::Outcome::Pass
    }
}

impl SessionBeforeFork for Does {
    fn decide(&mut self, _: &Fork) -> Allowed {
        self.at("session-before-fork");
        Allowed::Proceed
    }
}

/// Observers that do their steps.
macro_rules! observers {
    ($($observer:ident $observe:ident $event:ident $seam:literal;)+) => {
        $(impl $observer for Does {
            fn $observe(&mut self, _: &$event) {
                self.at($seam);
            }
        })+
    };
}

observers! {
    SessionStartObserver observe_session_start SessionStart "session-start";
    TurnEndObserver observe_turn_end TurnEnd "turn-end";
    MessageEndObserver observe_message_end MessageEnd "message-end";
    QueueUpdateObserver observe_queue_update QueueUpdate "queue-update";
    ModelSelectObserver observe_model_select ModelSelect "model-select";
    SettledObserver observe_settled Settled "settled";
}

seam::plugin!(
    Does from config:
    commands, finish_turn, input, message_end, model_select, queue_update, session_before_fork, session_start, settled,
    tool_call, tool_result, tools, turn_end
);
