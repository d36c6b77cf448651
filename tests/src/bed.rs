//! A bed for one test: a workspace, plugins, and the dispatcher between them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use seam_harness::seams::{Command, User};
use seam_harness::{Conversation, Dispatcher, HostRules, ToolSet, Upkeep};
use seam_loop::message::RequestedCall;
use seam_loop::{
    BatchPosition, CallRequest, CancellationToken, Decision, Dispatch, NoCalls, Origin, Preflight, ResolvedTool,
    RunScope, Settled, Target, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ValidArguments,
};
use seam_plugins::{Connected, OnFailureRules, Plugin, PluginEngine, Settings, Word, connect};
use seam_session::Journal;
use seam_tools::Workspace;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{files, notes};

/// One engine for all tests, as one process has one.
pub fn engine() -> &'static PluginEngine {
    static ENGINE: OnceLock<PluginEngine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let cache = files::root().join("target/test-cache");
        PluginEngine::new(Some(cache)).expect("the engine starts")
    })
}

/// A workspace and plugins, before the session starts.
pub struct Bed {
    workspace: TempDir,
    plugins: TempDir,
    settings: HashMap<String, Settings>,
    outside: Vec<PathBuf>,
    output: String,
    pub(crate) upkeep: Upkeep,
    journal: Option<Arc<Journal>>,
    user: Option<Arc<dyn User>>,
    engine: &'static PluginEngine,
}

/// A session: the dispatcher, and what the `echo` tool got.
pub struct Session {
    /// The workspace.
    pub workspace: PathBuf,
    /// The dispatcher.
    pub dispatcher: Dispatcher,
    /// The texts that reached the body of `echo`.
    pub echoed: Arc<Mutex<Vec<String>>>,
    /// What it was made from; it holds the folders.
    pub bed: Bed,
}

impl Bed {
    /// An empty workspace, no plugins.
    #[allow(clippy::new_without_default, reason = "it makes folders")]
    pub fn new() -> Self {
        let folder = || TempDir::new().expect("a temporary folder");
        let (workspace, plugins) = (folder(), folder());
        Self {
            workspace,
            plugins,
            settings: HashMap::new(),
            outside: Vec::new(),
            output: String::new(),
            upkeep: Upkeep::default(),
            journal: None,
            user: None,
            engine: engine(),
        }
    }

    /// The workspace.
    pub fn workspace(&self) -> PathBuf {
        self.workspace.path().canonicalize().expect("the workspace is there")
    }

    /// The plugin folder.
    pub fn plugins(&self) -> &Path {
        self.plugins.path()
    }

    /// A file in the workspace.
    #[must_use]
    pub fn file(self, path: &str, text: &str) -> Self {
        let path = self.workspace.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self
    }

    /// A folder outside that tools may use.
    #[must_use]
    pub fn outside(mut self, folder: &Path) -> Self {
        self.outside.push(folder.canonicalize().expect("it is there"));
        self
    }

    /// What `echo` adds to each of its results.
    #[must_use]
    pub fn output(mut self, text: impl Into<String>) -> Self {
        self.output = text.into();
        self
    }

    /// Where it is written what plugins are asked and say.
    #[must_use]
    pub fn journal(mut self, journal: Arc<Journal>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// An engine of its own, with room that nobody else takes.
    #[must_use]
    pub fn engine(mut self, engine: &'static PluginEngine) -> Self {
        self.engine = engine;
        self
    }

    /// Someone who is asked.
    #[must_use]
    pub fn user(mut self, user: Arc<dyn User>) -> Self {
        self.user = Some(user);
        self
    }

    /// The plugins as they are set, loaded.
    pub async fn load(&self) -> Vec<Plugin> {
        let settings = |name: &str| self.settings.get(name).cloned().unwrap_or_default();
        let (plugins, errors) =
            self.engine.load_folder(self.plugins.path(), settings).await.expect("the folder is read");
        assert!(errors.is_empty(), "{errors:?}");
        plugins
    }

    /// How the conversation is kept going.
    #[must_use]
    pub fn upkeep(mut self, upkeep: Upkeep) -> Self {
        self.upkeep = upkeep;
        self
    }

    /// An example plugin under its own name.
    #[must_use]
    pub fn example(self, name: &str, config: Value) -> Self {
        self.plugin(name, &files::example(name), config)
    }

    /// The misbehaving plugin under a name.
    #[must_use]
    pub fn stress(self, name: &str, config: Value) -> Self {
        self.plugin(name, &files::stress(), config)
    }

    /// A plugin file under a name, with its own settings.
    #[must_use]
    pub fn plugin(mut self, name: &str, file: &Path, config: Value) -> Self {
        std::fs::copy(file, self.plugins.path().join(format!("{name}.wasm"))).expect("the plugin is copied");
        let config = config.as_object().cloned().expect("settings are an object");
        self.settings.insert(name.to_owned(), Settings { config, ..Settings::default() });
        self
    }

    /// Changes what is set for a plugin.
    #[must_use]
    pub fn set(mut self, name: &str, change: impl FnOnce(&mut Settings)) -> Self {
        change(self.settings.get_mut(name).expect("the plugin was added"));
        self
    }

    /// `on-failure = "skip"` for a plugin.
    #[must_use]
    pub fn skip_failures(self, name: &str) -> Self {
        self.set(name, |settings| settings.on_failure = OnFailureRules::Everywhere(Word::Skip))
    }

    /// A time limit for a plugin.
    #[must_use]
    pub fn time_limit(self, name: &str, ms: u32) -> Self {
        self.set(name, |settings| settings.limits.time_ms = ms)
    }

    /// The plugin that exports every seam, under a name, doing what its settings say.
    #[must_use]
    pub fn everything(self, name: &str, config: Value) -> Self {
        self.plugin(name, &files::guest("everything"), config)
    }

    /// Loads the plugins and starts a session with the seven tools and `echo`.
    pub async fn start(self) -> Session {
        self.start_with(Vec::new()).await.0
    }

    /// The same with more tools. Gives the commands of the plugins too.
    pub async fn start_with(self, more: Vec<Arc<dyn Tool>>) -> (Session, Vec<Command>) {
        self.join(&Arc::default(), more).await
    }

    /// The same in a conversation that may be under way.
    pub async fn join(self, conversation: &Arc<Conversation>, more: Vec<Arc<dyn Tool>>) -> (Session, Vec<Command>) {
        notes::collect();
        let plugins = self.load().await;
        let workspace = self.workspace();
        let mut opened = Workspace::open(&workspace, &self.outside).expect("the workspace opens");
        let read_only = vec![opened.keep_output().expect("a temporary folder").to_owned()];
        let opened = Arc::new(opened);
        let echoed = Arc::default();
        let mut tools = seam_tools::tools(&opened);
        tools.push(Arc::new(Echo::new(Arc::clone(&echoed), self.output.clone())));
        tools.extend(more);
        let connected = connect(&plugins, Arc::clone(conversation), tools, self.journal.as_ref()).await;
        assert!(connected.errors.is_empty(), "{:?}", connected.errors);
        let Connected { bus, tools, commands, .. } = connected;
        let tools = ToolSet::new(tools).expect("the tools are usable");
        let protected = vec![workspace.join("seam.toml")];
        let rules = HostRules { outside: self.outside.clone(), read_only, protected, ..HostRules::default() };
        let dispatcher = Dispatcher::new(tools, bus, rules, self.user.clone());
        (Session { workspace, dispatcher, echoed, bed: self }, commands)
    }
}

impl Session {
    /// Makes one call, from its request to its result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Settled {
        self.call_until(tool, arguments, &CancellationToken::new()).await
    }

