//! Paths that lead elsewhere and commands that hide a name, as the body of a plugin's own tool calls for them: the same
//! gates judge them as judge the model's. [`crate::bugs::links`] and [`crate::bugs::commands`] are the model's.

use std::fs;
use std::os::unix::fs::symlink;

use seam_harness::{Event, SessionEvent};
use seam_tests::bed::{Bed, trail};
use seam_tests::files;
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};
use tempfile::TempDir;

const TOOLS: [&str; 7] = ["read", "write", "edit", "bash", "grep", "find", "ls"];

/// A conversation in which the plugin has made these calls, one after another.
async fn plotted(bed: Bed, plot: &[(&str, Value)]) -> Talk {
    let bed = bed.plugin("hostile", &files::guest("hostile"), json!({ "offers": true }));
    let bed = bed.set("hostile", |settings| settings.grants.tools = TOOLS.map(str::to_owned).to_vec());
    let call = |(tool, arguments): &(&str, Value)| {
        let asked = json!({ "tool": tool, "arguments": arguments });
        json!({ "content": [{ "toolCall": { "id": "c", "name": "do", "args": asked } }] })
    };
    let turns: Vec<Value> = plot.iter().map(call).chain([says("done")]).collect();
    let mut talk = bed.talk(json!(turns)).await;
    talk.say("go").await;
    talk
}

/// What its tool has said of each call.
fn results(talk: &Talk) -> Vec<String> {
    const FAILED: &str = "`do` of plugin `hostile` failed: ";
    let said = talk.transcript();
    let said = said.iter().filter_map(|said| said.strip_prefix("tool: "));
    said.map(|said| said.strip_prefix(FAILED).unwrap_or(said).to_owned()).collect()
}

/// Who decided what of each call it made.
fn trails(talk: &Talk) -> Vec<Vec<String>> {
    let events = talk.events.lock().unwrap();
    let called = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::PluginCalled { decisions, .. }) => Some(trail(decisions)),
        _ => None,
    });
    called.collect()
}

/// Each of them was refused by this gate, and each was asked for by the plugin.
fn assert_refused(talk: &Talk, plot: &[(&str, Value)]) {
    let (results, trails) = (results(talk), trails(talk));
    assert_eq!((results.len(), trails.len()), (plot.len(), plot.len()), "{results:?}");
    for ((call, result), trail) in plot.iter().zip(&results).zip(&trails) {
        assert!(result.starts_with("not run: Blocked by plugin `protected-paths`"), "{call:?}: {result}");
        assert_eq!(trail.last().unwrap(), "protected-paths tool-call block", "{call:?}");
    }
}

fn on(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": path })),
        ("write", json!({ "path": path, "content": "x" })),
        ("edit", json!({ "path": path, "edits": [{ "oldText": "mine", "newText": "x" }] })),
        ("grep", json!({ "path": path, "pattern": "." })),
        ("find", json!({ "path": path, "pattern": "*" })),
        ("ls", json!({ "path": path })),
    ]
}

fn commands(commands: &[&str]) -> Vec<(&'static str, Value)> {
    commands.iter().map(|command| ("bash", json!({ "command": command }))).collect()
}

