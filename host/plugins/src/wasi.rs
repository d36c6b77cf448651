//! Inert WASI, for guests whose toolchain imports it whether they use it or not. It reaches nothing: no folders, no
//! variables, no arguments, no network, closed input, output thrown away, a clock that does not tell the time, and
//! random numbers that are the same each time, so that a decision can be replayed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use crate::state::State;

/// What an instance has of WASI.
pub(crate) struct Wasi {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl Wasi {
    pub(crate) fn inert() -> Self {
        let ctx = WasiCtx::builder()
            .wall_clock(StoppedClock)
            .monotonic_clock(CountingClock::default())
            .secure_random(Deterministic::new(SEED.to_vec()))
            .insecure_random(Deterministic::new(SEED.to_vec()))
            .insecure_random_seed(0x5ea3)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .build();
        Self { ctx, table: ResourceTable::new() }
    }
}

const SEED: [u8; 16] = [83, 101, 97, 109, 58, 32, 110, 111, 116, 32, 114, 97, 110, 100, 111, 109];

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(|| Box::new(Wasi::inert()));
        WasiCtxView { ctx: &mut wasi.ctx, table: &mut wasi.table }
    }
}

struct StoppedClock;

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
struct CountingClock(AtomicU64);

impl HostMonotonicClock for CountingClock {
    fn resolution(&self) -> u64 {
        1000
    }

    fn now(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::Relaxed)
    }
}
