//! What holds after a run whose disk failed.

use std::slice::from_ref;

use super::bed::Bed;
use super::history::History;
use super::ran::{End, Ran};
use super::said::Said;
use super::script::Script;
use super::{journal, marks};

/// The run ended with a clear error, and did nothing that is not stored.
pub(super) fn ended(bed: &Bed, script: &Script, ran: &Ran) {
    let nothing = ran.acknowledged.is_empty();
    assert!(ran.code == Some(1) || (ran.code == Some(2) && nothing), "{:?} {}", ran.code, ran.told);
    assert!(ran.told.lines().any(|line| line.starts_with("seam: ")), "{}", ran.told);
    let cause = ["Input/output error", "No space left on device"].iter().any(|cause| ran.told.contains(cause));
    assert!(cause && ran.told.contains("/sessions/"), "{}", ran.told);
    let asked: Vec<&String> = ran.acknowledged.iter().flat_map(|said| &said.asked).map(|(id, _)| id).collect();
    for call in marks::left(&bed.project(), from_ref(script)) {
        assert!(asked.contains(&&call), "{call} ran and was not told of");
    }
}

/// The session opens, has all that was told in the runs before, and goes on.
pub(super) fn goes_on(bed: &Bed, before: &[Script], told: &[Said], power: bool) {
    let mut scripts = before.to_vec();
    let stored = bed.session().map_or_else(History::default, |file| History::read(&file, &scripts).unwrap());
    stored.has(0, told).unwrap();
    let (last, session) = (Script::new("last", 2), bed.session());
    let ran = Ran::new(bed, &last, session.as_deref(), &End::Itself);
    assert_eq!(ran.code, Some(0), "{}", ran.told);
    scripts.push(last.clone());
    let file = bed.session().unwrap();
    let history = History::read(&file, &scripts).unwrap();
    assert!(history.said.ends_with(&last.said()) && !history.torn, "{:?}", history.said);
    marks::check(&bed.project(), &scripts, &history).unwrap();
    journal::agrees(&file, &bed.project(), &scripts, power).unwrap();
}
