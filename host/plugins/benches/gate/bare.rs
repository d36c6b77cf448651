//! The yardstick: a typed call and nothing around it.

use std::path::Path;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, Store, UpdateDeadline};

use self::exports::seam::harness::tool_call::{Event, Guest, GuestIndices, Verdict};
use self::seam::harness::types::{
    Access, BatchPosition, Invocation, Location, Origin, PathTarget, Resolution, ResolvedPath, Target,
};

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "host",
    exports: { default: async },
    ownership: Borrowing { duplicate_if_necessary: true },
});

mod synchronous {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "host",
        with: { "seam:harness/types": super::seam::harness::types },
        ownership: Borrowing { duplicate_if_necessary: true },
    });
}

struct Nothing;

impl seam::harness::log::Host for Nothing {
    fn write(&mut self, _level: seam::harness::log::Level, _message: String) {}
}

/// An instance and its gate.
pub(crate) struct Bare {
    store: Store<Nothing>,
    guest: Option<Guest>,
    synchronous: Option<synchronous::exports::seam::harness::tool_call::Guest>,
}

impl Bare {
    /// The fastest there is.
    pub(crate) fn fastest(file: &Path) -> Self {
        let engine = engine(false);
        let mut store = Store::new(&engine, Nothing);
        let pre = linker(&engine).instantiate_pre(&Component::from_file(&engine, file).unwrap()).unwrap();
        let indices = synchronous::exports::seam::harness::tool_call::GuestIndices::new(&pre).unwrap();
        let instance = pre.instantiate(&mut store).unwrap();
        let guest = indices.load(&mut store, &instance).unwrap();
        Self { store, guest: None, synchronous: Some(guest) }
    }

    /// With what the host cannot do without: a fiber to yield from and a time limit.
    pub(crate) async fn as_the_host_calls(file: &Path) -> Self {
        let engine = engine(true);
        let mut store = Store::new(&engine, Nothing);
        store.set_epoch_deadline(1_000_000);
        store.epoch_deadline_callback(|_| Ok(UpdateDeadline::Yield(1)));
        let pre = linker(&engine).instantiate_pre(&Component::from_file(&engine, file).unwrap()).unwrap();
        let indices = GuestIndices::new(&pre).unwrap();
        let instance = pre.instantiate_async(&mut store).await.unwrap();
        let guest = indices.load(&mut store, &instance).unwrap();
        Self { store, guest: Some(guest), synchronous: None }
    }

    pub(crate) fn calls(&mut self, calls: u32) {
        use synchronous::exports::seam::harness::tool_call as wit;
        let guest = self.synchronous.as_ref().unwrap();
        for _ in 0..calls {
            let targets = targets();
            let verdict = guest.call_decide(&mut self.store, wit::Event { call: invocation(&targets) }).unwrap();
            assert!(matches!(verdict, wit::Verdict::Proceed));
        }
    }

    pub(crate) async fn calls_async(&mut self, calls: u32) {
        let guest = self.guest.as_ref().unwrap();
        for _ in 0..calls {
            let targets = targets();
            let verdict = guest.call_decide(&mut self.store, Event { call: invocation(&targets) }).await.unwrap();
            assert!(matches!(verdict, Verdict::Proceed));
        }
    }
}

fn engine(epochs: bool) -> Engine {
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::pooling());
    config.concurrency_support(false).epoch_interruption(epochs).wasm_backtrace_max_frames(None);
    Engine::new(&config).unwrap()
}

fn linker(engine: &Engine) -> Linker<Nothing> {
    let mut linker = Linker::new(engine);
    seam::harness::log::add_to_linker::<_, HasSelf<_>>(&mut linker, |nothing| nothing).unwrap();
    linker
}

fn targets() -> [Target<'static>; 1] {
    let path = ResolvedPath { path: super::crossing::PATH, location: Location::Inside, exists: true };
    [Target::Path(PathTarget { given: "f", resolution: Resolution::Resolved(path), access: Access::Write })]
}

fn invocation<'a>(targets: &'a [Target<'a>]) -> Invocation<'a> {
    Invocation {
        id: "call-1",
        tool: "write",
        arguments: super::crossing::arguments_text(),
        model_arguments: None,
        origin: Origin::Model,
        targets,
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    }
}
