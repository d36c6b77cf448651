//! `seam session`, as a person and as a program reads it.

use std::fs;

use serde_json::{Value, json};

use super::{Kept, call, says};

/// A session with tool calls, a long result, a branch, a label and a name; what changes from run to run named.
fn shown(kept: &Kept, arguments: &[&str]) -> String {
    let mut text = kept.session(arguments);
    let id = header(kept)["id"].as_str().unwrap().to_owned();
    text = text.replace(&kept.files()[0].display().to_string(), "FILE").replace(&id, "ID").replace(&id[..13], "ID");
    text = text.replace(&kept.project.path().canonicalize().unwrap().display().to_string(), "PROJECT");
    for (place, entry) in entries(kept).iter().enumerate() {
        text = text.replace(entry, &format!("ENTRY{place}"));
    }
    let made = header(kept)["timestamp"].as_str().unwrap()[..16].replace('T', " ");
    text.replace(&made, "WHEN")
}

fn header(kept: &Kept) -> Value {
    let text = fs::read_to_string(&kept.files()[0]).unwrap();
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

fn entries(kept: &Kept) -> Vec<String> {
    let text = fs::read_to_string(&kept.files()[0]).unwrap();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    text.lines().skip(1).map(id).collect()
}

fn made() -> Kept {
    let kept = Kept::new();
    let calls = json!([
        { "content": [
            { "text": "I write\nand count. \u{1b}[31m" },
            call("c1", "write", json!({ "path": "a", "content": "x\n" })),
            call("c2", "bash", json!({ "command": "seq 12; exit 3" }))
        ] },
        { "content": [{ "text": "Done." }] }
    ]);
    kept.run(&calls, &["Count, please."]).assert().success();
    kept
}

#[test]
fn a_session_as_a_person_reads_it() {
    let kept = made();
    let (file, entries) = (kept.files()[0].display().to_string(), entries(&kept));
    let label = kept.session(&["label", &file, &entries[1], "start\u{1b}[2J"]);
    assert_eq!(label, format!("entry {} has the label `start[2J`\n", entries[1]));
    assert_eq!(kept.session(&["name", &file, "Counting"]), "the session is named `Counting`\n");
    insta::assert_snapshot!(shown(&kept, &["show", &file]), @r#"
    session ID
    name    Counting
    made    WHEN UTC
    in      PROJECT
    file    FILE

    ENTRY0 model: scripted/scripted

    ENTRY1 you  [start[2J]
      Count, please.

    ENTRY2 scripted/scripted
      I write
      and count. [31m
      → write a  content="x\n"
      → bash seq 12; exit 3

    ENTRY3 write ✓
      Wrote 2 bytes to `a`.

    ENTRY4 bash ✗
      1
      2
      3
      4
      5
      6
      7
      8
      … 6 more lines

    ENTRY5 scripted/scripted
      Done.

    ENTRY6 label: `start[2J` for ENTRY1
    ENTRY7 name: Counting
    "#);
    insta::assert_snapshot!(shown(&kept, &["ls"]), @"ID  WHEN     5 messages  Counting: Count, please.");
    assert_eq!(kept.session(&["name", &file, " "]), "the session has no name now\n");
    assert_eq!(kept.session(&["label", &file, &entries[1]]), format!("entry {} has no label now\n", entries[1]));
}

#[test]
fn a_tree_as_a_person_reads_it() {
    let kept = made();
    let file = &kept.files()[0];
    let entries = entries(&kept);
    let moved = json!({ "type": "leaf", "id": "0000000a", "parentId": entries[5], "timestamp": "2026-01-01T00:00:00.000Z",
        "targetId": entries[1] });
    fs::write(file, fs::read_to_string(file).unwrap() + &moved.to_string() + "\n").unwrap();
    kept.run(&says("Three."), &["--continue", "Count to three."]).assert().success();
    insta::assert_snapshot!(shown(&kept, &["tree", file.to_str().unwrap()]), @r#"
    ENTRY0 model: scripted/scripted
    ENTRY1 you: Count, please.
    ├─ ENTRY2 scripted/scripted: I write⏎ and count. [31m  → write a  content="x\n"  → bash seq 12; exi…
    │  ENTRY3 write ✓: Wrote 2 bytes to `a`.
    │  ENTRY4 bash ✗: 1⏎ 2⏎ 3⏎ 4⏎ 5⏎ 6⏎ 7⏎ 8⏎ 9⏎ 10⏎ 11⏎ 12⏎ ⏎ The command exited with code 3.
    │  ENTRY5 scripted/scripted: Done.
    │  ENTRY6 moved to: ENTRY1
    └─ ENTRY7 you: Count to three.
       ENTRY8 scripted/scripted: Three.  ← here
    "#);
}

#[test]
fn sessions_as_a_program_reads_them() {
    let kept = made();
    let list: Value = serde_json::from_str(&kept.session(&["ls", "--json"])).unwrap();
    let id = header(&kept)["id"].clone();
    assert_eq!(list[0]["id"], id);
    assert_eq!((&list[0]["messages"], &list[0]["firstWords"]), (&json!(5), &json!("Count, please.")));
    let shown: Value = serde_json::from_str(&kept.session(&["show", "--json", id.as_str().unwrap()])).unwrap();
    let text = fs::read_to_string(&kept.files()[0]).unwrap();
    let lines: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(shown["entries"], json!(lines));
}

#[test]
fn a_session_is_known_by_its_name_and_an_entry_by_its_label() {
    let kept = made();
    let (file, entry) = (kept.files()[0].display().to_string(), entries(&kept)[1].clone());
    kept.session(&["name", &file, "Counting"]);
    kept.session(&["label", "Counting", &entry, "start"]);
    assert_eq!(kept.session(&["show", "Counting"]), kept.session(&["show", &file]));
    assert_eq!(
        kept.session(&["label", "Counting", "start", "again"]),
        format!("entry {entry} has the label `again`\n")
    );
    kept.run(&says("More."), &["--session", "Counting", "More?"]).assert().success();
    assert_eq!(kept.files().len(), 1);
    kept.session(&["fork", "Counting"]);
    kept.session(&["label", "--", &file, &entries(&kept)[2], "again"]);
    let told = |arguments: &[&str]| kept.refused(kept.command("session").args(arguments));
    assert!(told(&["show", "Counting"]).starts_with("seam: 2 sessions have the name `Counting`; give an id: "));
    assert!(told(&["label", &file, "again"]).starts_with("seam: 2 entries have the label `again`; give an id: "));
}

#[test]
fn a_session_or_an_entry_that_is_not_there_is_told() {
    let kept = Kept::new();
    assert_eq!(shown_empty(&kept), "no sessions of PROJECT\n");
    kept.run(&says("ok"), &["go"]).assert().success();
    let file = kept.files()[0].display().to_string();
    let told = |arguments: &[&str]| kept.refused(kept.command("session").args(arguments));
    assert_eq!(
        told(&["show", "zz"]),
        "seam: no session of PROJECT has the name `zz` or an id that begins so; `seam session ls` lists them\n"
    );
    assert_eq!(
        told(&["label", &file, "zz", "x"]),
        "seam: no entry has the label `zz` or an id that begins so; `seam session tree` shows them\n"
    );
    assert!(told(&["label", &file, "", "x"]).starts_with("seam: `` begins the ids of 3 entries; give more of it: "));
}

fn shown_empty(kept: &Kept) -> String {
    let project = kept.project.path().canonicalize().unwrap().display().to_string();
    kept.session(&["ls"]).replace(&project, "PROJECT")
}
