//! The plugin that calls tools, runs programs and asks, in a conversation that is played.

use std::time::{Duration, Instant};

use seam_harness::{CallOutcome, Event, SessionEvent};
use seam_loop::{CancellationToken, Origin};
use seam_plugins::Grants;
use seam_tests::bed::{Bed, text};
use seam_tests::talk::Talk;
use seam_tests::{files, notes};
use serde_json::{Value, json};

/// All that the plugin imports.
pub(super) fn granted() -> Grants {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Grants {
        tools: names(&["echo", "read", "write", "bash", "other", "own"]),
        exec: names(&["echo", "printf", "true", "sh", "sleep", "cat", "nowhere", "if"]),
        complete: Some(10_000),
        ui: true,
        ..Grants::default()
    }
}

/// A bed with the plugin under a name, set to do this.
pub(super) fn asks(bed: Bed, name: &str, config: Value) -> Bed {
    bed.plugin(name, &files::guest("reach-b"), config).set(name, |settings| settings.grants = granted())
}

/// A tool of it that does these steps.
pub(super) fn tool(name: &str, steps: Value) -> Value {
    json!({ "tools": [{ "name": name, "steps": steps }] })
}

/// The text of the user's call of a tool whose argument is `text`.
pub(super) async fn call(talk: &mut Talk, tool: &str, given: &str) -> String {
    let abort = CancellationToken::new();
    text(&talk.harness.call(Origin::User, tool, json!({ "text": given }), &abort).await)
}

/// What is told of the calls that plugins made: `PLUGIN TOOL ARGUMENTS OUTCOME`.
pub(super) fn called(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let called = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::PluginCalled { plugin, tool, args, outcome, .. }) => {
            let outcome = match outcome {
                CallOutcome::NotRun => "not run",
                CallOutcome::Failed => "failed",
                CallOutcome::GivenUp => "given up",
                CallOutcome::Done => "done",
            };
            Some(format!("{plugin} {tool} {args} {outcome}"))
        }
        _ => None,
    });
    called.collect()
}

/// What a plugin's steps came to, from its notes.
pub(super) fn lines(plugin: &str) -> Vec<String> {
    notes::take(plugin)
}

/// The processes whose command line holds this.
pub(super) fn processes(with: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(with) && *pid != std::process::id()
    };
    pids.filter(holds).collect()
}

/// Waits until there are such processes, or none.
pub(super) async fn until_processes(with: &str, are_there: bool) {
    let since = Instant::now();
    while processes(with).is_empty() == are_there {
        assert!(since.elapsed() < Duration::from_secs(20), "processes with {with:?}: {:?}", processes(with));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
