//! What a process that was killed leaves.

use super::*;

fn written() -> Bed {
    let bed = Bed::new();
    let journal = bed.open();
    journal.write(&done("a")).unwrap();
    journal.save_point().unwrap();
    bed
}

fn add(bed: &Bed, bytes: &[u8]) {
    let before = fs::read(bed.file("")).unwrap();
    fs::write(bed.file(""), [&before, bytes].concat()).unwrap();
}

fn mended(bed: &Bed) -> Vec<Mended> {
    let records = bed.records().into_iter();
    records.filter_map(|record| if let Record::Mended(mended) = record { Some(mended) } else { None }).collect()
}

#[test]
fn half_a_line_is_no_fault_and_is_cut_off_with_a_note() {
    let bed = written();
    add(&bed, b"{\"n\":3,\"time\":1");
    let found = bed.verify();
    assert_eq!((found.torn, found.lines, found.faults), (15, 2, Vec::new()));
    assert_eq!(bed.records().len(), 2);
    drop(bed.open());
    assert_eq!(mended(&bed), [Mended { bytes: 15, lost: Some(0) }]);
    assert_eq!(bed.verify(), Verified { lines: 4, segments: 1, runs: 2, ..Verified::default() });
}

#[test]
fn half_a_first_line_is_cut_off() {
    for keep in [1, 30] {
        let bed = Bed::new();
        drop(bed.open());
        let text = fs::read(bed.file("")).unwrap();
        fs::write(bed.file(""), &text[..keep]).unwrap();
        drop(bed.open());
        assert_eq!(mended(&bed), [Mended { bytes: keep as u64, lost: Some(0) }]);
        assert_eq!(bed.faults(), Vec::<String>::new());
    }
}

/// Lines after the last save point are of a process that was killed: they are there, and the head does not know them.
#[test]
fn lines_that_the_head_does_not_know_are_no_fault() {
    let bed = written();
    let journal = bed.open();
    journal.write(&done("b")).unwrap();
    drop(journal);
    assert_eq!(bed.faults(), Vec::<String>::new());
    drop(bed.open());
    assert_eq!(mended(&bed), []);
    assert_eq!(bed.faults(), Vec::<String>::new());
}

#[test]
fn lines_that_are_gone_are_missed_for_good() {
    let bed = written();
    let text = fs::read_to_string(bed.file("")).unwrap();
    fs::write(bed.file(""), &text[..=text.find('\n').unwrap()]).unwrap();
    assert_eq!(bed.faults(), ["talk.journal:0: record 2 is missing at its end"]);
    drop(bed.open());
    assert_eq!(mended(&bed), [Mended { bytes: 0, lost: Some(1) }]);
    assert_eq!(bed.faults(), ["talk.journal:2: 1 line is missing before it: lost when it was opened again"]);
}

/// The current segment is gone, and the next cannot be made: the head still knows how far it went.
#[test]
fn lines_that_are_gone_are_missed_after_an_opening_that_failed() {
    let bed = written();
    fs::remove_file(bed.file("")).unwrap();
    std::os::unix::fs::symlink("nowhere/at-all", bed.file("")).unwrap();
    Journal::open(&bed.session(), "s-1", bed.bounds).unwrap_err();
    fs::remove_file(bed.file("")).unwrap();
    assert_eq!(bed.faults(), ["talk.journal:0: records 1 to 2 are missing at its end"]);
}

/// Whatever of an opening is left of a process that died during it.
#[test]
fn lines_that_are_gone_are_missed_after_any_number_of_openings_that_were_not_finished() {
    for (spoil_head, written_lines) in [(false, 0), (false, 1), (false, 2), (true, 0), (true, 1), (true, 2)] {
        let bed = written();
        let text = fs::read_to_string(bed.file("")).unwrap();
        fs::write(bed.file(""), &text[..=text.find('\n').unwrap()]).unwrap();
        if spoil_head {
            fs::remove_file(bed.file(".head")).unwrap();
        }
        for _opening in 0..3 {
            let lines = bed.lines("").len();
            let files = Files::of(&bed.session());
            let mut known = open::find(&files, "s-1").unwrap().known;
            let run = open::find(&files, "s-1").unwrap().run;
            drop(bed.open());
            let text = fs::read_to_string(bed.file("")).unwrap();
            let kept: Vec<&str> = text.split_inclusive('\n').take(lines + written_lines).collect();
            fs::write(bed.file(""), kept.concat()).unwrap();
            // So far the head is as it was found, with the number of the run.
            fs::remove_file(bed.file(".head")).unwrap();
            if let Some(writer::Chain { n, hash }) = known.take() {
                HeadFile::open(&files).unwrap().write(Head { n, hash, run }).unwrap();
            }
            assert_ne!(bed.faults(), Vec::<String>::new(), "{spoil_head} {written_lines}");
        }
        drop(bed.open());
        assert_ne!(bed.faults(), Vec::<String>::new(), "{spoil_head} {written_lines}");
    }
}

#[test]
fn a_head_that_is_gone_is_missed_for_good() {
    for spoil in [|path: PathBuf| fs::remove_file(path).unwrap(), |path| fs::write(path, "{}").unwrap()] {
        let bed = written();
        spoil(bed.file(".head"));
        drop(bed.open());
        assert_eq!(mended(&bed), [Mended { bytes: 0, lost: None }]);
        assert_eq!(bed.verify().runs, 2);
        assert_eq!(
            bed.faults(),
            ["talk.journal:3: lines may be missing before it: the head did not fit when it was opened again"]
        );
    }
}

#[test]
fn a_last_line_that_was_changed_is_not_added_to() {
    let bed = written();
    let text = fs::read_to_string(bed.file("")).unwrap();
    fs::write(bed.file(""), text.replace("\"is-error\":false", "\"is-error\":true ")).unwrap();
    assert_eq!(
        bed.said(Journal::open(&bed.session(), "s-1", bed.bounds)),
        "journal `FOLDER/talk.journal` is damaged: its last line is not as it was written; look at it with `seam journal \
         verify`, then move it and the files beside it that begin with its name away to go on without them"
    );
    assert_eq!(bed.faults(), ["talk.journal:2: was changed: its hash is not that of what it says"]);
}

/// The last line is found from the end, however long it is.
#[test]
fn a_long_last_line_is_found() {
    let bed = written();
    let journal = bed.open();
    let text = "w".repeat(200_000);
    journal.write(&done(&text)).unwrap();
    drop(journal);
    drop(bed.open());
    assert_eq!(bed.verify(), Verified { lines: 5, segments: 1, runs: 3, ..Verified::default() });
}
