//! What lies in the plugin folder and does not load: what stops a run, and what it goes on without.

use std::fs;

use seam_tests::files;
use serde_json::{Value, json};

use super::{Place, gate, granted, needy};

/// One that works, and one that needs what it is not granted.
fn two() -> Place {
    Place::new().plugin("gate", &gate()).plugin("helper", &needy())
}

#[test]
fn what_only_lacks_grants_is_left_out_with_the_lines_to_add_and_the_rest_works() {
    let said = two().run(&["--no-session"]);
    assert_eq!((said.code, &*said.out), (0, "plugins: gate\nok\n\n"));
    insta::assert_snapshot!(said.err, @r#"
    seam: plugin left out: PROJECT/.seam/plugins/helper.wasm: it imports `seam:harness/call-tool@0.1.0`, `seam:harness/complete@0.1.0`, `seam:harness/exec@0.1.0`, `seam:harness/ui@0.1.0`, which are not granted to it; to grant that, add to `seam.toml`:
        [plugins.helper.grants]
        ui = true
        tools = ["read"]  # the tools it may call
        exec = ["git"]  # the programs it may run
        complete = 10000  # tokens in a session
        # in a project's own file: then run `seam trust`
    seam: the rest works: gate
    "#);
    let said = Place::new().plugin("helper", &needy()).run(&["--no-session"]);
    assert!(said.code == 0 && said.err.ends_with("seam: no other plugin is there\n"), "{}", said.err);
}

#[test]
fn the_lines_that_are_told_are_all_it_takes() {
    let said = two().run(&["--no-session"]);
    let lines: Vec<&str> = said.err.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    let place = two().project(&lines.join("\n"));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    assert_eq!(place.loaded(), "gate, helper");
}

/// Whoever wrote settings for it counts on it.
#[test]
fn what_is_named_in_the_settings_and_lacks_grants_stops_the_run() {
    for settings in ["[plugins.helper]", "plugin-order = [\"helper\"]", "[plugins.helper.grants]\nui = true"] {
        let place = two().project(settings);
        place.seam(&["trust", "--yes"]);
        let said = place.run(&[]);
        assert_eq!((said.code, &*said.out), (3, ""), "{settings}");
        assert!(said.err.starts_with("seam: plugin not loaded: PROJECT/.seam/plugins/helper.wasm: it imports"));
        assert!(said.err.contains("\n    exec = [\"git\"]"), "{}", said.err);
    }
    let said = two().project("[plugins.helper]\non-failure = \"skip\"").run(&["--no-session"]);
    assert_eq!((said.code, &*said.out), (0, "plugins: gate\nok\n\n"));
    let said = two().user("[plugins.helper]\nmode = \"shadow\"").run(&[]);
    assert_eq!(said.code, 3, "by the user too");
}

#[test]
fn what_is_locked_and_lacks_grants_stops_the_run() {
    let place = two().project(&granted("helper"));
    assert_eq!((place.seam(&["trust", "--yes"]).code, place.seam(&["lock"]).code), (0, 0));
    let place = place.project("");
    let said = place.run(&[]);
    assert_eq!(said.code, 3);
    assert!(said.err.starts_with("seam: plugin not loaded: PROJECT/.seam/plugins/helper.wasm"), "{}", said.err);
}

/// Nothing that may be a gate is passed over.
#[test]
fn hidden_files_are_plugins_too() {
    let place = Place::new().plugin("gate", &gate()).plugin(".hidden", &gate()).plugin("", &gate());
    assert_eq!(place.loaded(), ".hidden, .wasm, gate");
}

/// Those who read events have no other way to know.
#[test]
fn a_program_is_told_what_was_left_out_and_what_is_not_as_it_was_locked() {
    let place = Place::new().plugin("gate", &gate());
    assert_eq!(place.seam(&["lock"]).code, 0);
    let place = place.plugin("helper", &needy()).plugin("other", &gate());
    let said = place.run(&["--json", "--no-session"]);
    let events: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [left_out, unlocked, ..] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&left_out["type"], &left_out["plugin"]), (&json!("plugin_left_out"), &json!("helper")));
    assert_eq!(left_out["file"], "PROJECT/.seam/plugins/helper.wasm");
    assert!(left_out["why"].as_str().unwrap().contains("exec = [\"git\"]"), "{left_out}");
    assert_eq!(*unlocked, json!({ "type": "plugins_not_as_locked", "differences": ["`other` is new"] }));
    let quiet = Place::new().plugin("gate", &gate()).run(&["--json", "--no-session"]);
    assert!(quiet.out.starts_with("{\"type\":\"session_start\""), "{}", quiet.out);
}

