//! What the user chose, and what waits to be stored.
//!
//! A choice holds at once where somebody asks for it, and for the model from the next turn on. While nothing runs it is
//! stored at once. During a run it waits, and is stored at the next save point, in the order in which things were
//! chosen: so a session file never says of a turn what was chosen while it went on.

mod idle;
mod restore;
mod save;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use seam_loop::{AgentEvent, Message, Model, ThinkingLevel};
use seam_session::NewEntry;

use crate::event::{Event, SessionEvent};
use crate::phase::Phase;
use crate::stored;

pub(crate) use idle::MOST_IDLE;
pub use restore::{MissingTools, Restore};

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) model: Model,
    pub(crate) thinking_level: ThinkingLevel,
    /// The names of the tools that the model may call; all of them, if nobody chose.
    pub(crate) active_tools: Option<Vec<String>>,
}

/// What was chosen since the last turn began.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub(crate) model: Option<Model>,
    pub(crate) thinking_level: Option<ThinkingLevel>,
    pub(crate) active_tools: Option<Vec<String>>,
    /// What was stored and is not in the transcript.
    pub(crate) stored: Vec<Arc<Message>>,
}

/// One change of the user's.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Model(Model),
    ThinkingLevel(ThinkingLevel),
    ActiveTools(Vec<String>),
    /// A message that nobody answers.
    Message(Arc<Message>),
}

/// Why tools cannot be chosen. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTools {
    /// A name stands there twice.
    #[error("Duplicate active tool name(s): {}", .0.join(", "))]
    Duplicate(Vec<String>),
    /// There is no tool of this name.
    #[error("Unknown tool(s): {}", .0.join(", "))]
    Unknown(Vec<String>),
}

/// The state that a conversation shares with its handles.
#[derive(Debug)]
pub(crate) struct Settings {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The names of all tools.
    tools: Vec<String>,
    phase: Phase,
    /// How many turns in a row there were in this run in which no tool was called.
    idle: u32,
    /// There are calls without results, behind which nothing may be said before they have some.
    unanswered: bool,
    chosen: Chosen,
    news: News,
    /// What is to be stored, the oldest first.
    pending: VecDeque<Change>,
}

impl Settings {
    pub(crate) fn new(chosen: Chosen, tools: Vec<String>) -> Self {
        let (phase, idle, unanswered, news, pending) = Default::default();
        Self { state: Mutex::new(State { tools, phase, idle, unanswered, chosen, news, pending }) }
    }

