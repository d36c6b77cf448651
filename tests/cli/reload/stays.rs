//! What is in force stays in force, whatever is the matter with what should take its place.

use std::fs;

use seam_tests::files;
use serde_json::Value;

use super::super::Project;
use super::super::dialog::{Dialog, of_type};
use super::{is_refused, put, told, writes};

/// The one thing that was told to have failed.
fn failed(events: &[Value]) -> String {
    let [told] = &told(events)[..] else { panic!("{events:?}") };
    assert!(of_type(events, "plugin_left_out").is_empty(), "{events:?}");
    told["failed"][0].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
}

/// Its gate is in force at each of four prompts; before the second one its file is changed.
fn stays(project: &Project, change: impl FnOnce()) -> String {
    let mut dialog = Dialog::of(project);
    assert!(is_refused(&dialog.say("one")));
    change();
    let events = dialog.say("two");
    assert!(is_refused(&events), "{events:?}");
    let failed = failed(&events);
    let events = dialog.say("three");
    assert!(is_refused(&events) && told(&events).is_empty(), "it is told once: {events:?}");
    put(project, "protected-paths");
    assert!(is_refused(&dialog.say("four")));
    let errors = dialog.end().2;
    let remedy = format!("To run without a plugin, take its file out of {}.\n", project.plugins().display());
    assert!(errors.ends_with(&remedy) && !errors.contains("left out"), "{errors}");
    failed
}

/// Nobody has named it: as a new plugin it would be left out.
#[test]
fn a_version_that_lacks_grants_takes_nobodys_place() {
    let project = Project::new(&writes(4)).plugin("protected-paths");
    let file = project.plugins().join("protected-paths.wasm");
    let failed = stays(&project, || {
        fs::copy(files::guest("reach-b"), file).unwrap();
    });
    assert!(failed.contains("exec = [\"git\"]"), "{failed}");
}

#[test]
fn a_broken_version_takes_nobodys_place_though_its_failures_are_skipped() {
    let skip = "[plugins.protected-paths]\non-failure = \"skip\"\n";
    let project = Project::new(&writes(4)).plugin("protected-paths").file("seam.toml", skip);
    let file = project.plugins().join("protected-paths.wasm");
    let failed = stays(&project, || fs::write(file, "junk").unwrap());
    assert!(failed.contains("the file is not WebAssembly"), "{failed}");
}

/// What it offers is known when it takes part in a session.
#[test]
fn settings_with_which_it_cannot_take_part_take_nobodys_place_though_its_failures_are_skipped() {
    let settings = |tools: &str| {
        let gate = "observe = \"quiet\"\ntool-call = { do = \"block\", text = \"no\" }";
        format!("[plugins.all]\non-failure = \"skip\"\n[plugins.all.config]\n{gate}\ntools = [{tools}]\n")
    };
    let project = Project::new(&writes(3)).file("seam.toml", &settings(""));
    fs::copy(files::guest("everything"), project.plugins().join("all.wasm")).unwrap();
    let mut dialog = Dialog::of(&project);
    assert!(is_refused(&dialog.say("one")));
    let project = project.file("seam.toml", &settings("{ name = \"read\", do = \"shout\" }"));
    let events = dialog.say("two");
    assert!(is_refused(&events));
    let failed = failed(&events);
    assert!(failed.contains("its tool `read` has the name of another tool"), "{failed}");
    let events = dialog.say("three");
    assert!(is_refused(&events) && told(&events).is_empty(), "it is told once: {events:?}");
    assert!(!dialog.end().2.contains("left out"));
    drop(project);
}

/// It was not there before: nothing is lost without it.
#[test]
fn one_that_was_not_in_force_is_left_out_and_a_program_is_told() {
    let project = Project::new(&writes(2)).plugin("protected-paths");
    let mut dialog = Dialog::of(&project);
    assert!(is_refused(&dialog.say("one")));
    fs::copy(files::guest("reach-b"), project.plugins().join("helper.wasm")).unwrap();
    let events = dialog.say("two");
    assert!(is_refused(&events));
    let [left_out] = of_type(&events, "plugin_left_out")[..] else { panic!("{events:?}") };
    assert_eq!(left_out["plugin"], "helper");
}
