//! `seam session fork`, `compact` and `go`: what plugins are asked about.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};

use super::super::stopping::{kill, pid, until};
use super::{Kept, bash, messages, says, spawn};

/// So many tokens with a word at the beginning.
fn long(word: &str, tokens: usize) -> String {
    format!("{word} {}", "x".repeat(tokens * 4))
}

/// A window of 1,000 tokens. The last 150 are kept.
const SMALL: &str =
    "[session.compaction]\nwindow = 1000\nreserve-tokens = 200\nkeep-recent-tokens = 150\n[retry]\nbase-ms = 1\n";

/// A session with two turns of 200 tokens, and a plugin that does this if it does anything.
fn made(deed: Option<&str>) -> Kept {
    let kept = Kept::new();
    fs::write(kept.project.path().join("seam.toml"), SMALL).unwrap();
    kept.run(&says(&long("first", 100)), &[&long("one", 100)]).assert().success();
    kept.run(&says(&long("second", 100)), &["--continue", &long("two", 100)]).assert().success();
    if let Some(deed) = deed {
        let plugins = kept.project.path().join(".seam/plugins");
        fs::create_dir_all(&plugins).unwrap();
        fs::copy(files::guest("everything"), plugins.join("p.wasm")).unwrap();
        let config = format!("{SMALL}[plugins.p.config]\nobserve = \"quiet\"\n{deed}");
        fs::write(kept.project.path().join("seam.toml"), config).unwrap();
    }
    kept
}

/// `seam session` with a script of these turns behind the arguments.
fn with_script(kept: &Kept, turns: &Value, arguments: &[&str]) -> Command {
    let script = kept.project.elsewhere.path().join("summary.json");
    fs::write(&script, json!({ "turns": turns }).to_string()).unwrap();
    let mut seam = asking(kept, arguments);
    seam.arg("--script").arg(script);
    seam
}

fn asking(kept: &Kept, arguments: &[&str]) -> Command {
    let mut seam = kept.command("session");
    seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache")).args(arguments);
    seam
}