/// Broken in each way that a file can be.
#[test]
fn what_is_broken_stops_the_run_unless_the_user_can_do_without() {
    let cut = fs::read(gate()).unwrap()[..5000].to_vec();
    let no_seam = b"\0asm\x0d\0\x01\0".to_vec();
    for bytes in [Vec::new(), b"text".to_vec(), cut, no_seam] {
        let place = Place::new().plugin("gate", &gate());
        fs::write(place.plugin_file("broken"), &bytes).unwrap();
        let said = place.run(&[]);
        assert_eq!((said.code, &*said.out), (3, ""));
        let remedy = "take its file out of PROJECT/.seam/plugins, or set `on-failure = \"skip\"` for it.\n";
        assert!(said.err.ends_with(remedy), "{}", said.err);
        let some = place.project("[plugins.broken]\non-failure = { tool-call = \"skip\" }");
        assert_eq!(some.run(&[]).code, 3, "at one seam is not at all");
        let place = some.project("[plugins.broken]\non-failure = \"skip\"");
        let said = place.run(&["--no-session"]);
        assert_eq!((said.code, &*said.out), (0, "plugins: gate\nok\n\n"));
        assert!(said.err.starts_with("seam: plugin left out: PROJECT/.seam/plugins/broken.wasm: "), "{}", said.err);
    }
}

#[test]
fn what_does_not_start_says_so_and_can_be_gone_on_without() {
    let place = Place::new().plugin("gate", &gate()).plugin("stress", &files::stress());
    let place = place.project("[plugins.stress.config]\nnonsense = 1\n");
    let said = place.run(&[]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("stress.wasm: it does not start: "), "{}", said.err);
    let place = place.project("[plugins.stress]\non-failure = \"skip\"\nconfig = { nonsense = 1 }\n");
    let said = place.run(&["--no-session"]);
    assert_eq!((said.code, &*said.out), (0, "plugins: gate\nok\n\n"));
    assert!(
        said.err.contains("plugin left out: ") && said.err.ends_with("seam: the rest works: gate\n"),
        "{}",
        said.err
    );
}

/// What a plugin offers is known when it takes part in a session, not before.
#[test]
fn what_offers_a_tool_of_a_name_that_is_taken_can_be_gone_on_without() {
    let settings = |more: &str| {
        let config = "[[plugins.helper.config.tools]]\nname = \"read\"\nsteps = []\n";
        format!("[plugins.helper]\n{more}\n{config}{}", granted("helper"))
    };
    let place = two().project(&settings(""));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    let said = place.run(&[]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("helper.wasm: its tool `read` has the name of another tool"), "{}", said.err);
    let place = place.project(&settings("on-failure = \"skip\""));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    let said = place.run(&["--no-session"]);
    assert_eq!((said.code, &*said.out), (0, "plugins: gate\nok\n\n"), "{}", said.err);
    assert!(said.err.contains("plugin left out: "), "{}", said.err);
}

#[test]
fn of_two_files_with_one_name_neither_is_in_force_quietly() {
    let place = Place::new().plugin("gate", &gate()).plugin("GATE", &gate());
    let said = place.run(&[]);
    assert_eq!(said.code, 3);
    let told = "seam: plugin not loaded: PROJECT/.seam/plugins/gate.wasm: its name `gate` is also that of \
                PROJECT/.seam/plugins/GATE.wasm; rename one of them\n";
    assert!(said.err.starts_with(told), "{}", said.err);
}
