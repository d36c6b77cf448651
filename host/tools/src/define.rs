//! Makes tool definitions.

use seam_loop::tool::{ExecutionMode, Replay, ToolDefinition};
use serde_json::{Value, json};

/// A tool that changes nothing, so that a call may be made again. Else as [`definition`].
pub(crate) fn reader(name: &str, description: &str, required: &[&str], properties: Value) -> ToolDefinition {
    ToolDefinition { replay: Replay::Safe, ..definition(name, description, required, properties) }
}

/// Arguments of a tool that requires none: some models send `null` or an empty text for "nothing".
pub(crate) fn or_empty(raw: Value) -> Value {
    if raw.is_null() || raw == "" { json!({}) } else { raw }
}

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
        replay: Replay::Never,
    }
}
