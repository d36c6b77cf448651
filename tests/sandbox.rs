//! No guest can crash, stall or exhaust the host, and none is switched off by failing.

use std::time::{Duration, Instant};

use seam_loop::CancellationToken;
use seam_tests::bed::{Bed, Session, text};
use seam_tests::files;
use serde_json::{Value, json};

/// A session whose gate does this.
async fn gate(deed: Value) -> Session {
    Bed::new().stress("s", json!({ "gate": deed })).start().await
}

/// Asserts that a call is refused with this failure, and that its effect did not happen.
async fn refused(session: &Session, failure: &str) {
    let settled = session.call("bash", json!({ "command": "touch MARK" })).await;
    assert!(text(&settled).contains(failure), "{}", text(&settled));
    assert!(!session.workspace.join("MARK").exists());
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_time_limit() {
    let session = gate(json!("loop")).await;
    let began = Instant::now();
    refused(&session, "it reached its time limit of 250 ms").await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn the_time_limit_is_the_plugins_own() {
    let bed = Bed::new().stress("a", json!({ "gate": "loop" })).time_limit("a", 50).stress("b", json!({}));
    let session = bed.start().await;
    refused(&session, "plugin `a` failed at `tool-call`: it reached its time limit of 50 ms").await;
}

/// On the only thread there is: a looping guest stalls nothing else.
#[tokio::test(flavor = "current_thread")]
async fn a_looping_guest_yields_to_everything_else() {
    let session = Bed::new().stress("s", json!({ "gate": "loop" })).time_limit("s", 500).start().await;
    let mut turns = 0;
    let others = async {
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            turns += 1;
        }
    };
    tokio::select! {
        () = others => {}
        () = refused(&session, "time limit") => {}
    }
    // A guest that did not yield would leave at most one.
    assert!(turns > 5, "{turns}");
}

#[tokio::test]
async fn memory_ends_at_its_limit() {
    let session = Bed::new().stress("s", json!({ "gate": "memory" })).time_limit("s", 10_000).start().await;
    refused(&session, "it reached its memory limit of 64 MiB").await;
    let bed = Bed::new().stress("s", json!({ "gate": "memory" })).time_limit("s", 10_000);
    let session = bed.set("s", |settings| settings.limits.memory_mib = 8).start().await;
    refused(&session, "it reached its memory limit of 8 MiB").await;
}

#[tokio::test]
async fn endless_recursion_is_a_trap() {
    refused(&gate(json!("recurse")).await, "it crashed (call stack exhausted)").await;
}

#[tokio::test]
async fn an_answer_is_bounded() {
    refused(&gate(json!({ "answer": 8 << 10 })).await, "it returned more than 1024 KiB").await;
}

#[tokio::test]
async fn a_reason_that_reaches_the_model_is_bounded() {
    let session = gate(json!({ "answer": 512 })).await;
    let told = text(&session.echo("x").await);
    assert!(told.starts_with("Blocked by plugin `s`: xxx") && told.len() < 5000, "{}", told.len());
}

#[tokio::test]
async fn notes_without_end_are_dropped() {
    let session = Bed::new().stress("s", json!({ "gate": { "log": 5000 } })).time_limit("s", 10_000).start().await;
    assert!(!session.echo("x").await.output.is_error);
}

/// What a guest says when it dies may hold the call's data. The model reads a fixed text.
#[tokio::test]
async fn a_dying_guests_words_do_not_reach_the_model() {
    let session = gate(json!("panic")).await;
    let told = text(&session.echo("s3cr3t").await);
    assert!(!told.contains("s3cr3t"), "{told}");
}

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

/// A guest that imports WASI loads, and gets no variable, argument, file, connection or time by it.
#[tokio::test]
async fn wasi_gives_nothing() {
    let session = Bed::new().plugin("wasi", &files::wasi(), json!({})).start().await;
    assert_eq!(text(&session.echo("x").await), "Blocked by plugin `wasi`: 0 0 false false Ok(0)");
}

#[tokio::test]
async fn a_guest_that_sleeps_in_wasi_ends_at_the_time_limit() {
    let session = Bed::new().plugin("wasi", &files::wasi(), json!({})).start().await;
    let told = text(&session.echo("sleep").await);
    assert!(told.contains("it reached its time limit of 250 ms"), "{told}");
    assert_eq!(session.runs(), 0);
}

/// Time a guest waits for others is not its own: a busy batch makes no failures.
#[tokio::test]
async fn guests_that_run_at_once_do_not_use_up_each_others_time() {
    let session = Bed::new().stress("s", json!({ "patch": { "spin": 20 } })).start().await;
    let call = || session.echo("x");
    let alone = std::time::Instant::now();
    assert!(!call().await.output.is_error);
    let alone = alone.elapsed();
    let all =
        tokio::join!(call(), call(), call(), call(), call(), call(), call(), call(), call(), call(), call(), call());
    let all: [_; 12] = all.into();
    let told: Vec<String> = all.iter().filter(|settled| settled.output.is_error).map(text).collect();
    assert!(told.is_empty(), "one alone takes {alone:?}; {told:?}");
}

/// What is wrong with a plugin's arguments is told, but not in words the plugin chose at any length.
#[tokio::test]
async fn a_failure_is_told_in_few_and_clean_words() {
    let key = format!("IGNORE\u{1b}[2J{}", "z".repeat(900_000));
    let bad = json!({ "rewrite": { "say": json!({ "text": "x", key: 1 }).to_string() } });
    let session = Bed::new().stress("s", bad).start().await;
    let told = text(&session.echo("x").await);
    assert!(told.starts_with("Not run: plugin `s` failed at `rewrite-tool-call`"), "{told:.200}");
    assert!(told.len() < 1000 && !told.contains('\u{1b}'), "{}", told.len());
}

#[tokio::test]
async fn many_short_calls_do_not_add_up_to_a_limit() {
    let session = Bed::new().stress("s", json!({ "gate": { "spin": 1 } })).time_limit("s", 100).start().await;
    for _ in 0..300 {
        assert!(!session.echo("x").await.output.is_error);
    }
}

/// A directory is swapped for a link while a slow gate thinks. The write must not follow it.
#[tokio::test]
async fn a_path_swapped_between_gate_and_body_does_not_redirect_it() {
    let outside = tempfile::TempDir::new().unwrap();
    let bed = Bed::new().file("sub/keep", "k").stress("slow", json!({ "gate": { "spin": 200 } }));
    let session = bed.time_limit("slow", 60_000).start().await;
    let swap = format!("sleep 0.05; mv sub moved && ln -s {} sub", outside.path().display());
    let mut racer =
        tokio::process::Command::new("sh").arg("-c").arg(swap).current_dir(&session.workspace).spawn().unwrap();
    let settled = session.call("write", json!({ "path": "sub/f", "content": "x" })).await;
    assert!(racer.wait().await.unwrap().success());
    assert!(session.workspace.join("sub").is_symlink(), "the race was not run");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(session.workspace.join("moved/f").exists(), !settled.output.is_error);
}
