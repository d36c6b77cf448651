//! `call-tool`: calls of plugins go the way of every call.

mod ends;

use std::time::Duration;

use seam_harness::{Event, SessionEvent};
use seam_loop::{CancellationToken, Origin};
use seam_plugins::load::LoadProblem;
use seam_plugins::{Grants, Mode, Settings};
use seam_tests::bed::{Bed, engine, trail};
use seam_tests::recording::Recording;
use seam_tests::{files, notes};
use serde_json::{Value, json};

use super::asks::{asks, call, called, granted, lines, tool};

/// A gate that notes what it is asked.
fn counts() -> Value {
    json!({ "tell": ["tool-call"], "observe": "quiet" })
}

/// What a counting gate was asked about, as `TOOL of ORIGIN`.
fn asked(gate: &str) -> Vec<String> {
    let part = |note: &str, from: &str, to: &str| {
        let rest = note.split_once(from).unwrap().1;
        rest.split_once(to).unwrap().0.to_owned()
    };
    let notes = notes::take(gate);
    let asked = notes.iter().filter(|note| note.starts_with("tool-call: "));
    asked.map(|note| part(note, "tool: \"", "\"") + " of " + &part(note, "Origin::", ", targets")).collect()
}

#[tokio::test]
async fn a_call_passes_every_gate_and_its_result_every_patch() {
    let patches = json!({ "tool-result": { "do": "change", "tool": "echo", "text": "<{}>" }, "observe": "quiet" });
    let bed = Bed::new().everything("ct-counts", counts()).everything("ct-patches", patches);
    let bed = asks(bed, "ct-calls", tool("own", json!([{ "call": "echo", "with": { "text": "GIVEN!" } }])));
    let mut talk = bed.talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "hi").await, "call: ok <hi!>");
    assert_eq!(asked("ct-counts"), ["own of User", "echo of Plugin(\"ct-calls\")"]);
    assert_eq!(*talk.bed.echoed.lock().unwrap(), ["hi!"]);
    assert_eq!(called(&talk), [r#"ct-calls echo {"text":"hi!"} done"#]);
    let events = talk.close().await;
    let decisions = events.iter().find_map(|event| match event {
        Event::Session(SessionEvent::PluginCalled { decisions, error: None, .. }) => Some(trail(decisions)),
        _ => None,
    });
    // Its own gate and its own patch are asked too, like all others.
    let seams = ["rewrite-tool-call", "tool-call", "tool-result"];
    let expected: Vec<String> = [
        ("ct-counts", seams[0], "proceed"),
        ("ct-patches", seams[0], "proceed"),
        ("ct-calls", seams[1], "proceed"),
        ("ct-counts", seams[1], "proceed"),
        ("ct-patches", seams[1], "proceed"),
        ("ct-calls", seams[2], "proceed"),
        ("ct-counts", seams[2], "proceed"),
        ("ct-patches", seams[2], "change"),
    ]
    .map(|(by, seam, ruling)| format!("{by} {seam} {ruling}"))
    .into();
    assert_eq!(decisions.unwrap(), expected);
}

#[tokio::test]
async fn a_gate_refuses_a_plugins_call_and_so_does_the_plugins_own() {
    let block = json!({ "tool-call": { "do": "block", "tool": "write", "text": "no writes" }, "observe": "quiet" });
    let write = json!([{ "call": "write", "with": { "path": "f", "content": "x" } }]);
    let bed = asks(Bed::new().everything("no-writes", block), "calls", tool("own", write.clone()));
    let mut talk = bed.talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, "call: not-run Blocked by plugin `no-writes`: no writes");
    assert_eq!(called(&talk), [r#"calls write {"content":"x","path":"f"} not run"#]);
    let mut own = tool("own", write);
    own["gate"] = json!({ "only": "write", "then": "not even for me" });
    let mut talk2 = asks(Bed::new(), "calls", own).talk(json!([])).await;
    assert_eq!(call(&mut talk2, "own", "").await, "call: not-run Blocked by plugin `calls`: not even for me");
    assert!(!talk.bed.workspace.join("f").exists() && !talk2.bed.workspace.join("f").exists());
}

#[tokio::test]
async fn what_cannot_be_called_is_not_run_and_says_why() {
    let steps = json!([
        { "call": "edit", "with": {} },
        { "call": "other", "with": {} },
        { "call": "echo", "with": [] },
        { "call": "echo", "with": { "text": 1 } },
        { "call": "read", "with": { "path": "f" } },
        { "call": "bash", "with": { "command": "exit 3" } },
    ]);
    let mut talk = asks(Bed::new(), "calls", tool("own", steps)).file("f", "text").talk(json!([])).await;
    talk.harness.set_active_tools(vec!["own".to_owned(), "echo".to_owned(), "bash".to_owned()]).unwrap();
    talk.say("go").await;
    let told = call(&mut talk, "own", "").await;
    insta::assert_snapshot!(told, @r#"
    call: not-run `edit` is not among the tools that this plugin may call
    call: not-run Tool other not found
    call: not-run the arguments are not a JSON object
    call: not-run Validation failed for tool "echo":
      - text: expected string, got number

    Received arguments:
    {
      "text": 1
    }
    call: not-run Tool read not found
    call: failed (no output)

    The command exited with code 3.
    "#);
    assert_eq!(*talk.bed.echoed.lock().unwrap(), [""; 0]);
}

/// The gate calls the tool that it judges.
#[tokio::test]
async fn calls_within_calls_end_at_a_depth_of_four() {
    let gate = json!({ "gate": { "only": "echo", "steps": [{ "call": "echo", "with": { "text": "GIVEN+" } }] } });
    let mut talk = asks(Bed::new(), "ct-deep", gate).talk(json!([])).await;
    assert_eq!(call(&mut talk, "echo", "x").await, "x");
    assert_eq!(*talk.bed.echoed.lock().unwrap(), ["x++++", "x+++", "x++", "x+", "x"]);
    let too_deep = "call: not-run `echo` was not called: calls of plugins are nested more than 4 deep";
    assert_eq!(lines("ct-deep"), [too_deep, "call: ok x++++", "call: ok x+++", "call: ok x++", "call: ok x+"]);
}

#[tokio::test]
async fn a_tool_that_calls_itself_ends_at_that_depth_too() {
    let mut talk = asks(Bed::new(), "p", tool("own", json!([{ "call": "own", "with": {} }]))).talk(json!([])).await;
    let told = call(&mut talk, "own", "").await;
    let too_deep = "call: not-run `own` was not called: calls of plugins are nested more than 4 deep";
    assert_eq!(told, format!("{}{too_deep}", "call: ok ".repeat(4)));
}

/// All its instances at each depth are busy, each with a call that the plugin judges, serves and patches itself.
#[tokio::test]
async fn sixteen_calls_at_once_whose_gates_call_what_they_judge_do_not_wait_for_each_other() {
    let deep = json!({
        "gate": { "steps": [{ "call": "own", "with": { "text": "g" } }] },
        "patch": { "steps": [{ "call": "echo", "with": { "text": "p" } }] },
        "tools": [{ "name": "own", "steps": [{ "call": "echo", "with": { "text": "t" } }] }],
    });
    let long = |settings: &mut Settings| {
        (settings.limits.time_ms, settings.limits.tool_time_ms) = (60_000, 60_000);
    };
    let bed = asks(Bed::new(), "ct-all", deep).set("ct-all", long);
    let calls: Vec<Value> = (0..16)
        .map(|n| json!({ "toolCall": { "id": format!("c{n}"), "name": "own", "args": { "text": "x" } } }))
        .collect();
    let mut talk = bed.talk(json!([{ "content": calls }, { "content": [{ "text": "done" }] }])).await;
    tokio::time::timeout(Duration::from_secs(120), talk.say("go")).await.expect("they wait for each other");
    assert_eq!(talk.transcript()[2..18], vec!["tool: call: ok t"; 16]);
}

#[tokio::test]
async fn what_a_plugin_is_given_of_a_result_is_bounded() {
    let patch = json!({ "gate": { "only": "read", "steps": [{ "call": "echo", "with": { "text": "x" } }] } });
    let bed = asks(Bed::new(), "ct-long", patch).output("y".repeat(3 << 20)).file("f", "");
    let mut talk = bed.talk(json!([])).await;
    let abort = CancellationToken::new();
    let read = talk.harness.call(Origin::User, "read", json!({ "path": "f" }), &abort).await;
    assert!(!read.output.is_error, "{read:?}");
    let mib = 1 << 20;
    let note = format!("[{} bytes of this result do not fit in 1 MiB and were left out]", 2 * mib + 1);
    let [line] = &lines("ct-long")[..] else { panic!("one line") };
    assert!(line.ends_with(&format!("... {} bytes", "call: ok ".len() + mib + note.len())), "{}", line.len());
}

#[tokio::test]
async fn one_call_of_a_plugin_leads_to_a_thousand_others_at_most() {
    let gate =
        json!({ "gate": { "only": "read", "steps": [{ "call": "echo", "with": { "text": "x" }, "times": 1002 }] } });
    let bed = asks(Bed::new(), "ct-many", gate).file("f", "").time_limit("ct-many", 60_000);
    let bed = bed.set("ct-many", |settings| settings.limits.log_per_minute = 10_000);
    let mut talk = bed.talk(json!([])).await;
    let abort = CancellationToken::new();
    for _ in 0..2 {
        let read = talk.harness.call(Origin::User, "read", json!({ "path": "f" }), &abort).await;
        assert!(!read.output.is_error, "{read:?}");
        let lines = lines("ct-many");
        assert_eq!(lines.iter().filter(|line| *line == "call: ok x").count(), 1000);
        let refused = "call: not-run `echo` was not called: one call of a plugin has led to more than 1000 others";
        assert_eq!(lines[1000..], [refused; 2]);
    }
}

/// Its calls are told to nobody who could answer them with others.
#[tokio::test]
async fn the_journal_holds_both_calls_and_they_can_be_made_again() {
    let recording = Recording::new();
    let steps = json!([{ "call": "echo", "with": { "text": "GIVEN!" } }, { "call": "edit", "with": {} }]);
    let mut config = tool("own", steps);
    config["gate"] = json!({ "only": "echo", "steps": [{ "call": "read", "with": { "path": "f" } }] });
    let bed = asks(Bed::new(), "calls", config).file("f", "text").journal(recording.journal.clone());
    let plugins = bed.load().await;
    let mut talk = bed.talk(json!([])).await;
    call(&mut talk, "own", "hi").await;
    let crossings = recording.crossings();
    let of = |seam: &str, call: &str| {
        let found = crossings.iter().find(|made| made.seam == seam && made.call.as_deref() == Some(call));
        found.unwrap_or_else(|| panic!("no `{seam}` of `{call}` in {crossings:#?}"))
    };
    let run = recording.journal.run();
    let host = |crossing: &seam_session::journal::Crossing<'_>| -> Vec<(String, Value)> {
        crossing.host.iter().map(|call| (call.import.to_string(), call.answer.value().unwrap())).collect()
    };
    let answer = |answer: Value| ("call-tool.call".to_owned(), answer);
    let output =
        |text: &str| json!({ "ok": { "content": [{ "text": text }], "details": null, "structured-content": null } });
    let not_run = json!({ "err": { "not-run": "`edit` is not among the tools that this plugin may call" } });
    let executed = of("tools", &format!("outside-{run}-1"));
    assert_eq!(host(executed), [answer(output("hi!")), answer(not_run)]);
    let gate = of("tool-call", &format!("plugin-{run}-1"));
    assert_eq!(gate.host.len(), 1);
    of("tool-call", &format!("plugin-{run}-2"));
    talk.close().await;
    recording.assert_same(&plugins).await;
}

#[tokio::test]
async fn without_its_grant_it_is_not_loaded_and_the_lines_to_add_are_told() {
    let bed = Bed::new().plugin("calls", &files::guest("reach-b"), json!({}));
    let told = |grants: Grants| {
        let file = bed.plugins().join("calls.wasm");
        async move {
            let problem = engine().load(&file, &Settings { grants, ..Settings::default() }).await.err();
            problem.map(|problem| match problem {
                LoadProblem::NeedsGrants(needed) => needed.to_string(),
                other => other.to_string(),
            })
        }
    };
    insta::assert_snapshot!(told(Grants::default()).await.unwrap(), @r#"
    it imports `seam:harness/call-tool@0.1.0`, `seam:harness/complete@0.1.0`, `seam:harness/exec@0.1.0`, `seam:harness/ui@0.1.0`, which are not granted to it; to grant that, add to `seam.toml`:
        [plugins.calls.grants]
        ui = true
        tools = ["read"]  # the tools it may call
        exec = ["git"]  # the programs it may run
        complete = 10000  # tokens in a session
    "#);
    insta::assert_snapshot!(told(Grants { tools: Vec::new(), ..granted() }).await.unwrap(), @r#"
    it imports `seam:harness/call-tool@0.1.0`, which is not granted to it; to grant that, add to `seam.toml`:
        [plugins.calls.grants]
        tools = ["read"]  # the tools it may call
    "#);
    assert_eq!(told(granted()).await, None);
    // A grant of nothing is none.
    for (less, import, line) in [
        (Grants { exec: Vec::new(), ..granted() }, "exec", "exec = [\"git\"]  # the programs it may run"),
        (Grants { complete: Some(0), ..granted() }, "complete", "complete = 10000  # tokens in a session"),
        (Grants { ui: false, ..granted() }, "ui", "ui = true"),
    ] {
        let told = told(less).await.unwrap();
        let expected = format!(
            "it imports `seam:harness/{import}@0.1.0`, which is not granted to it; to grant that, add to \
             `seam.toml`:\n    [plugins.calls.grants]\n    {line}"
        );
        assert_eq!(told, expected);
    }
}

#[tokio::test]
async fn a_plugin_in_the_shadow_calls_nothing_and_says_nothing() {
    let steps = json!([
        { "call": "echo", "with": { "text": "x" } },
        { "exec": ["echo", "x"] },
        { "notify": "x", "status": "x" },
        { "confirm": "x" },
    ]);
    let gate = json!({ "gate": { "only": "read", "steps": steps } });
    let bed = asks(Bed::new(), "ct-shadow", gate).set("ct-shadow", |settings| settings.mode = Mode::Shadow);
    let mut talk = bed.file("f", "").talk(json!([])).await;
    let abort = CancellationToken::new();
    talk.harness.call(Origin::User, "read", json!({ "path": "f" }), &abort).await;
    let why = "this plugin is in the shadow: it changes nothing, and so it calls nothing";
    let expected = [format!("call: not-run {why}"), format!("exec: not-run {why}"), "confirm: false".to_owned()];
    assert_eq!(lines("ct-shadow"), expected);
    let told = |event: &Event| {
        let Event::Session(event) = event else { return false };
        let said = SessionEvent::PluginNotice { plugin: "ct-shadow".into(), text: "x".to_owned() };
        *event == said || matches!(event, SessionEvent::PluginStatus { .. } | SessionEvent::PluginCalled { .. })
    };
    assert!(!talk.close().await.iter().any(told));
}
