//! Tools that a session has active and that are not there any more.

use std::fs;

use seam_session::{Durability, NewEntry, SessionLog};
use serde_json::json;

use super::Kept;

#[test]
fn what_becomes_of_missing_tools_is_a_setting() {
    let turns = json!([{ "content": [{ "text": "ok" }] }]);
    let kept = Kept::new();
    kept.run(&turns, &["go"]).assert().success();
    let file = kept.files().into_iter().find(|file| file.extension().is_some_and(|end| end == "jsonl")).unwrap();
    let mut log = SessionLog::open(&file, Durability::Never).unwrap();
    log.append(NewEntry::ActiveToolsChange(vec!["ls".to_owned(), "dance".to_owned()])).unwrap();
    drop(log);
    let set = |word: &str| {
        let settings = format!("[session]\nmissing-tools = \"{word}\"\n");
        fs::write(kept.project.path().join("seam.toml"), settings).unwrap();
    };
    let before = fs::read(&file).unwrap();
    set("fail");
    let refused = kept.run(&turns, &["--continue", "on"]).assert().code(2).get_output().clone();
    let (said, told) = (String::from_utf8(refused.stdout).unwrap(), String::from_utf8(refused.stderr).unwrap());
    assert!(told.contains("tools active that are not there: `dance`. Nothing was started"), "{told}");
    assert!(!said.contains("goes on"), "{said}");
    assert_eq!(fs::read(&file).unwrap(), before);
    for (word, changes) in [("keep", 1), ("drop", 2)] {
        set(word);
        let said = kept.run(&turns, &["--continue", "on"]).assert().success().get_output().stdout.clone();
        assert!(String::from_utf8(said).unwrap().contains(", which goes on\n"), "{word}");
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("\"active_tools_change\"").count(), changes, "{word}");
    }
    set("guess");
    let told = kept.refused(&mut kept.run(&turns, &["--continue", "on"]));
    assert!(
        told.contains("`missing-tools` under `[session]` cannot be `guess`; known are `fail`, `drop`, `keep`"),
        "{told}"
    );
}
