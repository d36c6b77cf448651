//! What a turn of the loop costs beside a turn of the reference's, measured in turns in one run.
//! `cargo xtask bench turn` runs it; a word after that names the groups to measure.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a benchmark")]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "turn/case.rs"]
mod case;
#[path = "turn/ours.rs"]
mod ours;
#[path = "turn/parts.rs"]
mod parts;
#[path = "turn/peer.rs"]
mod peer;
#[path = "turn/table.rs"]
mod table;

use std::path::Path;

use seam_plugins::{Plugin, PluginEngine, Settings};

use case::Case;
use ours::Ours;
use peer::Peer;

/// How many rounds of each case come first and do not count.
const WARM: usize = 10;
/// How many rounds of each case are timed, in turns with the others. The median counts.
const ROUNDS: usize = 31;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = PluginEngine::new(None).unwrap();
    let plugin = runtime.block_on(plugin(&engine));
    let mut peer = Peer::start().map_err(|reason| println!("The reference is not measured: {reason}.")).ok();
    let about = peer.as_ref().map_or("ours alone", |peer| &peer.about);
    println!("{about}; medians of {ROUNDS} rounds\n");

    let mut groups = case::groups();
    if let Some(word) = std::env::args().skip(1).find(|word| !word.starts_with('-')) {
        groups.retain(|group| group.title.contains(&word));
    }
    let cases: Vec<Case> = groups.iter().flat_map(|group| &group.rows).map(|(_, case)| *case).collect();
    let mut ready = Vec::new();
    for case in &cases {
        ready.push(runtime.block_on(Ours::new(*case, &plugin)));
    }
    let mut rounds = vec![(Vec::new(), Vec::new()); cases.len()];
    for round in 0..WARM + ROUNDS {
        for (number, case) in cases.iter().enumerate() {
            let ours = runtime.block_on(ready[number].round());
            let reference = peer.as_mut().map(|peer| peer.round(case));
            if round >= WARM {
                rounds[number].0.push(ours);
                rounds[number].1.extend(reference);
            }
        }
    }
    let mut medians = rounds.into_iter().map(|(ours, reference)| (median(ours).unwrap(), median(reference)));
    let times: Vec<_> = groups.iter().map(|group| medians.by_ref().take(group.rows.len()).collect()).collect();
    table::print(&groups, &times);
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

async fn plugin(engine: &PluginEngine) -> Plugin {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-guests/gate.wasm");
    assert!(file.is_file(), "{} is not there; `cargo xtask bench turn` builds it", file.display());
    engine.load(&file, &Settings::default()).await.unwrap()
}
