//! What is not kept: what a call wrote that failed, and what cannot be stored, and then nothing rests on it.

use std::fs;

use seam_harness::Heard;
use seam_loop::{CancellationToken, Dispatch as _, Origin, Preflight};
use seam_tests::bed::{Bed, request, text};
use seam_tests::notes;
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::{calls, says};
use serde_json::json;

use super::super::steps::{ask, at, custom, does, place, step, told};

#[tokio::test]
async fn of_a_call_that_fails_nothing_is_kept() {
    for (fails, how) in [(json!(["trap"]), "it crashed"), (json!(["busy", "100000"]), "its time limit")] {
        let (_folder, file) = place();
        let steps = json!([["set", "a", "2"], ["set", "b", "2"], ["delete", "c"], fails]);
        let bed = told().set("p", |settings| settings.limits.tool_time_ms = 200);
        let mut talk = bed.talk_in(&file, json!([step(steps), says("done")])).await;
        assert_eq!(ask(&mut talk, json!([["set", "a", "1"], ["set", "c", "1"]])).await, "ok | ok");
        talk.say("hi").await;
        assert!(talk.transcript()[2].contains(how), "{:?}", talk.transcript());
        assert_eq!(ask(&mut talk, json!([["keys"], ["get", "a"]])).await, "a,c | 1");
        assert_eq!(custom(&file).len(), 1);
    }
}

/// A command that cannot remember has said nothing.
#[tokio::test]
async fn a_command_whose_state_cannot_be_stored_fails_and_no_run_follows() {
    let (_folder, file) = place();
    let recording = Recording::new();
    let bed = does(Bed::new(), "state-lost", at("tool-call", json!([["count", "n"], ["get", "n"]])));
    let mut talk =
        bed.journal(recording.journal.clone()).talk_in(&file, json!([calls("echo", "x"), says("done")])).await;
    talk.say("hi").await;
    assert_eq!(notes::take("state-lost"), ["tool-call: 1 | 1"]);
    assert_eq!(talk.bed.echoed.lock().unwrap().len(), 1);
    fs::remove_file(&file).unwrap();
    let Heard::Failed(failed) = talk.say(r#"/do [["set", "a", "1"]]"#).await else { panic!("it is not remembered") };
    assert_eq!(
        failed,
        "Plugin `state-lost` failed at `/do`: what it said could not be recorded, and what is not recorded is not decided."
    );
    let Heard::Ran(outcome) = talk.say("on").await else { panic!("there is no run") };
    assert!(outcome.error.unwrap().contains("what cannot be recorded is not decided"));
}

/// The file is gone when the gate remembers something. Its call is refused, whatever it says.
#[tokio::test]
async fn a_gate_whose_state_cannot_be_stored_is_a_refusal() {
    let (_folder, file) = place();
    let bed = does(Bed::new(), "lost-gate", at("tool-call", json!([["count", "n"]])));
    let mut talk = bed.talk_in(&file, json!([says("done")])).await;
    let abort = CancellationToken::new();
    let mut echo = async |given: &str| {
        let called = talk.harness.call(Origin::User, "echo", json!({ "text": given }), &abort).await;
        (text(&called), talk.bed.echoed.lock().unwrap().len())
    };
    assert_eq!(echo("a").await, ("a".to_owned(), 1));
    fs::remove_file(&file).unwrap();
    let (told, runs) = echo("b").await;
    assert_eq!(notes::take("lost-gate"), ["tool-call: 1", "tool-call: 2"]);
    assert!(runs == 1 && told.contains("plugin `lost-gate`") && told.contains("could not be recorded"), "{told}");
}

#[tokio::test]
async fn without_an_owner_a_gate_remembers_in_memory_and_decides() {
    let (_folder, file) = place();
    let bed = does(Bed::new(), "p", at("tool-call", json!([["count", "n"]])));
    let (session, commands) = bed.start_with(Vec::new()).await;
    drop(commands);
    let preflight = session.dispatcher.preflight(request("echo", json!({ "text": "x" })), &Default::default()).await;
    assert!(matches!(preflight, Preflight::Ready(_)));
    let settled = session.call("do", json!({ "text": json!([["get", "n"]]).to_string() })).await;
    assert_eq!((text(&settled), file.exists()), ("1".to_owned(), false));
}

/// The process ends right behind the entry, before the call has its result.
#[tokio::test]
async fn a_session_that_ended_within_the_call_goes_on_with_what_the_call_had_stored() {
    let ((_folder, file), (_other, cut)) = (place(), place());
    let mut talk = told().talk_in(&file, json!([step(json!([["set", "a", "1"]])), says("done")])).await;
    talk.say("hi").await;
    talk.close().await;
    let whole = fs::read_to_string(&file).unwrap();
    let end = whole.find("\"seam:state\"").unwrap();
    let end = end + whole[end..].find('\n').unwrap() + 1;
    fs::write(&cut, &whole[..end]).unwrap();
    let mut talk = told().talk_in(&cut, json!([says("on")])).await;
    assert_eq!(ask(&mut talk, json!([["get", "a"], ["set", "a", "2"]])).await, "1 | ok");
    talk.say("on").await;
    let last = talk.last_request().messages;
    assert!(last[2].starts_with("tool: Interrupted"), "{last:?}");
    assert_eq!((&*last[3], last.len()), ("user: on", 4));
    assert_eq!(ask(&mut talk, json!([["get", "a"]])).await, "2");
}

/// Both fit, and together they do not: the one that ends last fails, and is told apart from a decision.
#[tokio::test]
async fn two_calls_at_once_do_not_get_around_the_quota() {
    let recording = Recording::new();
    let call = |id: &str, key: &str| {
        let steps = json!([["set-big", key, "800"], ["busy", "200"]]).to_string();
        json!({ "toolCall": { "id": id, "name": "do", "args": { "text": steps } } })
    };
    let bed = told().set("p", |settings| {
        settings.limits.state_kib = 1;
        settings.limits.tool_time_ms = 60_000;
    });
    let turns = json!([{ "content": [call("c1", "a"), call("c2", "b")] }, says("done")]);
    let mut talk = bed.journal(recording.journal.clone()).talk(turns).await;
    talk.say("hi").await;
    let kept = ask(&mut talk, json!([["keys"]])).await;
    assert!(kept == "a" || kept == "b", "{kept}");
    let executed = recording.crossings();
    let executed = executed.iter().filter(|crossing| crossing.function == "execute").map(answer);
    let failed: Vec<String> = executed.filter_map(|answer| answer.as_str().map(str::to_owned)).collect();
    let why = "misuse: with what another call of it wrote at the same time, its state is too large";
    assert_eq!(failed, [why]);
}
