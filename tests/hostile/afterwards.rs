//! After the deed: the plugin is asked again as if nothing had happened.

use std::time::Duration;

use seam_loop::CancellationToken;
use seam_tests::bed::{Bed, text};
use serde_json::json;

use super::gate;

#[tokio::test]
async fn after_a_trap_the_next_call_works_on_a_new_instance() {
    let session = gate(json!({ "panic-on": "bad" })).await;
    let runs = [session.echo("bad").await, session.echo("good").await, session.echo("good").await];
    let errors: Vec<bool> = runs.iter().map(|settled| settled.output.is_error).collect();
    assert_eq!(errors, [true, false, false], "{}", text(&runs[1]));
    assert!(!text(&runs[0]).contains("cannot enter"));
}

#[tokio::test]
async fn a_gate_is_never_switched_off_however_often_it_fails() {
    let session = gate(json!({ "panic-on": "bad" })).await;
    for _ in 0..200 {
        assert!(session.echo("bad").await.output.is_error);
    }
    assert_eq!(session.runs(), 0);
    assert!(!session.echo("good").await.output.is_error);
}

#[tokio::test]
async fn an_abort_in_the_middle_of_a_plugin_leaves_it_usable() {
    let session = Bed::new().stress("s", json!({ "gate": { "spin": 300 } })).time_limit("s", 60_000).start().await;
    let abort = CancellationToken::new();
    let aborting = async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        abort.cancel();
    };
    let call = session.call_until("echo", json!({ "text": "x" }), &abort);
    let (settled, ()) = tokio::join!(call, aborting);
    assert_eq!((text(&settled).as_str(), session.runs()), ("Operation aborted", 0));
    assert!(!session.echo("x").await.output.is_error);
}
