//! The journal: a line of it. The reference has none.

use std::path::Path;
use std::time::Instant;

use seam_session::journal::{Crossing, Journal, JournalBounds, Json, Outcome, Record, read, verify};

use crate::{head, median, row};

const ROUNDS: usize = 11;
/// How many lines a round writes.
const LINES: usize = 2_000;

pub(crate) fn measure(folder: &Path) {
    head("journal, of a line", &["bytes", "write us", "read us", "verify us"]);
    for (name, length) in
        [("a gate asked about a call of 200 bytes", 200), ("a patch asked about a result of 4 KB", 4_000)]
    {
        let mut rounds = [Vec::new(), Vec::new(), Vec::new()];
        let mut bytes = 0.0;
        for round in 0..=ROUNDS {
            let (length, times) = once(folder, length);
            bytes = length;
            if round > 0 {
                rounds.iter_mut().zip(times).for_each(|(round, time)| round.push(time));
            }
        }
        let [write, read, verify] = rounds.map(median);
        row(name, &[Some(bytes), write, read, verify]);
    }
    println!();
}

/// Bytes of a line, and microseconds to write, read and verify one.
fn once(folder: &Path, length: usize) -> (f64, [f64; 3]) {
    let session = folder.join("journal.jsonl");
    for end in ["journal", "journal.head"] {
        let _absent = std::fs::remove_file(session.with_extension(end));
    }
    let inputs: Vec<String> = (0..LINES).map(|number| input(number, length)).collect();
    let journal = Journal::open(&session, "s", JournalBounds::default()).unwrap();
    let per_line = |start: Instant| start.elapsed().as_secs_f64() * 1e6 / LINES as f64;
    let start = Instant::now();
    inputs.iter().for_each(|input| journal.write(&crossing(input)).unwrap());
    let write = per_line(start);
    drop(journal);
    let bytes = std::fs::metadata(session.with_extension("journal")).unwrap().len() as f64 / LINES as f64;
    let start = Instant::now();
    assert!(read(&session).unwrap().map(Result::unwrap).count() > LINES);
    let read = per_line(start);
    let start = Instant::now();
    assert_eq!(verify(&session).unwrap().faults, []);
    (bytes, [write, read, per_line(start)])
}

/// The parameters of a call, as JSON. No two are the same.
fn input(number: usize, length: usize) -> String {
    let text = "x".repeat(length);
    format!(r#"[{{"id":"call-{number}","tool":"bash","arguments":"{{\"command\":\"{text}\"}}","turn":{number}}}]"#)
}

fn crossing(input: &str) -> Record<'_> {
    let digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef".into();
    Record::Crossing(Crossing {
        plugin: "protected-paths".into(),
        digest,
        seam: "tool-call".into(),
        function: "decide".into(),
        instance: 1,
        shadow: false,
        call: Some("call-1".into()),
        took_us: 20,
        input: Json::new(input),
        host: Vec::new(),
        outcome: Outcome::Answer(Json::new(r#""proceed""#)),
    })
}
