//! What a gate costs, as ratios against a bare wasmtime call of the same function of the same component, measured in
//! turns in one run. `cargo xtask bench gate` runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a benchmark")]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "gate/bare.rs"]
mod bare;
#[path = "gate/crossing.rs"]
mod crossing;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use seam_session::{Journal, JournalBounds};

/// How many calls are timed at once.
const CALLS: u32 = 2_000;
/// How many times each thing is timed, in turns with the others. The median counts.
const ROUNDS: usize = 41;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gate = component();
    let mut fastest = bare::Bare::fastest(&gate);
    let mut same = runtime.block_on(bare::Bare::as_the_host_calls(&gate));
    let warm = runtime.block_on(crossing::Gate::new(&gate, false, CALLS));
    let folder = tempfile::TempDir::new_in(target()).unwrap();
    let session = folder.path().join("s.jsonl");
    let journal = Arc::new(Journal::open(&session, "s", JournalBounds::default()).unwrap());
    let journalled = runtime.block_on(crossing::Gate::journalled(&gate, &journal, CALLS));
    let fresh = runtime.block_on(crossing::Gate::new(&gate, true, CALLS / 20));
    let none = runtime.block_on(crossing::Crossing::new(&gate, 0, false));
    let eight = runtime.block_on(crossing::Crossing::new(&gate, 8, false));
    let short = runtime.block_on(crossing::Turn::new(&gate, 10));
    let long = runtime.block_on(crossing::Turn::new(&gate, 10_000));

    let mut rounds: [Vec<f64>; 9] = Default::default();
    for _ in 0..ROUNDS {
        rounds[0].push(per_call(CALLS, || fastest.calls(CALLS)));
        rounds[1].push(per_call(CALLS, || runtime.block_on(same.calls_async(CALLS))));
        rounds[2].push(runtime.block_on(warm.time()));
        rounds[3].push(runtime.block_on(fresh.time()));
        rounds[4].push(per_call(CALLS, || runtime.block_on(none.calls(CALLS))));
        rounds[5].push(per_call(CALLS, || runtime.block_on(eight.calls(CALLS))));
        rounds[6].push(runtime.block_on(short.time(4)));
        rounds[7].push(runtime.block_on(long.time(4)));
        rounds[8].push(runtime.block_on(journalled.time()));
    }
    let [fastest, same, warm, fresh, none, eight, short, long, journalled_time] = rounds.map(median);
    let added = (eight - none) / 8.0;
    println!("one gate, 200 bytes of arguments, one path target; medians of {ROUNDS} rounds\n");
    println!("{:<66} {:>8} {:>6} {:>6}", "", "us", "ratio", "ratio");
    let row = |what: &str, us: f64| println!("{what:<66} {us:>8.3} {:>6.2} {:>6.2}", us / same, us / fastest);
    row("bare typed call as a host must make it: fiber and time limit", same);
    row("bare typed call, synchronous, cannot be interrupted", fastest);
    row("gate crossing: final call to guest, and its verdict back", warm);
    row("the same with a fresh instance for each call", fresh);
    row("the same written into a journal on the disk", journalled_time);
    row("what each of 8 gates adds to a whole dispatched call", added);
    println!();
    let row = |what: &str, us: f64| println!("{what:<66} {us:>8.3} {:>6.2}", us / short);
    row("a turn of 32 gated calls, per call, after 10 messages", short);
    row("a turn of 32 gated calls, per call, after 10,000 messages", long);
    let (calls, replayed) = runtime.block_on(journalled.replay(&session));
    println!("\n{:<66} {replayed:>8.3}", format!("replayed, per call of the last {calls} in that journal"));
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

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

fn component() -> PathBuf {
    let file = target().join("test-guests/gate.wasm");
    assert!(file.is_file(), "{} is not there; `cargo xtask bench gate` builds it", file.display());
    file
}
