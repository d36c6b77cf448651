//! The reference's package opens our files, and we open its. `cargo xtask test` installs it; without it there is nothing to
//! exchange files with.

use std::path::{Path, PathBuf};
use std::process::Command;

use seam_harness::{Left, Move};
use seam_loop::CancellationToken;
use seam_session::{BranchSummary, Compaction, Durability, ForkPoint, NewEntry, NewSession, Session, SessionLog};
use seam_tests::bed::Bed;
use seam_tests::files::root;
use seam_tests::talk::says;
use serde_json::{Value, json};

use super::compaction::{compact, long, ran, two_turns};
use super::reduced;

/// The package, if it is installed.
fn package() -> Option<PathBuf> {
    let folder = root().join("target/foreign/reference");
    let package = folder.join("node_modules/@earendil-works/pi-agent-core");
    if folder.join("installed").is_file() {
        return Some(package);
    }
    eprintln!("not run: {} is not there; `cargo xtask test` installs it", package.display());
    None
}

/// Runs `interop.mjs`: the file that it worked on, and what the package reduces it to.
fn node(package: &Path, words: &[&str]) -> (PathBuf, Value) {
    let script = root().join("tests/sessions/interop.mjs");
    let output = Command::new("node").arg(script).arg(package).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    (printed["path"].as_str().unwrap().into(), printed["reduced"].take())
}

fn message(role: &str, text: &str) -> NewEntry {
    NewEntry::Message(
        json!({ "role": role, "content": [{ "type": "text", "text": text }], "provider": "p", "model": "m" }),
    )
}

/// A session of ours with every type of entry that we write, some on a branch that was left.
fn ours(path: &Path) -> SessionLog {
    let mut log = SessionLog::create(path, NewSession::new("/work"), Durability::Never).unwrap();
    log.append(NewEntry::ModelChange { provider: "p".to_owned(), model_id: "first".to_owned() }).unwrap();
    log.append(NewEntry::ThinkingLevelChange("high".to_owned())).unwrap();
    log.append(NewEntry::ActiveToolsChange(vec!["read".to_owned(), "bash".to_owned()])).unwrap();
    let first = log.append(message("user", "one \u{2028} \u{85} \"\\ 👩‍👩‍👧‍👦")).unwrap();
    let second = log.append(message("assistant", "two \r\n\u{0}")).unwrap();
    log.label(&first, Some(" start ")).unwrap();
    let (custom_type, details) = ("note".to_owned(), Some(json!({ "cost": 0.1 + 0.2 })));
    log.append(NewEntry::CustomMessage { custom_type, content: "hello".into(), display: true, details }).unwrap();
    log.append(NewEntry::Custom { custom_type: "state".to_owned(), data: None }).unwrap();
    let (summary, tokens_before) = ("so far".to_owned(), 1234);
    let compaction = Compaction { summary, first_kept: Some(second), tokens_before, ..Compaction::default() };
    log.append(NewEntry::Compaction(compaction)).unwrap();
    log.append(message("user", "three")).unwrap();
    log.name("a name\nof two lines").unwrap();
    log.move_to(Some(&first), None).unwrap();
    log.append(message("assistant", "on a side branch")).unwrap();
    let summary = BranchSummary { summary: "went aside".to_owned(), ..BranchSummary::default() };
    let back = log.session().entries()[9].id().to_owned();
    log.move_to(Some(&back), Some(summary)).unwrap();
    log
}

#[test]
fn what_the_reference_writes_opens_here_with_the_same_context() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    for seed in 1..=12 {
        let (file, expected) = node(&package, &["write", folder.path().to_str().unwrap(), &seed.to_string()]);
        assert_eq!(reduced(&file), expected, "seed {seed}");
        let listed = seam_session::folder::list(&seam_session::folder::of(folder.path(), "/work")).unwrap();
        assert!(listed.iter().any(|listed| listed.path == file), "seed {seed}");
    }
}

#[test]
fn what_we_write_opens_there_with_the_same_context() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.jsonl");
    let log = ours(&file);
    let (_, there) = node(&package, &["read", file.to_str().unwrap()]);
    assert_eq!(there, reduced(&file));
    assert_eq!(there["context"], serde_json::to_value(log.session().context().unwrap()).unwrap());
    let roles: Vec<&Value> = there["context"]["messages"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["compactionSummary", "assistant", "custom", "user", "branchSummary"]);
}

