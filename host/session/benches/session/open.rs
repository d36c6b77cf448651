//! Opening: from the file to what the model is shown.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use seam_session::{Durability, SessionLog};
use serde_json::json;

use crate::peer::Peer;
use crate::{files, head, median, row};

/// How many entries, and how many rounds of them are timed.
const SIZES: [(usize, usize); 3] = [(1_000, 31), (10_000, 11), (100_000, 5)];
/// The text of an entry, in bytes.
const LENGTH: usize = 500;

pub(crate) fn measure(folder: &Path, mut peer: Option<&mut Peer>) {
    head("open, with the context, of an entry", &["ours us", "ref. us", "ratio", "ours/1st", "ref./1st"]);
    let mut first = None;
    for (entries, rounds) in SIZES {
        let file = files::session(folder, entries, LENGTH);
        let (mut ours, mut reference) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let one = opened(&file) / entries as f64;
            let question = json!({ "do": "open", "file": file });
            let other = peer.as_deref_mut().map(|peer| peer.number(&question, "us") / entries as f64);
            if round > 0 {
                ours.push(one);
                reference.extend(other);
            }
        }
        let (ours, reference) = (median(ours), median(reference));
        let (ours_first, reference_first) = *first.get_or_insert((ours, reference));
        let ratio = |one: Option<f64>, other: Option<f64>| one.zip(other).map(|(one, other)| one / other);
        let flat = [ratio(ours, ours_first), ratio(reference, reference_first)];
        row(&format!("{entries} entries"), &[ours, reference, ratio(ours, reference), flat[0], flat[1]]);
    }
    println!();
}

/// Microseconds.
fn opened(file: &Path) -> f64 {
    let start = Instant::now();
    let log = SessionLog::open(file, Durability::EachEntry).unwrap();
    let context = log.session().context().unwrap();
    let took = start.elapsed();
    assert_eq!(context.messages.len(), log.session().entries().len());
    drop(black_box((log, context)));
    took.as_secs_f64() * 1e6
}
