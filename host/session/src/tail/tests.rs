use std::cell::{Cell, RefCell};
use std::io;

use super::{Disk, Durability, Tail, TailError};

/// A disk that takes so many bytes, and fails where it is told to.
#[derive(Default)]
struct Fake {
    held: RefCell<Vec<u8>>,
    room: Cell<usize>,
    cannot_cut: bool,
    cuts_wrong: bool,
    cannot_sync: Cell<bool>,
    syncs: Cell<usize>,
}

fn fail<T>(reason: &str) -> io::Result<T> {
    Err(io::Error::other(reason.to_owned()))
}

impl Disk for Fake {
    fn length(&self) -> io::Result<u64> {
        Ok(self.held.borrow().len() as u64)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let taken = bytes.len().min(self.room.get());
        self.held.borrow_mut().extend(&bytes[..taken]);
        self.room.set(self.room.get() - taken);
        if taken < bytes.len() { fail("full") } else { Ok(()) }
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        if self.cannot_cut {
            return fail("stuck");
        }
        self.held.borrow_mut().truncate(length as usize + usize::from(self.cuts_wrong));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.set(self.syncs.get() + 1);
        if self.cannot_sync.get() { fail("lost") } else { Ok(()) }
    }
}

fn roomy() -> Fake {
    Fake { room: Cell::new(100), ..Fake::default() }
}

/// What an append said, in short.
fn outcome(result: Result<(), TailError>) -> String {
    match result {
        Ok(()) => "stored".to_owned(),
        Err(TailError::Failed(error)) => format!("failed: {error}"),
        Err(TailError::Changed(expected, found)) => format!("changed: {found} for {expected}"),
        Err(TailError::Broken(reason)) => format!("broken: {reason}"),
    }
}

#[test]
fn a_full_disk_keeps_no_half_line_and_the_tail_goes_on_when_there_is_room() {
    let disk = Fake { room: Cell::new(7), ..Fake::default() };
    let mut tail = Tail::new(0, Durability::EachEntry);
    assert_eq!(outcome(tail.append(&disk, b"one\n")), "stored");
    assert_eq!(outcome(tail.append(&disk, b"three\n")), "failed: full");
    assert_eq!((disk.held.borrow().as_slice(), tail.end()), (&b"one\n"[..], 4));
    disk.room.set(100);
    assert_eq!(outcome(tail.append(&disk, b"three\n")), "stored");
    assert_eq!(disk.held.borrow().as_slice(), b"one\nthree\n");
}

#[test]
fn half_a_line_that_stays_ends_the_writing() {
    for (disk, reason) in [
        (Fake { cannot_cut: true, ..roomy() }, "broken: a write failed (full), and what it left stayed: stuck"),
        (Fake { cuts_wrong: true, ..roomy() }, "broken: a write failed (full) and left 1 bytes"),
    ] {
        disk.room.set(2);
        let mut tail = Tail::new(0, Durability::Never);
        assert_eq!(outcome(tail.append(&disk, b"one\n")), reason);
        disk.room.set(100);
        assert_eq!(outcome(tail.append(&disk, b"one\n")), reason);
        assert_eq!(outcome(tail.save_point(&disk)), reason);
        assert_eq!(tail.end(), 0);
    }
}

#[test]
fn a_disk_that_does_not_confirm_ends_the_writing() {
    let disk = roomy();
    disk.cannot_sync.set(true);
    let mut tail = Tail::new(0, Durability::EachEntry);
    let reason = "broken: the disk did not confirm that it has the last entries: lost";
    assert_eq!(outcome(tail.append(&disk, b"one\n")), reason);
    disk.cannot_sync.set(false);
    assert_eq!(outcome(tail.append(&disk, b"two\n")), reason);
    assert_eq!((tail.end(), disk.syncs.get()), (0, 1));
}

#[test]
fn the_disk_is_asked_as_often_as_the_durability_says() {
    for (durability, appended, saved) in
        [(Durability::EachEntry, 2, 2), (Durability::SavePoints, 0, 1), (Durability::Never, 0, 0)]
    {
        let disk = roomy();
        let mut tail = Tail::new(0, durability);
        tail.append(&disk, b"one\n").unwrap();
        tail.append(&disk, b"two\n").unwrap();
        assert_eq!(disk.syncs.get(), appended, "{durability:?}");
        tail.save_point(&disk).unwrap();
        tail.save_point(&disk).unwrap();
        assert_eq!(disk.syncs.get(), saved, "{durability:?}");
    }
}

#[test]
fn what_another_program_wrote_is_noticed() {
    let disk = roomy();
    let mut tail = Tail::new(0, Durability::Never);
    tail.append(&disk, b"one\n").unwrap();
    disk.append(b"other\n").unwrap();
    assert_eq!(outcome(tail.append(&disk, b"two\n")), "changed: 10 for 4");
    disk.cut(4).unwrap();
    assert_eq!(outcome(tail.append(&disk, b"two\n")), "stored");
}
