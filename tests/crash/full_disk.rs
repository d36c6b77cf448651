//! A disk that is full at any moment of a run, and has room again later.

use super::after::{ended, goes_on};
use super::bed::Bed;
use super::disk::Disk;
use super::ran::{End, Ran};
use super::script::Script;

/// More pages than a session and its journal take.
const MOST: u64 = 500;

#[test]
fn on_a_full_disk_the_run_ends_and_goes_on_when_there_is_room() {
    if let Err(reason) = Disk::way() {
        eprintln!("not run: no disk can be mounted here: {reason}");
        return;
    }
    for pages in 1..MOST {
        let (bed, script) = (Bed::new("entry").with_disk(pages), Script::new("first", 4));
        let ran = Ran::new(&bed, &script, None, &End::Itself);
        if ran.code == Some(0) {
            assert_eq!(ran.acknowledged, script.said());
            assert!(pages > 1, "one page was enough");
            return;
        }
        println!("{pages} pages: {:?} {}", ran.code, ran.told);
        ended(&bed, &script, &ran);
        bed.disk().grow();
        goes_on(&bed, &[script], &ran.acknowledged, false);
    }
    panic!("{MOST} pages are not enough");
}
