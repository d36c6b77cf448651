//! A gate that fails refuses, and says that it failed. Failing is no answer, in neither direction.

use std::fs;
use std::time::Duration;

use seam_loop::CancellationToken;
use seam_plugins::contract::SEAMS;
use seam_tests::bed::{Bed, text, trail};
use seam_tests::files;
use serde_json::{Value, json};
use wit_parser::{Resolve, Type, TypeDefKind};

use super::program::{Program, batch, call, of};

fn touch() -> Value {
    json!({ "command": "touch MARK" })
}

/// Two ways to cancel, one direction.
#[tokio::test]
async fn a_gate_that_never_answers_refuses_whether_its_time_runs_out_or_the_user_aborts() {
    let session = Bed::new().stress("hangs", json!({ "gate": "loop" })).time_limit("hangs", 500).start().await;
    let told = text(&session.call("bash", touch()).await);
    assert!(told.contains("plugin `hangs` failed at `tool-call`: it reached its time limit of 500 ms"), "{told}");
    assert!(!told.to_lowercase().contains("internal"), "{told}");

    let abort = CancellationToken::new();
    let aborting = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        abort.cancel();
    };
    let (settled, ()) = tokio::join!(session.call_until("bash", touch(), &abort), aborting);
    assert_eq!(text(&settled), "Operation aborted");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!session.workspace.join("MARK").exists());
}

#[tokio::test]
async fn every_way_to_fail_refuses_in_its_own_words() {
    let mut told = Vec::new();
    for deeds in [
        json!({ "gate": "panic" }),
        json!({ "gate": "loop" }),
        json!({ "rewrite": { "say": "not json" } }),
        json!({ "gate": "memory" }),
        json!({ "gate": { "answer": 4096 } }),
    ] {
        let session = Bed::new().stress("fails", deeds.clone()).start().await;
        let settled = session.call("bash", touch()).await;
        assert!(!session.workspace.join("MARK").exists(), "{deeds}");
        assert!(trail(&settled.decisions).last().unwrap().ends_with("failure"), "{deeds}");
        told.push(text(&settled));
    }
    let ways = told.len();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), ways, "{told:#?}");
}

/// A plugin is what was loaded. Taking its file away does not take its word away.
#[tokio::test]
async fn a_gate_whose_file_is_removed_after_the_start_still_decides() {
    for fresh in [false, true] {
        let bed = Bed::new().stress("stays", json!({ "gate": { "say": "still here" } }));
        let bed = bed.set("stays", |settings| {
            if fresh {
                settings.instance = seam_plugins::InstancePolicy::Call;
            }
        });
        let session = bed.start().await;
        fs::remove_file(session.bed.plugins().join("stays.wasm")).unwrap();
        for _ in 0..3 {
            let settled = session.call("bash", touch()).await;
            assert_eq!(text(&settled), "Blocked by plugin `stays`: still here");
        }
        assert!(!session.workspace.join("MARK").exists());
    }
}

/// It notes something, says no, and crashes when its memory is cleaned up after the answer.
#[tokio::test]
async fn a_crash_after_the_verdict_does_not_weaken_it() {
    let says = json!({ "gate": { "say-then-crash": "no" } });
    let session = Bed::new().stress("bug-then-crashes", says).start().await;
    for _ in 0..3 {
        let settled = session.call("bash", touch()).await;
        assert!(settled.output.is_error && text(&settled).contains("plugin `bug-then-crashes`"), "{}", text(&settled));
        assert!(!session.workspace.join("MARK").exists());
    }
    let notes = seam_tests::notes::take("bug-then-crashes");
    assert_eq!(notes.iter().filter(|note| note.contains("says it")).count(), 3, "{notes:?}");
}

#[tokio::test]
async fn a_session_outlives_a_gate_that_crashes() {
    let bed = Bed::new().stress("crashes", json!({ "gate": { "panic-on": "bad" } }));
    let echo = |id: &str, text: &str| json!({ "content": [call(id, "echo", json!({ "text": text }))] });
    let turns = json!([echo("c1", "bad"), echo("c2", "good"), { "content": [{ "text": "done" }] },
        echo("c3", "good"), { "content": [{ "text": "done" }] }]);
    let mut talk = bed.talk(turns).await;
    talk.say("go").await;
    talk.say("once more").await;
    assert_eq!(*talk.bed.echoed.lock().unwrap(), ["good", "good"]);
    let transcript = talk.transcript();
    assert!(transcript[2].starts_with("tool: Not run: plugin `crashes` failed at `tool-call`"), "{transcript:?}");
    assert_eq!((&*transcript[4], &*transcript[5]), ("tool: good", "assistant: done"));
    assert_eq!(transcript.last().unwrap(), "assistant: done");
}

