//! Several verdicts about one call, and one gate about several calls.

use std::fs;
use std::time::Duration;

use seam_harness::Event;
use seam_loop::{AgentEvent, CancellationToken};
use seam_tests::bed::{Bed, text, trail};
use serde_json::{Value, json};

use super::clocked::Clocked;
use super::program::{batch, call};

#[tokio::test]
async fn a_change_or_a_question_of_one_does_not_weaken_the_block_of_another() {
    let softer = [
        json!({ "rewrite": { "append": "1" } }),
        json!({ "gate": { "ask": "really?" } }),
        json!({ "rewrite": { "append": "1" }, "gate": { "ask": "really?" } }),
    ];
    for soft in softer {
        for (softer, harder) in [("a", "b"), ("b", "a")] {
            let bed = Bed::new().stress(softer, soft.clone());
            let session = bed.stress(harder, json!({ "gate": { "say": "no" } })).start().await;
            let settled = session.echo("x").await;
            assert_eq!(text(&settled), format!("Blocked by plugin `{harder}`: no"), "{soft}");
            assert_eq!(session.runs(), 0, "{soft}");
        }
    }
}

#[tokio::test]
async fn the_first_that_has_no_objection_does_not_end_the_round() {
    let bed = Bed::new().stress("a", json!({})).stress("b", json!({})).stress("c", json!({ "gate": { "say": "no" } }));
    let session = bed.start().await;
    let settled = session.echo("x").await;
    assert_eq!(trail(&settled.decisions)[3..], ["a tool-call proceed", "b tool-call proceed", "c tool-call block"]);
    assert_eq!(session.runs(), 0);
}

#[tokio::test]
async fn a_plugin_that_agrees_or_rewrites_does_not_lift_a_rule_of_the_host() {
    let to_etc = json!({ "path": "/etc/seam-was-here", "content": "x" });
    let agrees = (json!({}), to_etc.clone());
    let rewrites = (json!({ "rewrite": { "say": to_etc.to_string() } }), json!({ "path": "inside", "content": "x" }));
    for (deeds, arguments) in [agrees, rewrites] {
        let session = Bed::new().stress("soft", deeds).start().await;
        let settled = session.call("write", arguments).await;
        assert_eq!(trail(&settled.decisions).last().unwrap(), "host tool-call block");
        assert!(!fs::exists("/etc/seam-was-here").unwrap() && !session.workspace.join("inside").exists());
    }
}

/// The user aborts while the first of two calls is with a plugin.
#[tokio::test]
async fn an_abort_during_one_gate_stops_the_whole_batch() {
    let bed = Bed::new().stress("slow", json!({ "gate": { "spin": 300 } })).time_limit("slow", 60_000);
    let write = |id: &str, path: &str| call(id, "write", json!({ "path": path, "content": "x" }));
    let mut talk = bed.talk(batch(&[write("c1", "one"), write("c2", "two")])).await;
    let abort = CancellationToken::new();
    let aborting = async {
        tokio::time::sleep(Duration::from_millis(60)).await;
        abort.cancel();
    };
    let (_, ()) = tokio::join!(talk.say_until("go", &abort), aborting);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!talk.bed.workspace.join("one").exists() && !talk.bed.workspace.join("two").exists());
    let written = |path: &str| format!(r#"[write {{"path":"{path}","content":"x"}}]"#);
    let assistant = format!("assistant: {} {}", written("one"), written("two"));
    assert_eq!(talk.transcript()[1..4], [&*assistant, "tool: Operation aborted", "tool: Operation aborted"]);
    let events = talk.events.lock().unwrap();
    let ended = events.iter().filter_map(|event| match event {
        Event::Agent(AgentEvent::ToolExecutionEnd { tool_call_id, .. }) => Some(tool_call_id.as_str()),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), ["c1", "c2"]);
    // At most one closing entry, and it says that it was aborted.
    let rest: Vec<Value> = talk.harness.transcript().messages()[4..]
        .iter()
        .map(|message| serde_json::to_value(message).unwrap())
        .collect();
    assert!(rest.len() <= 1 && rest.iter().all(|message| message["stopReason"] == "aborted"), "{rest:?}");
}

