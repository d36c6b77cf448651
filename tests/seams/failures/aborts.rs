//! An abort in the middle of a plugin's call leaves the plugin usable: what it stopped is gone, and makes room.

use std::time::{Duration, Instant};

use seam_harness::Heard;
use seam_loop::{CancellationToken, StopReason};
use seam_tests::bed::{Bed, text, trail, wait};
use seam_tests::talk::{calls, says};
use serde_json::json;

/// More often than a plugin has instances.
const OFTEN: usize = 10;

/// Does this and aborts it after 30 ms. It must end long before any limit of the plugin.
async fn aborted<T>(doing: impl AsyncFnOnce(&CancellationToken) -> T) -> T {
    let abort = CancellationToken::new();
    let began = Instant::now();
    let aborting = async {
        wait(30).await;
        abort.cancel();
    };
    let (done, ()) = tokio::join!(doing(&abort), aborting);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    done
}

#[tokio::test]
async fn in_a_gate_and_in_a_rewriter() {
    for seam in ["tool-call", "rewrite-tool-call"] {
        let settings = json!({ seam: { "do": "loop", "tool": "echo" }, "observe": "quiet" });
        let session = Bed::new().everything("p", settings).time_limit("p", 60_000).start().await;
        for _ in 0..OFTEN {
            let settled = aborted(async |abort| session.call_until("echo", json!({ "text": "x" }), abort).await).await;
            assert_eq!(text(&settled), "Operation aborted", "{seam}");
        }
        assert_eq!(session.runs(), 0);
        let settled = session.call("ls", json!({})).await;
        assert!(trail(&settled.decisions).contains(&format!("p {seam} proceed")), "{seam}");
    }
}

/// What happened has to be told, and nothing may be told that a patch did not see: it has its time.
#[tokio::test]
async fn in_a_patch() {
    let settings = json!({ "tool-result": { "do": "loop", "tool": "echo" }, "observe": "quiet" });
    let session = Bed::new().everything("p", settings).time_limit("p", 100).start().await;
    for _ in 0..OFTEN {
        let settled = aborted(async |abort| session.call_until("echo", json!({ "text": "secret" }), abort).await).await;
        let words = "The tool ran, but its result is withheld: plugin `p` failed at `tool-result`: it reached its time";
        assert!(text(&settled).starts_with(words), "{}", text(&settled));
    }
    assert_eq!(session.runs(), OFTEN);
    let settled = session.call("ls", json!({})).await;
    assert_eq!(trail(&settled.decisions).last().unwrap(), "p tool-result proceed");
}

#[tokio::test]
async fn in_a_hook_of_a_run() {
    for seam in
        ["prepare-request", "transform-context", "convert-to-llm", "get-api-key", "finish-turn", "prepare-next-turn"]
    {
        let settings = json!({
            seam: { "do": "loop" }, "before-agent-start": { "message": "x" }, "observe": "quiet",
            "commands": [{ "name": "hello", "do": "reply", "text": "hello" }]
        });
        let turns = vec![calls("echo", "x"); OFTEN];
        let bed = Bed::new().everything("p", settings).time_limit("p", 60_000);
        let mut talk = bed.talk(json!(turns)).await;
        for _ in 0..OFTEN {
            let Heard::Ran(outcome) = aborted(async |abort| talk.say_until("hi", abort).await).await else {
                panic!("it was a run")
            };
            assert_eq!(outcome.stop_reason, StopReason::Aborted, "{seam}");
        }
        assert_eq!(talk.say("/hello").await, Heard::Replied("hello".to_owned()), "{seam}");
    }
}

#[tokio::test]
async fn in_a_tool_of_a_plugin() {
    let tools = json!([{ "name": "loop", "do": "loop" }, { "name": "shout", "do": "shout" }]);
    let bed = Bed::new().everything("p", json!({ "tools": tools, "observe": "quiet" })).time_limit("p", 50);
    let session = bed.set("p", |settings| settings.limits.tool_time_ms = 60_000).start().await;
    for _ in 0..OFTEN {
        let settled = aborted(async |abort| session.call_until("loop", json!({}), abort).await).await;
        assert_eq!(text(&settled), "Operation aborted");
    }
    assert_eq!(text(&session.call("shout", json!({ "text": "x" })).await), "X");
}

/// The whole run ends, and the conversation goes on with the same plugin.
#[tokio::test]
async fn in_a_run_that_is_followed_by_another() {
    let settings = json!({ "tool-call": { "do": "loop", "tool": "echo" }, "observe": "quiet" });
    let bed = Bed::new().everything("p", settings).time_limit("p", 60_000);
    let ls = json!({ "content": [{ "toolCall": { "id": "l", "name": "ls", "args": {} } }] });
    let mut talk = bed.file("a.txt", "").talk(json!([calls("echo", "x"), ls, says("done")])).await;
    let Heard::Ran(outcome) = aborted(async |abort| talk.say_until("hi", abort).await).await else {
        panic!("it was a run")
    };
    assert_eq!(outcome.stop_reason, StopReason::Aborted);
    talk.say("again").await;
    assert_eq!(talk.transcript()[2], "tool: Operation aborted");
    assert_eq!(talk.transcript().last().unwrap(), "assistant: done");
}
