//! Nothing happens before the last verdict, and nothing at all after a block.

use std::time::Duration;

use seam_harness::Event;
use seam_loop::AgentEvent;
use seam_tests::bed::Bed;
use seam_tests::talk::Talk;
use serde_json::{Value, json};

use super::clocked::Clocked;
use super::program::{batch, call};

/// The results of a call, as its events tell them.
fn ends(talk: &Talk) -> Vec<(String, bool, String)> {
    let events = talk.events.lock().unwrap();
    let ends = events.iter().filter_map(|event| match event {
        Event::Agent(AgentEvent::ToolExecutionEnd { tool_call_id, is_error, result, .. }) => {
            let text = result.content.first().and_then(|content| content.as_text()).unwrap_or_default();
            Some((tool_call_id.clone(), *is_error, text.to_owned()))
        }
        _ => None,
    });
    ends.collect()
}

#[tokio::test]
async fn a_blocked_command_has_no_effect_and_one_result_and_the_turn_goes_on() {
    let bed = Bed::new().stress("no", json!({ "gate": { "say": "not here" } }));
    let mut talk = bed.talk(batch(&[call("c1", "bash", json!({ "command": "touch MARK" }))])).await;
    talk.say("go").await;
    assert!(!talk.bed.workspace.join("MARK").exists());
    assert_eq!(ends(&talk), [("c1".to_owned(), true, "Blocked by plugin `no`: not here".to_owned())]);
    assert_eq!(
        talk.transcript(),
        [
            "user: go",
            r#"assistant: [bash {"command":"touch MARK"}]"#,
            "tool: Blocked by plugin `no`: not here",
            "assistant: done",
        ]
    );
}

/// The first gate has nothing against it, the second thinks long, the third blocks.
#[tokio::test]
async fn nothing_is_spawned_before_all_verdicts_are_in() {
    let bed = Bed::new().stress("a", json!({})).stress("b", json!({ "gate": { "spin": 300 } }));
    let bed = bed.time_limit("b", 60_000).stress("c", json!({ "gate": { "say": "too late for you" } }));
    let mut talk = bed.talk(batch(&[call("c1", "bash", json!({ "command": "date > MARK" }))])).await;
    let mark = talk.bed.workspace.join("MARK");
    let watch = async {
        loop {
            assert!(!mark.exists());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::select! {
        () = watch => {}
        _ = talk.say("go") => {}
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!mark.exists());
    assert_eq!(ends(&talk), [("c1".to_owned(), true, "Blocked by plugin `c`: too late for you".to_owned())]);
    assert_eq!(talk.transcript().iter().filter(|message| message.starts_with("tool:")).count(), 1);
}

/// One call of each tool.
pub(super) fn one_of_each() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": "f" })),
        ("write", json!({ "path": "g", "content": "y" })),
        ("edit", json!({ "path": "f", "edits": [{ "oldText": "x", "newText": "y" }] })),
        ("bash", json!({ "command": "cat f" })),
        ("grep", json!({ "pattern": "y" })),
        ("find", json!({ "pattern": "f" })),
        ("ls", json!({})),
    ]
}

#[tokio::test]
async fn every_gate_is_done_before_the_tool_starts_for_each_tool() {
    let gates = [("a", json!({ "gate": { "spin": 20 } })), ("b", json!({ "gate": { "spin": 20 } }))];
    let clocked = Clocked::new(&gates, true).await;
    std::fs::write(clocked.workspace.path().join("f"), "x").unwrap();
    for (tool, arguments) in one_of_each() {
        let settled = clocked.call(tool, arguments).await;
        assert!(!settled.output.is_error, "{tool}: {settled:?}");
        let marks = clocked.marks();
        let names: Vec<&str> = marks.iter().map(|mark| mark.0.as_str()).collect();
        assert_eq!(names, ["a is done", "b is done", &format!("{tool} starts")]);
        assert!(marks[0].1 < marks[1].1 && marks[1].1 < marks[2].1, "{tool}");
    }
}