#[tokio::test]
async fn each_call_of_a_batch_has_its_own_reason() {
    let commands = ["cat .env", "cat id_rsa", "touch MARK"];
    let calls = commands.map(|command| call(&command[..7], "bash", json!({ "command": command })));
    let mut talk = Bed::new().example("protected-paths", json!({})).talk(batch(&calls)).await;
    talk.say("go").await;
    assert_eq!(
        talk.transcript()[2..5],
        [
            "tool: Blocked by plugin `protected-paths`: the command names `.env`, protected by `.env`",
            "tool: Blocked by plugin `protected-paths`: the command names `id_rsa`, protected by `id_rsa`",
            "tool: (no output)",
        ]
    );
    assert!(talk.bed.workspace.join("MARK").exists());
}

fn edits() -> Value {
    let edit = |n: u32| {
        call(
            &format!("c{n}"),
            "edit",
            json!({ "path": "f", "edits": [{ "oldText": format!("{n}x"), "newText": "done" }] }),
        )
    };
    batch(&[edit(1), edit(2), edit(3)])
}

/// A gate with a memory: it refuses the first and remembers. The same on each run, for the batch is decided in order.
#[tokio::test]
async fn a_gate_with_a_memory_decides_a_batch_in_the_models_order() {
    for _ in 0..5 {
        let bed = Bed::new().stress("first", json!({ "gate": { "say-once": "look first" } })).file("f", "1x 2x 3x");
        let mut talk = bed.talk(edits()).await;
        talk.say("go").await;
        let results = talk.transcript();
        assert_eq!(results[2], "tool: Blocked by plugin `first`: look first");
        assert_eq!(fs::read_to_string(talk.bed.workspace.join("f")).unwrap(), "1x done done", "{results:?}");
    }
}

/// Never two at once in one instance, never two instances where one is free. Each call is asked for two verdicts here.
#[tokio::test]
async fn one_instance_sees_the_calls_of_a_batch_one_after_another() {
    for _ in 0..5 {
        let mut talk = Bed::new().stress("counts", json!({ "gate": "count" })).file("f", "").talk(edits()).await;
        talk.say("go").await;
        let blocked = ["2", "4", "6"].map(|count| format!("tool: Blocked by plugin `counts`: {count}"));
        assert_eq!(talk.transcript()[2..5], blocked);
    }
    let mut talk = Bed::new().stress("tells", json!({ "gate": "tell" })).file("f", "").talk(edits()).await;
    talk.say("go").await;
    let told = talk.transcript();
    for (place, told) in told[2..5].iter().enumerate() {
        assert!(told.contains("size: 3") && told.contains(&format!("index: {place}")), "{told}");
    }
}

/// One plugin rewrites, another asks, the user says yes or no.
#[tokio::test]
async fn the_user_is_asked_about_what_will_run() {
    let rewritten = r#"{"path":"b","content":"1"}"#;
    for yes in [true, false] {
        for (first, second) in [("a", "b"), ("b", "a")] {
            let plugins =
                [(first, json!({ "rewrite": { "say": rewritten } })), (second, json!({ "gate": { "ask": "well?" } }))];
            let clocked = Clocked::new(&plugins, yes).await;
            let settled = clocked.call("write", json!({ "path": "a", "content": "0" })).await;
            let shown: Vec<Value> = clocked
                .asked
                .shown
                .lock()
                .unwrap()
                .iter()
                .map(|shown| serde_json::from_str(&shown.0).unwrap())
                .collect();
            assert_eq!(shown, [json!({ "path": "b", "content": "1" })]);
            assert_eq!(clocked.asked.shown.lock().unwrap()[0].1, [format!("{second}: well?")]);
            assert_eq!(settled.output.is_error, !yes);
            let at = |name: &str| fs::exists(clocked.workspace.path().join(name)).unwrap();
            assert_eq!((at("a"), at("b")), (false, yes));
        }
    }
}
