//! An abort of the user ends what observers have under way, though nobody waits for them.

use std::time::Duration;

use seam_loop::CancellationToken;
use seam_tests::bed::{Bed, wait};
use seam_tests::talk::{calls, says};
use serde_json::{Value, json};

use super::asks::{asks, lines, until_processes};

/// A bed with the plugin, which does this at the end of each turn.
fn watches(name: &str, steps: Value) -> Bed {
    asks(Bed::new(), name, json!({ "turn-end": { "steps": steps } }))
}

/// The model takes its time for the second turn.
fn turns() -> Value {
    json!([calls("echo", "x"), { "content": [{ "text": "late" }], "delay": 60_000 }])
}

#[tokio::test]
async fn a_program_that_an_observer_runs_ends_with_an_abort_and_nothing_follows_it() {
    let run = |seconds: &str| json!({ "exec": ["sleep", seconds] });
    let mut talk = watches("ab-runs", json!([run("71.2311"), { "exec": ["echo", "hi"] }])).talk(turns()).await;
    let abort = CancellationToken::new();
    let aborting = async {
        until_processes("71.2311", true).await;
        abort.cancel();
    };
    tokio::join!(talk.say_until("hi", &abort), aborting);
    until_processes("71.2311", false).await;
    // It stays without what it waits for until what it saw is over.
    let told = [(); 2].map(|()| "exec: failed it was given up: the user aborted".to_owned());
    let since = std::time::Instant::now();
    let mut seen = lines("ab-runs");
    while seen.len() < 2 && since.elapsed() < Duration::from_secs(20) {
        wait(5).await;
        seen.extend(lines("ab-runs"));
    }
    assert_eq!(seen[..2], told);
    talk.close().await;
}

#[tokio::test]
async fn an_abort_ends_no_more_than_what_was_told_before_it() {
    let mut talk = watches("ab-again", json!([{ "exec": ["echo", "hi"] }])).talk(json!([says("a"), says("b")])).await;
    let abort = CancellationToken::new();
    abort.cancel();
    talk.say_until("one", &abort).await;
    talk.say("two").await;
    talk.close().await;
    assert_eq!(lines("ab-again").last().map(String::as_str), Some("exec: 0 hi "));
}
