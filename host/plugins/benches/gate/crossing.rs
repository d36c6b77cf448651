//! The real thing: the dispatcher with real gates, and a whole turn of the loop.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use seam_harness::seams::{ToolCallGate, Verdict};
use seam_harness::{Dispatcher, Failure, FinalCall, Hook, HookBus, HostRules, Moment, ToolSet};
use seam_loop::call::{Access, Location, Resolution};
use seam_loop::message::RequestedCall;
use seam_loop::{
    AgentEvent, BatchPosition, CallRequest, CancellationToken, Dispatch, Message, Model, NoHooks, Origin, Preflight,
    Queue, ResolvedTool, RunConfig, Target, ThinkingLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
    Transcript, ValidArguments, prompt,
};
use seam_plugins::replay::Replay;
use seam_plugins::{InstancePolicy, Plugin, PluginEngine, Settings, connect};
use seam_providers::scripted::{Script, Scripted};
use seam_session::journal::{self, Journal};
use serde_json::{Value, json};

fn dispatcher(bus: HookBus) -> Dispatcher {
    let tools = ToolSet::new([Arc::new(Write::new()) as Arc<dyn Tool>]).unwrap();
    Dispatcher::new(tools, bus, HostRules::default(), None)
}

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
    plugin: Plugin,
    journal: Option<Arc<Journal>>,
    _engine: PluginEngine,
}

impl Crossing {
    pub(crate) async fn new(gate: &Path, gates: usize, fresh: bool) -> Self {
        let engine = PluginEngine::new(None).unwrap();
        let instance = if fresh { InstancePolicy::Call } else { InstancePolicy::Session };
        let plugin = engine.load(gate, &Settings { instance, ..Settings::default() }).await.unwrap();
        let mut new = Self { dispatcher: dispatcher(HookBus::default()), plugin, journal: None, _engine: engine };
        let mut bus = HookBus::default();
        for _ in 0..gates {
            bus.tool_call.push(new.hook().await);
        }
        new.dispatcher = dispatcher(bus);
        new
    }

    /// The plugin's gate, with instances of its own.
    async fn hook(&self) -> Hook<dyn ToolCallGate> {
        let plugins = std::slice::from_ref(&self.plugin);
        connect(plugins, Arc::default(), Vec::new(), self.journal.as_ref()).await.bus.tool_call.remove(0)
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
                    signature: None,
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

/// A gate that asks a plugin's gate about the same final call again and again, and times it.
struct Repeat {
    gate: Arc<dyn ToolCallGate>,
    calls: u32,
    took: Mutex<Duration>,
}

#[async_trait]
impl ToolCallGate for Repeat {
    async fn decide(&self, call: &FinalCall, at: &Moment) -> Result<Verdict, Failure> {
        let began = Instant::now();
        for _ in 0..self.calls {
            assert_eq!(self.gate.decide(call, at).await?, Verdict::Proceed);
        }
        *self.took.lock().unwrap() = began.elapsed();
        Ok(Verdict::Proceed)
    }
}

/// A plugin's gate, asked about a call the dispatcher made final.
pub(crate) struct Gate {
    crossing: Crossing,
    repeat: Arc<Repeat>,
}

impl Gate {
    pub(crate) async fn new(gate: &Path, fresh: bool, calls: u32) -> Self {
        Self::of(Crossing::new(gate, 0, fresh).await, calls).await
    }

    /// One whose calls are written into a journal.
    pub(crate) async fn journalled(gate: &Path, journal: &Arc<Journal>, calls: u32) -> Self {
        let crossing = Crossing::new(gate, 0, false).await;
        Self::of(Crossing { journal: Some(Arc::clone(journal)), ..crossing }, calls).await
    }

    async fn of(mut crossing: Crossing, calls: u32) -> Self {
        let hook = crossing.hook().await;
        let repeat = Arc::new(Repeat { gate: hook.seam, calls, took: Mutex::default() });
        let seam = Arc::clone(&repeat) as Arc<dyn ToolCallGate>;
        let bus = HookBus { tool_call: vec![Hook { seam, ..hook }], ..HookBus::default() };
        crossing.dispatcher = dispatcher(bus);
        Self { crossing, repeat }
    }

    /// Makes the calls of a journal again. Gives how many there were, and microseconds for each.
    pub(crate) async fn replay(&self, session: &Path) -> (u64, f64) {
        let mut replay = Replay::new(std::slice::from_ref(&self.crossing.plugin)).unwrap();
        let began = Instant::now();
        for record in journal::read(session).unwrap() {
            let (line, record) = record.unwrap();
            assert_eq!(replay.take(line.n, &record).await, None);
        }
        let (took, calls) = (began.elapsed().as_secs_f64(), replay.counts().calls);
        #[allow(clippy::cast_precision_loss, reason = "a count")]
        let per_call = took * 1e6 / calls as f64;
        (calls, per_call)
    }

    /// Microseconds per call.
    pub(crate) async fn time(&self) -> f64 {
        self.crossing.calls(1).await;
        self.repeat.took.lock().unwrap().as_secs_f64() * 1e6 / f64::from(self.repeat.calls)
    }
}

/// A conversation of so many messages, and a model that makes 32 gated calls in one turn.
pub(crate) struct Turn {
    crossing: Crossing,
    transcript: Transcript,
}

impl Turn {
    pub(crate) async fn new(gate: &Path, messages: usize) -> Self {
        let transcript: Transcript = (0..messages).map(|n| Message::user(format!("message {n}"))).collect();
        let crossing = Crossing::new(gate, 1, false).await;
        for message in transcript.messages() {
            crossing.dispatcher.bus().conversation.push(Arc::clone(message));
        }
        Self { crossing, transcript }
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
            hooks: &NoHooks,
            steering: &Queue::default(),
            follow_up: &Queue::default(),
            model: &Model { provider: "scripted".to_owned(), id: "m".to_owned() },
            thinking_level: ThinkingLevel::Off,
            sequential: false,
            system_prompt: "",
            abort: &abort,
        };
        let mut transcript = self.transcript.clone();
        let before = transcript.messages().len();
        let began = Instant::now();
        prompt(&config, &mut transcript, vec![Message::user("go")]).await;
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
        Self(ToolDefinition {
            name: "write".into(),
            description: String::new(),
            parameters,
            mode: Default::default(),
            replay: Default::default(),
        })
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

    async fn run(self: Box<Self>, _context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("written"))
    }
}
