//! What plugins cost a whole run beside none: at seams that nobody asks, at a context seam, as observers, and what a
//! journal of them costs. Measured in turns in one run. `cargo xtask bench seams` runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a benchmark")]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "seams/case.rs"]
mod case;
#[path = "seams/parts.rs"]
mod parts;
#[path = "seams/talk.rs"]
mod talk;

use std::path::{Path, PathBuf};
use std::time::Duration;

use seam_plugins::{Plugin, PluginEngine, Settings};

use case::Case;
use talk::Talk;

/// How many rounds come first and do not count.
const WARM: usize = 3;
/// How many rounds of each case are timed, in turns with the others. The median counts.
const ROUNDS: usize = 31;

fn main() {
    // As the binary has it: the run on the main thread, beside a runtime with threads of its own.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let engine = PluginEngine::new(None).unwrap();
    let groups = case::groups();
    println!("{}; medians of {ROUNDS} rounds\n", case::WORK);
    println!("{:<58}{:>10}{:>8}", "", "us", "ratio");
    for group in &groups {
        let loaded: Vec<_> = group.rows.iter().map(|case| runtime.block_on(plugin(&engine, case))).collect();
        let mut rounds = vec![Vec::new(); group.rows.len()];
        for round in 0..WARM + ROUNDS {
            for ((case, plugin), times) in group.rows.iter().zip(&loaded).zip(&mut rounds) {
                let time = runtime.block_on(one_round(case, plugin.as_ref()));
                if round >= WARM {
                    times.push(time);
                }
            }
        }
        println!("{}", group.title);
        let medians: Vec<f64> = rounds.into_iter().map(median).collect();
        for (case, time) in group.rows.iter().zip(&medians) {
            println!("  {:<56}{time:>10.1}{:>8.2}", case.name, time / medians[0]);
        }
    }
}

/// Microseconds of a run: the median of a new conversation's.
async fn one_round(case: &Case, plugin: Option<&Plugin>) -> f64 {
    let plugins: Vec<Plugin> = plugin.into_iter().cycle().take(case.plugins).cloned().collect();
    let mut talk = Talk::start(case, &plugins).await;
    let mut times = Vec::new();
    for _ in 0..case.runs() {
        times.push(talk.run().await.as_secs_f64() * 1e6);
    }
    drop(talk);
    // An observer that loops stops at its next tick.
    tokio::time::sleep(Duration::from_millis(20)).await;
    median(times)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")
}

async fn plugin(engine: &PluginEngine, case: &Case) -> Option<Plugin> {
    let guest = case.guest?;
    let file = target().join(format!("test-guests/{guest}.wasm"));
    assert!(file.is_file(), "{} is not there; `cargo xtask bench seams` builds it", file.display());
    let config = case.config.as_object().cloned().unwrap_or_default();
    Some(engine.load(&file, &Settings { config, ..Settings::default() }).await.unwrap())
}
