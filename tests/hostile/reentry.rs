//! Calls of a plugin that lead back to it.

use std::time::{Duration, Instant};

use seam_tests::hostile::deed;
use seam_tests::talk::{calls, says};
use serde_json::json;

use super::assert_all_end;

#[tokio::test]
async fn calls_within_calls_end_at_a_depth() {
    let began = Instant::now();
    assert_all_end(&["calls within calls", "calls within calls, ten each"]).await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[tokio::test]
async fn calls_of_one_call_are_counted() {
    assert_all_end(&["calls without end"]).await;
}

/// Its gate is asked about its own call each time, and refuses it, for it may not call deeper. So nothing runs.
#[tokio::test]
async fn none_of_them_runs() {
    let mut talk = deed("calls within calls").bed().talk(json!([calls("echo", "x"), says("done")])).await;
    talk.say("go").await;
    let told = talk.transcript();
    assert_eq!(told[2].matches("Blocked by plugin `hostile`").count(), 5, "{told:?}");
    assert!(talk.bed.echoed.lock().unwrap().is_empty());
}
