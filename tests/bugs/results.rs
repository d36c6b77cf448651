//! A changed result is the only one there is.

use seam_tests::bed::{Bed, text, trail};
use seam_tests::files;
use serde_json::{Value, json};

use super::effect::one_of_each;
use super::program::{Program, batch, call, of};

fn says_new() -> Value {
    json!({ "tool-result": { "do": "change", "text": "NEW" }, "observe": "quiet" })
}

#[tokio::test]
async fn the_next_request_the_transcript_and_every_event_hold_the_changed_result() {
    let bed = Bed::new().everything("changes", says_new()).file("f", "old words");
    let mut talk = bed.talk(batch(&[call("c1", "read", json!({ "path": "f" }))])).await;
    talk.say("go").await;
    assert_eq!(talk.last_request().messages[2], "tool: NEW");
    assert_eq!(talk.transcript()[2], "tool: NEW");
    let events = serde_json::to_string(&talk.close().await).unwrap();
    assert!(events.contains("NEW") && !events.contains("old words"), "{events}");
}

#[test]
fn the_terminal_and_the_json_events_show_the_changed_result() {
    let program = Program::new(&batch(&[call("c1", "read", json!({ "path": "f" }))])).file("f", "old words");
    let settings = "[plugins.changes.config]\nobserve = \"quiet\"\ntool-result = { do = \"change\", text = \"NEW\" }\n";
    let program = program.plugin("changes", &files::guest("everything")).file("seam.toml", settings);
    let events = program.events();
    assert_eq!(of(&events, "tool_execution_end")[0]["result"]["content"][0]["text"], "NEW");
    let message = |kind: &str| {
        let told = of(&events, kind);
        told.into_iter().find(|event| event["message"]["role"] == "toolResult").unwrap()["message"].clone()
    };
    assert_eq!(message("message_end")["content"][0]["text"], "NEW");
    assert_eq!(of(&events, "turn_end")[0]["toolResults"][0]["content"][0]["text"], "NEW");
    let screen = program.screen();
    let all = format!("{}{screen}", serde_json::to_string(&events).unwrap());
    assert!(screen.contains("\n    NEW\n") && !all.contains("old words"), "{screen}");
}

#[tokio::test]
async fn a_result_of_each_tool_is_changed_and_so_is_one_that_says_failed() {
    let session = Bed::new().everything("changes", says_new()).file("f", "x").start().await;
    let failing = [("read", json!({ "path": "none" })), ("bash", json!({ "command": "echo old; exit 3" }))];
    for (tool, arguments) in one_of_each().into_iter().chain(failing) {
        let settled = session.call(tool, arguments.clone()).await;
        assert_eq!(text(&settled), "NEW", "{tool} {arguments}");
        assert_eq!(trail(&settled.decisions).last().unwrap(), "changes tool-result change", "{tool}");
    }
    let settled = session.call("bash", json!({ "command": "exit 3" })).await;
    assert!(settled.output.is_error, "a changed text leaves the failure one");
}

/// What never ran has no result of a tool: the refusal is the host's, and no plugin changes it.
#[tokio::test]
async fn a_refusal_is_no_result_that_a_plugin_could_change() {
    let mut settings = says_new();
    settings["tool-call"] = json!({ "do": "block", "text": "no" });
    let session = Bed::new().everything("changes", settings).start().await;
    assert_eq!(text(&session.echo("x").await), "Blocked by plugin `changes`: no");
    let invalid = session.call("read", json!({})).await;
    assert!(text(&invalid).starts_with("Validation failed") && invalid.decisions.is_empty(), "{}", text(&invalid));
    let unknown = session.call("nope", json!({})).await;
    assert_eq!(text(&unknown), "Tool nope not found");
}
