//! The tools of a session, each with its schema compiled once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use seam_loop::{ArgumentSchema, Tool, ToolDefinition};

/// The tools there are, by name. Those a model may call are active: all of them at first.
#[derive(Default)]
pub struct ToolSet {
    entries: Vec<Entry>,
    by_name: HashMap<Arc<str>, usize>,
    active: RwLock<Active>,
}

/// The tools a model may call.
#[derive(Default)]
struct Active {
    /// The names that were chosen; all tools, if nobody chose.
    chosen: Option<Vec<String>>,
    definitions: Arc<[ToolDefinition]>,
    names: HashSet<Arc<str>>,
}

impl Active {
    fn of(entries: &[Entry], chosen: Option<&[String]>) -> Self {
        let is_active =
            |tool: &&ToolDefinition| chosen.is_none_or(|names| names.iter().any(|name| **name == *tool.name));
        let definitions = entries.iter().map(|entry| entry.tool.definition());
        let definitions: Arc<[ToolDefinition]> = definitions.filter(is_active).cloned().collect();
        let names = definitions.iter().map(|tool| Arc::clone(&tool.name)).collect();
        Self { chosen: chosen.map(<[String]>::to_vec), definitions, names }
    }
}

/// A tool and its schema. Private to the crate: only the dispatcher reaches a body.
pub(crate) struct Entry {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) schema: ArgumentSchema,
}

/// Why a tool cannot be registered.
#[derive(Debug, thiserror::Error)]
pub enum ToolSetError {
    /// Two tools of one name.
    #[error("two tools are named `{0}`; rename or remove one")]
    Duplicate(Arc<str>),
    /// The schema cannot be used.
    #[error("the parameters of tool `{tool}` are not a usable JSON Schema: {reason}")]
    Schema {
        /// The tool.
        tool: Arc<str>,
        /// What is wrong.
        reason: String,
    },
}

impl ToolSet {
    /// Takes the tools, in the order the model sees them.
    ///
    /// # Errors
    /// Two tools of one name, or a schema that cannot be used.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, ToolSetError> {
        let mut set = Self::default();
        for tool in tools {
            let name = Arc::clone(&tool.definition().name);
            let schema = ArgumentSchema::compile(&tool.definition().parameters)
                .map_err(|reason| ToolSetError::Schema { tool: Arc::clone(&name), reason })?;
            if set.by_name.insert(Arc::clone(&name), set.entries.len()).is_some() {
                return Err(ToolSetError::Duplicate(name));
            }
            set.entries.push(Entry { tool, schema });
        }
        set.active = RwLock::new(Active::of(&set.entries, None));
        Ok(set)
    }

    /// What the model is told of those it may call.
    pub fn definitions(&self) -> Arc<[ToolDefinition]> {
        Arc::clone(&self.active.read().unwrap_or_else(PoisonError::into_inner).definitions)
    }

    /// The names of all tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.tool.definition().name)
    }

    /// Lets the model call these alone, as far as they are there, or all of them.
    pub(crate) fn activate(&self, names: Option<&[String]>) {
        let mut active = self.active.write().unwrap_or_else(PoisonError::into_inner);
        if active.chosen.as_deref() != names {
            *active = Active::of(&self.entries, names);
        }
    }

    /// A tool that may be called.
    pub(crate) fn active(&self, name: &str) -> Option<&Entry> {
        let is_active = self.active.read().unwrap_or_else(PoisonError::into_inner).names.contains(name);
        self.get(name).filter(|_| is_active)
    }

    /// A tool, whether it is active or not.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.by_name.get(name)?)
    }
}
