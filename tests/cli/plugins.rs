//! `seam plugins`.

use std::fs;

use seam_tests::files;
use serde_json::{Value, json};

use super::call;
use super::config::{Place, gate, granted, needy};

/// How wide the columns before the times are.
const COUNTS: usize = 43;

/// Digests and times are not the same tomorrow.
fn steady(text: &str) -> String {
    let steady = |line: &str| {
        let (counts, times): (String, String) =
            (line.chars().take(COUNTS).collect(), line.chars().skip(COUNTS).collect());
        match line.split_once("sha256 ") {
            Some((head, rest)) => format!("{head}sha256 DIGEST{}", &rest[12..]),
            None if times.contains(" µs") || times.contains(" ms") => format!("{counts}    TIME    TIME"),
            None => line.to_owned(),
        }
    };
    text.lines().map(steady).collect::<Vec<_>>().join("\n")
}

fn listed(place: &Place) -> Value {
    let said = place.seam(&["plugins", "--json"]);
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}{}", said.out, said.err))
}

/// What is listed of each seam of a plugin: its calls and its failures.
fn counts(listed: &Value, plugin: &str) -> Vec<(String, u64, u64)> {
    let plugins = listed["plugins"].as_array().unwrap();
    let plugin = plugins.iter().find(|known| known["name"] == plugin).unwrap();
    let seams = plugin["seams"].as_array().unwrap().iter();
    seams
        .map(|seam| {
            (
                seam["seam"].as_str().unwrap().to_owned(),
                seam["calls"].as_u64().unwrap(),
                seam["failures"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn one_call() -> Value {
    json!([{ "content": [call("c1", "ls", json!({}))] }, { "content": [{ "text": "ok" }] }])
}

#[test]
fn every_seam_of_every_plugin_is_listed_with_how_often_it_was_asked() {
    let place = Place::new().plugin("stress", &files::stress()).plugin("gate", &gate());
    place.script(&one_call());
    assert_eq!(place.run(&[]).code, 0);
    let found = listed(&place);
    let expected = ["rewrite-tool-call", "tool-call", "tool-result"].map(|seam| (seam.to_owned(), 1, 0));
    assert_eq!(counts(&found, "stress"), expected);
    assert_eq!(counts(&found, "gate"), [("tool-call".to_owned(), 1, 0)]);
    assert_eq!(
        (&found["sessions"], &found["plugins"][0]["calls"], &found["plugins"][1]["calls"]),
        (&json!(1), &json!(1), &json!(3))
    );
}

#[test]
fn failures_are_counted_and_so_are_answers_of_no_use() {
    let deeds = "config = { gate = \"panic\", rewrite = { say = \"no json\" } }\non-failure = \"skip\"\n";
    let place = Place::new().plugin("stress", &files::stress()).project(&format!("[plugins.stress]\n{deeds}"));
    place.script(&one_call());
    assert_eq!((place.run(&[]).code, place.run(&[]).code), (0, 0));
    let found = listed(&place);
    let of = |seam: &str, calls, failures| (seam.to_owned(), calls, failures);
    assert_eq!(
        counts(&found, "stress"),
        [of("rewrite-tool-call", 2, 2), of("tool-call", 2, 2), of("tool-result", 2, 0)]
    );
    assert_eq!((&found["plugins"][0]["failures"], &found["sessions"]), (&json!(4), &json!(2)));
    let (half, most) = (&found["plugins"][0]["p50Us"], &found["plugins"][0]["p99Us"]);
    assert!(half.as_u64().unwrap() <= most.as_u64().unwrap(), "{half} {most}");
}

#[test]
fn what_a_plugin_keeps_in_the_newest_session_is_listed() {
    let settings = "[plugins.keeper]\nconfig = {}\ngrants = { messages = true, session = true, models = true }\n";
    let place = Place::new().plugin("keeper", &files::guest("reach-a")).project(settings);
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    let steps = json!([["set", "key", "text"]]).to_string();
    let turns = json!([{ "content": [call("c1", "do", json!({ "text": steps }))] }, { "content": [{ "text": "ok" }] }]);
    place.script(&turns);
    assert_eq!(place.run(&[]).code, 0);
    assert_eq!(listed(&place)["plugins"][0]["stateBytes"], 7);
    let said = place.seam(&["plugins"]);
    assert!(said.out.contains("\n  state       7 bytes\n"), "{}", said.out);
}

#[test]
fn what_a_program_reads_is_described_in_the_help() {
    let place = Place::new().plugin("gate", &gate()).plugin("stranger", &needy());
    let help = place.seam(&["plugins", "--help"]).out;
    let (_, help) = help.split_once("--json prints an object:").unwrap();
    let found = listed(&place);
    let (plugin, left_out) = (&found["plugins"][0], &found["notLoaded"][0]);
    for part in [&found, plugin, left_out, &plugin["seams"][0]] {
        for key in part.as_object().unwrap().keys() {
            assert!(help.split([' ', ',', ':', '\n']).any(|word| word == key), "{key}");
        }
    }
}

/// What an older file of the name did says nothing of this one.
#[test]
fn what_another_file_of_the_same_name_did_is_not_counted() {
    let place = Place::new().plugin("gate", &gate());
    place.script(&one_call());
    assert_eq!(place.run(&[]).code, 0);
    let place = place.plugin("gate", &files::example("protected-paths"));
    assert_eq!(counts(&listed(&place), "gate"), [("tool-call".to_owned(), 0, 0)]);
    assert_eq!(listed(&place)["plugins"][0]["p50Us"], Value::Null);
}

#[test]
fn the_list_as_a_person_reads_it() {
    let place = Place::new().plugin("gate", &gate()).plugin("guard", &files::example("protected-paths"));
    let place = place.plugin("helper", &needy()).plugin("stranger", &needy());
    let place = place
        .project(&format!("plugin-order = [\"helper\"]\n[plugins.guard]\nmode = \"shadow\"\n{}", granted("helper")));
    fs::write(place.plugin_file("broken"), "").unwrap();
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    let said = place.seam(&["plugins"]);
    assert_eq!(said.code, 3, "something is not loaded");
    insta::assert_snapshot!(steady(&said.out), @r#"
    3 plugins in PROJECT/.seam/plugins, in the order in which they are asked
    no session has a journal yet

                                  calls  failed     p50      p99
    helper                            0       0       -        -
      not asked   get-api-key, tool-call, tool-result, turn-end, tools, commands
      granted     complete = 1000, exec = ["git"], tools = ["read"], ui = true
      state       nothing
      file        sha256 DIGEST
    gate                              0       0       -        -
      not asked   tool-call
      granted     nothing
      state       nothing
      file        sha256 DIGEST
    guard                             0       0       -        -
      not asked   tool-call
      granted     nothing
      state       nothing
      file        sha256 DIGEST, in the shadow: it is asked, and changes nothing

    not loaded
      broken.wasm
                  the file is empty; copy it again
      stranger.wasm
                  it imports `seam:harness/call-tool@0.1.0`, `seam:harness/complete@0.1.0`,
                  `seam:harness/exec@0.1.0`, `seam:harness/ui@0.1.0`, which are not granted to it; to
                  grant that, add to `seam.toml`:
                  [plugins.stranger.grants]
                  ui = true
                  tools = ["read"]  # the tools it may call
                  exec = ["git"]  # the programs it may run
                  complete = 10000  # tokens in a session
                  # in a project's own file: then run `seam trust`
    "#);
    fs::remove_file(place.plugin_file("broken")).unwrap();
    fs::remove_file(place.plugin_file("stranger")).unwrap();
    place.script(&one_call());
    assert_eq!(place.run(&[]).code, 0);
    let said = place.seam(&["plugins"]);
    assert_eq!(said.code, 0);
    insta::assert_snapshot!(steady(&said.out), @r#"
    3 plugins in PROJECT/.seam/plugins, in the order in which they are asked
    figures are from 1 session

                                  calls  failed     p50      p99
    helper                            9       0    TIME    TIME
      get-api-key                     3       0    TIME    TIME
      tool-call                       1       0    TIME    TIME
      tool-result                     1       0    TIME    TIME
      turn-end                        2       0    TIME    TIME
      tools                           1       0    TIME    TIME
      commands                        1       0    TIME    TIME
      granted     complete = 1000, exec = ["git"], tools = ["read"], ui = true
      state       nothing
      file        sha256 DIGEST
    gate                              1       0    TIME    TIME
      tool-call                       1       0    TIME    TIME
      granted     nothing
      state       nothing
      file        sha256 DIGEST
    guard                             1       0    TIME    TIME
      tool-call                       1       0    TIME    TIME
      granted     nothing
      state       nothing
      file        sha256 DIGEST, in the shadow: it is asked, and changes nothing
    "#);
    assert!(said.out.lines().all(|line| line.chars().count() <= 100), "{}", said.out);
}

#[test]
fn what_a_project_asks_for_and_the_user_did_not_agree_to_is_listed_as_not_loaded() {
    let place = Place::new().plugin("gate", &gate()).plugin("helper", &needy()).project(&granted("helper"));
    let said = place.seam(&["plugins", "--json"]);
    assert_eq!(said.code, 3);
    let found: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["plugins"][0]["name"], "gate");
    assert_eq!(found["notLoaded"][0]["name"], "helper");
    let problem = found["notLoaded"][0]["problem"].as_str().unwrap();
    assert!(problem.starts_with("you have not agreed to what it is granted; `seam trust`"), "{problem}");
}

#[test]
fn a_workspace_without_plugins_and_sessions_has_an_empty_list() {
    let place = Place::new();
    let said = place.seam(&["plugins"]);
    let told =
        "0 plugins in PROJECT/.seam/plugins, in the order in which they are asked\nno session has a journal yet\n";
    assert_eq!((said.code, &*said.out, &*said.err), (0, told, ""));
    fs::remove_dir_all(place.path().join(".seam")).unwrap();
    assert_eq!(place.seam(&["plugins"]).out, "no plugins: there is no folder `.seam/plugins` here\n");
    assert_eq!(listed(&place), json!({ "folder": null, "sessions": 0, "plugins": [], "notLoaded": [] }));
}
