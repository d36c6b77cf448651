//! The bounds of a call: how they are set, and which of them was reached.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use seam_harness::Failure;
use wasmtime::component::{Instance, InstancePre};
use wasmtime::{Store, Trap, UpdateDeadline};

use crate::link::Linked;
use crate::state::{Misuse, State, TimeLimitReached, TooMuch};
use crate::wasi::Wasi;

impl Linked {
    /// A new instance, linked in this way, in a store of its own.
    pub(crate) async fn start(&self, pre: &InstancePre<State>) -> (Store<State>, wasmtime::Result<Instance>) {
        let mut store = self.store();
        let started = self.bounded(self.shared.limits.time(), pin!(pre.instantiate_async(&mut store))).await;
        (store, started)
    }

    /// A store for one instance, with its bounds.
    fn store(&self) -> Store<State> {
        let Self { engine, shared, imports, .. } = self;
        let state = State::new(Arc::clone(shared), imports.wasi.then(|| Box::new(Wasi::inert())));
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limiter);
        // Asked once for each tick the guest itself has run: waiting for other guests does not count against it.
        store.epoch_deadline_callback(move |mut store| {
            store.data_mut().used(1)?;
            Ok(UpdateDeadline::Yield(1))
        });
        self.limit(&mut store, shared.limits.time());
        store
    }

    /// Gives a call its time.
    pub(crate) fn limit(&self, store: &mut Store<State>, time: Duration) {
        let state = store.data_mut();
        state.time = time;
        state.ticks = 0;
        state.limiter.memory_reached = false;
        store.set_epoch_deadline(1);
    }

    /// Waits for a call. A guest that computes is stopped by the clock of its store; one that waits in WASI is stopped
    /// here.
    pub(crate) async fn bounded<R>(
        &self,
        time: Duration,
        call: Pin<&mut (impl Future<Output = wasmtime::Result<R>> + Send)>,
    ) -> wasmtime::Result<R> {
        if !self.imports.wasi {
            return call.await;
        }
        Box::pin(tokio::time::timeout(time, call)).await.unwrap_or_else(|_| Err(TimeLimitReached.into()))
    }

    /// What went wrong, in words that hold nothing the guest said.
    pub(crate) fn failure(&self, error: &wasmtime::Error, state: &State) -> Failure {
        let limits = &self.shared.limits;
        if let Some(Misuse(what)) = error.downcast_ref() {
            Failure::Misuse(what)
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
        } else {
            Failure::NotOfType
        }
    }
}

/// A trap in words.
fn words(trap: Trap) -> String {
    match trap {
        Trap::UnreachableCodeReached => "a panic or an abort".to_owned(),
        other => other.to_string().trim_start_matches("wasm trap: ").to_owned(),
    }
}
