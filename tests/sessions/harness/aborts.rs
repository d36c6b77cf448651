//! Aborts at each stage of a tool turn, and answers with nothing in them: the conversation goes on after each.

use std::sync::Arc;
use std::time::Duration;

use seam_harness::{Event, Heard, Phase};
use seam_loop::{AgentEvent, CancellationToken, Message, StopReason};
use seam_tests::bed::Bed;
use seam_tests::talk::{entries, says};
use serde_json::{Value, json};

use super::{bash, place, until, until_seam};

/// Where a run is aborted.
struct Stage {
    name: &'static str,
    /// What was told by then.
    is_reached: fn(&Event) -> bool,
    /// What holds it up there.
    plugin: Value,
    turns: Vec<Value>,
    /// What of the turn the model is shown afterwards.
    shown: &'static [&'static str],
}

fn stages() -> Vec<Stage> {
    let quick = || bash("c1", "echo x");
    let arguments = json!({
        "content": [{ "thinking": "hm" }, { "toolCall": { "id": "c1", "name": "bash", "args": { "command": "echo x" } } }],
        "chunkDelay": 100
    });
    vec![
        Stage {
            name: "while the arguments arrive",
            is_reached: |event| matches!(event, Event::Agent(AgentEvent::MessageUpdate { content_index: 1, .. })),
            plugin: json!({}),
            turns: vec![arguments],
            shown: &[],
        },
        Stage {
            name: "in a gate",
            is_reached: |event| matches!(event, Event::Agent(AgentEvent::ToolExecutionStart { .. })),
            plugin: json!({ "tool-call": { "do": "loop", "tool": "bash" } }),
            turns: vec![quick()],
            shown: &[r#"assistant: [bash {"command":"echo x"}]"#, "tool: Operation aborted"],
        },
        Stage {
            name: "in the tool",
            is_reached: |event| matches!(event, Event::Agent(AgentEvent::ToolExecutionStart { .. })),
            plugin: json!({}),
            turns: vec![bash("c1", "sleep 60")],
            shown: &[r#"assistant: [bash {"command":"sleep 60"}]"#, "tool: "],
        },
        Stage {
            name: "after the result",
            // In the second turn, so that the plugin lets later runs of one turn be.
            is_reached: |event| is_result(event, "c2"),
            plugin: json!({ "finish-turn": { "do": "loop", "turn": 2 } }),
            turns: vec![quick(), bash("c2", "echo y")],
            shown: &[
                r#"assistant: [bash {"command":"echo x"}]"#,
                "tool: x",
                r#"assistant: [bash {"command":"echo y"}]"#,
                "tool: y",
            ],
        },
        Stage {
            name: "before the next request",
            is_reached: |event| matches!(event, Event::Agent(AgentEvent::TurnEnd { .. })),
            plugin: json!({ "prepare-next-turn": { "do": "loop" } }),
            turns: vec![quick()],
            shown: &[r#"assistant: [bash {"command":"echo x"}]"#, "tool: x"],
        },
    ]
}

fn is_result(event: &Event, id: &str) -> bool {
    let Event::Agent(AgentEvent::MessageEnd { message }) = event else { return false };
    matches!(&**message, Message::ToolResult(result) if result.tool_call_id == id)
}

/// Bug log 93.
#[tokio::test]
async fn after_an_abort_at_any_stage_of_a_turn_the_next_prompt_works() {
    for Stage { name, is_reached, mut plugin, mut turns, shown } in stages() {
        let (_folder, file) = place();
        plugin["observe"] = json!("quiet");
        let bed = || Bed::new().everything("p", plugin.clone()).time_limit("p", 60_000);
        turns.push(says("fine"));
        let mut talk = bed().talk_in(&file, json!(turns)).await;
        let (events, abort) = (Arc::clone(&talk.events), CancellationToken::new());
        let aborts = async {
            until(&events, is_reached).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            abort.cancel();
        };
        let (Heard::Ran(outcome), ()) = tokio::join!(talk.say_until("hi", &abort), aborts) else { panic!("{name}") };
        assert_eq!(outcome.stop_reason, StopReason::Aborted, "{name}");
        // In this process, and in one that goes on with the file.
        let Heard::Ran(outcome) = talk.say("on").await else { panic!("{name}") };
        assert_eq!(outcome.stop_reason, StopReason::Stop, "{name}: {outcome:?}");
        let asked = talk.last_request().messages;
        let as_shown = |messages: &[String]| {
            assert_eq!((&*messages[0], messages.len()), ("user: hi", shown.len() + 2), "{name}: {messages:?}");
            let expected = shown.iter().zip(&messages[1..]).all(|(expected, message)| message.starts_with(expected));
            assert!(expected, "{name}: {messages:?}");
        };
        as_shown(&asked);
        let transcript = talk.transcript();
        talk.close().await;
        let mut talk = bed().talk_in(&file, json!([says("still fine")])).await;
        assert_eq!(talk.transcript(), transcript, "{name}");
        talk.say("on").await;
        let asked = talk.last_request().messages;
        as_shown(&asked[..asked.len() - 2]);
    }
}

/// Whoever runs it may stop waiting for it: that is an abort that nobody told the conversation of.
#[tokio::test]
async fn a_run_that_nobody_waits_for_any_more_leaves_no_call_without_a_result() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([bash("c1", "sleep 60"), says("fine")])).await;
    let (handle, events) = (talk.harness.handle(), Arc::clone(&talk.events));
    tokio::select! {
        _ = talk.say("hi") => panic!("it is not over"),
        () = until_seam(&events, "tool-execution-start", 1) => {}
    }
    assert_eq!(handle.phase(), Phase::Idle);
    talk.say("on").await;
    let asked = talk.last_request().messages;
    assert!(asked[2].starts_with("tool: Interrupted, outcome unknown"), "{asked:?}");
    assert_eq!(asked[3..], ["user: on"]);
    assert_eq!(entries(&file), ["model_change", "user", "assistant", "toolResult", "user", "assistant"]);
}

/// Bug log 94.
#[tokio::test]
async fn an_answer_with_nothing_in_it_is_stored_and_no_model_is_shown_an_empty_block() {
    let aborted = json!({ "content": [{ "thinking": "hm" }], "stopReason": "aborted" });
    for (turn, shown) in [
        (json!({ "content": [] }), vec![]),
        (json!({ "content": [{ "text": "\n\n" }] }), vec![]),
        (json!({ "content": [{ "text": "" }, { "text": "there" }] }), vec!["assistant: there"]),
        (aborted, vec![]),
    ] {
        let (_folder, file) = place();
        let mut talk = Bed::new().talk_in(&file, json!([turn, says("fine"), says("fine")])).await;
        talk.say("hi").await;
        talk.say("on").await;
        let expected = [&["user: hi"][..], &shown, &["user: on"]].concat();
        assert_eq!(talk.last_request().messages, expected, "{turn}");
        assert_eq!(entries(&file), ["model_change", "user", "assistant", "user", "assistant"]);
        talk.close().await;
        let mut talk = Bed::new().talk_in(&file, json!([says("fine")])).await;
        talk.say("more").await;
        let expected = [&expected[..], &["assistant: fine", "user: more"]].concat();
        assert_eq!(talk.last_request().messages, expected, "{turn}");
    }
}
