//! What plugins and tools can reach by their settings, told when that changes.

use std::fs;

use serde_json::{Value, json};

use super::super::Project;
use super::super::dialog::{Dialog, of_type, process};
use super::told;

/// Settings that the user names: they need no other agreement.
fn named(project: &Project, text: &str) -> assert_cmd::Command {
    fs::write(project.path().join("named.toml"), text).unwrap();
    let mut run = project.run();
    run.arg("--config").arg(project.path().join("named.toml"));
    run
}

/// What is set before, and after.
fn changes(project: &Project) -> [String; 2] {
    let folder = project.path().canonicalize().unwrap();
    ["data", "out", "shared"].iter().for_each(|name| fs::create_dir(folder.join(name)).unwrap());
    let before = "\
[workspace]
outside = [\"data\"]
[plugins.stress.grants]
exec = [\"git\"]
ui = true
";
    let after = "\
[workspace]
outside = [\"shared\"]
[plugins.stress]
on-failure = { tool-call = \"skip\" }
[plugins.stress.grants]
exec = [\"git\", \"rm\"]
http = [\"evil.example\"]
fs = [{ path = \"out\", mode = \"rw\" }]
";
    [before.to_owned(), after.to_owned()]
}

fn stress(project: Project) -> Project {
    fs::copy(seam_tests::files::stress(), project.plugins().join("stress.wasm")).unwrap();
    project
}

#[test]
fn a_program_is_told_what_settings_give_and_take() {
    let project = stress(Project::new(&json!([])));
    let [before, after] = changes(&project);
    let mut dialog = Dialog::with(&named(&project, &before), &[]);
    dialog.say("!true");
    named(&project, &after);
    let events = dialog.say("!true");
    let folder = |name: &str| project.path().canonicalize().unwrap().join(name).display().to_string();
    let out = format!("fs rw out ({})", folder("out"));
    let expected =
        json!({ "changed": ["stress"], "outsideGained": [folder("shared")], "outsideLost": [folder("data")] });
    assert_eq!(told(&events), [expected]);
    let details = |events: &[Value]| of_type(events, "plugins_reload")[0]["details"].clone();
    let expected = json!([{
        "plugin": "stress", "what": "has other settings", "gained": [], "lost": [],
        "granted": ["exec rm", "http evil.example", out], "grantedNoMore": ["ui"],
        "set": [{ "key": "on-failure at `tool-call`", "before": "refuse", "now": "skip" }],
        "refusesNoMore": false,
    }]);
    assert_eq!(details(&events), expected);
    named(&project, "[plugins.stress]\nmode = \"shadow\"\n");
    let details = details(&dialog.say("!true"));
    assert_eq!(details[0]["set"][0], json!({ "key": "mode", "before": "active", "now": "shadow" }));
    assert_eq!(details[0]["refusesNoMore"], true);
}

#[test]
fn a_person_reads_what_settings_give_and_take() {
    let project = stress(Project::new(&json!([])));
    let [before, after] = changes(&project);
    let run = named(&project, &before);
    fs::write(project.path().join("after.toml"), after).unwrap();
    let mut run = assert_cmd::Command::from_std(process(&run));
    let output = run.write_stdin("!cp after.toml named.toml\n!true\n").assert().success().get_output().clone();
    let output = String::from_utf8(output.stdout).unwrap();
    let output = output.replace(&*project.path().canonicalize().unwrap().to_string_lossy(), "PROJECT");
    let told: Vec<&str> = output.lines().filter(|line| line.contains("outside") || line.contains("settings")).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    plugin `stress` has other settings; granted: exec rm, http evil.example, fs rw out (PROJECT/out); granted no more: ui; on-failure at `tool-call`: skip (refuse before)
    tools may use this folder outside the workspace now: PROJECT/shared
    tools may use this folder outside the workspace no more: PROJECT/data
    ");
}
