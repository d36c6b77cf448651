//! Tools whose calls are checked and noted, and do nothing.

use std::sync::Arc;

use async_trait::async_trait;
use jsonschema::Validator;
use seam_loop::{
    ExecutionMode, Replay, ResolvedTool, Target, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ValidArguments,
};
use serde_json::{Map, Value, json};

use super::bench::Noted;

/// The tool that takes any object.
pub(super) const FREE: &str = "free";
/// The tool whose schema has something of every kind.
pub(super) const SHAPES: &str = "shapes";

/// A tool, with a body that only notes what it gets.
pub(super) struct Checked {
    /// Whose definition and targets it has; none when they are its own.
    inner: Option<Arc<dyn Tool>>,
    definition: ToolDefinition,
    schema: Validator,
    noted: Arc<Noted>,
}

impl Checked {
    /// A tool of Seam.
    pub(super) fn of(inner: Arc<dyn Tool>, noted: &Arc<Noted>) -> Self {
        Self::new(inner.definition().clone(), Some(inner), noted)
    }

    /// The two others.
    pub(super) fn others(noted: &Arc<Noted>) -> [Self; 2] {
        let others = [(FREE, json!({})), (SHAPES, shapes())];
        others.map(|(name, parameters)| {
            let (name, description) = (name.into(), String::new());
            let (mode, replay) = (ExecutionMode::Parallel, Replay::Never);
            Self::new(ToolDefinition { name, description, parameters, mode, replay }, None, noted)
        })
    }

    fn new(definition: ToolDefinition, inner: Option<Arc<dyn Tool>>, noted: &Arc<Noted>) -> Self {
        let options = jsonschema::options().should_validate_formats(true);
        let schema = options.build(&definition.parameters).expect("the schema is one");
        Self { inner, definition, schema, noted: Arc::clone(noted) }
    }

    /// Whether arguments fit its schema, by the schema alone.
    pub(super) fn fits(&self, arguments: &Value) -> bool {
        self.schema.is_valid(arguments)
    }

    /// What it makes of what was sent, before that is validated.
    pub(super) fn prepared(&self, sent: Value) -> Option<Value> {
        self.prepare_arguments(sent).ok()
    }
}

#[async_trait]
impl Tool for Checked {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolError> {
        self.inner.as_ref().map_or_else(|| Ok(raw.clone()), |inner| inner.prepare_arguments(raw.clone()))
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let targets = match &self.inner {
            Some(inner) => inner.resolve(arguments).await?.targets(),
            None => Vec::new(),
        };
        Ok(Box::new(Call { targets, arguments: arguments.value().clone(), noted: Arc::clone(&self.noted) }))
    }
}

struct Call {
    targets: Vec<Target>,
    arguments: Map<String, Value>,
    noted: Arc<Noted>,
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        self.targets.clone()
    }

    async fn run(self: Box<Self>, _: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.noted.runs(self.arguments);
        Ok(ToolOutput::text("done"))
    }
}

/// A schema with something of every kind.
fn shapes() -> Value {
    json!({
        "type": "object",
        "required": ["count", "tree"],
        "additionalProperties": { "type": ["string", "null"], "maxLength": 40 },
        "properties": {
            "count": { "type": "integer", "minimum": 0, "exclusiveMaximum": 1000 },
            "ratio": { "type": "number", "multipleOf": 0.25 },
            "all": { "type": "boolean" },
            "mode": { "enum": ["fast", "slow", null] },
            "when": { "type": "string", "format": "date-time" },
            "name": { "type": "string", "pattern": "^[a-z][a-z0-9-]*$" },
            "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "maxItems": 4 },
            "either": { "oneOf": [{ "type": "integer" }, { "type": "array", "items": { "type": "integer" } }] },
            "tree": { "$ref": "#/$defs/tree" }
        },
        "$defs": { "tree": {
            "type": "object",
            "required": ["value"],
            "properties": {
                "value": { "type": "number" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } }
            },
            "unevaluatedProperties": false
        } }
    })
}