    /// The names of all tools.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.lock().tools.clone()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.lock().phase
    }

    /// Enters a phase. Gives the one before.
    pub(crate) fn set_phase(&self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.lock().phase, phase)
    }

    /// Whether there are calls without results. What is said then waits until they have some.
    pub(crate) fn set_unanswered(&self, unanswered: bool) {
        self.lock().unanswered = unanswered;
    }

    /// What is chosen now.
    pub(crate) fn chosen(&self) -> Chosen {
        self.lock().chosen.clone()
    }

    /// What is chosen now, for a run that begins with it.
    pub(crate) fn begin(&self) -> Chosen {
        let mut state = self.lock();
        state.news = News { stored: std::mem::take(&mut state.news.stored), ..News::default() };
        state.chosen.clone()
    }

    /// Begins with this much thinking, which nobody is told of.
    pub(crate) fn begin_with(&self, level: ThinkingLevel) {
        self.lock().chosen.thinking_level = level;
    }

    /// What was chosen since the last turn began.
    pub(crate) fn news(&self) -> News {
        std::mem::take(&mut self.lock().news)
    }

    /// Whether messages were stored that are not in the transcript. They count as being in it from now on.
    pub(crate) fn take_stored(&self) -> bool {
        !std::mem::take(&mut self.lock().news.stored).is_empty()
    }

    /// Puts messages back that could not be put into the transcript.
    pub(crate) fn put_back(&self, stored: Vec<Arc<Message>>) {
        self.lock().news.stored.splice(0..0, stored);
    }

    /// Whether tools of these names can be chosen.
    pub(crate) fn check(&self, names: &[String]) -> Result<(), InvalidTools> {
        let twice = |(place, name): &(usize, &String)| names.iter().take(*place).any(|before| before == *name);
        let mut duplicate: Vec<_> = names.iter().enumerate().filter(twice).map(|(_, name)| name.clone()).collect();
        if !duplicate.is_empty() {
            duplicate.sort_unstable();
            duplicate.dedup();
            return Err(InvalidTools::Duplicate(duplicate));
        }
        let unknown = self.missing(names);
        if unknown.is_empty() { Ok(()) } else { Err(InvalidTools::Unknown(unknown)) }
    }

    /// Those of these names that no tool has.
    fn missing(&self, names: &[String]) -> Vec<String> {
        let state = self.lock();
        names.iter().filter(|name| !state.tools.contains(name)).cloned().collect()
    }

    /// Other tools are there. Of those that were chosen, these are left. Gives what is told of it, if anything changed.
    pub(crate) fn replace_tools(&self, tools: Vec<String>, active: Option<Vec<String>>) -> Option<SessionEvent> {
        let mut state = self.lock();
        if state.tools == tools && state.chosen.active_tools == active {
            return None;
        }
        state.tools.clone_from(&tools);
        state.chosen.active_tools.clone_from(&active);
        let is_there = |name: &String| tools.contains(name);
        let active = active.map(|names| names.into_iter().filter(is_there).collect());
        Some(SessionEvent::ToolsUpdate { active: active.unwrap_or_else(|| tools.clone()), tools })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether something that is to be stored has to wait.
    fn is_busy(&self) -> bool {
        self.phase != Phase::Idle || self.unanswered || !self.pending.is_empty()
    }

    /// Whether this is chosen already.
    fn says(&self, change: &Change) -> bool {
        match change {
            Change::Model(model) => *model == self.chosen.model,
            Change::ThinkingLevel(level) => *level == self.chosen.thinking_level,
            Change::ActiveTools(names) => self.chosen.active_tools.as_ref() == Some(names),
            Change::Message(_) => false,
        }
    }

    /// Makes a choice. Gives what is told of it.
    fn choose(&mut self, change: Change) -> Option<SessionEvent> {
        Some(match change {
            Change::Model(model) => {
                self.news.model = Some(model.clone());
                let previous = std::mem::replace(&mut self.chosen.model, model.clone());
                SessionEvent::ModelSelect { model, previous }
            }
            Change::ThinkingLevel(level) => {
                self.news.thinking_level = Some(level);
                let previous = std::mem::replace(&mut self.chosen.thinking_level, level);
                SessionEvent::ThinkingLevelSelect { level, previous }
            }
            Change::ActiveTools(active) => {
                self.news.active_tools = Some(active.clone());
                self.chosen.active_tools = Some(active.clone());
                SessionEvent::ToolsUpdate { tools: self.tools.clone(), active }
            }
            Change::Message(_) => return None,
        })
    }
}

impl Change {
    /// As it is stored.
    fn entry(&self) -> NewEntry {
        match self {
            Self::Model(Model { provider, id }) => {
                NewEntry::ModelChange { provider: provider.clone(), model_id: id.clone() }
            }
            Self::ThinkingLevel(level) => NewEntry::ThinkingLevelChange(stored::level_name(*level)),
            Self::ActiveTools(names) => NewEntry::ActiveToolsChange(names.clone()),
            Self::Message(message) => stored::entry(message),
        }
    }
}

/// What is told of a message that was stored.
fn told(message: Arc<Message>) -> [Event; 2] {
    let start = AgentEvent::MessageStart { role: seam_loop::event::Role::Custom, tool_call_id: None, blocks: None };
    [start, AgentEvent::MessageEnd { message }].map(Event::Agent)
}

#[cfg(test)]
pub(crate) mod tests;
