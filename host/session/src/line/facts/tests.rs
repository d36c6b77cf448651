use serde_json::Value;

use super::{Fact, Facts};

#[test]
fn of_two_fields_with_one_name_the_last_counts() {
    let line = r#"{"id":"a","id":"b"}"#;
    assert_eq!(Facts::of(line).unwrap().take("id"), Some(Fact::Text("b".to_owned())));
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["id"], "b");
}

#[test]
fn every_kind_of_value_is_told_apart() {
    let line =
        r#"{"id":null,"type":1,"label":["a","b"],"name":[1],"message":{"role":"user","content":"x"},"usage":-1}"#;
    let mut facts = Facts::of(line).unwrap();
    let mut message = match facts.take("message") {
        Some(Fact::Object(message)) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message.text("role"), Ok(Some("user".to_owned())));
    assert_eq!(message.take("content"), None);
    assert_eq!(facts.take("id"), Some(Fact::Null));
    assert_eq!(facts.take("type"), Some(Fact::Whole(1)));
    assert_eq!(facts.take("label"), Some(Fact::Texts(vec!["a".to_owned(), "b".to_owned()])));
    assert_eq!(facts.take("name"), Some(Fact::Other));
    assert_eq!(facts.text("usage"), Err("has a `usage` that is no text".to_owned()));
}

/// What opens can be read: the quick look and the full reading take the same lines.
#[test]
fn a_line_is_refused_exactly_when_it_cannot_be_read_in_full() {
    let deep = |depth: usize| format!(r#"{{"x":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let lines = [
        r#"{"x":1e999}"#.to_owned(),
        r#"{"x":"\ud83d"}"#.to_owned(),
        r#"{"x":"\u12"}"#.to_owned(),
        "{\"x\":\"a\tb\"}".to_owned(),
        r#"{"x":01}"#.to_owned(),
        r#"{"x":1} {}"#.to_owned(),
        r#"{"x":{"\ud83d":1}}"#.to_owned(),
        r#" {"x":[1,2.5e3,-7,true,null,{"y":"z"}]} "#.to_owned(),
        deep(100),
        deep(126),
        deep(127),
        deep(200),
    ];
    for line in lines {
        assert_eq!(Facts::of(&line).is_ok(), serde_json::from_str::<Value>(&line).is_ok(), "{line}");
    }
}
