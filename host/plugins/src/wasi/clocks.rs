//! The clocks of a guest that may not know the time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::clocks::WasiClocksView as _;
use wasmtime_wasi::p2::DynPollable;
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock::Host as _;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

use crate::state::State;

/// The interface, as it is linked.
const MONOTONIC: &str = "wasi:clocks/monotonic-clock@0.2.12";

/// Notes that a timer is made. Timers are real without the grant too: how long one takes can be told by what goes on
/// beside it, and no replay tells the same.
pub(super) fn timers(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    type Made = wasmtime::Result<(Resource<DynPollable>,)>;
    let mut clock = linker.instance(MONOTONIC)?;
    clock.func_wrap("subscribe-instant", |mut store: StoreContextMut<'_, State>, (when,): (u64,)| -> Made {
        Ok((store.data_mut().timing().clocks().subscribe_instant(when)?,))
    })?;
    clock.func_wrap("subscribe-duration", |mut store: StoreContextMut<'_, State>, (time,): (u64,)| -> Made {
        Ok((store.data_mut().timing().clocks().subscribe_duration(time)?,))
    })
}

/// It is always 1970.
pub(super) struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Goes on by a microsecond each time it is asked.
#[derive(Default)]
pub(super) struct CountingClock(AtomicU64);

impl HostMonotonicClock for CountingClock {
    fn resolution(&self) -> u64 {
        1000
    }

    fn now(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::Relaxed)
    }
}
