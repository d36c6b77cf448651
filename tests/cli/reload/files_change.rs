//! Ways in which a file comes to be another: each is one load, of the full file.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use seam_plugins::Digest;
use seam_tests::files;
use serde_json::{Value, json};

use super::super::dialog::{Dialog, of_type};
use super::super::{Project, call, ends};
use super::{is_refused, told};

/// A plugin of some 30 MB, which holds so much beside what it does. `mark` makes it another file.
fn large(mark: u8) -> Vec<u8> {
    let mut bytes = fs::read(files::stress()).unwrap();
    let size = 30 << 20;
    let mut section = vec![4];
    section.extend_from_slice(b"fill");
    section.resize(size, mark);
    bytes.push(0);
    let mut length = size;
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(section);
    bytes
}

/// A run whose plugin refuses every call.
fn project() -> Project {
    let turns = (0..9).flat_map(|n| {
        let bash = call(&format!("c{n}"), "bash", json!({ "command": "true" }));
        [json!({ "content": [bash] }), json!({ "content": [] })]
    });
    Project::new(&turns.collect()).stress("{ gate = { say = \"no\" } }")
}

/// The digests of the plugin `stress`, in the order in which the journal of the session has them.
fn digests(events: &[Value]) -> Vec<String> {
    let session = of_type(events, "session")[0]["path"].as_str().unwrap();
    let journal = fs::read_to_string(Path::new(session).with_extension("journal")).unwrap();
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let plugins = lines.filter(|line| line["kind"] == "plugin");
    plugins.map(|plugin| plugin["digest"].as_str().unwrap().to_owned()).collect()
}

/// Changes the file while a prompt comes. Exactly one load follows, of `whole`, and the gate is in force all along.
fn becomes(dialog: &mut Dialog, begun: &[Value], whole: &[u8], change: impl FnOnce() + Send) {
    let before = digests(begun).len();
    let events = thread::scope(|scope| {
        scope.spawn(change);
        thread::sleep(Duration::from_millis(50));
        dialog.say("go")
    });
    assert!(is_refused(&events));
    assert_eq!(told(&events), [json!({ "changed": ["stress"] })], "{}", dialog.errors());
    assert_eq!(digests(begun)[before..], [Digest::of(whole).to_string()]);
    // Nothing more comes of it.
    let events = dialog.say("go");
    assert!(is_refused(&events) && told(&events).is_empty());
}

fn in_pieces(file: &Path, bytes: &[u8], pause: Duration) {
    let mut file = File::create(file).unwrap();
    for piece in bytes.chunks(bytes.len().div_ceil(6)) {
        file.write_all(piece).unwrap();
        thread::sleep(pause);
    }
}

#[test]
fn a_large_file_that_is_copied_over_it_in_pieces() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    let bytes = large(1);
    becomes(&mut dialog, &begun, &bytes, || in_pieces(&file, &bytes, Duration::from_millis(100)));
}

/// It stops for longer than a file is left alone, and ends where no section does.
#[test]
fn a_large_file_that_is_copied_with_a_pause() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    let bytes = large(2);
    becomes(&mut dialog, &begun, &bytes, || {
        let mut file = File::create(&file).unwrap();
        let (head, tail) = bytes.split_at(bytes.len() / 2);
        file.write_all(head).unwrap();
        thread::sleep(Duration::from_millis(900));
        file.write_all(tail).unwrap();
    });
}

#[test]
fn a_file_that_is_moved_over_it_and_one_that_is_saved_as_an_editor_does() {
    let project = project();
    let (file, beside) = (project.plugins().join("stress.wasm"), project.plugins().join(".stress.wasm.swp"));
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    let bytes = large(3);
    fs::write(&beside, &bytes).unwrap();
    becomes(&mut dialog, &begun, &bytes, || fs::rename(&beside, &file).unwrap());
    let bytes = large(4);
    becomes(&mut dialog, &begun, &bytes, || {
        // The old one is kept aside, the new one is written beside it and takes its name.
        fs::rename(&file, project.plugins().join("stress.wasm~")).unwrap();
        in_pieces(&beside, &bytes, Duration::from_millis(20));
        fs::rename(&beside, &file).unwrap();
    });
}

#[test]
fn a_file_that_is_deleted_and_made_again() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    let bytes = large(5);
    becomes(&mut dialog, &begun, &bytes, || {
        fs::remove_file(&file).unwrap();
        thread::sleep(Duration::from_millis(700));
        fs::write(&file, &bytes).unwrap();
    });
}

#[test]
fn a_link_that_leads_to_another_file() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let version = |number: u8| project.path().join(format!("v{number}"));
    fs::rename(&file, version(0)).unwrap();
    symlink(version(0), &file).unwrap();
    for number in [6, 7] {
        fs::write(version(number), large(number)).unwrap();
    }
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    becomes(&mut dialog, &begun, &large(6), || {
        fs::remove_file(&file).unwrap();
        symlink(version(6), &file).unwrap();
    });
    becomes(&mut dialog, &begun, &large(7), || {
        symlink(version(7), project.plugins().join("new")).unwrap();
        fs::rename(project.plugins().join("new"), &file).unwrap();
    });
}

#[test]
fn a_file_that_stays_cut_off_is_told_and_the_old_one_stays() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let mut dialog = Dialog::of(&project);
    dialog.say("go");
    let bytes = large(8);
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let events = dialog.say("go");
    assert!(is_refused(&events));
    let failed = told(&events)[0]["failed"][0].to_string();
    assert!(failed.contains("it is only partly there; copy it again"), "{failed}");
    assert!(is_refused(&dialog.say("go")));
}

#[test]
fn a_file_that_is_only_touched_or_copied_over_itself_changes_nothing() {
    let project = project();
    let file = project.plugins().join("stress.wasm");
    let mut dialog = Dialog::of(&project);
    let begun = dialog.say("go");
    let loads = digests(&begun).len();
    fs::write(&file, fs::read(files::stress()).unwrap()).unwrap();
    let events = dialog.say("go");
    assert!(is_refused(&events) && told(&events).is_empty());
    assert_eq!((digests(&begun).len(), ends(&events).len()), (loads, 1));
}
