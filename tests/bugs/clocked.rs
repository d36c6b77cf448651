//! The way of a call with a mark at each gate's end and at each body's start, and a user who is asked.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;
use seam_harness::seams::{ToolCallGate, User, Verdict};
use seam_harness::{Conversation, Dispatcher, Failure, FinalCall, HostRules, Moment, ToolSet};
use seam_loop::{
    CancellationToken, Dispatch as _, NoCalls, Preflight, ResolvedTool, RunScope, Settled, Target, Tool, ToolCall,
    ToolContext, ToolDefinition, ToolError, ToolOutput, ValidArguments,
};
use seam_plugins::{Limits, Settings, connect};
use seam_tests::bed::{engine, request};
use seam_tests::files;
use seam_tools::Workspace;
use serde_json::Value;
use tempfile::TempDir;

/// What happened, and when.
type Marks = Arc<Mutex<Vec<(String, Instant)>>>;

/// A dispatcher with marks.
pub(super) struct Clocked {
    pub(super) workspace: TempDir,
    pub(super) asked: Arc<Says>,
    dispatcher: Dispatcher,
    marks: Marks,
    _plugins: TempDir,
}

/// A user who always says the same, and remembers what was shown: the arguments and the questions.
pub(super) struct Says {
    yes: bool,
    pub(super) shown: Mutex<Vec<(String, Vec<String>)>>,
}

#[async_trait]
impl User for Says {
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        let questions = questions.iter().map(|(plugin, question)| format!("{plugin}: {question}")).collect();
        self.shown.lock().unwrap().push((call.arguments.text().to_owned(), questions));
        self.yes
    }
}

impl Clocked {
    /// These deeds of the misbehaving plugin by name, the seven tools, and a user who says yes or no.
    pub(super) async fn new(plugins: &[(&str, Value)], yes: bool) -> Self {
        let (folder, workspace) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        for (name, _) in plugins {
            std::fs::copy(files::stress(), folder.path().join(format!("{name}.wasm"))).unwrap();
        }
        let settings = |name: &str| {
            let config = plugins.iter().find(|plugin| plugin.0 == name).unwrap().1.as_object().unwrap().clone();
            Settings { config, limits: Limits { time_ms: 60_000, ..Limits::default() }, ..Settings::default() }
        };
        let (plugins, errors) = engine().load_folder(folder.path(), settings).await.unwrap();
        assert!(errors.is_empty(), "{errors:?}");
        let marks = Marks::default();
        let mut bus = connect(&plugins, Arc::new(Conversation::default()), Vec::new(), None).await.bus;
        for gate in &mut bus.tool_call {
            let (inner, name) = (Arc::clone(&gate.seam), gate.plugin.to_string());
            gate.seam = Arc::new(Gate { inner, name, marks: Arc::clone(&marks) });
        }
        let opened = Arc::new(Workspace::open(workspace.path(), &[]).unwrap());
        let timed = |tool| Arc::new(Timed(tool, Arc::clone(&marks))) as Arc<dyn Tool>;
        let tools = ToolSet::new(seam_tools::tools(&opened).into_iter().map(timed)).unwrap();
        let asked = Arc::new(Says { yes, shown: Mutex::default() });
        let user = Arc::clone(&asked) as Arc<dyn User>;
        let dispatcher = Dispatcher::new(tools, bus, HostRules::default(), Some(user));
        Self { workspace, asked, dispatcher, marks, _plugins: folder }
    }

    /// Makes one call.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Settled {
        let abort = CancellationToken::new();
        match self.dispatcher.preflight(request(tool, arguments), &abort).await {
            Preflight::Ready(ready) => ready.run(RunScope { abort: &abort, updates: &|_| {}, caller: &NoCalls }).await,
            Preflight::Settled(settled) => settled,
        }
    }

    /// Takes the marks.
    pub(super) fn marks(&self) -> Vec<(String, Instant)> {
        std::mem::take(&mut *self.marks.lock().unwrap())
    }
}

struct Gate {
    inner: Arc<dyn ToolCallGate>,
    name: String,
    marks: Marks,
}

#[async_trait]
impl ToolCallGate for Gate {
    async fn decide(&self, call: &FinalCall, at: &Moment) -> Result<Verdict, Failure> {
        let verdict = self.inner.decide(call, at).await;
        self.marks.lock().unwrap().push((format!("{} is done", self.name), Instant::now()));
        verdict
    }
}

struct Timed(Arc<dyn Tool>, Marks);

#[async_trait]
impl Tool for Timed {
    fn definition(&self) -> &ToolDefinition {
        self.0.definition()
    }

    fn prepare_arguments(&self, raw: Value) -> Result<Value, ToolError> {
        self.0.prepare_arguments(raw)
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let body = self.0.resolve(arguments).await?;
        let name = self.0.definition().name.to_string();
        Ok(Box::new(TimedBody { body, name, marks: Arc::clone(&self.1) }))
    }
}

struct TimedBody {
    body: Box<dyn ResolvedTool>,
    name: String,
    marks: Marks,
}

#[async_trait]
impl ResolvedTool for TimedBody {
    fn targets(&self) -> Vec<Target> {
        self.body.targets()
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.marks.lock().unwrap().push((format!("{} starts", self.name), Instant::now()));
        self.body.run(context).await
    }
}