#[test]
fn a_fork_of_ours_opens_there_with_the_same_context() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (file, fork) = (folder.path().join("ours.jsonl"), folder.path().join("fork.jsonl"));
    let log = ours(&file);
    let at = ForkPoint::At(log.session().entries()[10].id().to_owned());
    SessionLog::fork(log.session(), &at, &fork, NewSession::new("/work"), Durability::Never).unwrap();
    let (_, there) = node(&package, &["read", fork.to_str().unwrap()]);
    assert_eq!(there, reduced(&fork));
}

#[test]
fn both_go_on_with_the_files_of_the_other() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    let ours_first = folder.path().join("ours.jsonl");
    drop(ours(&ours_first));
    let (theirs_first, _) = node(&package, &["write", folder.path().to_str().unwrap(), "99"]);
    for file in [&ours_first, &theirs_first] {
        let (_, there) = node(&package, &["go-on", file.to_str().unwrap()]);
        assert_eq!(there, reduced(file));
        let mut log = SessionLog::open(file, Durability::EachEntry).unwrap();
        let target = log.session().entries()[3].id().to_owned();
        log.append(message("user", "back here")).unwrap();
        log.move_to(Some(&target), None).unwrap();
        log.append(message("user", "and there")).unwrap();
        drop(log);
        let (_, there) = node(&package, &["read", file.to_str().unwrap()]);
        assert_eq!(there, reduced(file));
        assert_eq!(Session::read(file).unwrap().notices(), []);
    }
}

/// A summary with what is kept, one of everything, and one of a branch that was left.
#[tokio::test]
async fn a_conversation_that_was_made_shorter_opens_there_with_the_same_context() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("short.jsonl");
    let call = |id: &str| json!({ "toolCall": { "id": id, "name": "echo", "args": { "text": long("x", 450) } } });
    let batch = json!({ "content": [call("c1"), call("c2")] });
    let mut talk =
        two_turns(&file, Bed::new(), &[says("A"), says("third"), batch, says("B"), says("done"), says("C")]).await;
    let same = || {
        let (_, there) = node(&package, &["read", file.to_str().unwrap()]);
        // 0.0 is 0 there.
        assert_eq!(serde_jcs::to_string(&there).unwrap(), serde_jcs::to_string(&reduced(&file)).unwrap());
        there["context"]["messages"].as_array().unwrap().iter().map(|one| one["role"].clone()).collect::<Vec<_>>()
    };
    compact(&mut talk, None).await.unwrap();
    assert_eq!(same(), ["compactionSummary", "user", "assistant"]);
    ran(talk.say("three").await);
    ran(talk.say("four").await);
    assert_eq!(same(), ["compactionSummary", "assistant"]);
    let target = Session::read(&file).unwrap().entries()[2].id().to_owned();
    let to = Move { target, left: Left::Summary(None), label: Some("there".to_owned()) };
    talk.harness.navigate(&to, &CancellationToken::new()).await.unwrap();
    assert_eq!(same(), ["user", "assistant", "branchSummary"]);
}

/// What plugins remember, and what they write, stands between calls and their results.
#[tokio::test]
async fn what_plugins_write_is_nothing_to_it() {
    let Some(package) = package() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("remembered.jsonl");
    let steps = json!([
        ["set", "a", "1"],
        ["append", "note", "{}"],
        ["set-label", "LEAF", "x"],
        ["set-name", "y"],
        ["store", "kind", "stored"],
        ["next-turn", "kind", "next"]
    ]);
    let does = json!({ "toolCall": { "id": "c1", "name": "do", "args": { "text": steps.to_string() } } });
    let bed =
        Bed::new().plugin("p", &seam_tests::files::guest("reach-a"), json!({ "steps": { "input": [["count", "n"]] } }));
    let bed = bed.set("p", |settings| {
        (settings.grants.messages, settings.grants.session, settings.grants.models) = (true, true, true)
    });
    let mut talk = bed.talk_in(&file, json!([{ "content": [does] }, says("done"), says("more")])).await;
    ran(talk.say("one").await);
    ran(talk.say("two").await);
    let (_, there) = node(&package, &["read", file.to_str().unwrap()]);
    assert_eq!(serde_jcs::to_string(&there).unwrap(), serde_jcs::to_string(&reduced(&file)).unwrap());
    let roles: Vec<&Value> = there["context"]["messages"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "custom", "assistant", "user", "custom", "assistant"]);
    let custom = seam_tests::talk::entries(&file).iter().filter(|entry| *entry == "custom").count();
    assert_eq!(custom, 4);
}
