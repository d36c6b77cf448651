//! The bounds of a call: how they are set, and which of them was reached.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use seam_harness::Failure;
use wasmtime::component::{Instance, InstancePre, ResourceTableError};
use wasmtime::{Store, Trap, UpdateDeadline};
use wasmtime_wasi_http::FieldMapError;

use crate::limits::Limits;
use crate::link::Linked;
use crate::pool;
use crate::state::{Misuse, NotStored, State, TimeLimitReached, TooManyCalls, TooMuch};
use crate::waits::Waits;
use crate::wasi::Wasi;

/// How long is slept at least before the clock is looked at again.
const SHORTEST: Duration = Duration::from_millis(1);

impl Linked {
    /// A new instance, linked in this way, in a store of its own. What is granted of WASI is there if it is `live`. When
    /// there is no room for it, those that are idle make some.
    pub(crate) async fn start(
        &self,
        pre: &InstancePre<State>,
        live: bool,
    ) -> (Store<State>, wasmtime::Result<Instance>) {
        let (store, started) = self.start_once(pre, live).await;
        if !pool::is_empty(&started) {
            return (store, started);
        }
        drop(store);
        self.pool.drop_idle();
        self.start_once(pre, live).await
    }

    async fn start_once(&self, pre: &InstancePre<State>, live: bool) -> (Store<State>, wasmtime::Result<Instance>) {
        let wasi = match (self.imports.wasi, live && self.live) {
            (false, _) => Ok(None),
            (true, false) => Ok(Some(Wasi::inert())),
            (true, true) => Wasi::new(&self.granted).map(Some),
        };
        let (wasi, fault) = wasi.map_or_else(|fault| (None, Some(fault)), |wasi| (wasi, None));
        let mut store = self.store(wasi.map(Box::new));
        if let Some(fault) = fault {
            return (store, Err(fault));
        }
        let waits = self.waits(&store);
        let started = self.bounded(self.shared.limits.time(), waits, pin!(pre.instantiate_async(&mut store))).await;
        (store, started)
    }

    /// A store for one instance, with its bounds.
    fn store(&self, wasi: Option<Box<Wasi>>) -> Store<State> {
        let Self { engine, shared, .. } = self;
        let state = State::new(Arc::clone(shared), wasi);
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limiter);
        // Asked once for each tick the guest itself has run: waiting for other guests does not count against it.
        store.epoch_deadline_callback(move |mut store| {
            store.data_mut().used(1)?;
            Ok(UpdateDeadline::Yield(1))
        });
        self.limit(&mut store, shared.limits.time());
        store.set_max_component_handles(Limits::HANDLES);
        // What it gives to imports while it starts is bounded as it is in a call.
        store.set_hostcall_fuel(shared.limits.returned());
        store
    }

    /// Gives a call its time.
    pub(crate) fn limit(&self, store: &mut Store<State>, time: Duration) {
        let state = store.data_mut();
        state.time = time;
        state.ticks = 0;
        state.limiter.memory_reached = false;
        // Who has called nothing has waited for nothing.
        if self.imports.wasi || state.host_calls > 0 {
            state.waits.reset();
        }
        state.host_calls = 0;
        store.set_epoch_deadline(1);
    }

    /// What is needed to know how long a call waits for others; nothing for guests that cannot wait in WASI.
    pub(crate) fn waits(&self, store: &Store<State>) -> Option<Arc<Waits>> {
        self.imports.wasi.then(|| Arc::clone(&store.data().waits))
    }

    /// Waits for a call. A guest that computes is stopped by the clock of its store; one that waits in WASI is stopped
    /// here. What it waits for the network, which has a bound of its own, is not its time.
    pub(crate) async fn bounded<R>(
        &self,
        time: Duration,
        waits: Option<Arc<Waits>>,
        call: Pin<&mut (impl Future<Output = wasmtime::Result<R>> + Send)>,
    ) -> wasmtime::Result<R> {
        let Some(waits) = waits else { return call.await };
        let over = Box::pin(async {
            let began = Instant::now();
            while let Some(left) = time.checked_sub(began.elapsed().saturating_sub(waits.total())) {
                tokio::time::sleep(left.max(SHORTEST)).await;
            }
        });
        tokio::select! {
            biased;
            answer = call => answer,
            () = over => Err(TimeLimitReached.into()),
        }
    }

    /// What went wrong, in words that hold nothing the guest said.
    pub(crate) fn failure(&self, error: &wasmtime::Error, state: &State) -> Failure {
        let limits = &self.shared.limits;
        if let Some(Misuse(what)) = error.downcast_ref() {
            Failure::Misuse(what)
        } else if error.is::<NotStored>() {
            Failure::NotRecorded
        } else if error.is::<TooManyCalls>() {
            Failure::HostCallLimit(limits.host_calls)
        } else if error.is::<TimeLimitReached>() {
            Failure::TimeLimit(state.time)
        } else if state.limiter.memory_reached {
            Failure::MemoryLimit(limits.memory())
        } else if let Some(trap) = error.downcast_ref::<Trap>() {
            Failure::Crash(words(*trap))
        } else if error.is::<wasmtime_wasi::I32Exit>() {
            Failure::Crash("it ended itself".to_owned())
        } else if error.is::<TooMuch>() || error.to_string().contains("fuel allocated for hostcalls") {
            Failure::DataLimit(state.returned)
        } else if error.is::<FieldMapError>() {
            Failure::Misuse("it made headers that are larger than they may be")
        } else if let Some(failure) = misused(error) {
            failure
        } else {
            Failure::NotOfType
        }
    }
}

/// What is wrong with how the guest used handles or asked for random bytes, if that is it. Wasmtime has words for it
/// and no types.
fn misused(error: &wasmtime::Error) -> Option<Failure> {
    const HANDLE: [&str; 6] = [
        "unknown handle index",
        "is not a resource",
        "used with the wrong type",
        "cannot remove owned resource while borrowed",
        "cannot lift own resource from a borrow",
        "borrow handles still remain",
    ];
    let table = error.downcast_ref::<ResourceTableError>();
    let words = error.root_cause().to_string();
    if matches!(table, Some(ResourceTableError::Full)) || words.contains("handle limit exceeded") {
        Some(Failure::HandleLimit)
    } else if table.is_some() || HANDLE.iter().any(|fault| words.contains(fault)) {
        Some(Failure::Misuse("it used a handle that it does not have, or kept one that was lent"))
    } else if words.starts_with("requested len") {
        Some(Failure::Misuse("it asked for more random bytes than one call gives"))
    } else {
        None
    }
}

/// A trap in words.
fn words(trap: Trap) -> String {
    match trap {
        Trap::UnreachableCodeReached => "a panic or an abort".to_owned(),
        other => other.to_string().trim_start_matches("wasm trap: ").to_owned(),
    }
}
