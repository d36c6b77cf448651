//! What everything in a scenario shares: the scenario, its agent, the recording, the clock.

use std::sync::{Arc, Mutex, MutexGuard};

use seam_loop::Model;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::agent::{Agent, model};
use super::clock::Clock;
use super::rules;
use super::shape::Shapes;
use super::tape::Tape;

/// A scenario under way.
pub(super) struct Stage {
    pub(super) scenario: Value,
    pub(super) clock: Arc<Clock>,
    pub(super) shapes: Shapes,
    agent: Mutex<Agent>,
    tape: Mutex<Tape>,
    /// What is left to do when the steps are over.
    later: Mutex<Vec<JoinHandle<()>>>,
    /// The first thing that this loop cannot do.
    unsupported: Mutex<Option<String>>,
}

impl Stage {
    pub(super) fn new(scenario: Value) -> Result<Arc<Self>, String> {
        Ok(Arc::new(Self {
            clock: Clock::start(),
            shapes: Shapes::default(),
            agent: Mutex::new(Agent::new(&scenario)?),
            tape: Mutex::new(Tape::new(&scenario)),
            later: Mutex::default(),
            unsupported: Mutex::default(),
            scenario,
        }))
    }

    pub(super) fn agent(&self) -> MutexGuard<'_, Agent> {
        self.agent.lock().unwrap()
    }

    pub(super) fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap()
    }

    pub(super) fn model(&self, id: &str) -> Model {
        model(&self.scenario, id)
    }

    /// Notes that a scenario asks for what there is not. Only the first such note counts.
    pub(super) fn unsupported(&self, what: impl Into<String>) {
        self.unsupported.lock().unwrap().get_or_insert(what.into());
    }

    /// The value, or nothing and a note that it is not supported.
    pub(super) fn supported<T>(&self, value: Result<T, String>) -> Option<T> {
        value.map_err(|what| self.unsupported(what)).ok()
    }

    /// Records an entry whose code can wait and fail, and does what it sets off.
    ///
    /// # Errors
    /// What was thrown there.
    pub(super) async fn at(&self, entry: Value) -> Result<(), String> {
        let actions = self.tape().record(entry);
        for action in actions {
            if let Some(ms) = action["delay"].as_u64() {
                self.clock.sleep(ms).await;
            } else {
                self.act(&action)?;
            }
        }
        Ok(())
    }

    /// Records an entry of an observer, and does what it sets off. An observer cannot hold a run up or end it.
    pub(super) fn tell(&self, entry: Value) {
        let actions = self.tape().record(entry);
        for action in actions {
            if action.get("delay").is_some() {
                self.unsupported("a delay of an observer");
            } else {
                let _thrown = self.act(&action);
            }
        }
    }

    /// Records a call of a hook with its decision, and gives the rule that applies.
    ///
    /// # Errors
    /// What the hook throws.
    pub(super) async fn ask(&self, hook: &str, mut entry: Value) -> Result<Value, String> {
        let nth = self.tape().call(hook);
        let rule = rules::first(&self.scenario["hooks"][hook], nth, &entry).cloned().unwrap_or_default();
        entry["hook"] = hook.into();
        entry["decision"] = if rule.is_null() { Value::Null } else { rules::decision(&rule) };
        self.at(entry).await?;
        if let Some(ms) = rule["delay"].as_u64() {
            self.clock.sleep(ms).await;
        }
        match rule["throw"].as_str() {
            Some(message) => Err(message.to_owned()),
            None => Ok(rule),
        }
    }

    /// Does something beside everything else.
    pub(super) fn beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.later.lock().unwrap().push(tokio::spawn(work));
    }

    /// Waits for what is left, and gives the recording.
    pub(super) async fn finish(&self) -> Result<Value, String> {
        let later: Vec<JoinHandle<()>> = std::mem::take(&mut *self.later.lock().unwrap());
        for work in later {
            work.await.map_err(|error| error.to_string())?;
        }
        match self.unsupported.lock().unwrap().take() {
            Some(what) => Err(format!("not supported: {what}")),
            None => Ok(self.tape().document(self.agent().render())),
        }
    }
}
