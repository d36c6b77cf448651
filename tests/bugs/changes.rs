//! Changed arguments reach everyone, in one order, and are checked again.

use seam_tests::bed::{Bed, text, trail};
use seam_tests::{files, notes};
use serde_json::json;

use super::program::{Program, batch, call, of};

#[tokio::test]
async fn a_change_holds_wherever_the_plugin_that_keeps_stands() {
    for (changes, keeps) in [("a", "b"), ("b", "a")] {
        let bed = Bed::new().stress(changes, json!({ "rewrite": { "say": r#"{"command":"echo b1"}"# } }));
        let session = bed.stress(keeps, json!({})).start().await;
        let told = text(&session.call("bash", json!({ "command": "echo a1" })).await);
        assert!(told.starts_with("b1\n") && !told.contains("a1"), "{told}");
    }
}

/// The tool runs the new arguments, and the record holds both.
#[test]
fn what_the_model_asked_and_what_ran_are_both_told() {
    let command = json!({ "command": "echo asked" });
    let program = Program::new(&batch(&[call("c1", "bash", command.clone())]));
    let program = program.plugin("marks", &files::guest("everything")).file(
        "seam.toml",
        "[plugins.marks.config]\nobserve = \"quiet\"\n\
         rewrite-tool-call = { do = \"set\", argument = \"command\", text = \"echo MARK; {}\" }\n",
    );
    let events = program.events();
    assert_eq!(of(&events, "tool_execution_start")[0]["args"], command);
    let end = of(&events, "tool_execution_end")[0];
    assert_eq!(end["decisions"][0]["by"], json!({ "plugin": "marks" }));
    assert_eq!(end["decisions"][0]["ruling"]["arguments"], json!({ "command": "echo MARK; echo asked" }));
    assert!(end["result"]["content"][0]["text"].as_str().unwrap().starts_with("MARK\nasked"), "{end}");
    let screen = program.screen();
    assert!(
        screen.contains("→ bash echo asked") && screen.contains("rewrote the call: echo MARK; echo asked"),
        "{screen}"
    );
}

/// The gate that comes last, by name and in the round, sees what both made.
#[tokio::test]
async fn changes_add_up_in_the_order_of_names_and_the_gate_sees_the_sum() {
    for names in [["a", "b", "c"], ["1", "2", "3"], ["A", "Z", "b"]] {
        let bed = Bed::new().stress(names[0], json!({ "rewrite": { "append": "1" } }));
        let bed = bed.stress(names[2], json!({ "gate": "tell" }));
        let session = bed.stress(names[1], json!({ "rewrite": { "append": "2" } })).start().await;
        let told = text(&session.echo("x").await);
        assert!(told.contains(r#"{\"text\":\"x12\"}"#), "{names:?}: {told}");
    }
}

/// Invalid arguments of the model are refused with the fault, and no plugin is asked: the contract gives a rewrite
/// valid arguments only. Invalid ones of a plugin are its failure.
#[tokio::test]
async fn arguments_are_validated_before_the_plugins_and_after_each() {
    let repairs = json!({ "rewrite": { "say": r#"{"path":"f"}"# } });
    let session = Bed::new().file("f", "x").stress("repairs", repairs).start().await;
    let settled = session.call("read", json!({ "path": null })).await;
    assert!(settled.output.is_error && settled.decisions.is_empty());
    assert!(text(&settled).contains("path: "), "{}", text(&settled));

    let spoils = json!({ "rewrite": { "say": r#"{"path":5}"# } });
    let session = Bed::new().file("f", "x").stress("spoils", spoils).start().await;
    let settled = session.call("read", json!({ "path": "f" })).await;
    assert_eq!(trail(&settled.decisions), ["spoils rewrite-tool-call failure"]);
    let told = text(&settled);
    assert!(told.contains("plugin `spoils` failed") && told.contains("path: expected string, got number"), "{told}");
}

#[tokio::test]
async fn two_plugins_change_two_fields_of_one_call() {
    let set = |argument: &str, text: &str| json!({ "rewrite-tool-call": { "do": "set", "argument": argument, "text": text }, "observe": "quiet" });
    let bed = Bed::new().everything("path", set("path", "b")).everything("text", set("content", "{}2"));
    let session = bed.start().await;
    let settled = session.call("write", json!({ "path": "a", "content": "1" })).await;
    assert!(!settled.output.is_error, "{}", text(&settled));
    assert_eq!(std::fs::read_to_string(session.workspace.join("b")).unwrap(), "12");
    assert!(!session.workspace.join("a").exists());
}

#[tokio::test]
async fn the_plugin_after_the_effect_sees_what_was_asked_and_what_ran() {
    let bed = Bed::new().stress("wraps", json!({ "rewrite": { "append": "-wrapped" } }));
    let session = bed.everything("bug-after", json!({ "tell": ["tool-result"], "observe": "quiet" })).start().await;
    session.echo("asked").await;
    let notes = notes::take("bug-after");
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains(r#"arguments: "{\"text\":\"asked-wrapped\"}""#), "{notes:?}");
    assert!(notes[0].contains(r#"model-arguments: Some("{\"text\":\"asked\"}")"#), "{notes:?}");
}

/// The model reads its own words as it said them, and that a plugin changed them.
#[tokio::test]
async fn the_history_keeps_the_models_own_arguments_and_the_result_names_the_change() {
    let bed = Bed::new().stress("prefix", json!({ "rewrite": { "append": "2" } }));
    let mut talk = bed.talk(batch(&[call("c1", "echo", json!({ "text": "1" }))])).await;
    talk.say("go").await;
    let expected = [
        "user: go",
        r#"assistant: [echo {"text":"1"}]"#,
        r#"tool: 12 [Changed before it ran by plugin `prefix`. The tool got these arguments: {"text":"12"}]"#,
    ];
    assert_eq!(talk.last_request().messages, expected);
    assert_eq!(talk.transcript()[..3], expected);
}
