//! The one wasmtime engine, its clock, and what it takes to compile a plugin.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::cache::Cache;
use crate::limits::Limits;
use crate::pool::Pool;

/// The version of wasmtime, which does not say it itself.
pub const WASMTIME: &str = "48.0.8";

/// How many instances of plugins, memories, tables and stacks may be alive at once, over all plugins.
const INSTANCES: u32 = 500;
/// How many core instances one plugin may be made of. A runtime with its libraries takes some: Python's takes 38.
const PARTS: u32 = 100;
/// How many memories and how many tables one plugin may have, so that it leaves some to the others.
const STORES: u32 = 16;

/// Compiles, links and loads plugins. One per process; sharing it is what makes plugins cheap.
pub struct PluginEngine {
    pub(crate) engine: Engine,
    pub(crate) ticks: Arc<Ticks>,
    pub(crate) cache: Cache,
    pub(crate) pool: Arc<Pool>,
    /// Whether what is granted of WASI is there.
    pub(crate) live: bool,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Wasmtime cannot run here.
    #[error("the WebAssembly engine cannot start: {0}; it needs a 64-bit system that lets it reserve address space")]
    Wasmtime(String),
    /// The clock has no thread.
    #[error("the clock that ends runaway plugins cannot start: {0}")]
    Clock(std::io::Error),
}

impl PluginEngine {
    /// An engine whose compiled plugins are kept in `cache`, a folder only this user may write. Without one, every
    /// plugin is compiled at each start.
    ///
    /// # Errors
    /// When this machine cannot run it.
    pub fn new(cache: Option<PathBuf>) -> Result<Self, EngineError> {
        let engine = Engine::new(&config()).map_err(|error| EngineError::Wasmtime(error.to_string()))?;
        let ticks = Arc::new(Ticks::default());
        ticks.start(&engine).map_err(EngineError::Clock)?;
        let cache = Cache::new(cache, &engine);
        Ok(Self { engine, ticks, cache, pool: Arc::default(), live: true })
    }

    /// The same, for a replay: whatever is granted, no plugin sends, reads or writes anything, not even as it starts.
    #[must_use]
    pub fn for_replay(self) -> Self {
        Self { live: false, ..self }
    }
}

fn config() -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INSTANCES)
        .total_core_instances(INSTANCES * PARTS)
        .total_memories(INSTANCES)
        .total_tables(INSTANCES)
        .total_stacks(INSTANCES)
        .max_core_instances_per_component(PARTS)
        .max_memories_per_component(STORES)
        .max_tables_per_component(STORES)
        .max_memory_size((Limits::MOST_MEMORY_MIB as usize) << 20)
        .table_elements(Limits::TABLE_ELEMENTS);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true)
        // Calls are asynchronous (fibers); the component model's own concurrency would cost 1 us more per call.
        .concurrency_support(false)
        .wasm_backtrace_max_frames(None);
    config
}

/// Time as guests feel it: a thread of its own counts, so a looping guest cannot stop it.
#[derive(Debug, Default)]
pub(crate) struct Ticks(AtomicU64);

impl Ticks {
    /// How long a tick is. A guest yields to the host's other work this often.
    pub(crate) const LENGTH: Duration = Duration::from_millis(5);
    pub(crate) const PER_MINUTE: u64 = 60_000 / Self::LENGTH.as_millis() as u64;

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// After how many ticks so much time has certainly passed.
    pub(crate) fn covering(time: Duration) -> u64 {
        u64::try_from(time.as_millis().div_ceil(Self::LENGTH.as_millis())).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// Counts until the engine is gone.
    fn start(self: &Arc<Self>, engine: &Engine) -> std::io::Result<()> {
        let ticks = Arc::clone(self);
        let engine = engine.weak();
        let count = move || {
            while let Some(engine) = engine.upgrade() {
                ticks.0.fetch_add(1, Ordering::Relaxed);
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(Self::LENGTH);
            }
        };
        std::thread::Builder::new().name("seam-ticks".to_owned()).spawn(count).map(drop)
    }
}