/// The exit code, stdout and stderr.
fn told(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.assert().get_output().clone();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The session's file, and what is in it.
fn session(kept: &Kept) -> (PathBuf, String) {
    let files: Vec<PathBuf> = kept.files().into_iter().filter(|file| file.extension().unwrap() == "jsonl").collect();
    assert_eq!(files.len(), 1, "{files:?}");
    (files[0].clone(), fs::read_to_string(&files[0]).unwrap())
}

/// The id of the entry whose line holds a text.
fn entry(text: &str, holds: &str) -> String {
    let line = text.lines().skip(1).find(|line| line.contains(holds)).unwrap();
    serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_is_made_shorter() {
    let kept = made(None);
    let (file, before) = session(&kept);
    let path = file.to_str().unwrap();
    let mut compact = with_script(&kept, &says("## Goal\nAll \u{1b}[31m."), &["compact", path, "--focus", "goals"]);
    let (code, told_of, faults) = told(&mut compact);
    assert_eq!((code, &*faults), (Some(0), ""));
    let expected = "  session: compacted, a summary stands for what was said first\nabout 40";
    assert!(told_of.starts_with(expected) && told_of.ends_with(" now\n\n## Goal\nAll [31m.\n"), "{told_of}");
    let after = session(&kept).1;
    assert!(after.starts_with(&before) && after.lines().last().unwrap().starts_with(r#"{"type":"compaction""#));
    let (code, nothing, faults) = told(&mut asking(&kept, &["compact", path]));
    assert_eq!((code, &*nothing, &*faults), (Some(1), "", "seam: Already compacted: nothing was said since\n"));
    kept.run(&says("third"), &["--continue", "three"]).assert().success();
    assert_eq!(session(&kept).1.lines().count(), after.lines().count() + 2);
}

#[test]
fn without_a_model_or_a_usable_summary_it_stays_as_it_is() {
    let kept = made(None);
    let (file, before) = session(&kept);
    let path = file.to_str().unwrap();
    let (code, nothing, faults) = told(&mut asking(&kept, &["compact", path]));
    assert_eq!((code, &*nothing), (Some(1), ""));
    assert_eq!(
        faults,
        "seam: Not compacted: there is no summary, since the model could not be asked for it: there is no model to ask: that of \
         the session, scripted/scripted, is not there; give `--model PROVIDER/NAME` (`seam models` lists them), or set \
         `model` in seam.toml; `--script FILE` plays one from a JSON file. No provider's key is set\n"
    );
    let cut = json!([{ "content": [{ "text": "A" }], "stopReason": "length" }]);
    let (code, _, faults) = told(&mut with_script(&kept, &cut, &["compact", path]));
    assert_eq!(code, Some(1));
    assert!(faults.contains("the model's summary was cut off because it became too long"), "{faults}");
    let told = kept.refused(with_script(&kept, &cut, &["compact", "nothing-of-this-name"]).args(["--focus", "x"]));
    assert!(told.contains("has the name `nothing-of-this-name` or an id that begins so"), "{told}");
    assert_eq!(session(&kept).1, before);
}

#[test]
fn a_plugin_cancels_a_compaction_or_supplies_its_summary() {
    let kept = made(Some("session-before-compact = { do = \"cancel\", text = \"not\\u001b now\" }\n"));
    let (file, before) = session(&kept);
    let (code, told_of, faults) = told(&mut asking(&kept, &["compact", file.to_str().unwrap()]));
    assert_eq!((code, &*faults), (Some(1), "seam: Compaction cancelled: plugin `p` cancelled it: not now\n"));
    assert_eq!(told_of, "  p     refused: not now\n");
    assert_eq!(session(&kept).1, before);

    let kept = made(Some("session-before-compact = { do = \"summary\", text = \"mine\" }\n"));
    let file = session(&kept).0;
    let (code, told_of, faults) = told(&mut asking(&kept, &["compact", file.to_str().unwrap()]));
    assert_eq!((code, &*faults), (Some(0), ""));
    assert!(told_of.contains("stands for what was said first, by p\n") && told_of.ends_with("\n\nmine\n"), "{told_of}");
    let journal = fs::read_to_string(file.with_extension("journal")).unwrap();
    assert!(journal.lines().any(|line| line.contains(r#""seam":"session-before-compact""#)), "{journal}");
}

#[test]
fn an_abort_of_a_compaction_leaves_the_session_as_it_was() {
    let kept = made(None);
    let (file, before) = session(&kept);
    let slow = json!([{ "content": [{ "text": "A" }], "delay": 600_000 }]);
    let mut seam = spawn(&with_script(&kept, &slow, &["compact", file.to_str().unwrap()]));
    until("the journal is open", || file.with_extension("journal").metadata().is_ok_and(|file| file.len() > 0));
    // It may be told before it listens.
    std::thread::sleep(std::time::Duration::from_millis(500));
    kill("TERM", &seam);
    assert_eq!(seam.wait().unwrap().code(), Some(130));
    assert_eq!(session(&kept).1, before);
}

#[test]
fn one_goes_back_before_what_one_said_and_says_something_else() {
    let kept = made(None);
    let (file, before) = session(&kept);
    let path = file.to_str().unwrap();
    let two = entry(&before, "\"two ");
    let (code, told_of, faults) = told(&mut asking(&kept, &["go", path, &two[..6], "--label", "here"]));
    assert_eq!((code, &*faults), (Some(0), ""));
    assert_eq!(told_of, format!("now before {two}\n\nyou said:\n{}\n", long("two", 100)));
    kept.run(&says("third"), &["--continue", "three"]).assert().success();
    let shown = kept.session(&["show", path]);
    assert!(shown.contains("three") && !shown.contains("\n  two "), "{shown}");
    // With a summary of what is left, and back to where it was.
    let second = entry(&before, "\"second ");
    let mut go = with_script(&kept, &says("went well"), &["go", path, "--summary=the end", &second, "--label", "l"]);
    let (code, told_of, faults) = told(&mut go);
    assert_eq!((code, &*faults), (Some(0), ""));
    let expected = format!(
        "now at {second}\n\nkept of what was left:\nThe user tried another way from here on and then left it. What happened \
         there:\n\nwent well\n"
    );
    assert_eq!(told_of, expected);
    let text = session(&kept).1;
    assert!(text.contains(r#""type":"branch_summary""#) && text.contains(r#""label":"l""#), "{text}");
    assert_eq!(messages(&kept.session(&["show", path, "--json"]).replace('\n', "")).len(), 0);
}

#[test]
fn where_one_is_already_nothing_is_written() {
    let kept = made(None);
    let (file, before) = session(&kept);
    let second = entry(&before, "\"second ");
    let (code, told_of, _) = told(&mut asking(&kept, &["go", "--summary", file.to_str().unwrap(), &second]));
    assert_eq!((code, told_of), (Some(0), format!("it is at {second} already\n")));
    assert_eq!(session(&kept).1, before);
    let told = kept.refused(&mut asking(&kept, &["go", file.to_str().unwrap(), "zzz"]));
    assert!(told.contains("no entry has the label `zzz` or an id that begins so"), "{told}");
}

#[test]
fn a_plugin_keeps_one_where_one_is_and_keeps_a_session_from_being_forked() {
    let cancels = "session-before-tree = { do = \"cancel\", text = \"stay\" }\n\
                   session-before-fork = { do = \"cancel\", text = \"one is enough\" }\n";
    let kept = made(Some(cancels));
    let (file, before) = session(&kept);
    let path = file.to_str().unwrap();
    let (code, _, faults) = told(&mut asking(&kept, &["go", path, &entry(&before, "\"two ")]));
    assert_eq!((code, &*faults), (Some(1), "seam: Not moved: plugin `p` cancelled it: stay\n"));
    let (code, told_of, faults) = told(&mut asking(&kept, &["fork", path]));
    assert_eq!((code, &*faults), (Some(1), "seam: Not forked: plugin `p` cancelled it: one is enough\n"));
    assert_eq!(told_of, "  p     refused: one is enough\n");
    assert_eq!(session(&kept).1, before);
    let journal = fs::read_to_string(file.with_extension("journal")).unwrap();
    for seam in ["session-before-tree", "session-before-fork"] {
        assert!(journal.contains(&format!(r#""seam":"{seam}""#)), "{journal}");
    }
}

#[test]
fn what_cannot_be_loaded_cannot_refuse_so_nothing_is_done() {
    let kept = made(Some(""));
    fs::write(kept.project.path().join(".seam/plugins/p.wasm"), "no plugin").unwrap();
    let (file, before) = session(&kept);
    let path = file.to_str().unwrap();
    let second = entry(&before, "\"first ");
    for arguments in [&["fork", path][..], &["compact", path], &["go", path, &second]] {
        let (code, _, faults) = told(&mut asking(&kept, arguments));
        assert_eq!(code, Some(3), "{faults}");
        assert!(faults.contains("plugin not loaded: ") && faults.contains("cannot refuse"), "{faults}");
    }
    assert_eq!(session(&kept).1, before);
}

/// A fork is what an error advises for a session that is in use.
#[test]
fn a_session_that_is_in_use_is_forked_and_plugins_are_asked() {
    let kept = made(Some(""));
    let path = session(&kept).0.to_str().unwrap().to_owned();
    let mut run = kept.run(&bash("echo $$ >pid.new; mv pid.new pid; exec sleep 600"), &["--continue", "go"]);
    run.env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
    let mut running = spawn(&run);
    pid(&kept.project.path().join("pid"));
    let (code, told_of, faults) = told(&mut asking(&kept, &["fork", &path]));
    kill("TERM", &running);
    running.wait().unwrap();
    assert_eq!(code, Some(0), "{faults}");
    assert!(told_of.contains("a new session with "), "{told_of}");
    let begin = "seam: what plugins say about this fork is not kept in the journal: session `";
    assert!(faults.starts_with(begin) && faults.contains("is locked"), "{faults}");
    // A plugin that says no is obeyed there too.
    let config = format!("{SMALL}[plugins.p.config]\nsession-before-fork = {{ do = \"cancel\" }}\n");
    fs::write(kept.project.path().join("seam.toml"), config).unwrap();
    let (code, _, _) = told(&mut asking(&kept, &["fork", &path]));
    assert_eq!(code, Some(1));
}

#[test]
fn a_run_tells_of_retries_and_compactions() {
    let kept = made(None);
    let busy = json!({ "error": { "message": "busy\u{1b}[2J", "kind": "transient" } });
    let too_long = json!({ "error": { "message": "too long", "kind": "overflow" } });
    let turns = json!([busy, too_long, says("A")[0], says("B")[0], says("done")[0]]);
    let (code, told_of, faults) = told(&mut kept.run(&turns, &["--continue", "three"]));
    assert_eq!((code, &*faults), (Some(0), ""));
    assert!(told_of.contains("  the provider failed: busy[2J; attempt 1 of 3 in 0 s\n"), "{told_of}");
    assert!(told_of.contains("  session: compacted, a summary stands for what was said first\n"), "{told_of}");
    assert!(told_of.ends_with("done\n\n"), "{told_of}");
    let (_, events, _) = told(&mut kept.run(&json!([busy, says("x")[0]]), &["--json", "--continue", "four"]));
    let retry = events.lines().find(|line| line.contains("retry_scheduled")).unwrap();
    let expected = json!({ "type": "retry_scheduled", "attempt": 1, "of": 3, "waitMs": 1, "error": "busy\u{1b}[2J" });
    assert_eq!(serde_json::from_str::<Value>(retry).unwrap(), expected);
}

#[test]
fn a_window_without_room_is_a_mistake_in_the_settings() {
    let kept = Kept::new();
    let settings = "[session.compaction]\nwindow = 30000\n";
    fs::write(kept.project.path().join("seam.toml"), settings).unwrap();
    let told = kept.refused(&mut kept.run(&says("x"), &["go"]));
    let expected = "`[session.compaction]` reserves 16384 tokens and keeps 20000 recent ones, and the window has only 30000; \
                    give a larger `window`, or smaller `reserve-tokens` and `keep-recent-tokens`";
    assert!(told.contains(expected), "{told}");
    fs::write(kept.project.path().join("seam.toml"), "[session.compaction]\nreserve-tokens = 0\n").unwrap();
    let told = kept.refused(&mut kept.run(&says("x"), &["go"]));
    assert!(told.contains("`reserve-tokens` under `[session.compaction]` is 0; give at least 1"), "{told}");
}
