use serde_json::json;

use crate::notice::{Notice, Problem};
use crate::testing::{Bed, HEADER, file, heard, line, said};
use crate::{EntryKind, Session, SessionError};

fn notices(session: &Session) -> Vec<String> {
    session.notices().iter().map(Notice::to_string).collect()
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_left_as_it_is() {
    for (bytes, reason) in [
        (&b""[..], "it is empty"),
        (b"\n  \n", "it is empty"),
        (b"\x7fELF\x02\x01\xff\xfe\n", "its first line is not a JSON object"),
        (b"{\"name\":\"package\"}\n", "its first line is not a session header"),
        (b"{\"type\":\"sess", "its first line is not a JSON object"),
    ] {
        let bed = Bed::with(bytes);
        let expected = format!("`FILE` is not a session file: {reason}; it was left as it is, choose another file");
        assert_eq!(bed.said(Session::read(bed.path())), expected);
        assert_eq!(bed.said(crate::SessionLog::open(bed.path(), Default::default())), expected);
        assert_eq!(std::fs::read(bed.path()).unwrap(), bytes);
        assert_eq!(bed.files(), ["talk.jsonl"]);
    }
}

#[test]
fn a_large_file_without_a_line_is_refused_without_being_read() {
    let bed = Bed::new();
    // 1 TiB of nothing: reading it would not end.
    std::fs::File::create(bed.path()).unwrap().set_len(1 << 40).unwrap();
    for said in [bed.said(crate::folder::header(&bed.path())), bed.said(Session::read(bed.path()))] {
        assert!(said.contains("its first line is longer than a header may be"), "{said}");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let bed = Bed::new();
    std::fs::create_dir(bed.path()).unwrap();
    assert!(bed.said(Session::read(bed.path())).starts_with("`FILE` is not a session file: it is a folder; "));
    let missing = bed.said(Session::read(bed.other("none.jsonl")));
    let expected = "cannot open session `FOLDER/none.jsonl`: No such file or directory (os error 2); check the path and who \
                    may read it";
    assert_eq!(missing, expected);
    assert!(matches!(Session::read("/dev/zero"), Err(SessionError::NotASession { .. })));
}

#[test]
fn a_bad_line_is_reported_with_its_number_and_the_rest_is_read() {
    let bed = Bed::with(file(&[
        said("a", None, "one"),
        "not json".to_owned(),
        said("b", Some("a"), "two"),
        said("b", Some("a"), "again"),
        line("leaf", "c", Some("b"), json!({ "targetId": "z" })),
        r#"{"type":"message","id":"d","parentId":"b","timestamp":"t"}"#.to_owned(),
        said("e", Some("lost"), "three"),
    ]));
    let session = bed.read();
    assert_eq!(
        notices(&session),
        [
            "line 3 is not JSON that can be read: expected ident at byte 2",
            "line 5 has the id `b` of line 4",
            "line 6 moves the leaf to `z`, which is not in the file before it",
            "line 7 has no `message` that is an object",
            "line 8 names the parent `lost`, which is not in the file before it",
        ]
    );
    assert!(session.notices().iter().all(|notice| notice.problem.forbids_writing()));
    let ids: Vec<&str> = session.entries().iter().map(|entry| entry.id()).collect();
    assert_eq!(ids, ["a", "b", "e"]);
    assert_eq!(heard(&session), ["three"]);
}

#[test]
fn blank_lines_and_carriage_returns_are_no_fault() {
    let text = format!("\n{HEADER}\r\n\r\n{}\r\n   \n{}\r\n", said("a", None, "one"), said("b", Some("a"), "two"));
    let session = Bed::with(text).read();
    assert_eq!(notices(&session), Vec::<String>::new());
    assert_eq!(heard(&session), ["one", "two"]);
    assert_eq!(session.entries()[1].line(), 6);
}

/// Bug log 97.
#[test]
fn separators_of_other_kinds_are_text() {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e";
    let session = Bed::with(file(&[said("a", None, text), said("b", Some("a"), "lone \r return")])).read();
    assert_eq!(heard(&session), [text, "lone \r return"]);
    assert_eq!(session.notices(), []);
}

/// Bug log 98: nothing of this may keep a session from being listed, read or gone on with.
#[test]
fn odd_entries_are_reported_and_kept() {
    let null = json!({ "message": { "role": "assistant", "content": [{ "type": "toolCall", "arguments": null }] } });
    let mut bytes = file(&[
        line("message", "a", None, null),
        line("tomorrow", "b", Some("a"), json!({ "x": 1 })),
        line("tomorrow", "c", Some("b"), json!({ "x": 2 })),
        said("d", Some("c"), "fine"),
    ])
    .into_bytes();
    bytes.extend(said("e", Some("d"), "bad X byte").replace('X', "\u{1}").into_bytes());
    let at = bytes.iter().position(|byte| *byte == 1).unwrap();
    bytes[at] = 0xff;
    bytes.extend(format!("\n{}\n", said("f", Some("e"), "half X").replace('X', "\\ud83d")).into_bytes());
    let bed = Bed::with(&bytes);
    let session = bed.open();
    assert_eq!(
        notices(session.session()),
        [
            "line 3 is the first of 2 of the unknown type `tomorrow`; they are kept",
            "line 6 has bytes that are no UTF-8; they are read as U+FFFD",
            "line 7 has half a surrogate pair; it is read as U+FFFD",
        ]
    );
    assert_eq!(session.session().entry("b").unwrap().kind(), &EntryKind::Other("tomorrow".into()));
    assert_eq!(session.session().json("c").unwrap()["x"], 2);
    assert_eq!(session.session().branch().count(), 6);
    assert_eq!(heard(session.session()), ["fine", "bad \u{fffd} byte", "half \u{fffd}"]);
    assert_eq!(std::fs::read(bed.path()).unwrap(), bytes);
}

#[test]
fn half_a_last_line_is_left_out_by_a_reader() {
    let bed = Bed::with(file(&[said("a", None, "one")]) + r#"{"type":"message","id":"b","pa"#);
    let session = bed.read();
    assert_eq!(notices(&session), ["line 3 is cut after 30 bytes and was left out"]);
    assert_eq!(session.notices()[0].problem, Problem::Torn { bytes: 30, kept: None });
    assert_eq!(heard(&session), ["one"]);
    assert_eq!(bed.files(), ["talk.jsonl"]);
}

#[test]
fn a_whole_last_line_needs_no_line_end() {
    let bed = Bed::with(file(&[]) + &said("a", None, "one"));
    assert_eq!(notices(&bed.read()), ["line 2 has no line end"]);
    assert_eq!(heard(&bed.read()), ["one"]);
    // It is no entry, but it is not cut either.
    let bed = Bed::with(file(&[]) + r#"{"type":"message"}"#);
    assert_eq!(notices(&bed.read()), ["line 2 has no `id`", "line 2 has no line end"]);
}

#[test]
fn the_first_versions_are_read_as_the_third() {
    let first = [
        r#"{"type":"session","id":"old","timestamp":"t","cwd":"/"}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"one"}]}}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"hookMessage","content":[{"text":"two"}]}}"#,
        r#"{"type":"compaction","timestamp":"t","summary":"s","tokensBefore":1,"firstKeptEntryIndex":2}"#,
        r#"{"type":"message","timestamp":"t","message":{"role":"user","content":[{"text":"three"}]}}"#,
    ];
    let session = Bed::with(first.map(|line| format!("{line}\n")).concat()).read();
    assert_eq!(notices(&session), Vec::<String>::new());
    assert_eq!(session.header().version, 1);
    let roles: Vec<_> = session.context().unwrap().messages.iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["compactionSummary", "custom", "user"]);
    assert_eq!(heard(&session), ["two", "three"]);
    let second = file(&[line("message", "x", None, json!({ "message": { "role": "hookMessage" } }))]);
    let session = Bed::with(second.replace("\"version\":3", "\"version\":2")).read();
    assert_eq!(session.json("x").unwrap()["message"]["role"], "custom");
}
