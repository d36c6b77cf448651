use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use seam_loop::tool::{NoCalls, ResolvedTool, Target, ToolContext, ToolError, ToolOutput, Updates};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::testing::{Fixture, context, said};

mod long;

async fn bash(command: &str) -> Result<String, String> {
    Fixture::new().said("bash", json!({ "command": command, "timeout": 10 })).await
}

fn since(start: Instant, most: f64) {
    let took = start.elapsed().as_secs_f64();
    assert!(took < most, "took {took} s");
}

/// Waits until a process is gone; one that is dead but not yet collected counts as gone.
async fn gone(fixture: &Fixture, file: &str) {
    let id = fixture.content(file);
    let lives = || {
        let stat = std::fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
    };
    for _ in 0..50 {
        if !lives() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("process {id} still runs");
}

async fn start(fixture: &Fixture, command: &str, timeout: f64) -> Box<dyn ResolvedTool> {
    fixture.resolve("bash", json!({ "command": command, "timeout": timeout })).await
}

#[tokio::test]
async fn a_command_finds_the_environment_but_for_what_was_added_and_taken_away() {
    let mut fixture = Fixture::new();
    let workspace = Arc::into_inner(fixture.workspace).unwrap();
    fixture.workspace = Arc::new(workspace.with_variable("ADDED", "a b").without_variable("CARGO_PKG_NAME"));
    let command = "echo \"${ADDED-none}, ${CARGO_PKG_NAME-none}, ${CARGO_PKG_VERSION:+there}\"";
    assert_eq!(fixture.said("bash", json!({ "command": command })).await, Ok("a b, none, there\n".to_owned()));
}

#[tokio::test]
async fn output_and_exit_code() {
    let fixture = Fixture::new();
    let call = start(&fixture, "echo ok\necho 'a  b'", 9.0).await;
    let target = Target::Command { command: "echo ok\necho 'a  b'".to_owned(), cwd: fixture.root.clone() };
    assert_eq!(call.targets(), [target]);
    assert_eq!(said(call.run(context()).await), Ok("ok\na  b\n".to_owned()));
    assert_eq!(bash("pwd -P | xargs basename").await, Ok("ws\n".to_owned()));
    assert_eq!(bash("true").await, Ok("(no output)".to_owned()));
    assert_eq!(bash("false").await, Err("(no output)\n\nThe command exited with code 1.".to_owned()));
    assert_eq!(bash("echo a; exit 7").await, Err("a\n\nThe command exited with code 7.".to_owned()));
    assert_eq!(bash("kill -9 $$").await, Err("(no output)\n\nThe command was ended by signal 9.".to_owned()));
    assert_eq!(
        bash("for i in 1 2 3; do echo o$i; echo e$i >&2; done").await,
        Ok("o1\ne1\no2\ne2\no3\ne3\n".to_owned())
    );
}

#[tokio::test]
async fn there_is_no_input_and_no_terminal() {
    let start = Instant::now();
    assert_eq!(bash("cat; read x || echo end").await, Ok("end\n".to_owned()));
    assert!(bash("cat </dev/tty").await.is_err());
    since(start, 3.0);
}

#[tokio::test]
async fn a_child_in_the_background_does_not_hold_the_call() {
    let start = Instant::now();
    let fixture = Fixture::new();
    let command = "sleep 30 & echo $! >pid; echo done";
    assert_eq!(fixture.said("bash", json!({ "command": command })).await, Ok("done\n".to_owned()));
    let id = fixture.content("pid");
    assert!(Path::new("/proc").join(id.trim()).exists() || !cfg!(target_os = "linux"), "it lives on");
    bash(&format!("kill {id}")).await.unwrap();
    assert!(bash("yes & echo done").await.is_ok());
    since(start, 3.0);
}

#[tokio::test]
async fn output_before_the_time_limit_is_kept() {
    let fixture = Fixture::new();
    let start = Instant::now();
    let result = fixture.said("bash", json!({ "command": "echo A; sleep 99", "timeout": 0.5 })).await;
    assert_eq!(result, Err("A\n\nThe command reached its time limit of 0.5 s and was stopped.".to_owned()));
    since(start, 3.5);
}

#[tokio::test]
async fn a_time_limit_ends_the_whole_group() {
    let fixture = Fixture::new();
    let start_time = Instant::now();
    let command = "bash -c 'echo $$ >inner; sleep 99 | cat' &
        (trap '' TERM; echo $BASHPID >deaf; while :; do sleep 99; done) & wait";
    let call = start(&fixture, command, 0.5).await;
    assert!(said(call.run(context()).await).is_err());
    since(start_time, 4.0);
    gone(&fixture, "inner").await;
    gone(&fixture, "deaf").await;
}

#[tokio::test]
async fn an_abort_ends_the_whole_group() {
    let fixture = Fixture::new();
    let context =
        ToolContext { call_id: "call-1", abort: CancellationToken::new(), updates: Updates::none(), caller: &NoCalls };
    let abort = context.abort.clone();
    let call = start(&fixture, "(echo $BASHPID >child; sleep 99; true) & wait", 60.0).await;
    let (result, ()) = tokio::join!(call.run(context), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        abort.cancel();
    });
    assert!(matches!(result, Err(ToolError::Aborted)));
    gone(&fixture, "child").await;
}

