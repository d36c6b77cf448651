//! WASI, as much of it as is granted. What is not granted reaches nothing: no folders, no variables, no arguments, no
//! network, closed input, output thrown away, a clock that does not tell the time, and random numbers that are the same
//! each time, so that a decision can be replayed.

mod clocks;
mod files;
mod granted;
pub(crate) mod http;
mod link;

use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::grants::Grant;
use crate::limits::Limits;
use crate::state::State;

pub(crate) use granted::Granted;
pub(crate) use link::link;

use self::http::{Requests, Sender};
use clocks::{CountingClock, StoppedClock};

/// The most random bytes of one host call. The host makes them before the guest's clock counts.
const MOST_RANDOM: u64 = 64 << 10;
/// How large the headers of a request or a response may be, in bytes, with what the host needs to hold them.
const MOST_HEADERS: usize = 64 << 10;
/// Without the grant every generator begins with these.
const SEED: [u8; 16] = [83, 101, 97, 109, 58, 32, 110, 111, 116, 32, 114, 97, 110, 100, 111, 109];

/// What an instance has of WASI.
pub(crate) struct Wasi {
    ctx: WasiCtx,
    table: ResourceTable,
    http: WasiHttpCtx,
    sender: Sender,
    /// What of it is not inert.
    live: Vec<Grant>,
    /// What of that it has reached since the last call ended.
    reached: Vec<Grant>,
}

impl Wasi {
    pub(crate) fn inert() -> Self {
        Self::with(&Granted::default(), &mut builder(&Granted::default()))
    }

    /// What is granted.
    ///
    /// # Errors
    /// When a folder cannot be opened.
    pub(crate) fn new(granted: &Granted) -> wasmtime::Result<Self> {
        let mut builder = builder(granted);
        files::open(&mut builder, &granted.folders)?;
        Ok(Self::with(granted, &mut builder))
    }

    fn with(granted: &Granted, builder: &mut WasiCtxBuilder) -> Self {
        let (mut table, mut http) = (ResourceTable::new(), WasiHttpCtx::new());
        table.set_max_capacity(Limits::HANDLES);
        http.set_field_size_limit(MOST_HEADERS);
        let sender = Sender::new(Arc::clone(&granted.sites), granted.sends);
        Self { ctx: builder.build(), table, http, sender, live: granted.live(), reached: Vec::new() }
    }

    /// A call begins: it may send from now on. Gives what is written down of what it sends.
    pub(crate) fn begin(&mut self, requests: impl FnOnce() -> Requests) -> Option<Arc<Requests>> {
        self.live.contains(&Grant::Http).then(|| self.sender.begin(requests()))
    }

    /// The call is over, and its requests with it. Gives what it has reached that answers otherwise each time.
    pub(crate) fn end(&mut self) -> Vec<Grant> {
        self.sender.end();
        std::mem::take(&mut self.reached)
    }

    /// A function is called that is one of this grant's.
    fn reaches(&mut self, grant: Grant) {
        if self.live.contains(&grant) && !self.reached.contains(&grant) {
            self.reached.push(grant);
        }
    }

    /// A timer was made. Without the grant too it goes off in real time, beside which something else can be counted.
    fn times(&mut self) {
        if !self.reached.contains(&Grant::Clock) {
            self.reached.push(Grant::Clock);
        }
    }
}

fn builder(granted: &Granted) -> WasiCtxBuilder {
    let mut builder = WasiCtx::builder();
    builder.max_random_size(MOST_RANDOM).allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false);
    builder.envs(&granted.env);
    if !granted.clock {
        builder.wall_clock(StoppedClock).monotonic_clock(CountingClock::default());
    }
    if !granted.random {
        let numbers = || Deterministic::new(SEED.to_vec());
        builder.secure_random(numbers()).insecure_random(numbers()).insecure_random_seed(0x5ea3);
    }
    builder
}

impl State {
    fn wasi(&mut self) -> &mut Wasi {
        self.wasi.get_or_insert_with(|| Box::new(Wasi::inert()))
    }

    /// The same, where a function of this grant's is called.
    fn reaching(&mut self, grant: Grant) -> &mut Self {
        self.wasi().reaches(grant);
        self
    }

    /// The same, where a timer is made.
    fn timing(&mut self) -> &mut Self {
        self.wasi().times();
        self
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi();
        WasiCtxView { ctx: &mut wasi.ctx, table: &mut wasi.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let wasi = self.wasi();
        WasiHttpCtxView { hooks: &mut wasi.sender, table: &mut wasi.table, ctx: &mut wasi.http }
    }
}
