//! The user aborts while a plugin is asked: nothing is sent any more.

use std::time::{Duration, Instant};

use seam_harness::Heard;
use seam_loop::{CancellationToken, StopReason};
use seam_tests::bed::{Bed, wait};
use seam_tests::models::Protocol;
use serde_json::json;

use super::super::{replace, run};
use super::{ASKED, does, with};

#[tokio::test]
async fn nothing_is_sent_after_an_abort_whatever_the_plugin_would_have_said() {
    for seam in ASKED {
        let settings = does(seam, json!({ "do": "loop" }));
        let bed = Bed::new().everything("slow", settings).time_limit("slow", 60_000);
        let (server, mut talk) = with(bed, Protocol::Anthropic).await;
        let (abort, began) = (CancellationToken::new(), Instant::now());
        let aborting = async {
            wait(50).await;
            abort.cancel();
        };
        let (heard, ()) = tokio::join!(talk.say_until("hi", &abort), aborting);
        assert!(matches!(&heard, Heard::Ran(outcome) if outcome.stop_reason == StopReason::Aborted), "{heard:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{seam}: {:?}", began.elapsed());
        // What was on its way would be there by now.
        wait(50).await;
        assert!(server.requests().is_empty(), "{seam}");
    }
}

/// The conversation goes on: the next prompt is sent, through the same plugin.
#[tokio::test]
async fn the_next_prompt_is_sent_as_usual() {
    let settings = json!({
        "before-provider-payload": { "do": "busy", "millions": 2000 },
        "before-provider-request": { "set-header": [["x-trace", "1"]] },
        "observe": "quiet"
    });
    let bed = Bed::new().everything("slow", settings).time_limit("slow", 600_000);
    let (server, mut talk) = with(bed, Protocol::Chat).await;
    let abort = CancellationToken::new();
    let aborting = async {
        wait(50).await;
        abort.cancel();
    };
    tokio::join!(talk.say_until("one", &abort), aborting);
    assert!(server.requests().is_empty());
    let quick =
        Bed::new().everything("quick", does("before-provider-request", json!({ "set-header": [["x-q", "1"]] })));
    let _bed = replace(&mut talk, quick).await;
    assert_eq!(run(&mut talk, "two").await.stop_reason, StopReason::Stop);
    let [sent] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    assert_eq!(sent.header("x-q"), Some("1"));
    let texts = sent.body.to_string();
    assert!(texts.contains("one") && texts.contains("two"), "{texts}");
}
