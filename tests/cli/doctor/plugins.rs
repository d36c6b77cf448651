//! The plugins that a run would begin with.

use std::fs;

use super::super::config::{gate, granted, needy};
use super::Bare;

#[test]
fn plugins_that_load_are_named_in_their_order() {
    let place = Bare::new().plugin("a", &gate()).plugin("b", &gate()).project("plugin-order = [\"b\"]\n");
    let found = place.found(&[]);
    found.says("plugins", "ok", "2 in PROJECT/.seam/plugins load: b, a", "");
    assert_eq!(found.code, 0);
}

#[test]
fn a_plugin_that_does_not_load_is_a_fault() {
    let place = Bare::new().plugin("gate", &gate());
    fs::write(place.place.plugin_file("broken"), "").unwrap();
    let found = place.found(&[]);
    found.is_fault(
        "plugins",
        "broken.wasm: the file is empty; copy it again",
        "To run without a plugin, take its file out",
    );
}

#[test]
fn a_plugin_without_its_grants_is_left_out_and_that_is_a_note() {
    let place = Bare::new().plugin("gate", &gate()).plugin("helper", &needy());
    let found = place.found(&[]);
    found.says("plugins", "ok", "1 in PROJECT/.seam/plugins loads: gate", "");
    found.is_note("plugins", "`helper` is left out", "[plugins.helper.grants]");
    let text = place.seam(&["doctor"]).out;
    assert!(text.lines().any(|line| line.trim() == "[plugins.helper.grants]"), "{text}");
}

#[test]
fn what_is_granted_and_not_agreed_to_is_told_of_the_plugin_too() {
    let place = Bare::new().plugin("helper", &needy()).project(&granted("helper"));
    let found = place.found(&[]);
    found.is_fault("agreement", "asks for what you have not agreed to", "`seam trust`");
    found.says("plugins", "note", "`helper` is left out", "You have not agreed to what it is granted");
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    assert_eq!(place.found(&[]).code, 0);
}

#[test]
fn a_folder_that_is_none_is_a_fault() {
    let found = Bare::new().found(&["--plugins", "nowhere"]);
    found.is_fault("plugins", "--plugins nowhere cannot be used", "name another one with `--plugins`");
}

#[test]
fn settings_of_a_plugin_that_is_not_there_are_a_fault() {
    let found = Bare::new().plugin("gate", &gate()).project("[plugins.gaet]\nmode = \"shadow\"\n").found(&[]);
    found.is_fault("plugins", "settings for plugin `gaet`, which is not loaded", "Correct the name");
}

#[test]
fn a_grant_that_nobody_may_have_is_a_fault() {
    let place = Bare::new().plugin("helper", &needy());
    let settings = format!("{}fs = [{{ path = \".\", mode = \"rw\" }}]\n", granted("helper"));
    let found = place.project(&settings).found(&["--config", "seam.toml"]);
    found.is_fault("plugins", "plugin `helper` is granted to write in ", "Grant it another folder");
}

#[test]
fn plugins_are_compared_with_the_lock() {
    let place = Bare::new().plugin("gate", &gate());
    assert_eq!(place.found(&[]).of("lock"), Vec::new());
    assert_eq!(place.seam(&["lock"]).code, 0);
    place.found(&[]).says("lock", "ok", "the plugins are as PROJECT/seam.lock has them", "");
    let place = place.plugin("other", &gate());
    place.found(&[]).is_note("lock", "`other` is new", "`seam lock` shows what changed, and approves it");
    let place = place.project("locked = true\n");
    let found = place.found(&[]);
    found.is_fault("plugins", "are not as in PROJECT/seam.lock", "`seam lock` shows what changed, and approves it");
    fs::write(place.place.path().join("seam.lock"), "?").unwrap();
    place.found(&[]).is_fault("lock", "PROJECT/seam.lock", "Make it anew: `seam lock`");
    fs::remove_file(place.place.path().join("seam.lock")).unwrap();
    place.found(&[]).is_fault("plugins", "there is no PROJECT/seam.lock", "`seam lock` writes it");
}
