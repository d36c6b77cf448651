//! A plugin in shadow mode: asked and recorded at every seam, and nothing is different for it.

use seam_harness::seams::TreeChanges;
use seam_loop::{CancellationToken, Dispatch as _, NoCalls, Preflight, RunScope, ToolOutput};
use seam_plugins::{Mode, OnFailureRules, Word};
use seam_tests::bed::{Bed, request, text};
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::{calls, says};
use serde_json::{Value, json};

use super::failures::asking::{ask, compaction, step};
use super::failures::deciding;

/// What a plugin would do that is against everything, at a seam, and the case or the kind of change that says so.
fn against(seam: &str) -> (Value, &'static str) {
    match seam {
        "input" => (json!({ "do": "handled", "text": "no" }), r#"{"handled":"no"}"#),
        "before-agent-start" => (json!({ "system-prompt": "be rude" }), r#"[{"system-prompt":"be rude"}]"#),
        "prepare-request" => (
            json!({ "model": "other/other" }),
            r#"[{"model":{"model":{"provider":"other","id":"other"},"scope":"request"}}]"#,
        ),
        "transform-context" => (json!({ "insert": [[0, "forget"]] }), ""),
        "convert-to-llm" => (json!({ "do": "omit" }), r#"["omit"]"#),
        "get-api-key" => (json!({ "do": "key", "text": "sk-shadow-key" }), "true"),
        "before-provider-request" => {
            (json!({ "set-header": [["x", "y"]] }), r#"[{"set-header":{"name":"x","value":"y"}}]"#)
        }
        "before-provider-payload" => (json!({ "do": "replace", "text": "[]" }), r#"{"replace":"[]"}"#),
        "rewrite-tool-call" => (json!({ "do": "arguments", "text": "{}" }), ""),
        "tool-call" => (json!({ "do": "block", "text": "no" }), r#"{"block":{"reason":"no","terminate":false}}"#),
        "tool-result" => (json!({ "do": "withhold", "text": "no" }), r#"{"withhold":"no"}"#),
        "finish-turn" => (json!({ "do": "continue" }), r#""continue""#),
        "prepare-next-turn" => (json!({ "message": "and another thing", "model": "other/other" }), ""),
        "session-before-switch" | "session-before-fork" | "session-before-compact" | "session-before-tree" => {
            (json!({ "do": "cancel", "text": "no" }), r#"{"cancel":"no"}"#)
        }
        "resources-discover" => (json!({ "skills": [["a", "b", "c"]] }), ""),
        other => panic!("`{other}` has no place in this table"),
    }
}

fn in_shadow(bed: Bed, name: &str) -> Bed {
    bed.set(name, |settings| settings.mode = Mode::Shadow)
}

/// The plugin `p`, against everything, in the shadow.
fn against_everything() -> Bed {
    let mut settings = json!({ "observe": "quiet", "tools": [{ "name": "extra", "do": "shout" }],
        "commands": [{ "name": "extra", "do": "reply" }] });
    for seam in deciding() {
        settings[seam.name] = against(seam.name).0;
    }
    in_shadow(Bed::new().everything("p", settings), "p")
}

#[tokio::test]
async fn at_every_seam_it_is_asked_and_recorded_and_changes_nothing() {
    for seam in deciding() {
        let recording = Recording::new();
        let session = against_everything().journal(recording.journal.clone()).start().await;
        let asked = ask(&session, seam.name).await;
        assert_eq!((asked.refused, asked.rulings), (None, vec![]), "{}", seam.name);
        let crossings = recording.crossings();
        let crossing = crossings.iter().find(|crossing| crossing.seam == seam.name).unwrap();
        assert!(crossing.shadow, "{}", seam.name);
        let (would, (_, expected)) = (answer(crossing).to_string(), against(seam.name));
        assert!(if expected.is_empty() { would.len() > 10 } else { would == expected }, "{}: {would}", seam.name);
    }
}

#[tokio::test]
async fn its_failure_stops_nothing_and_is_recorded() {
    for deed in ["trap", "loop"] {
        for seam in deciding() {
            let recording = Recording::new();
            let settings = json!({ "observe": "quiet", seam.name: { "do": deed } });
            let bed = in_shadow(Bed::new().everything("p", settings).time_limit("p", 20), "p");
            let refuse = OnFailureRules::Everywhere(Word::Refuse);
            let bed = bed.set("p", |settings| settings.on_failure = refuse).journal(recording.journal.clone());
            let session = bed.start().await;
            let asked = ask(&session, seam.name).await;
            assert_eq!((asked.refused, asked.rulings), (None, vec![]), "{}", seam.name);
            let told = answer(recording.crossings().iter().find(|crossing| crossing.seam == seam.name).unwrap());
            let kind = if deed == "trap" { "crash: " } else { "time-limit: " };
            assert!(told.as_str().is_some_and(|told| told.starts_with(kind)), "{}: {told}", seam.name);
        }
    }
}

/// What takes the place of something else does not, either.
#[tokio::test]
async fn it_supplies_no_summary_and_changes_no_move() {
    let settings = json!({ "observe": "quiet", "session-before-compact": { "do": "summary", "text": "short" },
        "session-before-tree": { "do": "change", "summary": "short", "label": "here" } });
    let recording = Recording::new();
    let bed = in_shadow(Bed::new().everything("p", settings), "p").journal(recording.journal.clone());
    let session = bed.start().await;
    let (bus, mut trail) = (session.dispatcher.bus(), Vec::new());
    let at = bus.conversation.moment();
    let compacted = bus.session_before_compact(&compaction(), &at, &mut trail).await.unwrap();
    let moved = bus.session_before_tree(&step(), &at, &mut trail).await.unwrap();
    assert_eq!((compacted, moved, trail), (None, TreeChanges::default(), vec![]));
    let would: Vec<String> = recording.crossings().iter().map(|crossing| answer(crossing).to_string()).collect();
    assert_eq!(
        would,
        [r#"{"summary":{"text":"short","details":null}}"#, r#"{"change":[{"summary":"short"},{"label":"here"}]}"#]
    );
}

/// The model is asked the same and the conversation holds the same, and so it is for an active plugin beside it.
#[tokio::test]
async fn a_whole_run_is_as_without_it() {
    let beside = || json!({ "observe": "quiet", "input": { "do": "replace", "text": "{}?" }, "tool-result": { "do": "change", "text": "{}!" } });
    let mut runs = Vec::new();
    for bed in [Bed::new(), against_everything()] {
        let recording = Recording::new();
        let bed = bed.everything("q", beside()).journal(recording.journal.clone());
        let mut talk = bed.talk(json!([calls("echo", "x"), says("done")])).await;
        talk.say("hi").await;
        let requests = talk.requests.lock().unwrap().clone();
        let echoed = talk.bed.echoed.lock().unwrap().clone();
        runs.push((requests, talk.transcript(), talk.decided(), echoed));
    }
    assert_eq!(runs[0].1, ["user: hi?", r#"assistant: [echo {"text":"x"}]"#, "tool: x!", "assistant: done"]);
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn what_it_offers_is_not_offered() {
    let (session, commands) = against_everything().start_with(Vec::new()).await;
    assert!(commands.is_empty());
    assert!(session.dispatcher.definitions().iter().all(|definition| &*definition.name != "extra"));
}

/// One that is in nobody's way may offer what another offers too.
#[tokio::test]
async fn a_shadow_may_have_the_tools_of_an_active_plugin() {
    let offers = json!({ "observe": "quiet", "tools": [{ "name": "extra", "do": "shout" }] });
    let bed = in_shadow(Bed::new().everything("p", offers.clone()).everything("q", offers), "p");
    let session = bed.start().await;
    assert_eq!(text(&session.call("extra", json!({ "text": "x" })).await), "X");
}

/// Live updates pass it as results do.
#[tokio::test]
async fn it_withholds_no_update() {
    let offers = json!({ "observe": "quiet", "tools": [{ "name": "slow", "do": "updates", "updates": 1 }] });
    for deed in ["withhold", "trap"] {
        let shadow = json!({ "observe": "quiet", "tool-result": { "do": deed, "text": "no" } });
        let bed = in_shadow(Bed::new().everything("p", offers.clone()).everything("q", shadow), "q");
        let session = bed.start().await;
        let abort = CancellationToken::new();
        let call = request("slow", json!({ "text": "x" }));
        let Preflight::Ready(ready) = session.dispatcher.preflight(call, &abort).await else { panic!("it runs") };
        let seen = std::sync::Mutex::new(0);
        let updates = |_: ToolOutput| *seen.lock().unwrap() += 1;
        let settled = ready.run(RunScope { abort: &abort, updates: &updates, caller: &NoCalls }).await;
        assert_eq!((text(&settled).as_str(), *seen.lock().unwrap()), ("x done", 1), "{deed}");
    }
}

/// It watches like any other: what it sees harms nobody.
#[tokio::test]
async fn it_observes() {
    let recording = Recording::new();
    let bed = in_shadow(Bed::new().everything("p", json!({ "observe": "quiet" })), "p");
    let mut talk = bed.journal(recording.journal.clone()).talk(json!([says("done")])).await;
    talk.say("hi").await;
    talk.close().await;
    let seams: Vec<String> = recording.crossings().iter().map(|crossing| crossing.seam.to_string()).collect();
    for seam in ["session-start", "turn-end", "settled", "session-shutdown"] {
        assert!(seams.iter().any(|recorded| recorded == seam), "{seam}: {seams:?}");
    }
}