/// Rows 10 and 11 of the list of faults.
#[tokio::test]
async fn a_link_is_judged_by_where_it_leads() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("e.txt"), "mine").unwrap();
    let real = outside.path().canonicalize().unwrap();
    let bed = Bed::new().outside(outside.path()).example("protected-paths", json!({ "secret": [real] }));
    symlink(outside.path(), bed.workspace().join("mail")).unwrap();
    symlink(outside.path().join("e.txt"), bed.workspace().join("n.txt")).unwrap();
    let plot: Vec<_> = ["mail/e.txt", "n.txt", "./mail//e.txt"].into_iter().flat_map(on).collect();
    let talk = plotted(bed, &plot).await;
    assert_refused(&talk, &plot);
    assert_eq!(fs::read_to_string(outside.path().join("e.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    for (given, result) in ["mail/e.txt", "n.txt"].iter().zip(results(&talk).iter().step_by(6)) {
        assert!(result.contains(&*real.join("e.txt").to_string_lossy()), "{given}: {result}");
    }
}

/// Without a gate, the host's own rule: what lies outside is not to be had.
#[tokio::test]
async fn what_lies_outside_is_refused_by_the_host() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("e.txt"), "mine").unwrap();
    let bed = Bed::new();
    symlink(outside.path(), bed.workspace().join("mail")).unwrap();
    let absolute = outside.path().join("e.txt").to_string_lossy().into_owned();
    let plot: Vec<_> = ["mail/e.txt", "../../../../../../../etc/passwd", &absolute].into_iter().flat_map(on).collect();
    let talk = plotted(bed, &plot).await;
    for (call, result) in plot.iter().zip(&results(&talk)) {
        assert!(result.starts_with("not run: ") && result.contains("outside"), "{call:?}: {result}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("e.txt")).unwrap(), "mine");
}

/// Row 12.
#[tokio::test]
async fn a_link_that_leads_nowhere_opens_nothing() {
    let bed = Bed::new();
    symlink("loop", bed.workspace().join("loop")).unwrap();
    let plot = vec![("write", json!({ "path": "loop/x", "content": "x" })), ("read", json!({ "path": "loop" }))];
    for result in results(&plotted(bed, &plot).await) {
        assert!(result.contains("cannot be resolved"), "{result}");
    }
    let bed = Bed::new().example("protected-paths", json!({}));
    symlink("loop", bed.workspace().join("loop")).unwrap();
    assert_refused(&plotted(bed, &plot).await, &plot);
}

/// Rows 14 and 15: a folder is swapped for a link while a gate thinks, and one that the write would make is put there.
#[tokio::test]
async fn a_swap_while_a_gate_thinks_redirects_nothing() {
    let outside = TempDir::new().unwrap();
    for (swap, path) in [("mv sub moved && ln -s OUTSIDE sub", "sub/f"), ("ln -s OUTSIDE new", "new/deep/f")] {
        let bed = Bed::new().file("sub/keep", "k").stress("slow", json!({ "gate": { "spin": 200 } }));
        let bed = bed.time_limit("slow", 60_000);
        let workspace = bed.workspace();
        let swap = format!("sleep 0.05; {}", swap.replace("OUTSIDE", &outside.path().to_string_lossy()));
        let mut racer = tokio::process::Command::new("sh").args(["-c", &swap]).current_dir(workspace).spawn().unwrap();
        let talk = plotted(bed, &[("write", json!({ "path": path, "content": "x" }))]).await;
        assert!(racer.wait().await.unwrap().success(), "{path}: the race was not run");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{path}: {:?}", results(&talk));
    }
}

/// Rows 16 and 17. Where two spellings are one file, the rule for the one holds for the other.
#[tokio::test]
async fn another_spelling_is_judged_as_the_file_it_opens() {
    for (name, other) in [("guarded", "GUARDED"), ("caf\u{e9}", "cafe\u{301}")] {
        let bed = Bed::new().file(&format!("{name}/k"), "mine");
        let is_one_file = bed.workspace().join(other).exists();
        let bed = bed.example("protected-paths", json!({ "secret": [name] }));
        let plot = [name, other].map(|folder| ("read", json!({ "path": format!("{folder}/k") })));
        let results = results(&plotted(bed, &plot).await);
        assert!(results[0].contains("is protected by"), "{results:?}");
        assert_eq!(results[1].contains("is protected by"), is_one_file, "{results:?}");
        assert!(!results[1].contains("mine"), "{results:?}");
    }
}

/// Rows 20 to 24: commands that name a protected path outright, spell it otherwise, hide it behind a newline, a wrapper
/// or another command.
#[tokio::test]
async fn a_command_is_judged_however_it_spells_a_name() {
    let bed = Bed::new().file(".env", "mine").file(".ssh/k", "mine").file("d/.env", "mine");
    let bed = bed.example("protected-paths", json!({ "secret": ["/etc", ".env", ".ssh"] }));
    let workspace = bed.workspace();
    let plot = commands(&[
        "head -1 /etc/hosts",
        "ls /etc",
        "HOME=$PWD; cat $HOME/.ssh/k",
        "HOME=$PWD; cat ${HOME}/.ssh/k",
        "cat .en\"\"v",
        "F=.env; cat $F",
        "cd d && cat .env",
        "cat $(echo .env)",
        "echo ok\nrm -rf .ssh",
        "env -i bash -c 'rm -rf .ssh'",
        "time rm -rf .ssh",
        "X=$(touch .ssh/P) true",
        "find .ssh -type f -exec chmod 0777 {} +",
        "true && chmod 0777 .ssh",
    ]);
    let talk = plotted(bed, &plot).await;
    assert_refused(&talk, &plot);
    assert_eq!(fs::read_dir(workspace.join(".ssh")).unwrap().count(), 1);
}

/// What no gate on the text sees through, the redactor takes out of what the plugin gets.
#[tokio::test]
async fn what_a_command_prints_passes_the_redactor_before_the_plugin_has_it() {
    const SECRET: &str = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
    let bed = Bed::new().file(".env", SECRET).example("redact-secrets", json!({}));
    let talk = plotted(bed, &commands(&["A=.en; cat ${A}v"])).await;
    let results = results(&talk);
    assert!(results[0].contains("[redacted") && !results[0].contains(SECRET), "{results:?}");
}

/// Row 25.
#[tokio::test]
async fn a_leading_dash_is_no_option() {
    let bed = Bed::new().file("p.sh", "#!/bin/sh\ntouch MARK\n").file("f", "a -needle\n").file("-x", "a -needle\n");
    let workspace = bed.workspace();
    let script = format!("--pre={}", workspace.join("p.sh").display());
    let plot = [
        ("grep", json!({ "pattern": script })),
        ("grep", json!({ "pattern": "-needle" })),
        ("find", json!({ "pattern": "-x" })),
        ("read", json!({ "path": "-x" })),
    ];
    let talk = plotted(bed, &plot).await;
    assert_eq!(results(&talk), ["No matches found.", "-x:1: a -needle\nf:1: a -needle", "-x", "a -needle\n"]);
    assert!(!workspace.join("MARK").exists());
}

/// A tool that is not granted is not called, whatever it is.
#[tokio::test]
async fn a_tool_that_is_not_granted_is_not_called() {
    let plot = [("echo", json!({ "text": "x" })), ("do", json!({ "tool": "bash", "arguments": {} }))];
    let talk = plotted(Bed::new(), &plot).await;
    for (result, tool) in results(&talk).iter().zip(["echo", "do"]) {
        assert_eq!(*result, format!("not run: `{tool}` is not among the tools that this plugin may call"));
    }
    assert!(talk.bed.echoed.lock().unwrap().is_empty());
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
