//! What a session costs beside one of the reference's, measured in turns in one run. `cargo xtask bench session` runs it; a
//! word after that names the part to measure: `append`, `open`, `memory` or `journal`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a benchmark")]
#![allow(missing_docs, reason = "a benchmark")]

#[path = "session/append.rs"]
mod append;
#[path = "session/files.rs"]
mod files;
#[path = "session/journal.rs"]
mod journal;
#[path = "session/memory.rs"]
mod memory;
#[path = "session/open.rs"]
mod open;
#[path = "session/peer.rs"]
mod peer;

use peer::Peer;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let mut peer = Peer::start().map_err(|reason| println!("The reference is not measured: {reason}.")).ok();
    println!("{}\n", peer.as_ref().map_or("ours alone", |peer| &peer.about));
    let wanted = |part: &str| words.is_empty() || words.iter().any(|word| part.contains(&**word));
    if wanted("append") {
        append::measure(&path, peer.as_mut());
    }
    if wanted("open") {
        open::measure(&path, peer.as_mut());
    }
    if wanted("memory") {
        memory::measure(&path, peer.as_ref());
    }
    if wanted("journal") {
        journal::measure(&path);
    }
}

/// The middle one.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// A line of a table: a name and numbers, some of which are not known.
fn row(name: &str, numbers: &[Option<f64>]) {
    let cells = numbers.iter().map(|number| number.map_or_else(|| " ".repeat(12), |number| format!("{number:>12.2}")));
    println!("  {name:<48}{}", cells.collect::<String>());
}

/// The head of a table.
fn head(title: &str, names: &[&str]) {
    println!("{title:<50}{}", names.iter().map(|name| format!("{name:>12}")).collect::<String>());
}
