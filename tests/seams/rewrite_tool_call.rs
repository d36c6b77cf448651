//! `rewrite-tool-call`: new arguments before any gate.

use seam_tests::bed::{Bed, text, trail};
use seam_tests::three::{in_every_order, name};
use serde_json::json;

#[tokio::test]
async fn a_rewrite_reaches_the_gates_the_tool_and_the_model() {
    let bed = Bed::new().stress("a", json!({ "rewrite": { "append": "1" } }));
    let session = bed.stress("b", json!({ "gate": { "panic-on": "never" } })).start().await;
    let settled = session.echo("x").await;
    assert_eq!(*session.echoed.lock().unwrap(), ["x1"]);
    assert_eq!(
        text(&settled),
        "x1\n[Changed before it ran by plugin `a`. The tool got these arguments: {\"text\":\"x1\"}]"
    );
}

/// Each sees what the one before it made, in byte order of the file names and in no other.
#[tokio::test]
async fn rewrites_form_a_chain_in_the_order_of_the_file_names() {
    for (first, second, expected) in [("a", "b", "x12"), ("a", "B", "x21"), ("10", "9", "x12")] {
        let bed = Bed::new().stress(first, json!({ "rewrite": { "append": "1" } }));
        let session = bed.stress(second, json!({ "rewrite": { "append": "2" } })).start().await;
        session.echo("x").await;
        assert_eq!(*session.echoed.lock().unwrap(), [expected], "{first} {second}");
    }
}

#[tokio::test]
async fn nothing_to_say_never_undoes_a_rewrite() {
    for names in [["a", "b"], ["b", "a"]] {
        let bed = Bed::new().stress(names[0], json!({ "rewrite": { "append": "1" } }));
        let session = bed.stress(names[1], json!({})).start().await;
        session.echo("x").await;
        assert_eq!(*session.echoed.lock().unwrap(), ["x1"]);
    }
}

#[tokio::test]
async fn an_invalid_rewrite_is_that_plugins_failure() {
    for (arguments, fault) in [
        ("not json", "the new arguments are not JSON"),
        ("[]", "the new arguments do not fit the tool"),
        (r#"{"text":5}"#, "text: expected string, got number"),
        (r#"{"text":"x","more":1}"#, "do not fit the tool"),
    ] {
        let session = Bed::new().stress("bad", json!({ "rewrite": { "say": arguments } })).start().await;
        let settled = session.echo("x").await;
        assert!(text(&settled).contains("plugin `bad` failed at `rewrite-tool-call`"), "{}", text(&settled));
        assert!(text(&settled).contains(fault), "{}", text(&settled));
        assert_eq!(session.runs(), 0);
    }
}

#[tokio::test]
async fn after_a_rewrite_the_target_is_resolved_again() {
    let elsewhere = json!({ "rewrite": { "say": r#"{"path":"../elsewhere","content":""}"# } });
    let bed = Bed::new().stress("a", elsewhere);
    let outside = bed.workspace().parent().unwrap().join("elsewhere");
    let session = bed.start().await;
    let settled = session.call("write", json!({ "path": "inside", "content": "" })).await;
    assert_eq!(trail(&settled.decisions).last().unwrap(), "host tool-call block");
    assert!(!outside.exists() && !session.workspace.join("inside").exists());
}

#[tokio::test]
async fn a_failure_refuses_unless_it_is_skipped() {
    let session = Bed::new().stress("bad", json!({ "rewrite": "panic" })).start().await;
    assert!(session.echo("x").await.output.is_error);
    assert_eq!(session.runs(), 0);
    let bed = Bed::new().stress("bad", json!({ "rewrite": "panic" })).skip_failures("bad");
    let session = bed.start().await;
    let settled = session.echo("x").await;
    assert_eq!((session.runs(), trail(&settled.decisions)[0].as_str()), (1, "bad rewrite-tool-call failure"));
}

#[tokio::test]
async fn safe_delete_moves_what_rm_would_remove() {
    let session = Bed::new().example("safe-delete", json!({})).file("build/a.o", "a").file("keep", "k").start().await;
    let settled = session.call("bash", json!({ "command": "rm -rf build" })).await;
    assert!(!settled.output.is_error, "{}", text(&settled));
    assert!(!session.workspace.join("build").exists() && session.workspace.join("keep").exists());
    let mut calls = std::fs::read_dir(session.workspace.join(".trash")).unwrap();
    let call = calls.next().unwrap().unwrap().path();
    assert_eq!(std::fs::read_to_string(call.join("build/a.o")).unwrap(), "a");
}

/// Three in every order: the chain is that of the names, and who has nothing to say changes nothing in it.
#[tokio::test]
async fn three_form_a_chain_in_every_order() {
    let rewrite = |letter: &str| json!({ "rewrite-tool-call": { "do": "set", "text": format!("{{}}{letter}") } });
    for (order, bed) in in_every_order([rewrite("a"), rewrite("b"), json!({})]) {
        let session = bed.start().await;
        let settled = session.echo("x").await;
        let expected = format!("x{}", order.replace('c', ""));
        assert_eq!(*session.echoed.lock().unwrap(), [expected], "{order}");
        let rewrote: Vec<String> =
            trail(&settled.decisions).into_iter().filter(|decision| decision.contains(" rewrite-tool-call ")).collect();
        let by = |letter| match letter {
            'c' => format!("{} rewrite-tool-call proceed", name(order, letter)),
            _ => format!("{} rewrite-tool-call rewrite", name(order, letter)),
        };
        assert_eq!(rewrote, order.chars().map(by).collect::<Vec<_>>(), "{order}");
    }
}
