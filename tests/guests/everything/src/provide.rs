//! The tools and the commands that the settings name.

use seam::commands::{self, Command, Commands};
use seam::tool_updates;
use seam::tools::{self, Call, Failure, Mode, Output, Tools};
use serde::Deserialize;

use crate::Everything;
use crate::observing::{count, forever};

const TEXT: &str = r#"{"type":"object","properties":{"text":{"type":"string"}}}"#;

/// A tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Tool {
    name: String,
    #[serde(rename = "do")]
    what: String,
    #[serde(default)]
    sequential: bool,
    #[serde(default)]
    terminate: bool,
    /// How many updates; 3 when nothing is said.
    updates: Option<u32>,
    /// It counts to so many millions between two of them.
    #[serde(default)]
    millions: u64,
    description: Option<String>,
    parameters: Option<serde_json::Value>,
    details: Option<serde_json::Value>,
    structured_content: Option<serde_json::Value>,
}

/// A command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    name: String,
    #[serde(rename = "do")]
    what: String,
    #[serde(default)]
    text: String,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    text: String,
}

impl Tools for Everything {
    fn list_tools(&mut self) -> Vec<tools::Definition> {
        self.deed("list-tools", &(), Default::default());
        self.tools.iter().map(Tool::definition).collect()
    }

    fn execute(&mut self, call: &Call) -> Result<Output, Failure> {
        self.deed("tools", call, Default::default());
        let tool = self.tools.iter().find(|tool| tool.name == call.tool).expect("a tool of the settings");
        tool.run(&call.args::<Arguments>().text)
    }
}

impl Tool {
    fn definition(&self) -> tools::Definition {
        let parameters = self.parameters.as_ref().map_or(TEXT.to_owned(), ToString::to_string);
        let description = self.description.as_deref().unwrap_or("A tool of a test.");
        let mode = if self.sequential { Mode::Sequential } else { Mode::Parallel };
        tools::Definition { mode, ..tools::Definition::new(&self.name, description, parameters) }
    }

    fn run(&self, text: &str) -> Result<Output, Failure> {
        match self.what.as_str() {
            "shout" => Ok(self.output(text.to_uppercase())),
            "fail" => Err(Failure::failed(format!("failed: {text}"))),
            "updates" => {
                let mut updates = 1..=self.updates.unwrap_or(3);
                let mut send = |update| {
                    count(self.millions);
                    tool_updates::send_text(&format!("{text} {update}"))
                };
                match updates.all(&mut send) {
                    true => Ok(self.output(format!("{text} done"))),
                    false => Err(Failure::Cancelled),
                }
            }
            "until-cancelled" => {
                while tool_updates::send_text(text) {}
                Err(Failure::Cancelled)
            }
            "cancelled" => Err(Failure::Cancelled),
            "trap" => panic!("`{}` was told to trap", self.name),
            "loop" => forever(),
            other => panic!("the settings: no tool does `{other}`"),
        }
    }

    fn output(&self, text: String) -> Output {
        Output {
            details: self.details.as_ref().map(ToString::to_string),
            structured_content: self.structured_content.as_ref().map(ToString::to_string),
            terminate: self.terminate,
            ..Output::text(text)
        }
    }
}

impl Commands for Everything {
    fn list_commands(&mut self) -> Vec<commands::Definition> {
        self.deed("list-commands", &(), Default::default());
        let definitions = self.commands.iter().map(|told| {
            let description = told.description.as_deref().unwrap_or("A command of a test.");
            commands::Definition::new(&told.name, description)
        });
        definitions.collect()
    }

    fn run(&mut self, command: &Command) -> commands::Outcome {
        self.deed("commands", command, Default::default());
        let told = self.commands.iter().find(|told| told.name == command.name).expect("a command of the settings");
        let text = told.text.replace("{}", &command.arguments);
        match told.what.as_str() {
            "reply" => commands::Outcome::reply(text),
            "prompt" => commands::Outcome::prompt(text),
            "fail" => commands::Outcome::failed(text),
            "trap" => panic!("`{}` was told to trap", told.name),
            "loop" => forever(),
            other => panic!("the settings: no command does `{other}`"),
        }
    }
}
