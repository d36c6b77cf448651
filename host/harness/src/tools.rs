//! The tools of a session, each with its schema compiled once.

use std::collections::HashMap;
use std::sync::Arc;

use seam_loop::{ArgumentSchema, Tool, ToolDefinition};

/// The tools a model may call, by name.
#[derive(Default)]
pub struct ToolSet {
    entries: Vec<Entry>,
    definitions: Vec<ToolDefinition>,
    by_name: HashMap<Arc<str>, usize>,
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
            set.definitions.push(tool.definition().clone());
            set.entries.push(Entry { tool, schema });
        }
        Ok(set)
    }

    /// What the model is told of them.
    pub fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.by_name.get(name)?)
    }
}