    /// The same, with an abort.
    pub async fn call_until(&self, tool: &str, arguments: Value, abort: &CancellationToken) -> Settled {
        match self.dispatcher.preflight(request(tool, arguments), abort).await {
            Preflight::Ready(ready) => ready.run(RunScope { abort, updates: &|_| {}, caller: &NoCalls }).await,
            Preflight::Settled(settled) => settled,
        }
    }

    /// `echo` with a text.
    pub async fn echo(&self, text: &str) -> Settled {
        self.call("echo", json!({ "text": text })).await
    }

    /// How often the body of `echo` ran.
    pub fn runs(&self) -> usize {
        self.echoed.lock().expect("no test panicked with it").len()
    }
}

/// A request of the model.
pub fn request(tool: &str, arguments: Value) -> CallRequest {
    CallRequest {
        call: RequestedCall {
            id: "call-1".to_owned(),
            name: tool.to_owned(),
            arguments,
            arguments_error: None,
            signature: None,
        },
        origin: Origin::Model,
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    }
}

/// All text of a result.
pub fn text(settled: &Settled) -> String {
    let texts: Vec<&str> = settled.output.content.iter().filter_map(|content| content.as_text()).collect();
    texts.join("\n")
}

/// Who decided what, as `NAME SEAM RULING` in JSON words.
pub fn trail(decisions: &[Decision]) -> Vec<String> {
    decisions
        .iter()
        .map(|decision| {
            let ruling = serde_json::to_value(&decision.ruling).expect("rulings are JSON");
            let by = serde_json::to_value(&decision.by).expect("deciders are JSON");
            let by = by.as_str().map_or_else(|| by["plugin"].as_str().unwrap_or("?").to_owned(), str::to_owned);
            format!("{by} {} {}", decision.seam, ruling["kind"].as_str().unwrap_or("?"))
        })
        .collect()
}

/// Waits long enough for whatever should not happen.
pub async fn wait(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// A tool that says what it was told, and remembers it.
struct Echo {
    definition: ToolDefinition,
    echoed: Arc<Mutex<Vec<String>>>,
    output: String,
}

impl Echo {
    fn new(echoed: Arc<Mutex<Vec<String>>>, output: String) -> Self {
        let parameters = json!({
            "type": "object", "required": ["text"], "additionalProperties": false,
            "properties": { "text": { "type": "string" } }
        });
        let definition = ToolDefinition {
            name: "echo".into(),
            description: "Says what it was told.".to_owned(),
            parameters,
            mode: seam_loop::ExecutionMode::Parallel,
            replay: seam_loop::Replay::Never,
        };
        Self { definition, echoed, output }
    }
}

#[async_trait]
impl Tool for Echo {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        let text = arguments.value()["text"].as_str().unwrap_or_default().to_owned();
        Ok(Box::new(Said { text, echoed: Arc::clone(&self.echoed), output: self.output.clone() }))
    }
}

struct Said {
    text: String,
    echoed: Arc<Mutex<Vec<String>>>,
    output: String,
}

#[async_trait]
impl ResolvedTool for Said {
    fn targets(&self) -> Vec<Target> {
        vec![Target::Other(format!("says {}", self.text))]
    }

    async fn run(self: Box<Self>, _context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.echoed.lock().expect("no test panicked with it").push(self.text.clone());
        Ok(ToolOutput::text(format!("{}{}", self.text, self.output)))
    }
}
