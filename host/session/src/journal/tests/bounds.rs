//! Segments, and how many of them.

use super::*;
use crate::{Durability, NewSession, SessionLog};

fn fill(journal: &Journal, records: usize) {
    let text = format!("[\"{}\"]", "z".repeat(400));
    for _record in 0..records {
        journal.write(&Record::Crossing(crossing(&text))).unwrap();
    }
    journal.save_point().unwrap();
}

#[test]
fn a_long_segment_is_closed_and_the_next_begins_with_the_plugins() {
    let bed = Bed::with(2_000, 1 << 20);
    let journal = bed.open();
    journal.write(&all()[0]).unwrap();
    assert_eq!(journal.segment(), 1);
    fill(&journal, 9);
    assert_eq!(journal.segment(), bed.files().len() as u64 - 1);
    for file in ["", ".1", ".2"] {
        let kinds: Vec<Value> = bed.lines(file).iter().map(|line| line["kind"].clone()).collect();
        assert_eq!(kinds[..3], ["open", "plugin", "crossing"], "{file}");
    }
    let found = bed.verify();
    assert_eq!((found.faults, found.runs, found.dropped), (Vec::new(), 1, 0));
    let crossings = bed.records().into_iter().filter(|record| matches!(record, Record::Crossing(_)));
    assert_eq!(crossings.count(), 9);
}

#[test]
fn segments_are_not_too_long_for_what_all_may_have() {
    let segment = |mib: u64| JournalBounds::of(mib << 20).segment >> 20;
    assert_eq!([2, 20, 256, 10_000].map(segment), [1, 10, 16, 16]);
}

/// Who reads opens the current segment, and then looks for those that were closed: it may be among them by then.
#[test]
fn a_segment_that_is_closed_meanwhile_is_read_once() {
    let bed = Bed::with(2_000, 1 << 20);
    let journal = bed.open();
    fill(&journal, 2);
    fs::hard_link(bed.file(""), bed.file(".1")).unwrap();
    let found = bed.verify();
    assert_eq!((found.faults, found.lines, found.segments), (Vec::new(), 3, 1));
    assert_eq!(bed.records().len(), 3);
}

#[test]
fn a_value_is_stored_again_in_each_segment() {
    let bed = Bed::with(2_000, 1 << 20);
    let journal = bed.open();
    let long = format!("[\"{}\"]", "z".repeat(1_000));
    for _record in 0..6 {
        journal.write(&Record::Crossing(crossing(&long))).unwrap();
    }
    assert!(journal.segment() > 1);
    let whole = bed.records().into_iter().filter(|record| *record == Record::Crossing(crossing(&long)));
    assert_eq!(whole.count(), 6);
    assert_eq!(bed.faults(), Vec::<String>::new());
}

#[test]
fn the_oldest_segments_go_and_are_counted() {
    let bed = Bed::with(2_000, 10_000);
    let journal = bed.open();
    fill(&journal, 60);
    let length = |name: &String| fs::metadata(bed.folder.path().join(name)).unwrap().len();
    assert!(bed.files().iter().map(length).sum::<u64>() < 10_000 + 1_000);
    let found = bed.verify();
    assert_eq!(found.faults, []);
    assert_eq!(found.dropped + 1, bed.lines(&format!(".{}", journal.segment() - found.segments + 1))[0]["n"]);
}

/// A process that was killed between its words and the removal left a segment too many.
#[test]
fn a_segment_that_is_said_to_be_gone_is_removed_when_the_journal_is_opened() {
    let bed = Bed::with(2_000, 10_000);
    let journal = bed.open();
    fill(&journal, 10);
    let first = fs::read(bed.file(".1")).unwrap();
    fill(&journal, 50);
    assert!(!bed.file(".1").exists());
    drop(journal);
    fs::write(bed.file(".1"), first).unwrap();
    drop(bed.open());
    assert!(!bed.file(".1").exists());
    assert_eq!(bed.faults(), Vec::<String>::new());
}

#[test]
fn a_journal_goes_on_after_a_segment_was_closed_and_the_next_not_yet_made() {
    let bed = Bed::with(2_000, 1 << 20);
    let journal = bed.open();
    fill(&journal, 2);
    drop(journal);
    fs::rename(bed.file(""), bed.file(".1")).unwrap();
    assert_eq!(bed.faults(), Vec::<String>::new());
    assert_eq!(bed.open().segment(), 2);
    assert_eq!(bed.faults(), Vec::<String>::new());
    assert_eq!(bed.verify().runs, 2);
}

#[test]
fn each_segment_says_what_is_on_the_disk_for_certain_and_no_two_runs_have_one_number() {
    for (durability, said) in
        [(Durability::EachEntry, "entry"), (Durability::SavePoints, "save-point"), (Durability::Never, "never")]
    {
        let bed = Bed::new();
        let log = SessionLog::create(bed.session(), NewSession::new("/work"), durability).unwrap();
        let bounds = JournalBounds { segment: 2_000, total: 1 << 20 };
        for run in 1..3 {
            let journal = Journal::of(&log, bounds).unwrap();
            assert_eq!(journal.run(), run);
            fill(&journal, 9);
        }
        let opened = bed.records().into_iter().filter_map(|record| match record {
            Record::Open(open) => open.durability,
            _ => None,
        });
        let opened: Vec<_> = opened.collect();
        assert_eq!((opened.len() as u64, opened.iter().all(|word| word == said)), (bed.verify().segments + 1, true));
    }
}
