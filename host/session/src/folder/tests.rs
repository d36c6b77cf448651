use std::path::Path;

use super::{create, file_name, fork, list, of};
use crate::testing::{Bed, HEADER};
use crate::{Durability, ForkPoint, NewSession, SessionLog};

#[test]
fn folders_and_files_have_the_names_of_the_reference() {
    assert_eq!(of(Path::new("/s"), "/home/me/a:b"), Path::new("/s/--home-me-a-b--"));
    assert_eq!(of(Path::new("/s"), "C:\\work"), Path::new("/s/--C--work--"));
    let mut header = NewSession { id: Some("x".to_owned()), ..NewSession::new("/") }.header().unwrap();
    header.timestamp = "2026-11-30T14:37:43.120Z".to_owned();
    assert_eq!(file_name(&header), "2026-11-30T14-37-43-120Z_x.jsonl");
}

/// Bug log 98: one bad file does not hide the others.
#[test]
fn the_list_has_the_newest_first_and_only_sessions() {
    let bed = Bed::new();
    for (name, time) in [("a", "2026-01-01"), ("b", "2026-03-01"), ("c", "2026-02-01")] {
        let header = HEADER.replace("2026-11-30", time).trim_end().to_owned();
        std::fs::write(bed.other(&format!("{name}.jsonl")), format!("{header}\n\u{0}bad")).unwrap();
    }
    std::fs::write(bed.other("other.jsonl"), "{}\n").unwrap();
    std::fs::write(bed.other("a.jsonl.torn-x"), "{\"type\"").unwrap();
    std::fs::create_dir(bed.other("folder.jsonl")).unwrap();
    let names = list(bed.folder.path())
        .unwrap()
        .into_iter()
        .map(|listed| listed.path.file_name().unwrap().to_str().unwrap().to_owned());
    assert_eq!(names.collect::<Vec<_>>(), ["b.jsonl", "c.jsonl", "a.jsonl"]);
    assert_eq!(list(&bed.other("none")).unwrap(), []);
}

#[test]
fn a_session_that_is_being_written_is_listed() {
    let bed = Bed::new();
    let log = SessionLog::create(bed.path(), NewSession::new("/"), Durability::Never).unwrap();
    assert_eq!(list(bed.folder.path()).unwrap()[0].header, *log.session().header());
}

#[test]
fn a_session_and_its_fork_are_made_under_their_own_names() {
    let root = tempfile::tempdir().unwrap();
    let mut log = create(root.path(), NewSession::new("/work"), Durability::Never).unwrap();
    crate::testing::say(&mut log, "one");
    let fork =
        fork(log.session(), &ForkPoint::Whole, root.path(), NewSession::new("/work"), Durability::Never).unwrap();
    for log in [&log, &fork] {
        let session = log.session();
        assert_eq!(session.path(), root.path().join(file_name(session.header())));
        assert_eq!(session.entries().len(), 1);
    }
}
