//! `tool-call`: a gate.

use seam_tests::bed::{Bed, text, trail};
use serde_json::json;

#[tokio::test]
async fn a_block_stops_the_effect() {
    let session = Bed::new().stress("no", json!({ "gate": { "say": "not today" } })).start().await;
    let settled = session.call("bash", json!({ "command": "touch MARK" })).await;
    assert!(!session.workspace.join("MARK").exists());
    assert_eq!(text(&settled), "Blocked by plugin `no`: not today");
    assert_eq!(trail(&settled.decisions), ["no rewrite-tool-call proceed", "no tool-call block"]);
    assert!(settled.output.is_error);
}

#[tokio::test]
async fn what_no_gate_minds_runs() {
    let session = Bed::new().stress("calm", json!({})).start().await;
    let settled = session.call("write", json!({ "path": "a.txt", "content": "a" })).await;
    assert_eq!(std::fs::read_to_string(session.workspace.join("a.txt")).unwrap(), "a");
    assert_eq!(
        trail(&settled.decisions),
        ["calm rewrite-tool-call proceed", "calm tool-call proceed", "calm tool-result proceed"]
    );
}

/// Every order of three gates gives the same decision: the block.
#[tokio::test]
async fn a_block_wins_in_every_order() {
    let deeds = [json!({}), json!({ "gate": { "ask": "really?" } }), json!({ "gate": { "say": "no" } })];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut bed = Bed::new();
        for (place, deed) in order.into_iter().enumerate() {
            bed = bed.stress(&format!("{place}-gate"), deeds[deed].clone());
        }
        let session = bed.start().await;
        let settled = session.echo("hello").await;
        let blocker = order.iter().position(|deed| *deed == 2).unwrap();
        assert_eq!(text(&settled), format!("Blocked by plugin `{blocker}-gate`: no"), "{order:?}");
        assert_eq!(session.runs(), 0, "{order:?}");
    }
}

#[tokio::test]
async fn without_a_user_a_question_is_a_block() {
    let session = Bed::new().stress("asks", json!({ "gate": { "ask": "really?" } })).start().await;
    let settled = session.echo("hello").await;
    assert_eq!(text(&settled), "Not run: it needs the user's word and there is no user to ask. `asks`: really?");
    assert_eq!(session.runs(), 0);
}

#[tokio::test]
async fn a_failure_refuses_and_is_told_apart_from_a_decision() {
    let session = Bed::new().stress("broken", json!({ "gate": "panic" })).start().await;
    let settled = session.call("bash", json!({ "command": "touch MARK" })).await;
    assert!(!session.workspace.join("MARK").exists());
    insta::assert_snapshot!(text(&settled), @"Not run: plugin `broken` failed at `tool-call`: it crashed (a panic or an abort). What a plugin could not check is refused; this is a failure, not a decision about the call.");
    assert_eq!(trail(&settled.decisions).last().unwrap(), "broken tool-call failure");
}

#[tokio::test]
async fn skip_goes_on_without_the_plugin_and_only_without_that_one() {
    let bed = Bed::new().stress("a", json!({ "gate": "panic" })).skip_failures("a");
    let session = bed.stress("b", json!({ "gate": "panic" })).start().await;
    let settled = session.echo("hello").await;
    assert_eq!(trail(&settled.decisions)[2..], ["a tool-call failure", "b tool-call failure"]);
    assert_eq!(session.runs(), 0);

    let session = Bed::new().stress("a", json!({ "gate": "panic" })).skip_failures("a").start().await;
    session.echo("hello").await;
    assert_eq!(session.runs(), 1);
}

