//! Appending: an entry at a time, confirmed by the disk or not.

use std::path::Path;
use std::time::Instant;

use seam_session::{Durability, NewEntry, NewSession, SessionLog};
use serde_json::json;

use crate::peer::Peer;
use crate::{files, head, median, row};

const ROUNDS: usize = 11;
/// How many entries a round appends.
const ENTRIES: usize = 400;
/// How many entries are between two save points: a turn of one call.
const TURN: usize = 2;
/// The text of an entry, in bytes.
const LENGTH: usize = 500;

pub(crate) fn measure(folder: &Path, mut peer: Option<&mut Peer>) {
    let ways = [
        ("synced entry by entry", Durability::EachEntry, 0),
        ("synced at save points, every second entry", Durability::SavePoints, 0),
        ("not synced", Durability::Never, 0),
        ("not synced, after 100,000 entries", Durability::Never, 100_000),
    ];
    let mut rounds = vec![(Vec::new(), Vec::new()); ways.len()];
    for round in 0..=ROUNDS {
        for ((_, durability, before), (ours, reference)) in ways.iter().zip(&mut rounds) {
            let file = if *before > 0 { Some(files::session(folder, *before, LENGTH)) } else { None };
            let (one, other) =
                (appended(folder, *durability, file.as_deref()), theirs(folder, peer.as_deref_mut(), *before));
            // The first does not count.
            if round > 0 {
                ours.push(one);
                reference.extend(other);
            }
        }
    }
    head("append, of an entry", &["ours us", "ref. us", "ratio"]);
    for ((name, ..), (ours, reference)) in ways.iter().zip(rounds) {
        let (ours, reference) = (median(ours), median(reference));
        row(name, &[ours, reference, ours.zip(reference).map(|(ours, reference)| ours / reference)]);
    }
    println!();
}

/// Microseconds of an entry.
fn appended(folder: &Path, durability: Durability, before: Option<&Path>) -> f64 {
    let path = folder.join("append.jsonl");
    let _absent = std::fs::remove_file(&path);
    let mut log = match before {
        None => SessionLog::create(&path, NewSession::new("/work"), durability).unwrap(),
        Some(before) => {
            std::fs::copy(before, &path).unwrap();
            SessionLog::open(&path, durability).unwrap()
        }
    };
    let messages: Vec<_> = (0..ENTRIES).map(|place| files::message(place, LENGTH)).collect();
    let start = Instant::now();
    for (place, message) in messages.into_iter().enumerate() {
        log.append(NewEntry::Message(message)).unwrap();
        if place % TURN == TURN - 1 {
            log.save_point().unwrap();
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / ENTRIES as f64
}

fn theirs(folder: &Path, peer: Option<&mut Peer>, before: usize) -> Option<f64> {
    let path = folder.join("append-theirs.jsonl");
    if before > 0 {
        std::fs::copy(files::session(folder, before, LENGTH), &path).unwrap();
    }
    let messages: Vec<_> = (0..40).map(|place| files::message(place, LENGTH)).collect();
    let file = if before > 0 { json!(path) } else { json!(null) };
    let question = json!({ "do": "append", "folder": folder, "file": file, "entries": ENTRIES, "messages": messages });
    peer.map(|peer| peer.number(&question, "us"))
}
