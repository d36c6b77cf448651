//! The real thing: the dispatcher with real gates, and a whole turn of the loop.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use seam_harness::{Dispatcher, Hook, HookBus, HostRules, ToolSet};
use seam_loop::call::{Access, Location, Resolution};
use seam_loop::message::RequestedCall;
use seam_loop::{
    AgentEvent, BatchPosition, CallRequest, CancellationToken, Dispatch, Message, Origin, Preflight, ResolvedTool,
    RunConfig, Target, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, Transcript, ValidArguments, run,
};
use seam_plugins::{InstancePolicy, PluginEngine, Settings, connect};
use seam_providers::scripted::{Script, Scripted};
use serde_json::{Value, json};

pub(crate) const PATH: &str = "/home/someone/project/f";

/// How many calls the model makes in one message.
const CALLS_PER_TURN: u32 = 32;

fn arguments() -> Value {
    json!({ "path": "f", "content": "x".repeat(175) })
}

/// The arguments as text: 200 bytes.
pub(crate) fn arguments_text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let text = arguments().to_string();
        assert_eq!(text.len(), 200);
        text
    })
}

/// A dispatcher with so many gates.
pub(crate) struct Crossing {
    dispatcher: Dispatcher,
    _engine: PluginEngine,
}

impl Crossing {
    pub(crate) async fn new(gate: &Path, gates: usize, fresh: bool) -> Self {
        let engine = PluginEngine::new(None).unwrap();
        let instance = if fresh { InstancePolicy::Call } else { InstancePolicy::Session };
        let settings = Settings { instance, ..Settings::default() };
        let plugin = engine.load(gate, &settings).await.unwrap();
        let mut bus = HookBus::default();
        for _ in 0..gates {
            let one = connect(std::slice::from_ref(&plugin));
            bus.gates.extend(one.gates.into_iter().map(|hook| Hook { plugin: "gate".into(), ..hook }));
        }
        let tools = ToolSet::new([std::sync::Arc::new(Write::new()) as std::sync::Arc<dyn Tool>]).unwrap();
        Self { dispatcher: Dispatcher::new(tools, bus, HostRules::default(), None), _engine: engine }
    }

    pub(crate) async fn calls(&self, calls: u32) {
        let abort = CancellationToken::new();
        for _ in 0..calls {
            let request = CallRequest {
                call: RequestedCall {
                    id: "call-1".to_owned(),
                    name: "write".to_owned(),
                    arguments: arguments(),
                    arguments_error: None,
                },
                origin: Origin::Model,
                turn: 1,
                batch: BatchPosition { index: 0, size: 1 },
            };
            let ready = self.dispatcher.preflight(request, &abort).await;
            assert!(matches!(ready, Preflight::Ready(_)));
        }
    }
}

/// A conversation of so many messages, and a model that makes 32 gated calls in one turn.
pub(crate) struct Turn {
    crossing: Crossing,
    transcript: Transcript,
}

impl Turn {
    pub(crate) async fn new(gate: &Path, messages: usize) -> Self {
        let transcript = (0..messages).map(|n| Message::user(format!("message {n}"))).collect();
        Self { crossing: Crossing::new(gate, 1, false).await, transcript }
    }

    /// Microseconds per call, over so many turns. What it takes to set a turn up does not count.
    pub(crate) async fn time(&self, turns: u32) -> f64 {
        let mut total = Duration::ZERO;
        for _ in 0..turns {
            total += self.turn().await;
        }
        total.as_secs_f64() * 1e6 / f64::from(turns * CALLS_PER_TURN)
    }

    async fn turn(&self) -> Duration {
        let batch: Vec<Value> = (0..CALLS_PER_TURN)
            .map(|n| json!({ "toolCall": { "id": format!("c{n}"), "name": "write", "args": arguments() } }))
            .collect();
        let script = json!({ "turns": [{ "content": batch, "stream": "none" }, { "content": [], "stream": "none" }] });
        let provider = Scripted::new(Script::parse(&script.to_string(), "bench").unwrap());
        let abort = CancellationToken::new();
        let config = RunConfig {
            provider: &provider,
            dispatch: &self.crossing.dispatcher,
            events: &|_: AgentEvent| {},
            model: "m",
            system_prompt: "",
            abort: &abort,
        };
        let mut transcript = self.transcript.clone();
        let before = transcript.messages().len();
        let began = Instant::now();
        run(&config, &mut transcript, vec![Message::user("go")]).await;
        let took = began.elapsed();
        assert_eq!(transcript.messages().len(), before + 3 + CALLS_PER_TURN as usize);
        took
    }
}

/// A tool that has a target and does nothing.
struct Write(ToolDefinition);

impl Write {
    fn new() -> Self {
        let parameters = json!({
            "type": "object", "required": ["path", "content"],
            "properties": { "path": { "type": "string" }, "content": { "type": "string" } }
        });
        Self(ToolDefinition { name: "write".into(), description: String::new(), parameters, mode: Default::default() })
    }
}

#[async_trait]
impl Tool for Write {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn resolve(&self, _arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Written(PathBuf::from(PATH))))
    }
}

struct Written(PathBuf);

#[async_trait]
impl ResolvedTool for Written {
    fn targets(&self) -> Vec<Target> {
        let resolution = Resolution::Resolved { path: self.0.clone(), location: Location::Inside, exists: true };
        vec![Target::Path { given: "f".to_owned(), resolution, access: Access::Write }]
    }

    async fn run(self: Box<Self>, _context: ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("written"))
    }
}
