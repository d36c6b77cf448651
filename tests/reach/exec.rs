//! `exec`: a program is a call of `bash`, and goes the way of every call.

use seam_loop::CancellationToken;
use seam_plugins::Settings;
use seam_tests::bed::Bed;
use seam_tests::notes;
use serde_json::{Value, json};

use super::asks::{asks, call, called, lines, processes, tool, until_processes};

/// A bed with the plugin, whose tool `own` runs these.
fn runs(bed: Bed, name: &str, programs: &[&[&str]]) -> Bed {
    let steps: Vec<Value> = programs.iter().map(|words| json!({ "exec": words })).collect();
    asks(bed, name, tool("own", steps.into()))
}

/// What the runs of these came to, one after another.
async fn came_to(programs: &[&[&str]]) -> String {
    let mut talk = runs(Bed::new(), "runs", programs).talk(json!([])).await;
    call(&mut talk, "own", "given").await
}

#[tokio::test]
async fn a_program_gives_what_it_wrote_and_its_code() {
    let told = came_to(&[
        &["echo", "GIVEN", "a  b"],
        &["true"],
        &["sh", "-c", "echo out; echo err >&2; exit 7"],
        &["sh", "-c", "printf half; exit 1"],
        &["sh", "-c", "exit 2"],
        &["nowhere"],
        &["sh", "-c", "kill -9 $$"],
    ])
    .await;
    let expected = [
        "exec: 0 given a  b\n",
        "exec: 0 ",
        "exec: 7 out\nerr\n",
        // A line without its end gets one when the tool has something to say behind it.
        "exec: 1 half\n",
        "exec: 2 ",
        "exec: 127 bash: line 1: nowhere: command not found\n",
        "exec: failed (no output)\n\nThe command was ended by signal 9.",
    ];
    assert_eq!(told, expected.join("\n"));
}

#[tokio::test]
async fn every_word_is_one_word_whatever_it_holds() {
    let word = "; touch MARK; $(touch MARK) `touch MARK` && 'x' \"y\" > MARK \\ * ~ #\n| touch MARK";
    let mut talk = runs(Bed::new(), "runs", &[&["printf", "%s", word]]).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, format!("exec: 0 {word}"));
    assert_eq!(std::fs::read_dir(&talk.bed.workspace).unwrap().count(), 0);
}

#[tokio::test]
async fn only_a_program_that_is_granted_by_its_plain_name_is_run() {
    let grant = |settings: &mut Settings| {
        settings.grants.exec = ["echo", "./echo", "A=b", "-x", "", "if"].map(str::to_owned).into();
    };
    let programs: [&[&str]; 9] = [
        &["/bin/echo", "x"],
        &["git", "status"],
        &["echo x", "y"],
        &["./echo", "x"],
        &["A=b", "echo"],
        &["-x"],
        &[""],
        &["echo", "a\0b"],
        &["if", "true"],
    ];
    let mut talk = runs(Bed::new(), "runs", &programs).set("runs", grant).talk(json!([])).await;
    insta::assert_snapshot!(call(&mut talk, "own", "").await, @r"
    exec: not-run `/bin/echo` is not among the programs that this plugin may run
    exec: not-run `git` is not among the programs that this plugin may run
    exec: not-run `echo x` is not among the programs that this plugin may run
    exec: not-run `./echo` is not the plain name of a program
    exec: not-run `A=b` is not the plain name of a program
    exec: not-run `-x` is not the plain name of a program
    exec: not-run `` is not the plain name of a program
    exec: not-run a word holds a NUL byte, which no program is given
    exec: 127 bash: line 1: if: command not found
    ");
    // The last is no keyword: it is looked for as a program.
    assert_eq!(called(&talk), [r#"runs bash {"command":"'if' true"} failed"#]);
}

#[tokio::test]
async fn every_gate_judges_the_command_and_every_patch_sees_the_output() {
    let sees = json!({ "tell": ["tool-call"], "observe": "quiet" });
    let examples = ["redact-secrets", "safe-delete"];
    let bed = examples.iter().fold(Bed::new(), |bed, name| bed.example(name, json!({}))).everything("ex-sees", sees);
    let secret = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
    let bed = runs(bed.file("conf", secret), "ex-runs", &[&["cat", "conf"], &["rm", "-rf", "x y"]]);
    let bed = bed.set("ex-runs", |settings| settings.grants.exec.push("rm".to_owned()));
    let mut talk = bed.file("x y", "kept").talk(json!([])).await;
    let told = call(&mut talk, "own", "").await;
    assert!(
        told.starts_with("exec: 0 [redacted: api-key]\nexec: 0 [Changed before it ran by plugin `safe-delete`"),
        "{told}"
    );
    let kept = std::fs::read_dir(talk.bed.workspace.join(".trash")).unwrap().next().unwrap().unwrap();
    assert!(kept.path().join("x y").exists());
    let notes = notes::take("ex-sees");
    let asked: Vec<&String> = notes.iter().filter(|note| note.contains("tool: \"bash\"")).collect();
    assert!(asked.len() == 2 && asked.iter().all(|note| note.contains("Origin::Plugin(\"ex-runs\")")), "{asked:?}");
    assert!(asked[0].contains(r#"command: "cat conf""#), "{asked:?}");
}

#[tokio::test]
async fn a_gate_of_its_own_judges_what_it_runs() {
    let mut config = tool("own", json!([{ "exec": ["echo", "x"] }]));
    config["gate"] = json!({ "only": "bash", "then": "no commands" });
    let mut talk = asks(Bed::new(), "runs", config).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, "exec: not-run Blocked by plugin `runs`: no commands");
}

#[tokio::test]
async fn programs_within_calls_end_at_a_depth_of_four() {
    let gate = json!({ "gate": { "only": "bash", "steps": [{ "exec": ["echo", "x"] }] } });
    let mut talk = asks(Bed::new(), "ex-deep", gate).talk(json!([])).await;
    let abort = CancellationToken::new();
    let made = talk.harness.call(seam_loop::Origin::User, "bash", json!({ "command": "true" }), &abort).await;
    assert!(!made.output.is_error);
    let lines = lines("ex-deep");
    assert_eq!(lines[0], "exec: not-run `bash` was not called: calls of plugins are nested more than 4 deep");
    assert_eq!(lines[1..], ["exec: 0 x "; 4]);
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_given_up_with_all_it_has_started() {
    let programs: [&[&str]; 2] = [&["sh", "-c", "sleep 3021.01 & sleep 3021.01; touch late"], &["echo", "on"]];
    let bed = runs(Bed::new(), "runs", &programs).set("runs", |settings| settings.limits.nested_ms = 300);
    let mut talk = bed.talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, "exec: failed it was given up after 300 ms\nexec: 0 on\n");
    until_processes("3021.01", false).await;
    assert!(processes("3021.01").is_empty() && !talk.bed.workspace.join("late").exists());
}

#[tokio::test]
async fn a_model_that_may_run_no_commands_has_no_plugin_that_does() {
    let mut talk = runs(Bed::new(), "runs", &[&["echo", "x"]]).talk(json!([])).await;
    talk.harness.set_active_tools(vec!["own".to_owned()]).unwrap();
    talk.say("go").await;
    assert_eq!(call(&mut talk, "own", "").await, "exec: not-run Tool bash not found");
}
