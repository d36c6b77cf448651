//! `tool-result`: what is told of a call that ran.

use std::sync::Mutex;

use seam_loop::{CancellationToken, Dispatch, NoCalls, Preflight, RunScope, ToolOutput};
use seam_tests::bed::{Bed, request, text, trail};
use seam_tests::three::{in_every_order, name};
use serde_json::json;

#[tokio::test]
async fn a_patch_changes_what_is_told_and_not_what_happened() {
    let session = Bed::new().stress("p", json!({ "patch": { "say": "patched" } })).start().await;
    let settled = session.call("write", json!({ "path": "a", "content": "a" })).await;
    assert_eq!(text(&settled), "patched");
    assert!(session.workspace.join("a").is_file());
    assert_eq!(trail(&settled.decisions).last().unwrap(), "p tool-result change");
}

#[tokio::test]
async fn patches_form_a_chain() {
    let bed = Bed::new().stress("a", json!({ "patch": { "append": "1" } })).stress("b", json!({}));
    let session = bed.stress("c", json!({ "patch": { "append": "2" } })).start().await;
    assert_eq!(text(&session.echo("x").await), "x12");
}

#[tokio::test]
async fn a_failure_withholds_the_result_and_says_that_the_tool_ran() {
    let session = Bed::new().stress("broken", json!({ "patch": "panic" })).output("a secret").start().await;
    let settled = session.echo("x").await;
    assert_eq!(session.runs(), 1);
    insta::assert_snapshot!(text(&settled), @"The tool ran, but its result is withheld: plugin `broken` failed at `tool-result`: it crashed (a panic or an abort). This is a failure, not a decision about the result.");
    assert_eq!((settled.output.is_error, settled.output.details), (true, Some(json!({}))));

    let bed = Bed::new().stress("broken", json!({ "patch": "panic" })).skip_failures("broken");
    assert_eq!(text(&bed.start().await.echo("x").await), "x");
}

#[tokio::test]
async fn redact_secrets_keeps_a_key_from_everyone() {
    let secret = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
    let bed = Bed::new().example("redact-secrets", json!({})).file("conf", &format!("key {secret}\nrest"));
    let session = bed.start().await;
    for (tool, arguments) in [
        ("read", json!({ "path": "conf" })),
        ("bash", json!({ "command": "cat conf" })),
        ("grep", json!({ "pattern": "key" })),
    ] {
        let settled = session.call(tool, arguments).await;
        let told = text(&settled);
        assert!(!told.contains(secret) && told.contains("[redacted"), "{tool}: {told}");
        assert!(!format!("{:?}", settled.output).contains(secret), "{tool}");
    }
}

/// Live updates pass the chain too.
#[tokio::test]
async fn live_updates_are_patched_before_anyone_sees_them() {
    let secret = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
    let session = Bed::new().example("redact-secrets", json!({})).file("conf", &format!("{secret}\n")).start().await;
    let call = request("bash", json!({ "command": "cat conf; sleep 0.5; echo end" }));
    let abort = CancellationToken::new();
    let Preflight::Ready(ready) = session.dispatcher.preflight(call, &abort).await else { panic!("it is not refused") };
    let seen = Mutex::new(Vec::new());
    let updates = |partial: ToolOutput| seen.lock().unwrap().push(format!("{partial:?}"));
    ready.run(RunScope { abort: &abort, updates: &updates, caller: &NoCalls }).await;
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().any(|update| update.contains("[redacted")), "{seen:?}");
    assert!(!seen.iter().any(|update| update.contains(secret)), "{seen:?}");
}

/// Nobody can know half a secret: a line is told when all of it is there.
#[tokio::test]
async fn a_secret_that_comes_in_two_pieces_is_in_no_live_update() {
    let session = Bed::new().example("redact-secrets", json!({})).start().await;
    let command = "echo begin; sleep 0.3; printf sk-demo-4f9a8b7c6d5e4f3a; sleep 0.5; echo 2b1c0d9e8f7a6b5c; sleep 0.3";
    let call = request("bash", json!({ "command": command }));
    let abort = CancellationToken::new();
    let Preflight::Ready(ready) = session.dispatcher.preflight(call, &abort).await else { panic!("it is not refused") };
    let seen = Mutex::new(Vec::new());
    let updates = |partial: ToolOutput| seen.lock().unwrap().push(format!("{partial:?}"));
    ready.run(RunScope { abort: &abort, updates: &updates, caller: &NoCalls }).await;
    let seen = seen.into_inner().unwrap();
    assert!(seen.iter().any(|update| update.contains("[redacted")), "{seen:?}");
    assert!(!seen.iter().any(|update| update.contains("4f9a8b")), "{seen:?}");
}

#[tokio::test]
async fn a_long_result_arrives_cut_and_is_read_whole_through_its_import() {
    let long = "ä".repeat(100_000);
    let session = Bed::new().stress("tells", json!({ "patch": "tell" })).output(long).start().await;
    assert_eq!(text(&session.echo("x").await), "truncated=true 200001");
    let session = Bed::new().stress("tells", json!({ "patch": "tell" })).start().await;
    assert_eq!(text(&session.echo("x").await), "truncated=false 1");
}

#[tokio::test]
async fn the_view_of_a_result_ends_with_its_call() {
    let session = Bed::new().stress("peeks", json!({ "gate": "read-result" })).output("secret").start().await;
    for _ in 0..2 {
        let settled = session.echo("x").await;
        assert!(text(&settled).contains("`peeks` failed at `tool-call`"), "{}", text(&settled));
    }
    assert_eq!(session.runs(), 0);
}

#[tokio::test]
async fn a_patch_may_return_twice_what_it_was_given() {
    let long = "x".repeat(3 << 20);
    let session = Bed::new().stress("a", json!({ "patch": { "append": "!" } })).output(long).start().await;
    assert_eq!(text(&session.echo("x").await).len(), (3 << 20) + 2);
}

/// Three in every order: fields that two change are chained, `withhold` wins, and who keeps it changes nothing.
#[tokio::test]
async fn three_form_a_chain_in_every_order() {
    let change = |letter: &str| json!({ "tool-result": { "do": "change", "text": format!("{{}}{letter}") } });
    for (order, bed) in in_every_order([change("a"), change("b"), json!({})]) {
        let settled = bed.start().await.echo("x").await;
        assert_eq!(text(&settled), format!("x{}", order.replace('c', "")), "{order}");
    }
    let withhold = json!({ "tool-result": { "do": "withhold", "text": "no" } });
    for (order, bed) in in_every_order([change("a"), json!({}), withhold]) {
        let settled = bed.start().await.echo("x").await;
        let expected = format!("The tool ran, but its result is withheld by plugin `{}`: no", name(order, 'c'));
        assert_eq!(text(&settled), expected, "{order}");
        let asked = trail(&settled.decisions).iter().filter(|decision| decision.contains(" tool-result ")).count();
        assert_eq!(asked, order.find('c').unwrap() + 1, "{order}: nobody is asked behind it");
    }
}

/// Three in every order: a field that one changes stays as it is for one that changes another, with no deep merge.
#[tokio::test]
async fn each_field_is_changed_on_its_own_in_every_order() {
    let details = json!({ "tool-result": { "do": "change", "details": { "a": 1 } } });
    let failed = json!({ "tool-result": { "do": "change", "is-error": true } });
    for (order, bed) in in_every_order([details, failed, json!({})]) {
        let settled = bed.start().await.echo("x").await;
        let told = (text(&settled), settled.output.details, settled.output.is_error);
        assert_eq!(told, ("x".to_owned(), Some(json!({ "a": 1 })), true), "{order}");
    }
}
