//! The tools of a scenario, and the way their calls take.

mod body;

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::{Dispatcher, HostRules, ToolSet};
use seam_loop::{
    CallRequest, CancellationToken, Dispatch, ExecutionMode, Preflight, Replay, ResolvedTool, Tool, ToolDefinition,
    ToolError, ValidArguments,
};
use serde_json::{Map, Value, json};

use super::parse;
use super::stage::Stage;
use body::Body;

tokio::task_local! {
    /// The id of the call that is being decided.
    static CALL: String;
}

/// The real dispatcher with a scenario's active tools, no plugins and no rules. It lets each tool know its call.
pub(super) struct Tools(Dispatcher);

impl Tools {
    /// The tools that are active now.
    pub(super) fn active(stage: &Arc<Stage>) -> Result<Self, String> {
        let names = stage.agent().tools.clone();
        let tools = names.iter().map(|name| ScenarioTool::of(stage, name)).collect::<Result<Vec<_>, _>>()?;
        let tools = ToolSet::new(tools).map_err(|error| error.to_string())?;
        Ok(Self(Dispatcher::new(tools, seam_harness::bus::HookBus::default(), HostRules::default(), None)))
    }
}

#[async_trait]
impl Dispatch for Tools {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        self.0.definitions()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        self.0.mode(tool)
    }

    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight {
        CALL.scope(request.call.id.clone(), self.0.preflight(request, abort)).await
    }
}

/// A tool of a scenario.
struct ScenarioTool {
    stage: Arc<Stage>,
    definition: ToolDefinition,
    spec: Arc<Value>,
}

impl ScenarioTool {
    /// The tool with this name.
    fn of(stage: &Arc<Stage>, name: &str) -> Result<Arc<dyn Tool>, String> {
        let specs = stage.scenario["tools"].as_array();
        let spec = specs.into_iter().flatten().find(|spec| spec["name"] == name);
        let spec = spec.ok_or_else(|| format!("there is no tool `{name}`"))?;
        let parameters = spec.get("parameters").cloned();
        let definition = ToolDefinition {
            name: name.into(),
            description: parse::text(spec, "description"),
            parameters: parameters.unwrap_or_else(|| json!({ "type": "object", "properties": {} })),
            mode: if spec["executionMode"] == "sequential" {
                ExecutionMode::Sequential
            } else {
                ExecutionMode::Parallel
            },
            replay: if spec["replay"] == "safe" { Replay::Safe } else { Replay::Never },
        };
        Ok(Arc::new(Self { stage: Arc::clone(stage), definition, spec: Arc::new(spec.clone()) }))
    }
}

#[async_trait]
impl Tool for ScenarioTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolError> {
        let Some(shim) = self.spec.get("prepareArguments") else { return Ok(raw) };
        if let Some(message) = shim["throw"].as_str() {
            return Err(ToolError::Failed(message.to_owned()));
        }
        let Value::Object(given) = raw else { return Ok(raw) };
        Ok(Value::Object(prepared(shim, given)))
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Body {
            stage: Arc::clone(&self.stage),
            spec: Arc::clone(&self.spec),
            tool: self.definition.name.to_string(),
            id: CALL.get(),
            args: Value::Object(arguments.value().clone()),
        }))
    }
}

/// The defaults, overwritten by what was given, under its new names.
fn prepared(shim: &Value, given: Map<String, Value>) -> Map<String, Value> {
    let mut arguments = shim["defaults"].as_object().cloned().unwrap_or_default();
    arguments.extend(given.into_iter().map(|(name, value)| match shim["rename"][&name].as_str() {
        Some(renamed) => (renamed.to_owned(), value),
        None => (name, value),
    }));
    arguments
}
