//! Whatever an observer does: the run, its requests, what is told of it, the gates and the other observers are the same
//! as without it. Its pace is measured by a benchmark.

use seam_harness::{Event, Heard, SessionEvent};
use seam_tests::bed::Bed;
use seam_tests::{files, notes};
use serde::Serialize;
use serde_json::{Value, json};

use super::{calls, says};

/// What a conversation came to, as text.
#[derive(Debug, PartialEq)]
struct Came {
    outcomes: String,
    transcript: String,
    requests: String,
    /// All that was told, but for reports about observers.
    told: String,
    echoed: String,
    /// What another observer saw.
    witnessed: String,
}

/// Has a conversation under gates and with a witness, beside what is in the bed already. Gives what it came to, and the
/// reports about observers.
async fn conversation(bed: Bed, witness: &str) -> (Came, Vec<Event>) {
    let bed = bed
        .file("conf", "key sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c")
        .example("protected-paths", json!({}))
        .example("redact-secrets", json!({}))
        .plugin(witness, &files::guest("observer"), json!({}));
    let turns = json!([
        calls("c1", "echo", json!({ "text": "x" })),
        calls("c2", "write", json!({ "path": ".env", "content": "x" })),
        calls("c3", "read", json!({ "path": "conf" })),
        says("done"), says("you are welcome"), { "error": "down" }
    ]);
    let mut talk = bed.talk(turns).await;
    let mut outcomes = Vec::new();
    for text in ["work", "thanks", "more"] {
        outcomes.push(talk.say(text).await);
    }
    let workspace = talk.bed.workspace.display().to_string();
    let plain = |value: String| value.replace(&workspace, "WORKSPACE");
    let transcript = plain(timeless(talk.harness.transcript().messages()));
    let requests = plain(format!("{:#?}", talk.requests.lock().unwrap()));
    let echoed = format!("{:?}", talk.bed.echoed.lock().unwrap());
    let (reports, told): (Vec<Event>, Vec<Event>) = talk.close().await.into_iter().partition(is_report);
    let session = notes::take(witness).iter().map(|note| without_session(note)).collect::<Vec<_>>();
    let witnessed = plain(session.join("\n"));
    let came = Came {
        outcomes: format!("{outcomes:?}"),
        transcript,
        requests,
        told: plain(timeless(&told)),
        echoed,
        witnessed,
    };
    (came, reports)
}

fn is_report(event: &Event) -> bool {
    matches!(event, Event::Session(SessionEvent::ObserverFailed { .. } | SessionEvent::ObserverBehind { .. }))
}

fn without_session(note: &str) -> String {
    let words: Vec<&str> = note.split(' ').collect();
    [&words[..1], &words[2..]].concat().join(" ")
}

/// As JSON, but for when each message was made.
fn timeless(value: &(impl Serialize + ?Sized)) -> String {
    let json = serde_json::to_string_pretty(value).unwrap();
    let lines = json.lines().filter(|line| !line.trim_start().starts_with("\"timestamp\": "));
    lines.collect::<Vec<_>>().join("\n")
}

/// A bed with a bad observer, asked before all others.
fn with_observer(name: &str, observe: Value) -> Bed {
    Bed::new().plugin(name, &files::guest("observer"), json!({ "observe": observe }))
}

#[tokio::test]
async fn a_trapping_observer_changes_nothing_and_is_reported() {
    let (without, none) = conversation(Bed::new(), "witness-1").await;
    let (with, reports) = conversation(with_observer("a-traps", json!("trap")), "witness-2").await;
    assert_eq!(with, without);
    assert_eq!(none.len(), 0);
    // One report for each event that the witness of the same seams saw, in order.
    let failure = "it crashed (a panic or an abort)";
    let seams = with.witnessed.lines().map(|note| note.split_once(':').unwrap().0);
    let expected: Vec<Value> = seams.map(|seam| failed("a-traps", seam, failure)).collect();
    assert_eq!(serde_json::to_value(reports).unwrap(), json!(expected));
}

#[tokio::test]
async fn a_looping_observer_changes_nothing_and_is_reported() {
    let (without, _) = conversation(Bed::new(), "witness-3").await;
    let bed = with_observer("a-loops", json!("loop")).time_limit("a-loops", 1);
    let (with, reports) = conversation(bed, "witness-4").await;
    assert_eq!(with, without);
    let expected = failed("a-loops", "agent-start", "it reached its time limit of 1 ms");
    assert_eq!(serde_json::to_value(reports.first()).unwrap(), expected);
}

fn failed(plugin: &str, seam: &str, failure: &str) -> Value {
    json!({ "type": "observer_failed", "plugin": plugin, "seam": seam, "failure": failure })
}

#[tokio::test]
async fn a_slow_observer_changes_nothing() {
    let (without, _) = conversation(Bed::new(), "witness-5").await;
    let bed = with_observer("a-slow", json!({ "busy": 5 })).time_limit("a-slow", 10_000);
    let (with, _) = conversation(bed, "witness-6").await;
    assert_eq!(with, without);
}

/// A plugin whose observers loop or crash still decides.
#[tokio::test]
async fn the_gate_of_a_bad_observer_still_decides() {
    for observe in ["loop", "trap"] {
        let settings = json!({ "observe": observe, "tool-call": { "do": "block", "text": "no" } });
        let bed = Bed::new().everything("both", settings).time_limit("both", 20);
        let mut talk = bed.talk(json!([calls("c1", "echo", json!({ "text": "x" })), says("a")])).await;
        let heard = talk.say("1").await;
        assert!(matches!(&heard, Heard::Ran(outcome) if outcome.error.is_none()), "{heard:?}");
        let expected =
            ["user: 1", "assistant: [echo {\"text\":\"x\"}]", "tool: Blocked by plugin `both`: no", "assistant: a"];
        assert_eq!(talk.transcript(), expected);
        assert_eq!(talk.bed.echoed.lock().unwrap().len(), 0);
        talk.close().await;
    }
}
