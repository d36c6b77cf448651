use std::path::Path;

use serde_json::json;

use super::{Header, NewSession};

fn read(line: &str) -> Result<Header, String> {
    Header::read(Path::new("talk.jsonl"), line).map_err(|error| error.to_string())
}

#[test]
fn a_header_is_read_as_it_was_written() {
    let metadata = json!({ "b": 1, "a": 2.5 }).as_object().cloned();
    let new = NewSession { parent_session: Some("/old.jsonl".to_owned()), metadata, ..NewSession::new("/work") };
    let header = new.header().unwrap();
    assert_eq!(read(&header.line()), Ok(header));
}

#[test]
fn the_line_has_the_order_of_the_reference() {
    let mut header = NewSession { id: Some("s-1".to_owned()), ..NewSession::new("/work") }.header().unwrap();
    header.timestamp = "2026-11-30T14:37:43.120Z".to_owned();
    let line = r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-11-30T14:37:43.120Z","cwd":"/work"}"#;
    assert_eq!(header.line(), format!("{line}\n"));
}

#[test]
fn what_is_no_header_says_why() {
    let not = |reason: &str| {
        Err(format!("`talk.jsonl` is not a session file: {reason}; it was left as it is, choose another file"))
    };
    let base = r#""type":"session","version":3,"id":"a","timestamp":"t","cwd":"/""#;
    for (line, reason) in [
        ("hello".to_owned(), "its first line is not a JSON object"),
        ("\u{feff}{}".to_owned(), "its first line is not a JSON object"),
        (r#"{"type":"message"}"#.to_owned(), "its first line is not a session header"),
        (r#"{"type":"session"}"#.to_owned(), "its header has no `id`"),
        (r#"{"type":"session","id":"a","timestamp":"t","cwd":""}"#.to_owned(), "its header has no `cwd`"),
        (format!(r#"{{{base},"parentSession":1}}"#), "the `parentSession` of its header is no text"),
        (format!(r#"{{{base},"metadata":[]}}"#), "the `metadata` of its header are no object"),
    ] {
        assert_eq!(read(&line), not(reason), "{line}");
    }
}

#[test]
fn versions_1_to_3_are_known() {
    let header = |version: &str| format!(r#"{{"type":"session"{version},"id":"a","timestamp":"t","cwd":"/"}}"#);
    let versions = ["", r#","version":2"#, r#","version":3"#];
    assert_eq!(versions.map(|version| read(&header(version)).unwrap().version), [1, 2, 3]);
    for version in ["4", "0", "\"3\"", "2.5"] {
        let expected = format!(
            "session `talk.jsonl` has version {version}, and versions 1 to 3 are known here; open it with a newer program"
        );
        assert_eq!(read(&header(&format!(r#","version":{version}"#))), Err(expected));
    }
}

#[test]
fn an_id_that_is_no_name_is_refused() {
    let error = NewSession { id: Some("../x".to_owned()), ..NewSession::new("/") }.header().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`../x` cannot be the id of a session: use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends"
    );
}
