//! Forks: ours, and of sessions of the reference.

use std::fs;

use serde_json::Value;

use super::{Kept, messages, says};

#[test]
fn a_fork_goes_on_elsewhere_and_its_source_stays() {
    let kept = Kept::new();
    kept.run(&says("first"), &["one"]).assert().success();
    kept.run(&says("second"), &["--continue", "two"]).assert().success();
    let (source, text) = (kept.files()[0].clone(), kept.text());
    let entry = |line: usize| {
        let entry: Value = serde_json::from_str(text.lines().nth(line).unwrap()).unwrap();
        entry["id"].as_str().unwrap().to_owned()
    };
    let path = source.to_str().unwrap();
    let id = kept.session(&["fork", path, "--before", &entry(4)[..6]]);
    let id = id.lines().next().unwrap();
    let turns = says("other");
    kept.run(&turns, &["--session", &id[..30], "instead of two"]).assert().success();
    assert_eq!(fs::read_to_string(&source).unwrap(), text);
    let fork = fs::read_to_string(&kept.files()[1]).unwrap();
    assert_eq!(messages(&fork), ["user one", "assistant first", "user instead of two", "assistant other"]);
    assert!(fork.lines().next().unwrap().contains(&format!(r#""parentSession":"{path}""#)));
    let whole = kept.session(&["fork", path]);
    assert!(whole.contains("a new session with 5 entries"), "{whole}");
    let told = kept.refused(kept.command("session").args(["fork", path, "--before", &entry(1)]));
    assert!(told.contains("which is not a user message; fork it at that entry"), "{told}");
}

#[test]
fn sessions_of_the_reference_go_on_in_a_fork() {
    let kept = Kept::new();
    let folder = seam_tests::files::root().join("tests/sessions/data");
    for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let id = kept.session(&["fork", file.to_str().unwrap()]);
        let id = id.lines().next().unwrap();
        let path = kept.files().into_iter().find(|file| file.to_str().unwrap().contains(id)).unwrap();
        let before = fs::read_to_string(&path).unwrap();
        kept.run(&says("I go on."), &["--session", id, "go on"]).assert().success();
        let after = fs::read_to_string(&path).unwrap();
        let (told, new) = (file.display(), after.strip_prefix(&before).unwrap());
        let messages = messages(new);
        let interrupted = messages.iter().filter(|message| message.starts_with("toolResult Interrupted")).count();
        assert_eq!(messages[interrupted..], ["user go on", "assistant I go on."], "{told}");
    }
}