#[tokio::test]
async fn another_plugins_consent_does_not_stand_in_for_the_one_that_crashed() {
    for (crashes, agrees) in [("a", "b"), ("b", "a")] {
        let bed = Bed::new().stress(crashes, json!({ "gate": "panic" })).stress(agrees, json!({}));
        let session = bed.start().await;
        let settled = session.call("bash", touch()).await;
        assert!(text(&settled).contains(&format!("plugin `{crashes}` failed at `tool-call`")), "{}", text(&settled));
        assert!(!session.workspace.join("MARK").exists());
    }
}

/// Closed, told apart from a refusal, told once, with the way to go on without it.
#[test]
fn a_plugin_that_cannot_start_stops_the_start_and_says_how_to_go_on() {
    let program = Program::new(&batch(&[call("c1", "bash", touch())]));
    let start = r#"(component
        (core module $m (func $start unreachable) (start $start) (func (export "f") (result i32) i32.const 0))
        (core instance $c (instantiate $m))
        (func $f (result u32) (canon lift (core func $c "f")))
        (instance $gate (export "decide" (func $f)))
        (export "seam:harness/tool-call@0.1.0" (instance $gate)))"#;
    fs::write(program.path().join(".seam/plugins/gate.wasm"), wat::parse_str(start).unwrap()).unwrap();
    let output = program.run().arg("go").assert().code(3).get_output().stderr.clone();
    let told = String::from_utf8(output).unwrap();
    assert!(told.contains("gate.wasm: it does not start: it crashed"), "{told}");
    assert!(told.contains("To run without a plugin, take its file out of"), "{told}");
    assert_eq!(told.matches("does not start").count(), 1, "{told}");
    assert!(!program.path().join("MARK").exists());
}

/// It does not start with these settings: that is told at the start, in its own words, and no call looks refused by it.
#[test]
fn a_plugin_that_cannot_read_its_settings_stops_the_start_and_says_why() {
    let program = Program::new(&batch(&[call("c1", "bash", touch())]));
    let program = program.plugin("guard", &files::example("protected-paths"));
    let program = program.file("seam.toml", "[plugins.guard.config]\nsecrets = [\"a\"]\n");
    let log = program.run().arg("go").assert().code(3).stdout("").get_output().stderr.clone();
    let log = String::from_utf8(log).unwrap();
    assert!(
        log.contains("guard.wasm: it does not start: it crashed (a panic or an abort); correct its settings"),
        "{log}"
    );
    assert!(log.contains("the settings: unknown field `secrets`"), "{log}");
    assert!(!program.path().join("MARK").exists());
}

/// There is no error arm that could be taken for "go on": what a gate returns is one of its cases, the safe one first.
#[test]
fn no_decision_of_the_contract_has_an_error_arm() {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(files::root().join("wit")).unwrap();
    let first = |name: &str, of: &str| {
        let interface = &resolve.interfaces[resolve.packages[package].interfaces[name]];
        let TypeDefKind::Variant(variant) = &resolve.types[interface.types[of]].kind else { panic!("{name}.{of}") };
        variant.cases[0].name.clone()
    };
    assert_eq!(first("tool-call", "verdict"), "block");
    assert_eq!(first("tool-result", "outcome"), "withhold");
    for seam in SEAMS.iter().filter(|seam| !["tools", "commands"].contains(&seam.name)) {
        let interface = &resolve.interfaces[resolve.packages[package].interfaces[seam.name]];
        for (name, function) in &interface.functions {
            let Some(Type::Id(id)) = function.result else { continue };
            let kind = &resolve.types[id].kind;
            assert!(!matches!(kind, TypeDefKind::Result(_) | TypeDefKind::Option(_)), "{}.{name}", seam.name);
        }
    }
}

#[test]
fn what_the_settings_say_about_a_failure_reaches_that_plugin_and_no_other() {
    let settings = "[plugins.a]\non-failure = \"skip\"\nconfig = { gate = \"panic\" }\n\
                    [plugins.b]\nconfig = { gate = { panic-on = \"touch BOTH\" } }\n";
    for (mark, runs) in [("ONE", true), ("BOTH", false)] {
        let program = Program::new(&batch(&[call("c1", "bash", json!({ "command": format!("touch {mark}") }))]));
        let program = program.plugin("a", &files::stress()).plugin("b", &files::stress()).file("seam.toml", settings);
        let events = program.events();
        assert_eq!(program.path().join(mark).exists(), runs);
        let decisions = of(&events, "tool_execution_end")[0]["decisions"].as_array().unwrap();
        let failures: Vec<(&Value, &Value)> = decisions
            .iter()
            .filter(|decision| decision["ruling"]["kind"] == "failure")
            .map(|decision| (&decision["by"]["plugin"], &decision["ruling"]["refused"]))
            .collect();
        let (a, b) = ((&json!("a"), &json!(false)), (&json!("b"), &json!(true)));
        assert_eq!(failures, if runs { vec![a] } else { vec![a, b] });
        let screen = program.screen();
        assert!(screen.contains("; it goes on without it"), "{screen}");
        assert_eq!(screen.contains("; the call is refused"), !runs, "{screen}");
    }
}
