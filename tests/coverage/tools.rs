//! Tools whose bodies make calls: one by itself, one through a model of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use seam_loop::message::RequestedCall;
use seam_loop::{
    AgentEvent, Decision, ExecutionMode, Message, Model, NoHooks, Queue, Replay, ResolvedTool, RunConfig, Target, Tool,
    ToolContext, ToolDefinition, ToolError, ToolOutput, Transcript, ValidArguments, prompt,
};
use seam_providers::scripted::{Script, Scripted};
use serde_json::{Value, json};

/// A call that is over.
pub(super) struct Ended {
    pub(super) tool: String,
    pub(super) text: String,
    /// Who was asked.
    pub(super) decisions: Vec<Decision>,
}

impl Ended {
    pub(super) fn new(tool: &str, output: &ToolOutput, decisions: Vec<Decision>) -> Self {
        let text = output.content.iter().filter_map(|content| content.as_text()).collect();
        Self { tool: tool.to_owned(), text, decisions }
    }
}

/// The calls that bodies made.
pub(super) type Inner = Arc<Mutex<Vec<Ended>>>;

/// `relay` calls another tool by itself. `agent` lets a model work that plays one of these plans.
pub(super) fn tools(plans: Value) -> (Vec<Arc<dyn Tool>>, Inner) {
    let inner = Inner::default();
    let plans = serde_json::from_value(plans).expect("plans are named turns");
    let shared = Arc::new(Shared { inner: Arc::clone(&inner), plans });
    let tool = |name, deed| -> Arc<dyn Tool> { Arc::new(Caller::new(name, deed, &shared)) };
    (vec![tool("relay", Deed::Relay), tool("agent", Deed::Agent)], inner)
}

#[derive(Clone, Copy)]
enum Deed {
    Relay,
    Agent,
}

struct Shared {
    inner: Inner,
    plans: HashMap<String, Value>,
}

impl Shared {
    fn note(&self, tool: &str, output: &ToolOutput, decisions: Vec<Decision>) {
        self.inner.lock().unwrap().push(Ended::new(tool, output, decisions));
    }
}

struct Caller {
    definition: ToolDefinition,
    deed: Deed,
    shared: Arc<Shared>,
}

impl Caller {
    fn new(name: &str, deed: Deed, shared: &Arc<Shared>) -> Self {
        let definition = ToolDefinition {
            name: name.into(),
            description: "Makes calls.".to_owned(),
            parameters: json!({ "type": "object" }),
            mode: ExecutionMode::Parallel,
            replay: Replay::Never,
        };
        Self { definition, deed, shared: Arc::clone(shared) }
    }
}

#[async_trait]
impl Tool for Caller {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let arguments = Value::Object(arguments.value().clone());
        Ok(Box::new(Call { arguments, deed: self.deed, shared: Arc::clone(&self.shared) }))
    }
}

struct Call {
    arguments: Value,
    deed: Deed,
    shared: Arc<Shared>,
}

#[async_trait]
impl ResolvedTool for Call {
    fn targets(&self) -> Vec<Target> {
        Vec::new()
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        match self.deed {
            Deed::Relay => self.relay(context).await,
            Deed::Agent => self.agent(context).await,
        }
    }
}

impl Call {
    /// `{"tool": NAME, "args": ARGUMENTS}`
    async fn relay(&self, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let name = self.arguments["tool"].as_str().unwrap().to_owned();
        let id = format!("{}-relayed", context.call_id);
        let arguments = self.arguments["args"].clone();
        let call = RequestedCall { id, name: name.clone(), arguments, arguments_error: None, signature: None };
        let settled = context.caller.call(call).await;
        self.shared.note(&name, &settled.output, settled.decisions);
        Ok(settled.output)
    }

    /// `{"plan": NAME}`
    async fn agent(&self, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let turns = &self.shared.plans[self.arguments["plan"].as_str().unwrap()];
        let script = Script::from_value(json!({ "turns": turns }), "the plan").unwrap();
        let events = |event: AgentEvent| {
            if let AgentEvent::ToolExecutionEnd { tool_name, result, decisions, .. } = event {
                self.shared.note(&tool_name, &result, decisions);
            }
        };
        let config = RunConfig {
            provider: &Scripted::new(script),
            dispatch: context.caller.dispatch().expect("it runs within a run"),
            hooks: &NoHooks,
            events: &events,
            steering: &Queue::default(),
            follow_up: &Queue::default(),
            model: &Model { provider: "scripted".to_owned(), id: "inner".to_owned() },
            thinking_level: Default::default(),
            system_prompt: "",
            sequential: false,
            abort: &context.abort,
        };
        let outcome = prompt(&config, &mut Transcript::new(), vec![Message::user("go")]).await;
        Ok(ToolOutput::text(format!("{:?}", outcome.stop_reason)))
    }
}
