//! Bug log 84, 85, 95 to 98 and 100, with the binary: what is odd in a session keeps nobody from going on with it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Kept, call, kill, messages, says, spawn, until};

/// Turns that each run a command, with a name that is theirs, and take their time.
fn turns(name: &str, count: usize, seconds: f32) -> Value {
    let turn = |at: usize| {
        let id = format!("{name}-{at}");
        let bash = call(&id, "bash", json!({ "command": format!("echo {id} >>RAN; sleep {seconds}") }));
        json!({ "content": [{ "text": id }, bash] })
    };
    json!(
        (0..count).map(turn).chain([json!({ "content": [{ "text": format!("{name} is done") }] })]).collect::<Vec<_>>()
    )
}

/// What ran, each once.
fn ran(kept: &Kept) -> Vec<String> {
    let ran = fs::read_to_string(kept.project.path().join("RAN")).unwrap();
    let ran: Vec<String> = ran.lines().map(str::to_owned).collect();
    let mut once = ran.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), ran.len(), "{ran:?}");
    ran
}

/// Bug log 84 and 85: two processes of 50 turns each; the first is killed, and the second goes on at once.
#[test]
fn two_processes_take_turns_with_one_session_and_never_mix() {
    let kept = Kept::new();
    let one = kept.run(&turns("one", 50, 0.1), &["go one"]);
    let mut first = spawn(&one);
    until("the first run is under way", || kept.project.path().join("RAN").exists());
    let two = || kept.run(&turns("two", 50, 0.0), &["--continue", "go two"]);
    let told = kept.refused(&mut two());
    assert!(told.contains(" is locked: another process has it open for writing; close that one, "), "{told}");
    kill("KILL", &first);
    first.wait().unwrap();
    two().assert().success();
    let said = messages(&kept.text());
    let begins = said.iter().position(|message| message == "user go two").unwrap();
    let (before, after) = said.split_at(begins);
    assert_eq!((&*before[0], after.len()), ("user go one", 102));
    let of = |name: &str, messages: &[String]| messages.iter().filter(|said| said.starts_with(name)).count();
    assert_eq!((of("assistant two-", before), of("assistant one-", after)), (0, 0));
    assert_eq!((of("assistant two-", after), of("toolResult", after)), (50, 50));
    assert_eq!(of("assistant one-", before), of("toolResult", before));
    assert!(ran(&kept).len() <= of("assistant one-", before) + 50);
}

/// Bug log 95.
#[test]
fn a_silent_command_has_words_for_its_result() {
    let kept = Kept::new();
    let turns =
        json!([{ "content": [call("c1", "bash", json!({ "command": "true" }))] }, { "content": [{ "text": "ok" }] }]);
    kept.run(&turns, &["go"]).assert().success();
    assert_eq!(messages(&kept.text()), ["user go", "assistant", "toolResult (no output)", "assistant ok"]);
}

