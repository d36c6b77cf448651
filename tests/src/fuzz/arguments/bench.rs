//! The dispatcher that all inputs of a thread go through, and what is noted of each call.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use seam_harness::seams::{RewriteToolCall, ToolCallGate, Verdict};
use seam_harness::{
    Conversation, Dispatcher, Failure, FinalCall, Hook, HookBus, HostRules, Journals, Moment, OnFailure, ToolSet,
};
use seam_loop::tool::Access;
use seam_loop::{Tool, ToolCall};
use seam_plugins::{Connected, Limits, Plugin, Settings, connect};
use seam_tools::Workspace;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::tools::Checked;
use crate::bed::engine;
use crate::files;

/// A workspace, tools and gates.
pub(super) struct Bench {
    pub(super) runtime: Runtime,
    pub(super) dispatcher: Dispatcher,
    pub(super) noted: Arc<Noted>,
    /// Canonical.
    pub(super) workspace: PathBuf,
    tools: Vec<Arc<Checked>>,
    _folder: TempDir,
}

thread_local! {
    pub(super) static BENCH: Bench = Bench::new();
}

impl Bench {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let folder = TempDir::new().expect("a temporary folder");
        let workspace = folder.path().join("workspace");
        furnish(&workspace);
        let workspace = workspace.canonicalize().expect("it is there");
        let noted = Arc::<Noted>::default();
        let opened = Arc::new(Workspace::open(&workspace, &[]).expect("the workspace opens"));
        let own = seam_tools::tools(&opened).into_iter().map(|tool| Checked::of(tool, &noted));
        let tools: Vec<Arc<Checked>> = own.chain(Checked::others(&noted)).map(Arc::new).collect();
        let registered = tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>).collect();
        let (bus, registered) = runtime.block_on(gates(registered, &noted));
        let rules = HostRules {
            protected: vec![workspace.join("seam.toml")],
            journals: Journals { files: Vec::new(), folders: vec![workspace.clone()] },
            ..HostRules::default()
        };
        let dispatcher = Dispatcher::new(ToolSet::new(registered).expect("the tools are usable"), bus, rules, None);
        Self { runtime, dispatcher, noted, workspace, tools, _folder: folder }
    }

    /// The tool of a name.
    pub(super) fn tool(&self, name: &str) -> Option<&Checked> {
        self.tools.iter().find(|tool| *tool.definition().name == *name).map(|tool| &**tool)
    }

    /// What the host keeps to itself is not open.
    pub(super) fn is_open_to(&self, path: &Path, access: Access) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(name.split('.').skip(1).all(|part| part != "journal"), "{} is a journal", path.display());
        assert!(access == Access::Read || path != self.workspace.join("seam.toml"), "the settings are protected");
    }
}

/// Files, and links to where nobody may go.
fn furnish(workspace: &Path) {
    fs::create_dir_all(workspace.join("src/deep")).expect("a folder");
    for file in ["seam.toml", "notes.md", "src/main.rs", "src/deep/a b.txt", "s.journal"] {
        fs::write(workspace.join(file), "text\n").expect("a file");
    }
    for (link, to) in
        [("up", ".."), ("root", "/"), ("settings", "seam.toml"), ("src/back", "../notes.md"), ("loop", "loop")]
    {
        std::os::unix::fs::symlink(to, workspace.join(link)).expect("a link");
    }
}

/// The component that crashes at a word, then the gate and the rewriter that go by the input.
async fn gates(tools: Vec<Arc<dyn Tool>>, noted: &Arc<Noted>) -> (HookBus, Vec<Arc<dyn Tool>>) {
    let plugins = [crashing().await];
    let connected = connect(&plugins, Arc::new(Conversation::default()), tools, None).await;
    let Connected { mut bus, tools, .. } = connected;
    let (plugin, on_failure) = ("words".into(), OnFailure::Refuse);
    let seam: Arc<dyn ToolCallGate> = Arc::new(Words(Arc::clone(noted)));
    bus.tool_call.insert(0, Hook { plugin, on_failure, shadow: false, seam });
    let seam: Arc<dyn RewriteToolCall> = Arc::new(Words(Arc::clone(noted)));
    bus.rewrite_tool_call.push(Hook { plugin: "words".into(), on_failure, shadow: false, seam });
    (bus, tools)
}

/// Its time is no matter here: others use the machine too.
async fn crashing() -> Plugin {
    let config = json!({ "gate": { "panic-on": "!crash" } }).as_object().cloned().unwrap_or_default();
    let limits = Limits { time_ms: 60_000, ..Limits::default() };
    let settings = Settings { config, limits, ..Settings::default() };
    engine().load(&files::stress(), &settings).await.expect("it loads")
}

/// What is noted of one call.
#[derive(Default)]
pub(super) struct Noted {
    rewritten: Mutex<Option<String>>,
    asked: Mutex<Vec<String>>,
    ran: Mutex<Vec<Map<String, Value>>>,
}

impl Noted {
    /// Forgets the call before, and takes what a plugin makes of the arguments of this one.
    pub(super) fn begin(&self, rewritten: Option<&str>) {
        *lock(&self.rewritten) = rewritten.map(str::to_owned);
        lock(&self.asked).clear();
        lock(&self.ran).clear();
    }

    /// The arguments that the first gate was asked about.
    pub(super) fn asked(&self) -> Vec<String> {
        lock(&self.asked).clone()
    }

    /// The arguments that a body has run with.
    pub(super) fn ran(&self) -> Vec<Map<String, Value>> {
        lock(&self.ran).clone()
    }

    /// A body runs.
    pub(super) fn runs(&self, arguments: Map<String, Value>) {
        lock(&self.ran).push(arguments);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Goes by words in the arguments, and rewrites them as the input says.
struct Words(Arc<Noted>);

#[async_trait]
impl ToolCallGate for Words {
    async fn decide(&self, call: &FinalCall, _: &Moment) -> Result<Verdict, Failure> {
        let text = call.arguments.text();
        lock(&self.0.asked).push(text.to_owned());
        match text {
            _ if text.contains("!fail") => Err(Failure::CouldNotStart),
            _ if text.contains("!block") => Ok(Verdict::Block { reason: "!block".to_owned(), terminate: false }),
            _ if text.contains("!ask") => Ok(Verdict::Ask("!ask".to_owned())),
            _ => Ok(Verdict::Proceed),
        }
    }
}

#[async_trait]
impl RewriteToolCall for Words {
    async fn rewrite(&self, _: &ToolCall, _: &Moment) -> Result<Option<String>, Failure> {
        Ok(lock(&self.0.rewritten).clone())
    }
}
