//! Makes tool definitions.

use seam_loop::tool::{ExecutionMode, ToolDefinition};
use serde_json::{Value, json};

/// A tool whose calls may overlap. A property the schema does not name is a fault, so a misspelt one is noticed.
pub(crate) fn definition(name: &str, description: &str, required: &[&str], properties: Value) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "required": required,
            "properties": properties,
            "additionalProperties": false,
        }),
        mode: ExecutionMode::Parallel,
    }
}