#[tokio::test]
async fn a_gate_sees_the_final_arguments_the_models_own_and_the_resolved_target() {
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("n.txt"), "x").unwrap();
    let bed = Bed::new().file("real/a.txt", "a").outside(outside.path());
    let workspace = bed.workspace();
    std::os::unix::fs::symlink(outside.path().join("n.txt"), workspace.join("n.txt")).unwrap();
    std::os::unix::fs::symlink("real", workspace.join("link")).unwrap();
    let session = bed.stress("tells", json!({ "gate": "tell" })).start().await;

    let told = text(&session.call("read", json!({ "path": "link/a.txt", "offset": "1" })).await);
    for part in [
        "given: \"link/a.txt\"".to_owned(),
        format!("path: \"{}\"", workspace.join("real/a.txt").display()),
        "location: Location::Inside".to_owned(),
        "exists: true".to_owned(),
        "access: Access::Read".to_owned(),
        r#"arguments: "{\"path\":\"link/a.txt\",\"offset\":1}""#.to_owned(),
        r#"model-arguments: Some("{\"path\":\"link/a.txt\",\"offset\":\"1\"}")"#.to_owned(),
        "origin: Origin::Model".to_owned(),
        "turn: 1".to_owned(),
    ] {
        assert!(told.contains(&part), "{part} is not in {told}");
    }
    let told = text(&session.call("read", json!({ "path": "n.txt" })).await);
    let real = outside.path().canonicalize().unwrap().join("n.txt");
    assert!(
        told.contains(&format!("path: \"{}\"", real.display())) && told.contains("location: Location::Outside"),
        "{told}"
    );
    let told = text(&session.call("write", json!({ "path": "new/b.txt", "content": "" })).await);
    assert!(told.contains("exists: false") && told.contains("access: Access::Write"), "{told}");
    let told = text(&session.call("bash", json!({ "command": "echo 1\necho 2" })).await);
    assert!(told.contains(r#"command: "echo 1\necho 2""#), "{told}");
    assert!(told.contains(&format!("cwd: \"{}\"", workspace.display())), "{told}");
}

#[tokio::test]
async fn a_path_that_cannot_be_resolved_reaches_the_gate_as_that() {
    let bed = Bed::new();
    std::os::unix::fs::symlink("loop", bed.workspace().join("loop")).unwrap();
    let session = bed.stress("tells", json!({ "gate": "tell" })).start().await;
    let told = text(&session.call("write", json!({ "path": "loop/x", "content": "" })).await);
    assert!(told.contains("Unresolved("), "{told}");
}

/// The host's rules stand before the gates: none is asked, and none can permit.
#[tokio::test]
async fn the_hosts_rules_come_first() {
    let outside = tempfile::TempDir::new().unwrap();
    let session = Bed::new().stress("calm", json!({})).start().await;
    let path = outside.path().join("f");
    let settled = session.call("write", json!({ "path": path, "content": "x" })).await;
    assert!(!path.exists());
    assert_eq!(trail(&settled.decisions), ["calm rewrite-tool-call proceed", "host tool-call block"]);

    let settled = session.call("write", json!({ "path": "seam.toml", "content": "" })).await;
    assert!(!session.workspace.join("seam.toml").exists());
    assert_eq!(trail(&settled.decisions).last().unwrap(), "host tool-call block");
}

#[tokio::test]
async fn all_seven_tools_pass_the_gate() {
    let session = Bed::new().stress("no", json!({ "gate": { "say": "no" } })).file("f", "x").start().await;
    let calls = [
        ("read", json!({ "path": "f" })),
        ("write", json!({ "path": "f", "content": "y" })),
        ("edit", json!({ "path": "f", "edits": [{ "oldText": "x", "newText": "y" }] })),
        ("bash", json!({ "command": "rm f" })),
        ("grep", json!({ "pattern": "x" })),
        ("find", json!({ "pattern": "*" })),
        ("ls", json!({})),
    ];
    for (tool, arguments) in calls {
        assert_eq!(text(&session.call(tool, arguments).await), "Blocked by plugin `no`: no", "{tool}");
    }
    assert_eq!(std::fs::read_to_string(session.workspace.join("f")).unwrap(), "x");
}

#[tokio::test]
async fn an_instance_lives_as_long_as_its_session() {
    let counts = json!({ "gate": "count" });
    let session = Bed::new().stress("counts", counts.clone()).start().await;
    // Two calls of the same instance each time: its rewriting is asked first.
    let told = [text(&session.echo("a").await), text(&session.echo("b").await)];
    assert_eq!(told, ["Blocked by plugin `counts`: 2", "Blocked by plugin `counts`: 4"]);

    let fresh = Bed::new().stress("counts", counts);
    let session = fresh.set("counts", |settings| settings.instance = seam_plugins::InstancePolicy::Call).start().await;
    let told = [text(&session.echo("a").await), text(&session.echo("b").await)];
    assert_eq!(told, ["Blocked by plugin `counts`: 1", "Blocked by plugin `counts`: 1"]);
}

#[tokio::test]
async fn a_busy_plugin_gets_another_instance() {
    let session = Bed::new().stress("slow", json!({ "gate": { "spin": 20 } })).time_limit("slow", 60_000).start().await;
    let calls = || session.echo("x");
    let (a, b, c, d) = tokio::join!(calls(), calls(), calls(), calls());
    assert!([a, b, c, d].iter().all(|settled| !settled.output.is_error));
    assert_eq!(session.runs(), 4);
}
