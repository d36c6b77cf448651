//! The actions of injections and steps.

use serde_json::{Value, json};

use super::stage::Stage;
use super::{parse, render};

const PROMPT_BUSY: &str = "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for \
                           completion.";
const CONTINUE_BUSY: &str = "Agent is already processing. Wait for completion before continuing.";
const RESET_BUSY: &str = "Agent is already processing. Wait for completion before resetting.";

impl Stage {
    /// Does and records one action that takes no time.
    ///
    /// # Errors
    /// What it throws.
    pub(super) fn act(&self, action: &Value) -> Result<(), String> {
        let Some((name, what)) = action.as_object().and_then(|fields| fields.iter().next()) else { return Ok(()) };
        let entry = self.perform(name, what);
        if let Some(entry) = self.supported(entry) {
            self.tape().record(entry);
        }
        match (name.as_str(), what.as_str()) {
            ("throw", Some(message)) => Err(message.to_owned()),
            _ => Ok(()),
        }
    }

    /// Does an action and gives its entry.
    fn perform(&self, name: &str, what: &Value) -> Result<Value, String> {
        let running = self.agent().abort.is_some();
        let mut entry = json!({ "do": name });
        match name {
            "steer" | "followUp" => {
                let message = parse::message(what)?;
                entry["message"] = render::message(&message);
                let agent = self.agent();
                (if name == "steer" { &agent.steering } else { &agent.follow_up }).push(message);
            }
            "abort" => self.agent().abort.iter().for_each(|abort| abort.cancel()),
            "clear" => {
                entry["queue"] = what.clone();
                self.clear(what);
            }
            "set" => {
                let settings = what.as_object().cloned().unwrap_or_default();
                settings.into_iter().for_each(|(key, value)| entry[key] = value);
                self.agent().set(what)?;
            }
            "install" | "uninstall" => {
                entry["name"] = what.clone();
                let hook = what.as_str().unwrap_or_default().to_owned();
                let hooks = &mut self.agent().hooks;
                if name == "install" {
                    hooks.insert(hook)
                } else {
                    hooks.remove(&hook)
                };
            }
            "throw" => entry["message"] = what.clone(),
            "prompt" if running => entry["rejected"] = json!(PROMPT_BUSY),
            "continue" if running => entry["rejected"] = json!(CONTINUE_BUSY),
            "reset" if running => entry["threw"] = json!(RESET_BUSY),
            "reset" => self.agent().reset(),
            _ => return Err(format!("the action `{name}` here")),
        }
        Ok(entry)
    }

    fn clear(&self, queue: &Value) {
        let agent = self.agent();
        if queue != "followUp" {
            agent.steering.clear();
        }
        if queue != "steering" {
            agent.follow_up.clear();
        }
    }
}
