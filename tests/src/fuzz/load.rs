//! Bytes into the loader and the audit: a file is an error or a plugin, and the audit says the same before it runs. What
//! the loader says is to be granted is enough.
//!
//! An input is the bytes of a file, or the text of the component that is in it (WAT).

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use seam_cli::config::Config;
use seam_plugins::audit::Access;
use seam_plugins::load::NeededGrants;
use seam_plugins::{Audit, Limits, LoadProblem, Plugin, PluginEngine, Settings};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// No file takes longer, on a machine that has much else to do.
const LONGEST: Duration = Duration::from_secs(20);
/// How long a start may take, so that many can be tried that never end.
const START_MS: u32 = 50;

/// Audits and loads a file of these bytes.
pub fn check(input: &[u8]) {
    BENCH.with(|bench| {
        bench.put(&component(input));
        if let Err(LoadProblem::NeedsGrants(needed)) = bench.agree(Settings::default()) {
            let granted = bench.agree(bench.granting(&needed));
            let again = matches!(granted, Err(LoadProblem::NeedsGrants(_)));
            assert!(!again, "{needed:?} was granted, and it is not enough: {granted:?}", granted = granted.err());
        }
    });
}

/// Whether the loader takes a file. For inputs that have to be plugins.
pub fn is_plugin(input: &[u8]) -> bool {
    BENCH.with(|bench| {
        bench.put(&component(input));
        bench.load(&Settings::default()).is_ok()
    })
}

/// The bytes of a file: what the text is of, or the input itself.
fn component(input: &[u8]) -> Vec<u8> {
    wat::parse_bytes(input).map_or_else(|_| input.to_vec(), |bytes| bytes.into_owned())
}

/// Where a file is put.
struct Bench {
    folder: TempDir,
    runtime: Runtime,
}

thread_local! {
    static BENCH: Bench = Bench::new();
}

impl Bench {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("data")).expect("the folder that grants name");
        Self { folder, runtime: Builder::new_current_thread().enable_all().build().expect("a runtime") }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("fuzzed.wasm")
    }

    fn put(&self, bytes: &[u8]) {
        fs::write(self.file(), bytes).expect("the file is written");
    }

    fn load(&self, settings: &Settings) -> Result<Plugin, LoadProblem> {
        self.runtime.block_on(engine().load(&self.file(), settings))
    }

    /// Loads the file if that is what the audit says, under the same settings.
    fn agree(&self, mut settings: Settings) -> Result<Plugin, LoadProblem> {
        settings.limits = Limits { time_ms: START_MS, ..Limits::default() };
        let began = Instant::now();
        let audit = Audit::of_file(&self.file(), &settings.grants);
        let loaded = self.load(&settings);
        assert!(began.elapsed() < LONGEST, "it took {:?}", began.elapsed());
        compare(audit, &loaded);
        loaded
    }

    /// Settings with the lines that the loader says are to be added.
    fn granting(&self, needed: &NeededGrants) -> Settings {
        let lines = needed.lines().join("\n");
        let config = Config::parse(&lines, &self.folder.path().join("seam.toml"));
        config.unwrap_or_else(|error| panic!("these lines are to be added: {lines}\n{error:#}")).settings("fuzzed")
    }
}

/// What the audit says is what the loader does. The audit runs nothing, so it cannot know what comes of running.
fn compare(audit: Result<Audit, LoadProblem>, loaded: &Result<Plugin, LoadProblem>) {
    match (audit, loaded) {
        (Err(said), Err(problem)) => assert_eq!(said.to_string(), problem.to_string()),
        (Err(said), Ok(_)) => panic!("it loads, and the audit says: {said}"),
        (Ok(audit), Err(problem)) => match &audit.problem {
            Some(said) => assert_eq!(*said, problem.to_string()),
            None => assert!(shows_late(problem), "the audit has nothing against it: {problem}"),
        },
        (Ok(audit), Ok(plugin)) => {
            assert_eq!(audit.problem, None, "it loads");
            assert!(!audit.decides.is_empty(), "it loads and decides nothing");
            let is_there = |access| !matches!(access, Access::Unknown | Access::Missing);
            let missing = audit.reaches.iter().find(|reach| !is_there(reach.access));
            assert_eq!(missing, None, "it loads without it");
            assert_eq!(audit.digest, plugin.digest().to_string());
        }
    }
}

/// Whether a problem shows only when a component is compiled, linked or started.
fn shows_late(problem: &LoadProblem) -> bool {
    use LoadProblem::{Compile, Offer, Start, WrongImport, WrongType};
    matches!(problem, Compile(_) | WrongImport { .. } | WrongType { .. } | Start(_) | Offer { .. })
}

/// An engine that keeps nothing it has compiled.
fn engine() -> &'static PluginEngine {
    static ENGINE: OnceLock<PluginEngine> = OnceLock::new();
    ENGINE.get_or_init(|| PluginEngine::new(None).expect("the engine starts"))
}
