//! The list of deeds: long enough, and each has its test.

use std::collections::BTreeSet;
use std::fs;

use seam_tests::hostile::deeds;

use crate::bugs::table::{file_of, holds};

#[test]
fn every_deed_has_a_test() {
    let deeds = deeds();
    let names: BTreeSet<&str> = deeds.iter().map(|deed| deed.name).collect();
    assert_eq!(names.len(), deeds.len(), "a name is there twice");
    assert!(deeds.len() >= 24, "{}", deeds.len());
    for deed in &deeds {
        let (file, test) = file_of(deed.held_by);
        let source = fs::read_to_string(&file).unwrap_or_default();
        assert!(holds(&source, test), "{}: there is no test `{}`", deed.name, deed.held_by);
    }
}

/// A text that nobody makes a component of would say nothing.
#[test]
fn every_text_is_a_guest() {
    for entry in fs::read_dir(seam_tests::files::root().join("tests/guests/hostile/wat")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "wat") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let sources = ["deeds.rs", "wat.rs"].map(|file| {
                fs::read_to_string(seam_tests::files::root().join("tests/src/hostile").join(file)).unwrap()
            });
            assert!(sources.iter().any(|source| source.contains(&format!("\"{name}\""))), "{name} is nobody's");
        }
    }
}
