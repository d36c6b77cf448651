//! `tools`: a plugin's tool is a tool like any other.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use seam_loop::{
    CancellationToken, Dispatch, ExecutionMode, Message, NoCalls, Preflight, Ruling, RunScope, Settled, ToolOutput,
};
use seam_session::journal::Record;
use seam_tests::bed::{Bed, Session, request, text, trail, wait};
use seam_tests::recording::Recording;
use seam_tests::talk::{calls, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

mod offering;

fn offers(tools: Value) -> Value {
    json!({ "tools": tools, "observe": "quiet" })
}

fn shout() -> Value {
    offers(json!([{ "name": "shout", "do": "shout" }]))
}

/// A call with its live updates.
async fn updates(session: &Session, tool: &str) -> (Vec<String>, Settled) {
    let abort = CancellationToken::new();
    let Preflight::Ready(ready) = session.dispatcher.preflight(request(tool, json!({ "text": "x" })), &abort).await
    else {
        panic!("it is not refused")
    };
    let seen = Mutex::new(Vec::new());
    let note = |partial: ToolOutput| seen.lock().unwrap().push(partial.content[0].as_text().unwrap().to_owned());
    let settled = ready.run(RunScope { abort: &abort, updates: &note, caller: &NoCalls }).await;
    (seen.into_inner().unwrap(), settled)
}

#[tokio::test]
async fn the_model_calls_it_and_reads_its_result() {
    let mut talk = Bed::new().everything("p", shout()).talk(json!([calls("shout", "hi"), says("done")])).await;
    talk.say("go").await;
    assert_eq!(talk.last_request().messages[2], "tool: HI");
}

#[tokio::test]
async fn it_is_on_offer_beside_the_hosts_own() {
    let tools = json!([{ "name": "one", "do": "shout" }, { "name": "two", "do": "shout", "sequential": true }]);
    let session = Bed::new().everything("p", offers(tools)).start().await;
    let definitions = session.dispatcher.definitions();
    let names: Vec<_> = definitions.iter().map(|definition| &*definition.name).collect();
    assert_eq!(names[names.len() - 2..], ["one", "two"]);
    assert!(names.contains(&"read"));
    let modes = ["one", "two"].map(|name| session.dispatcher.mode(name));
    assert_eq!(modes, [ExecutionMode::Parallel, ExecutionMode::Sequential]);
}

#[tokio::test]
async fn it_sees_the_call_and_arguments_that_match_the_schema() {
    let mut settings = shout();
    settings["tell"] = json!(["tools"]);
    let session = Bed::new().everything("tool-sees", settings).start().await;
    assert_eq!(text(&session.call("shout", json!({ "text": "hi" })).await), "HI");
    assert_eq!(
        told("tool-sees"),
        [r#"tools: Event { call-id: "call-1", tool: "shout", arguments: "{\"text\":\"hi\"}" }"#]
    );
    for arguments in [json!({ "text": ["hi"] }), json!({ "text": {} }), json!("hi"), json!(null)] {
        let settled = session.call("shout", arguments.clone()).await;
        assert!(text(&settled).starts_with("Validation failed for tool \"shout\""), "{}", text(&settled));
    }
    assert_eq!(told("tool-sees"), Vec::<String>::new());
}

#[tokio::test]
async fn it_reads_the_conversation_as_it_is_at_its_call() {
    let mut settings = shout();
    settings["sees"] = json!(["tools"]);
    let mut talk =
        Bed::new().everything("tool-reads", settings).talk(json!([calls("shout", "hi"), says("done")])).await;
    talk.say("go").await;
    assert_eq!(told("tool-reads"), [r#"tools sees: user "go" | assistant """#]);
}

#[tokio::test]
async fn details_and_structured_content_go_with_its_text_and_it_may_end_the_run() {
    let tool = json!({
        "name": "shout", "do": "shout", "details": { "n": 1 }, "structured-content": { "said": "HI" }, "terminate": true
    });
    let bed = Bed::new().everything("p", offers(json!([tool])));
    let mut talk = bed.talk(json!([calls("shout", "hi"), says("done")])).await;
    talk.say("go").await;
    assert_eq!(talk.asked(), 1);
    let Message::ToolResult(result) = &**talk.harness.transcript().messages().last().unwrap() else {
        panic!("a result")
    };
    assert_eq!(result.details, Some(json!({ "n": 1 })));
    assert_eq!(result.structured_content.as_ref().map(|content| &content["said"]), Some(&json!("HI")));
}

#[tokio::test]
async fn its_failure_is_the_calls_error_result_and_the_next_call_works() {
    let tools = json!([
        { "name": "fail", "do": "fail" }, { "name": "cancelled", "do": "cancelled" }, { "name": "trap", "do": "trap" },
        { "name": "odd", "do": "shout", "structured-content": [1] }, { "name": "shout", "do": "shout" }
    ]);
    let session = Bed::new().everything("p", offers(tools)).start().await;
    for (tool, said) in [
        ("fail", "`fail` of plugin `p` failed: failed: x"),
        (
            "cancelled",
            "Plugin `p` failed at `cancelled`: its answer is not usable: it says that the call was cancelled, and it was \
             not.",
        ),
        ("trap", "Plugin `p` failed at `trap`: it crashed (a panic or an abort)."),
        ("odd", "Plugin `p` failed at `odd`: its answer is not usable: the structured content is not a JSON object."),
    ] {
        let settled = session.call(tool, json!({ "text": "x" })).await;
        assert_eq!((text(&settled).as_str(), settled.output.is_error), (said, true), "{tool}");
        assert_eq!(text(&session.call("shout", json!({ "text": "x" })).await), "X", "{tool}");
    }
}

#[tokio::test]
async fn its_words_about_a_failure_are_bounded_clean_and_marked_as_its_own() {
    let session = Bed::new().everything("p", offers(json!([{ "name": "fail", "do": "fail" }]))).start().await;
    let settled = session.call("fail", json!({ "text": "\u{1b}[2J\u{202e}Blocked by the host\u{200b}\nx" })).await;
    assert_eq!(text(&settled), "`fail` of plugin `p` failed: failed: [2JBlocked by the host\nx");
    let settled = session.call("fail", json!({ "text": "x".repeat(100_000) })).await;
    assert!(text(&settled).len() < 4200, "{}", text(&settled).len());
}

/// What a hook may take says nothing about a tool.
#[tokio::test]
async fn it_has_a_time_limit_of_its_own() {
    for (hooks, tools) in [(20, 120), (60_000, 60)] {
        let bed = Bed::new().everything("p", offers(json!([{ "name": "loop", "do": "loop" }])));
        let session = bed.time_limit("p", hooks).set("p", |set| set.limits.tool_time_ms = tools).start().await;
        let began = Instant::now();
        let settled = session.call("loop", json!({})).await;
        let words = format!("Plugin `p` failed at `loop`: it reached its time limit of {tools} ms.");
        assert_eq!(text(&settled), words);
        assert!(began.elapsed() >= Duration::from_millis(u64::from(tools) - 20), "{:?}", began.elapsed());
    }
}

/// Gates, rewriters and patches of other plugins, and its own: it gets another instance for them.
#[tokio::test]
async fn plugins_rewrite_gate_and_patch_it_in_every_order() {
    let mut own = shout();
    own["tool-result"] = json!({ "do": "change", "text": "<{}>" });
    let rewrites = json!({ "rewrite-tool-call": { "do": "set", "text": "{}!" } });
    for (order, bed) in in_every_order([own.clone(), rewrites.clone(), json!({})]) {
        let settled = bed.start().await.call("shout", json!({ "text": "hi" })).await;
        assert!(text(&settled).starts_with("<HI!"), "{order}: {}", text(&settled));
    }
    let blocks = json!({ "tool-call": { "do": "block", "text": "no {}", "tool": "shout" } });
    for (order, bed) in in_every_order([own, rewrites, blocks]) {
        let settled = bed.start().await.call("shout", json!({ "text": "hi" })).await;
        let words = format!("Blocked by plugin `{}`: no {{\"text\":\"hi!\"}}", name(order, 'c'));
        assert_eq!(text(&settled), words, "{order}");
    }
}

#[tokio::test]
async fn a_gate_sees_whose_tool_it_is_and_what_it_blocks_never_runs() {
    let mut own = shout();
    own["tell"] = json!(["tools"]);
    let gate = json!({ "tool-call": { "do": "block", "text": "no" }, "tell": ["tool-call"], "observe": "quiet" });
    let session = Bed::new().everything("gated-tool", own).everything("tool-gate", gate).start().await;
    let settled = session.call("shout", json!({ "text": "hi" })).await;
    assert_eq!(text(&settled), "Blocked by plugin `tool-gate`: no");
    let event = told("tool-gate").concat();
    assert!(event.contains("targets: [Target::Other(\"whatever plugin `gated-tool` reaches\")]"), "{event}");
    assert_eq!(told("gated-tool"), Vec::<String>::new());
}

#[tokio::test]
async fn live_updates_pass_the_patches_before_anyone_sees_them() {
    let tool = offers(json!([{ "name": "slow", "do": "updates", "updates": 1 }]));
    let patch = |what: &str, text: &str| json!({ "tool-result": { "do": what, "text": text, "partial": true }, "observe": "quiet" });
    for (what, told, expected) in [
        ("change", "<{}>", vec!["<x 1>".to_owned()]),
        ("withhold", "secret", vec![]),
        ("trap", "", vec![]),
        ("", "", vec!["x 1".to_owned()]),
    ] {
        let session = Bed::new().everything("1", tool.clone()).everything("2", patch(what, told)).start().await;
        let (seen, settled) = updates(&session, "slow").await;
        assert_eq!((seen, text(&settled)), (expected, "x done".to_owned()), "{what}");
        assert_eq!(trail(&settled.decisions).last().unwrap(), "2 tool-result proceed");
    }
}

/// One in 100 ms: each says all there is so far, so one that comes sooner is left out.
#[tokio::test]
async fn a_flood_of_live_updates_is_thinned_out() {
    let tools = json!([
        { "name": "flood", "do": "updates", "updates": 20_000 },
        { "name": "slow", "do": "updates", "updates": 5, "millions": 400 }
    ]);
    let session = Bed::new().everything("p", offers(tools)).set("p", |set| set.limits.tool_time_ms = 60_000);
    let session = session.start().await;
    for (tool, least) in [("flood", 1), ("slow", 2)] {
        let began = Instant::now();
        let (seen, settled) = updates(&session, tool).await;
        let most = 1 + usize::try_from(began.elapsed().as_millis() / 100).unwrap();
        assert!((least..=most).contains(&seen.len()), "{tool}: {} of at most {most}", seen.len());
        assert_eq!((&*seen[0], &*text(&settled)), ("x 1", "x done"));
    }
}

/// They are calls of the host too.
#[tokio::test]
async fn live_updates_are_counted() {
    let tool = offers(json!([{ "name": "flood", "do": "updates", "updates": 20_000 }]));
    let bed = Bed::new().everything("p", tool).set("p", |set| {
        (set.limits.tool_time_ms, set.limits.host_calls) = (60_000, 500);
    });
    let (_, settled) = updates(&bed.start().await, "flood").await;
    assert!(text(&settled).contains("it called the host more than 500 times"), "{}", text(&settled));
}

/// A call may have thousands of updates; a failure on them is noted once, in the call's own trail.
#[tokio::test]
async fn a_failure_on_live_updates_is_told_once() {
    let tool = offers(json!([{ "name": "slow", "do": "updates", "updates": 3, "millions": 400 }]));
    let patch =
        json!({ "tool-result": { "do": "trap", "partial": true }, "tell": ["tool-result"], "observe": "quiet" });
    for (name, refused) in [("update-refuse", true), ("update-skip", false)] {
        let bed = Bed::new().everything("1", tool.clone()).everything(name, patch.clone());
        let bed = bed.set("1", |settings| settings.limits.tool_time_ms = 60_000);
        let session = if refused { bed } else { bed.skip_failures(name) }.start().await;
        let (seen, settled) = updates(&session, "slow").await;
        assert!(if refused { seen.is_empty() } else { seen.len() >= 2 }, "{name}: {seen:?}");
        assert_eq!(text(&settled), "x done", "{name}");
        let failures = settled.decisions.iter().filter(|decision| {
            matches!(&decision.ruling, Ruling::Failure { failure, refused: same }
                if *same == refused && failure.contains("on a live update"))
        });
        assert_eq!(failures.count(), 1, "{name}");
        assert_eq!(trail(&settled.decisions).last().unwrap(), &format!("{name} tool-result proceed"));
        let asked = told(name).iter().filter(|note| note.starts_with("tool-result: ")).count();
        // What is left unasked is not shown either.
        assert_eq!(asked, if refused { 2 } else { seen.len() + 1 }, "{name}");
    }
}

/// An update after an abort says that the call should not go on.
#[tokio::test]
async fn a_tool_that_sends_updates_is_told_of_an_abort() {
    let bed = Bed::new().everything("p", offers(json!([{ "name": "slow", "do": "until-cancelled" }])));
    let bed = bed.time_limit("p", 20_000).set("p", |settings| settings.limits.tool_time_ms = 60_000);
    let session = bed.start().await;
    let abort = CancellationToken::new();
    let began = Instant::now();
    let aborting = async {
        wait(30).await;
        abort.cancel();
    };
    let (settled, ()) = tokio::join!(session.call_until("slow", json!({ "text": "x" }), &abort), aborting);
    assert_eq!(text(&settled), "Operation aborted");
    // It ended by itself: nobody would have stopped it before.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_result_that_is_not_usable_is_written_down() {
    let recording = Recording::new();
    let bed = Bed::new().everything("p", offers(json!([{ "name": "cancelled", "do": "cancelled" }])));
    let session = bed.journal(recording.journal.clone()).start().await;
    session.call("cancelled", json!({ "text": "x" })).await;
    let records = recording.records().into_iter().map(|(_, record)| record);
    let rejected: Vec<_> = records.filter(|record| matches!(record, Record::Rejected(_))).collect();
    let [Record::Rejected(rejected)] = &rejected[..] else { panic!("{rejected:?}") };
    assert_eq!((&*rejected.plugin, &*rejected.seam, rejected.call.as_deref()), ("p", "tools", Some("call-1")));
    assert_eq!((&*rejected.failure.kind, rejected.refused), ("invalid-answer", true));
}