#[tokio::test]
async fn a_dropped_call_ends_the_whole_group() {
    let fixture = Fixture::new();
    let call = start(&fixture, "(echo $BASHPID >child; sleep 99; true) & wait", 60.0).await;
    let _dropped = tokio::time::timeout(Duration::from_millis(300), call.run(context())).await;
    gone(&fixture, "child").await;
}

#[tokio::test]
async fn a_flood_does_not_outlast_the_time_limit() {
    let fixture = Fixture::new();
    let (sender, mut updates) = mpsc::channel::<Box<ToolOutput>>(1);
    let context = ToolContext {
        call_id: "call-1",
        abort: CancellationToken::new(),
        updates: Updates::new(sender),
        caller: &NoCalls,
    };
    let start_time = Instant::now();
    let call = start(&fixture, "yes | head -c 50G", 1.0).await;
    let counting = tokio::spawn(async move {
        let mut count = 0;
        while updates.recv().await.is_some() {
            count += 1;
        }
        count
    });
    let output = call.run(context).await.unwrap();
    let said = said(Ok(fixture.tool("bash").fit(output).await)).unwrap_err();
    since(start_time, 4.0);
    assert!(said.len() < 60_000);
    assert!(said.contains("[Showing the last 2000 of "), "{said}");
    let count = counting.await.unwrap();
    assert!((1..=40).contains(&count), "{count} updates");
}

#[tokio::test]
async fn a_reader_of_updates_that_sleeps_holds_nothing_up() {
    let fixture = Fixture::new();
    let (sender, _asleep) = mpsc::channel::<Box<ToolOutput>>(1);
    let context = ToolContext {
        call_id: "call-1",
        abort: CancellationToken::new(),
        updates: Updates::new(sender),
        caller: &NoCalls,
    };
    let start_time = Instant::now();
    let call = start(&fixture, "for i in 1 2 3 4 5; do echo $i; sleep 0.12; done", 9.0).await;
    assert_eq!(said(call.run(context).await), Ok("1\n2\n3\n4\n5\n".to_owned()));
    since(start_time, 4.0);
}

#[tokio::test]
async fn characters_are_not_cut_at_the_borders_of_reads() {
    let fixture = Fixture::new();
    let (sender, mut updates) = mpsc::channel::<Box<ToolOutput>>(1_000);
    let context = ToolContext {
        call_id: "call-1",
        abort: CancellationToken::new(),
        updates: Updates::new(sender),
        caller: &NoCalls,
    };
    let command = r"printf '\xe2'; sleep 0.25; printf '\x82'; sleep 0.25; printf '\xac'; for i in {1..10000}; do
        printf €; done; echo; sleep 0.25";
    let call = start(&fixture, command, 9.0).await;
    assert_eq!(said(call.run(context).await), Ok("€".repeat(10_001) + "\n"));
    assert!(!updates.is_empty());
    while let Some(update) = updates.recv().await {
        assert!(!update.content[0].as_text().unwrap().contains('\u{fffd}'));
    }
}

#[tokio::test]
async fn output_that_is_no_text_is_shown_as_far_as_it_goes() {
    assert_eq!(bash(r"printf 'a\xf0'").await, Ok("a\u{fffd}".to_owned()));
    assert!(bash("head -c 100000 /dev/urandom").await.is_ok());
}

#[tokio::test]
async fn a_workspace_that_was_replaced_runs_nothing() {
    let fixture = Fixture::new();
    let call = start(&fixture, "touch MARK", 9.0).await;
    std::fs::rename(&fixture.root, fixture.root.with_extension("away")).unwrap();
    std::fs::create_dir(&fixture.root).unwrap();
    assert!(call.run(context()).await.is_err());
    assert!(!fixture.root.join("MARK").exists());
}
