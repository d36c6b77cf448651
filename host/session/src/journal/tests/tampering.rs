//! Whatever is done to a journal that was closed, it is found.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

const FILES: [&str; 5] = ["", ".1", ".2", ".3", ".head"];

/// What is done to it.
#[derive(Clone, Debug)]
enum Change {
    Flip { at: Index, bit: u8 },
    Replace { at: Index, byte: u8 },
    DropLine(Index),
    SwapLines(Index, Index),
    DuplicateLine(Index, Index),
    InsertLine(Index),
    Truncate(Index),
    Append(Vec<u8>),
    Remove,
    SwapFiles(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        4 => (index(), 0..8_u8).prop_map(|(at, bit)| Change::Flip { at, bit }),
        3 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Replace { at, byte }),
        2 => index().prop_map(Change::DropLine),
        2 => (index(), index()).prop_map(|(one, other)| Change::SwapLines(one, other)),
        2 => (index(), index()).prop_map(|(one, to)| Change::DuplicateLine(one, to)),
        1 => index().prop_map(Change::InsertLine),
        2 => index().prop_map(Change::Truncate),
        1 => proptest::collection::vec(any::<u8>(), 1..40).prop_map(Change::Append),
        1 => Just(Change::Remove),
        1 => (0..FILES.len()).prop_map(Change::SwapFiles),
    ]
}

/// A journal of four segments, two runs, and values that are referred to.
fn written() -> Bed {
    let bed = Bed::with(3_000, 1 << 20);
    let long = format!("[{{\"text\":\"{}\"}}]", "v".repeat(700));
    for _run in 0..2 {
        let journal = bed.open();
        all().iter().for_each(|record| journal.write(record).unwrap());
        journal.write(&Record::Crossing(crossing(&long))).unwrap();
        journal.write(&Record::Crossing(crossing(&long))).unwrap();
        journal.save_point().unwrap();
    }
    let files = FILES.map(|end| format!("talk.journal{end}"));
    assert_eq!(bed.files(), files);
    bed
}

impl Change {
    /// What a file holds afterwards; nothing: it is removed.
    fn apply(&self, bytes: &[u8], bed: &Bed) -> Option<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        match self {
            Self::Flip { at, bit } => {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
            Self::Replace { at, byte } => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::DropLine(at) => {
                lines.remove(at.index(lines.len()));
                return Some(lines.concat());
            }
            Self::SwapLines(one, other) => {
                let length = lines.len();
                lines.swap(one.index(length), other.index(length));
                return Some(lines.concat());
            }
            Self::DuplicateLine(one, to) => {
                let line = lines[one.index(lines.len())];
                lines.insert(to.index(lines.len()), line);
                return Some(lines.concat());
            }
            Self::InsertLine(at) => {
                lines.insert(at.index(lines.len()), b"{}\n");
                return Some(lines.concat());
            }
            Self::Truncate(at) => bytes.truncate(at.index(bytes.len())),
            Self::Append(more) => bytes.extend(more),
            Self::Remove => return None,
            Self::SwapFiles(other) => {
                let other = bed.file(FILES[*other]);
                return Some(fs::read(other).unwrap());
            }
        }
        Some(bytes)
    }
}

#[test]
fn every_change_is_found() {
    let bed = written();
    let config = ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(change in change(), file in 0..FILES.len())| {
        let path = bed.file(FILES[file]);
        let before = fs::read(&path).unwrap();
        let after = change.apply(&before, &bed);
        prop_assume!(after.as_ref() != Some(&before));
        match after {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let found = bed.verify();
        fs::write(&path, before).unwrap();
        // Half a line at the end is told as that: what was never there says nothing.
        let is_torn = matches!(change, Change::Append(_)) && found.torn > 0;
        prop_assert!(!found.faults.is_empty() || is_torn, "{found:?}");
    });
    assert_eq!(bed.faults(), Vec::<String>::new());
}

/// Lines that are in order by themselves: the hash is right, and what it says is not.
#[test]
fn a_line_that_was_sealed_again_does_not_fit_the_next() {
    let bed = written();
    let text = fs::read_to_string(bed.file(".1")).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let forged = |line: &str| {
        let body = line.rsplit_once(",\"prev\":").unwrap().0.replace("\"took-us\":12", "\"took-us\":13");
        let prev = seal::Seal::of(line.as_bytes()).unwrap().prev;
        let mut line = body.into_bytes();
        seal::seal(&mut line, &prev);
        String::from_utf8(line).unwrap()
    };
    let index = lines.iter().position(|line| line.contains("\"took-us\":12")).unwrap();
    let mut changed = lines.clone();
    changed[index] = forged(&lines[index]);
    fs::write(bed.file(".1"), changed.join("\n") + "\n").unwrap();
    assert_eq!(
        bed.faults(),
        [format!("talk.journal.1:{}: does not follow the line before it: its `prev` is another hash", index + 2)]
    );
}

#[test]
fn faults_are_told_with_their_places() {
    let bed = written();
    fs::remove_file(bed.file(".2")).unwrap();
    let text = fs::read_to_string(bed.file(".1")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(2, 3);
    fs::write(bed.file(".1"), lines.join("\n") + "\n").unwrap();
    let faults = bed.faults();
    assert_eq!(
        faults,
        [
            "talk.journal.1:3: record 3 is missing before it",
            "talk.journal.1:4: is record 3, where record 5 belongs",
            "talk.journal.1:5: record 4 is missing before it",
            "talk.journal.3:1: segment 2 is missing before this file",
        ]
    );
}

/// A journal whose chain is whole and whose content is not was made so, not changed afterwards.
#[test]
fn a_reference_without_its_value_and_a_value_without_its_digest_are_found() {
    let bed = Bed::new();
    let journal = bed.open();
    let mut state = journal.lock();
    let digest = "0".repeat(64);
    state.writer.append(format!(r#""kind":"blob","digest":"{digest}","value":1"#).as_bytes()).unwrap();
    let call = r#""kind":"run","call":"c","tool":"t","origin":"model","replay":"never""#;
    let other = "1".repeat(64);
    state.writer.append(format!(r#"{call},"arguments":[{{"$blob":"{other}"}}]"#).as_bytes()).unwrap();
    state.writer.append(br#""kind":"dream""#).unwrap();
    drop(state);
    assert_eq!(
        bed.faults(),
        [
            "talk.journal:2: its value does not have the digest that it names",
            "talk.journal:3: refers to a value that is not there",
            "talk.journal:4: is a `dream`, which this version of Seam does not know",
        ]
    );
}

#[test]
fn not_every_fault_of_a_long_journal_is_told() {
    let bed = written();
    fs::write(bed.file(""), "{}\n".repeat(1_000)).unwrap();
    let found = bed.verify();
    assert_eq!(found.faults.len(), 100);
    assert!(found.more > 800);
}
