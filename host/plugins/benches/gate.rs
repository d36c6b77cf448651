//! What a gate costs, as ratios against a bare wasmtime call of the same function of the same component, measured in
//! turns in one run. `cargo xtask bench gate` runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a benchmark")]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "gate/bare.rs"]
mod bare;
#[path = "gate/crossing.rs"]
mod crossing;

use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many calls are timed at once.
const CALLS: u32 = 2_000;
/// How many times each thing is timed, in turns with the others. The median counts.
const ROUNDS: usize = 41;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gate = component();
    let mut fastest = bare::Bare::fastest(&gate);
    let mut same = runtime.block_on(bare::Bare::as_the_host_calls(&gate));
    let session = runtime.block_on(crossing::Crossing::new(&gate, 8, false));
    let fresh = runtime.block_on(crossing::Crossing::new(&gate, 8, true));
    let none = runtime.block_on(crossing::Crossing::new(&gate, 0, false));
    let short = runtime.block_on(crossing::Turn::new(&gate, 10));
    let long = runtime.block_on(crossing::Turn::new(&gate, 10_000));

    let mut rounds: [Vec<f64>; 7] = Default::default();
    for _ in 0..ROUNDS {
        rounds[0].push(per_call(CALLS, || fastest.calls(CALLS)));
        rounds[1].push(per_call(CALLS, || runtime.block_on(same.calls_async(CALLS))));
        rounds[2].push(per_call(CALLS, || runtime.block_on(none.calls(CALLS))));
        rounds[3].push(per_call(CALLS, || runtime.block_on(session.calls(CALLS))));
        rounds[4].push(per_call(CALLS / 20, || runtime.block_on(fresh.calls(CALLS / 20))));
        rounds[5].push(runtime.block_on(short.time(4)));
        rounds[6].push(runtime.block_on(long.time(4)));
    }
    let [fastest, same, none, session, fresh, short, long] = rounds.map(median);
    let gate = (session - none) / 8.0;
    let fresh = (fresh - none) / 8.0;
    println!("a gate, warm, 200 bytes of arguments, one path target; medians of {ROUNDS} rounds\n");
    println!("{:<58} {:>9} {:>7}", "", "us", "ratio");
    let row = |what: &str, us: f64, ratio: f64| println!("{what:<58} {us:>9.3} {ratio:>7.2}");
    row("bare typed call, synchronous, no time limit (the yardstick)", fastest, 1.0);
    row("bare typed call as the host makes it (fiber, epochs)", same, same / fastest);
    row("gate crossing: dispatcher to guest and back", gate, gate / fastest);
    row("the same with a fresh instance for each call", fresh, fresh / fastest);
    println!();
    row("turn of 32 gated calls, per call, 10 messages", short, 1.0);
    row("turn of 32 gated calls, per call, 10,000 messages", long, long / short);
}

/// Microseconds per call.
fn per_call(calls: u32, run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn component() -> PathBuf {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-guests/gate.wasm");
    assert!(file.is_file(), "{} is not there; `cargo xtask bench gate` builds it", file.display());
    file
}
