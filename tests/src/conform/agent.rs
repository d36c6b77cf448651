//! The agent of a scenario: the state that runs start from and that actions change.

use std::collections::BTreeSet;

use seam_loop::{CancellationToken, Message, Model, Queue, QueueMode, ThinkingLevel, Transcript};
use serde_json::{Value, json};

use super::json::strings;
use super::{parse, render};

/// The hooks that are there unless a scenario names others.
const OBSERVED: [&str; 8] = [
    "prepareRequest",
    "transformContext",
    "convertToLlm",
    "getApiKey",
    "beforeToolCall",
    "afterToolCall",
    "finishTurn",
    "prepareNextTurnWithContext",
];

/// What runs start from. A run takes the transcript and gives it back.
pub(super) struct Agent {
    pub(super) system_prompt: String,
    pub(super) model: String,
    pub(super) thinking_level: ThinkingLevel,
    pub(super) tools: Vec<String>,
    pub(super) sequential: bool,
    pub(super) transcript: Transcript,
    pub(super) steering: Queue,
    pub(super) follow_up: Queue,
    /// The hooks that are installed.
    pub(super) hooks: BTreeSet<String>,
    /// Aborts the run under way.
    pub(super) abort: Option<CancellationToken>,
    /// What the last turn of the last run failed with.
    pub(super) error: Option<String>,
}

impl Agent {
    /// The agent at the start of a scenario.
    pub(super) fn new(scenario: &Value) -> Result<Self, String> {
        let settings = &scenario["agent"];
        let tools = scenario["tools"].as_array().into_iter().flatten().map(|tool| parse::text(tool, "name"));
        let mut agent = Self {
            system_prompt: parse::text(settings, "systemPrompt"),
            model: "main".to_owned(),
            thinking_level: ThinkingLevel::Off,
            tools: tools.collect(),
            sequential: false,
            transcript: Transcript::new(),
            steering: Queue::default(),
            follow_up: Queue::default(),
            hooks: installed(scenario),
            abort: None,
            error: None,
        };
        agent.set(settings)?;
        Ok(agent)
    }

    /// Assigns the parts of the state that are named.
    pub(super) fn set(&mut self, settings: &Value) -> Result<(), String> {
        if let Some(model) = settings["model"].as_str() {
            self.model = model.to_owned();
        }
        if let Some(level) = settings.get("thinkingLevel") {
            self.thinking_level = parse::typed(level)?;
        }
        if let Some(tools) = settings.get("tools") {
            self.tools = strings(tools).map(str::to_owned).collect();
        }
        if let Some(mode) = settings["toolExecution"].as_str() {
            self.sequential = mode == "sequential";
        }
        if let Some(mode) = mode(&settings["steeringMode"]) {
            self.steering = self.steering.with_mode(mode);
        }
        if let Some(mode) = mode(&settings["followUpMode"]) {
            self.follow_up = self.follow_up.with_mode(mode);
        }
        match settings["messages"].as_array() {
            Some(messages) => self.set_messages(messages),
            None => Ok(()),
        }
    }

    /// Puts these messages in place of the transcript. A leading system message is the prompt, which is kept elsewhere.
    fn set_messages(&mut self, messages: &[Value]) -> Result<(), String> {
        if self.abort.is_some() {
            return Err("the transcript of a run under way cannot be replaced".to_owned());
        }
        let messages = match messages {
            [system, rest @ ..] if system["role"] == "system" => {
                self.system_prompt = parse::text(system, "text");
                rest
            }
            messages => messages,
        };
        self.transcript =
            messages.iter().map(parse::message).collect::<Result<Vec<Message>, _>>()?.into_iter().collect();
        Ok(())
    }

    /// Drops the messages and empties the queues.
    pub(super) fn reset(&mut self) {
        self.transcript = Transcript::new();
        self.steering.clear();
        self.follow_up.clear();
        self.error = None;
    }

    /// Whether a message waits for a run.
    pub(super) fn has_queued(&self) -> bool {
        !self.steering.is_empty() || !self.follow_up.is_empty()
    }

    /// Whether recordings show a system message: there is a prompt or a tool.
    pub(super) fn has_system(&self) -> bool {
        !self.system_prompt.is_empty() || !self.tools.is_empty()
    }

    /// The transcript of a recording.
    pub(super) fn render(&self) -> Value {
        let tools: Vec<&str> = self.tools.iter().map(String::as_str).collect();
        let system = self.has_system().then(|| render::system(&self.system_prompt, &tools));
        system.into_iter().chain(self.transcript.messages().iter().map(|message| render::message(message))).collect()
    }
}

/// The hooks a scenario installs at its start.
fn installed(scenario: &Value) -> BTreeSet<String> {
    let default = json!(OBSERVED);
    let observed = strings(scenario.get("observe").unwrap_or(&default)).map(str::to_owned);
    let ruled = scenario["hooks"].as_object().into_iter().flatten();
    let ruled = ruled.filter(|(_, rules)| rules.as_array().is_some_and(|rules| !rules.is_empty()));
    let later: Vec<&str> = strings(&scenario["installLater"]).collect();
    observed.chain(ruled.map(|(name, _)| name.clone())).filter(|name| !later.contains(&name.as_str())).collect()
}

/// The model with this id. A scenario may give it another provider.
pub(super) fn model(scenario: &Value, id: &str) -> Model {
    let declared = scenario["models"].as_array().into_iter().flatten().find(|model| model["id"] == id);
    let provider = declared.and_then(|model| model["provider"].as_str()).unwrap_or("scripted");
    Model { provider: provider.to_owned(), id: id.to_owned() }
}

fn mode(name: &Value) -> Option<QueueMode> {
    match name.as_str()? {
        "all" => Some(QueueMode::All),
        _ => Some(QueueMode::OneAtATime),
    }
}
