//! The loop against the recordings of the reference loop, and our own rules where we decide otherwise.

mod deviations;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use seam_tests::conform::{differences, record};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance").join(name)
}

/// The names of the files of a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The first difference between the loop and the reference in one scenario.
fn difference(name: &str) -> Option<String> {
    let scenario = read(&folder("scenarios").join(name));
    // The validator words its errors itself.
    let error_texts = !name.starts_with("args-");
    match record(&scenario) {
        Ok(actual) => {
            let expected = read(&folder("expected").join(name));
            differences(&scenario, &expected, &actual, error_texts).into_iter().next()
        }
        Err(problem) => Some(problem),
    }
}

#[test]
fn every_scenario_gives_the_recording_of_the_reference() {
    let names = names(&folder("scenarios"));
    let found: Vec<String> =
        names.iter().filter_map(|name| difference(name).map(|first| format!("{name}: {first}"))).collect();
    assert!(found.is_empty(), "{} of {} differ\n{}", found.len(), names.len(), found.join("\n"));
}

#[test]
fn every_scenario_has_its_recording() {
    assert_eq!(names(&folder("scenarios")), names(&folder("expected")));
}
