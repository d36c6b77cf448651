//! What is refused, and that it changes nothing.

use std::{fs, io};

use serde_json::json;

use crate::tail::{Disk, Tail};
use crate::testing::{Bed, file, heard, said, say, user};
use crate::{Compaction, Durability, NewEntry, NewSession, SessionLog};

#[test]
fn a_file_that_exists_is_not_overwritten() {
    let bed = Bed::with("precious");
    let said = bed.said(SessionLog::create(bed.path(), NewSession::new("/"), Durability::Never));
    assert_eq!(said, "cannot create session `FILE`: the file exists; open it, or choose another name");
    assert_eq!(bed.text(), "precious");
    let nowhere = SessionLog::create(bed.other("no/talk.jsonl"), NewSession::new("/"), Durability::Never);
    let expected = "cannot create session `FOLDER/no/talk.jsonl`: No such file or directory (os error 2); choose another \
                    folder, or make this one writable";
    assert_eq!(bed.said(nowhere), expected);
}

/// Bug log 84.
#[test]
fn a_second_writer_is_refused_while_readers_are_not() {
    let bed = Bed::new();
    let mut log = bed.create();
    say(&mut log, "one");
    let expected = "session `FILE` is locked: another process has it open for writing; close that one, read the session \
                    without writing, or fork it to a new file (the lock is on the file itself and ends with its process)";
    assert_eq!(bed.said(SessionLog::open(bed.path(), Durability::Never)), expected);
    assert_eq!(heard(&bed.read()), ["one"]);
    drop(log);
    say(&mut bed.open(), "two");
    assert_eq!(heard(&bed.read()), ["one", "two"]);
}

/// Bug log 85: a process that is killed while it starts another one leaves its lock to that one for a moment.
#[test]
fn a_lock_that_is_about_to_go_is_waited_for() {
    let bed = Bed::new();
    let log = bed.create();
    let first = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(log);
    });
    say(&mut bed.open(), "one");
    first.join().unwrap();
    assert_eq!(heard(&bed.read()), ["one"]);
}

#[test]
fn a_damaged_session_takes_no_entries() {
    let bad = file(&[said("a", None, "one"), "{".to_owned(), said("c", Some("b"), "two")]);
    let bed = Bed::with(&bad);
    let expected = "session `FILE` is damaged and takes no more entries: line 3 is not JSON that can be read: EOF while \
                    parsing an object at byte 1 (and 1 more); read it without writing, or fork it: a fork keeps \
                    all that can be read";
    assert_eq!(bed.said(SessionLog::open(bed.path(), Durability::Never)), expected);
    assert_eq!(bed.text(), bad);
    assert_eq!(heard(&bed.read()), ["two"]);
}

#[test]
fn what_would_be_no_entry_is_refused_before_it_is_written() {
    let bed = Bed::new();
    let mut log = bed.create();
    let one = say(&mut log, "one");
    say(&mut log, "two");
    log.move_to(Some(&one), None).unwrap();
    let (before, leaf) = (bed.text(), log.session().leaf().cloned());
    let other = log.session().entries()[1].id().to_owned();
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let not = |reason: &str| format!("the entry was not stored in session `FILE`: its line {reason}; correct it");
    let no_object = log.append(NewEntry::Message("hello".into()));
    assert_eq!(bed.said(no_object), not("has no `message` that is an object"));
    let too_deep = bed.said(log.append(NewEntry::Custom { custom_type: "c".to_owned(), data: Some(deep) }));
    assert!(too_deep.contains("recursion limit exceeded"), "{too_deep}");
    let unknown = "session `FILE` has no entry `zz`; choose one of its entries";
    assert_eq!(bed.said(log.label("zz", Some("l"))), unknown);
    assert_eq!(bed.said(log.move_to(Some("zz"), None)), unknown);
    let compaction = Compaction { first_kept: Some(other.clone()), ..Compaction::default() };
    let beside = format!(
        "entry `{other}` of session `FILE` is not on the branch to the leaf, so a compaction cannot keep from there; \
         choose an entry of the branch"
    );
    assert_eq!(bed.said(log.append(NewEntry::Compaction(compaction))), beside);
    assert_eq!((bed.text(), log.session().leaf().cloned()), (before, leaf));
    say(&mut log, "still fine");
}

#[test]
fn an_entry_over_the_limit_is_refused() {
    let bed = Bed::new();
    let mut log = bed.create();
    let text = "x".repeat(crate::MAX_LINE as usize);
    let said = bed.said(log.append(NewEntry::Message(user(&text))));
    assert!(said.contains(" bytes, and a line of session `FILE` has at most 134217728; shorten it"), "{said}");
    assert_eq!(bed.text().lines().count(), 1);
}

#[test]
fn what_another_program_wrote_stops_the_writing() {
    let bed = Bed::new();
    let mut log = bed.create();
    say(&mut log, "one");
    let before = bed.text();
    fs::write(bed.path(), format!("{before}{}\n", said("b", None, "other"))).unwrap();
    let found = fs::metadata(bed.path()).unwrap().len();
    let expected = format!(
        "the entry was not stored: another program changed session `FILE`, which should have {} bytes and has {found}; \
         end that program and open the session again",
        before.len()
    );
    assert_eq!(bed.said(log.append(NewEntry::Message(user("two")))), expected);
    fs::remove_file(bed.path()).unwrap();
    let expected = "the entry was not stored: writing line 3 of session `FILE` failed: the file was removed; the session \
                    is as it was before, so mend the cause and try again";
    assert_eq!(bed.said(log.append(NewEntry::Message(user("two")))), expected);
    assert_eq!(heard(log.session()).len(), 1);
}

/// A disk that takes half of everything, and gives nothing back.
struct Stuck;

impl Disk for Stuck {
    fn length(&self) -> io::Result<u64> {
        Ok(0)
    }

    fn append(&self, _: &[u8]) -> io::Result<()> {
        Err(io::Error::other("full"))
    }

    fn cut(&self, _: u64) -> io::Result<()> {
        Err(io::Error::other("stuck"))
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_that_may_end_in_half_a_line_takes_no_more_entries() {
    let bed = Bed::new();
    let mut log = bed.create();
    let one = say(&mut log, "one");
    log.tail = Tail::new(0, Durability::EachEntry);
    log.tail.append(&Stuck, b"x").unwrap_err();
    let expected = "session `FILE` takes no more entries: a write failed (full), and what it left stayed: stuck; mend the \
                    cause, then open the session again to see what was stored";
    assert_eq!(bed.said(log.append(NewEntry::Message(user("two")))), expected);
    assert_eq!(bed.said(log.label(&one, None)), expected);
    assert_eq!(bed.said(log.save_point()), expected);
    assert_eq!(heard(log.session()), ["one"]);
    assert_eq!(heard(&bed.read()), ["one"]);
}