/// A session whose file has these lines more, each below the one before. `PARENT` is filled in.
fn with_lines(kept: &Kept, lines: &[Vec<u8>]) -> Vec<u8> {
    kept.run(&says("first"), &["one"]).assert().success();
    let file = &kept.files()[0];
    let mut bytes = fs::read(file).unwrap();
    let last: Value = serde_json::from_str(kept.text().lines().last().unwrap()).unwrap();
    let mut parent = last["id"].as_str().unwrap().to_owned();
    for (at, line) in lines.iter().enumerate() {
        let id = format!("0000000{at}");
        let base = format!(r#"{{"id":"{id}","parentId":"{parent}","timestamp":"2026-01-01T00:00:00.000Z","#);
        bytes.extend(base.bytes().chain(line.iter().copied()).chain(*b"}\n"));
        parent = id;
    }
    fs::write(file, &bytes).unwrap();
    bytes
}

/// It is listed, shown, exported, forked and gone on with, and what stood in the file stays as it is.
fn is_usable(kept: &Kept, before: &[u8]) {
    let file = kept.files()[0].clone();
    let path = file.to_str().unwrap();
    assert!(kept.session(&["ls"]).contains(" messages"));
    for words in
        [&["tree", path][..], &["show", path], &["show", "--json", path], &["export", "--html", "--output", "-", path]]
    {
        assert!(!kept.session(words).is_empty(), "{words:?}");
    }
    let turns = json!([{ "content": [call("new", "bash", json!({ "command": "touch MARK" }))] }, { "content": [{ "text": "on" }] }]);
    let plugins = seam_tests::files::root().join("target/plugins");
    let mut run = kept.run(&turns, &["--session", path, "--plugins", plugins.to_str().unwrap(), "go on"]);
    run.assert().success();
    assert!(kept.is_there("MARK"));
    assert!(fs::read(&file).unwrap().starts_with(before));
    kept.session(&["fork", path]);
}

fn message(message: &str) -> Vec<u8> {
    format!(r#""type":"message","message":{message}"#).into_bytes()
}

/// Bug log 96.
#[test]
fn half_a_surrogate_pair_in_the_history_keeps_no_session_from_going_on() {
    let kept = Kept::new();
    let before = with_lines(
        &kept,
        &[
            message(r#"{"role":"user","content":[{"type":"text","text":"cut \ud83d"}],"timestamp":1}"#),
            message(
                r#"{"role":"assistant","content":[{"type":"text","text":"\ude00 too"},{"type":"toolCall","id":"old","name":"bash","arguments":{"command":"echo \ud83d","\udead":1}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}"#,
            ),
            message(
                r#"{"role":"toolResult","toolCallId":"old","toolName":"bash","content":[{"type":"text","text":"\ud83d\n"}],"isError":false,"timestamp":1}"#,
            ),
        ],
    );
    is_usable(&kept, &before);
}

/// Bug log 97: in the file, and in the events that a program reads line by line.
#[test]
fn separators_of_other_kinds_end_no_line() {
    let kept = Kept::new();
    for (at, separator) in ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\u{b}", "\u{c}"].into_iter().enumerate() {
        let text = format!("a{separator}b");
        let go_on = if at == 0 { &["--json"][..] } else { &["--json", "--continue"] };
        let mut run = kept.run(&says(&text), &[go_on, &[&text]].concat());
        let output = run.assert().success().get_output().stdout.clone();
        let events = String::from_utf8(output).unwrap();
        let events: Vec<Value> =
            events.split_terminator('\n').map(|line| serde_json::from_str(line).unwrap()).collect();
        let ends: Vec<&Value> = events.iter().filter(|event| event["type"] == "message_end").collect();
        assert_eq!(ends.len(), 2);
        assert!(ends.iter().all(|end| end["message"]["content"][0]["text"] == *text), "{ends:?}");
        let lines: Vec<String> = kept.text().split_terminator('\n').map(str::to_owned).collect();
        assert_eq!(lines.len(), 2 + 2 * (at + 1));
        assert!(lines.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    }
    assert_eq!(messages(&kept.text()).len(), 12);
}

/// Bug log 98.
#[test]
fn odd_entries_keep_no_session_from_being_looked_at_or_gone_on_with() {
    let kept = Kept::new();
    let mut bytes = message(r#"{"role":"user","content":[{"type":"text","text":"a"#);
    bytes.extend(b"\xff\xf0\x9f");
    bytes.extend(br#"b"}],"timestamp":1}"#);
    let before = with_lines(
        &kept,
        &[
            message(
                r#"{"role":"assistant","content":[{"type":"toolCall","id":"old","name":"bash","arguments":null},{"type":"toolCall","id":"nameless","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}"#,
            ),
            br#""type":"from_the_future","data":[1,2]"#.to_vec(),
            bytes,
            message(r#"{"role":"assistant","content":null}"#),
            br#""type":"custom""#.to_vec(),
        ],
    );
    is_usable(&kept, &before);
}

/// The most memory that the run has taken when a command of it looks, in MiB.
fn peak(kept: &Kept) -> u64 {
    let status = fs::read_to_string(kept.project.path().join("status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

fn looks() -> Value {
    call("look", "bash", json!({ "command": "cat /proc/$PPID/status >status" }))
}

fn megabytes(file: &Path) -> u64 {
    fs::metadata(file).unwrap().len() / 1_000_000
}

/// Bug log 100.
#[test]
#[cfg(target_os = "linux")]
fn a_result_of_160_mb_is_cut_before_it_is_kept() {
    let kept = Kept::new();
    let much = call("much", "bash", json!({ "command": "head -c 160000000 /dev/zero | tr '\\0' x" }));
    let turns = json!([{ "content": [much] }, { "content": [looks()] }, { "content": [{ "text": "done" }] }]);
    kept.run(&turns, &["go"]).assert().success();
    assert_eq!(megabytes(&kept.files()[0]), 0);
    assert!(messages(&kept.text())[2].len() < 100_000);
    assert!(peak(&kept) < 150, "{} MiB", peak(&kept));
}

/// Bug log 100: 10,000 entries of 20 MB, one of them of 1.7 MB.
#[test]
#[cfg(target_os = "linux")]
fn a_session_of_10_000_entries_and_20_mb_goes_on_in_little_more_memory_than_its_file_has() {
    let kept = Kept::new();
    let said = |role: &str, length: usize| {
        let content = json!([{ "type": "text", "text": "word ".repeat(length / 5) }]);
        message(&json!({ "role": role, "content": content, "provider": "p", "model": "m", "stopReason": "stop", "timestamp": 1 }).to_string())
    };
    let lines: Vec<Vec<u8>> = (0..10_000)
        .map(|at| match at {
            5_000 => said("user", 1_700_000),
            _ => said(if at % 2 == 0 { "user" } else { "assistant" }, 1_700),
        })
        .collect();
    with_lines(&kept, &lines);
    // It is not made shorter first.
    fs::write(kept.project.path().join("seam.toml"), "[session.compaction]\nenabled = false\n").unwrap();
    let file = megabytes(&kept.files()[0]);
    assert!((19..23).contains(&file), "{file} MB");
    let turns = json!([{ "content": [looks()] }, { "content": [{ "text": "done" }] }]);
    kept.run(&turns, &["--no-session", "look"]).assert().success();
    let by_itself = peak(&kept);
    kept.run(&turns, &["--continue", "go on"]).assert().success();
    let more = peak(&kept).saturating_sub(by_itself);
    assert!(more < 2 * file, "{more} MiB for {file} MB, and {by_itself} MiB by itself");
    let tree = kept.command("session").args(["tree", kept.files()[0].to_str().unwrap()]).assert().success();
    assert!(tree.get_output().stdout.len() > 100_000);
}
