//! What was given as a key stands nowhere.

use super::*;

/// A key with everything in it that JSON escapes.
const KEY: &str = "sk-\"ab\\c\n12345/ü";

fn bytes(bed: &Bed) -> String {
    fs::read_to_string(bed.file("")).unwrap()
}

fn json_of(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn a_secret_is_hidden_in_every_text_of_others() {
    let bed = Bed::new();
    let journal = bed.open();
    journal.hide(KEY);
    let nested = json_of(&json!({ "a": KEY }).to_string());
    let values = [json_of(KEY), json_of(&format!("Bearer {KEY}{KEY}")), nested.clone(), json_of(&nested)];
    for value in values {
        let outcome = Outcome::Answer(Json::new(&*value));
        let host = HostCall { import: "a.b".into(), arguments: Json::new(&*value), answer: Json::new(&*value) };
        let input = format!("[{value},{{\"a\":[{value}]}}]");
        journal.write(&Record::Crossing(Crossing { host: vec![host], outcome, ..crossing(&input) })).unwrap();
    }
    let failure = Outcome::Failure { kind: "crash".into(), text: KEY.into() };
    journal.write(&Record::Crossing(Crossing { outcome: failure, ..crossing("[]") })).unwrap();
    let (plugin, seam, failure) = ("guard".into(), "x".into(), Failure { kind: "x".into(), text: KEY.into() });
    let rejected = Rejected { plugin, seam, call: Some("c".into()), failure, refused: true };
    journal.write(&Record::Rejected(rejected)).unwrap();
    let (by, seam, ruling) = (By::User, "tool-call".into(), Verdict::Block(KEY.into()));
    let questions = vec![("guard".into(), KEY.into())];
    let arguments = json!({ "a": KEY }).to_string();
    let (call, tool, asked) = ("c".into(), "bash".into(), Json::new(&*arguments));
    journal.write(&Record::Ruling(Ruling { by, seam, call, tool, arguments: asked, ruling, questions })).unwrap();
    let (origin, replay) = (Json::new(r#"{"nested":{"id":"x"}}"#), "never".into());
    let (call, tool, arguments) = ("c".into(), "bash".into(), Json::new(arguments));
    journal.write(&Record::Run(Run { call, tool, arguments, origin, replay })).unwrap();
    for form in [KEY.to_owned(), json_of(KEY), json_of(&json_of(KEY)), "12345".to_owned()] {
        assert!(!bytes(&bed).contains(form.trim_matches('"')), "{form}");
    }
    assert_eq!(bed.faults(), Vec::<String>::new());
    assert_eq!(bed.lines("")[1]["input"], json!(["[secret]", { "a": ["[secret]"] }]));
}

#[test]
fn a_secret_in_a_long_value_is_hidden_before_its_digest_is_made() {
    let bed = Bed::new();
    let journal = bed.open();
    journal.hide("0123456789");
    let long = format!("[\"{}0123456789\"]", "x".repeat(600));
    journal.write(&Record::Crossing(crossing(&long))).unwrap();
    assert!(!bytes(&bed).contains("0123456789"));
    assert_eq!(bed.faults(), Vec::<String>::new());
}

/// A key that looks like a part of a line makes no line unreadable.
#[test]
fn the_words_of_the_journal_itself_stay() {
    let bed = Bed::new();
    let journal = bed.open();
    for key in ["crossing", "\"kind\":\"crossing\"", "took-us\":", "terminate", "tool-call", "guard\",\"digest"] {
        journal.hide(key);
    }
    let outcome = Outcome::Answer(Json::new(r#"{"block":{"reason":"terminate","terminate":true}}"#));
    let record = Crossing { outcome, ..crossing(r#"["\\\",\"digest"]"#) };
    journal.write(&Record::Crossing(record.clone())).unwrap();
    let hidden = Outcome::Answer(Json::new(r#"{"block":{"reason":"[secret]","terminate":true}}"#));
    assert_eq!(bed.records()[1], Record::Crossing(Crossing { outcome: hidden, ..record }));
}

/// Whoever gives keys cannot make it unclear which call, which tool and which field something is about.
#[test]
fn names_and_ids_of_calls_stay() {
    let bed = Bed::new();
    let journal = bed.open();
    let names = ["call-00001", "tool-name", "tool-call", "decide-it", "plugin-a", "file_path", "extension"];
    names.iter().for_each(|name| journal.hide(name));
    let (call, tool, arguments) =
        (|| "call-00001".into(), || "tool-name".into(), || Json::new(r#"{"file_path":"/a"}"#));
    let (by, seam, questions) = (By::User, "tool-call".into(), vec![("plugin-a".into(), "sure?".into())]);
    let (origin, replay) = (Json::new(r#"{"extension":"plugin-a"}"#), "never".into());
    let failure = Failure { kind: "invalid-answer".into(), text: "no".into() };
    let (plugin, at) = ("plugin-a".into(), "tool-call".into());
    let records = [
        Record::Crossing(Crossing {
            plugin: "plugin-a".into(),
            function: "decide-it".into(),
            call: Some(call()),
            ..crossing("[]")
        }),
        Record::Rejected(Rejected { plugin, seam: at, call: Some(call()), failure, refused: true }),
        Record::Ruling(Ruling {
            by,
            seam,
            call: call(),
            tool: tool(),
            arguments: arguments(),
            ruling: Verdict::Proceed,
            questions,
        }),
        Record::Run(Run { call: call(), tool: tool(), arguments: arguments(), origin, replay }),
        done("call-00001"),
    ];
    records.iter().for_each(|record| journal.write(record).unwrap());
    assert_eq!(bed.records()[1..], records);
}

/// The arguments of a call are JSON within a text. What a plugin gives as a key hides no field of them.
#[test]
fn names_of_fields_stay_in_json_that_is_kept_as_a_text() {
    let bed = Bed::new();
    let journal = bed.open();
    journal.hide("ignoreCase");
    let hidden = |text: &str| {
        journal.write(&Record::Crossing(crossing(&json!([text]).to_string()))).unwrap();
        bed.lines("").last().unwrap()["input"][0].as_str().unwrap().to_owned()
    };
    for (text, expected) in [
        (r#"{"pattern":"ignoreCase","ignoreCase":true}"#, r#"{"pattern":"[secret]","ignoreCase":true}"#),
        (r#" [{ "ignoreCase" : ["ignoreCase"] }]"#, r#" [{ "ignoreCase" : ["[secret]"] }]"#),
        (r#"{"a":"{\"ignoreCase\":\"ignoreCase\"}"}"#, r#"{"a":"{\"ignoreCase\":\"[secret]\"}"}"#),
        // These are not JSON.
        (r#"{"ignoreCase":true"#, r#"{"[secret]":true"#),
        ("ignoreCase: true", "[secret]: true"),
    ] {
        assert_eq!(hidden(text), expected, "{text}");
    }
    assert_eq!(bed.faults(), Vec::<String>::new());
}

#[test]
fn a_secret_of_digits_is_hidden_where_it_is_a_number() {
    let bed = Bed::new();
    let journal = bed.open();
    journal.hide("12345678");
    let input = r#"[12345678,{"a":12345678 ,"b":{"12345678":123456789}},"{\"a\":12345678}",[12345678]]"#;
    for (input, expected) in [
        (
            input,
            json!(["[secret]", { "a": "[secret]", "b": { "12345678": 123_456_789 } }, r#"{"a":"[secret]"}"#, ["[secret]"]]),
        ),
        ("12345678", json!("[secret]")),
    ] {
        journal.write(&Record::Crossing(crossing(input))).unwrap();
        assert_eq!(bed.lines("").last().unwrap()["input"], expected);
    }
    assert_eq!(bed.faults(), Vec::<String>::new());
}

/// Each makes every line slower, and a plugin may give one after the other.
#[test]
fn of_many_secrets_the_newest_are_hidden() {
    let bed = Bed::new();
    let journal = bed.open();
    let secret = |number: usize| format!("secret-{number:04}");
    (0..1_000).for_each(|number| journal.hide(&secret(number)));
    // One that is given again is new again.
    journal.hide(&secret(984));
    journal.hide("another-one");
    let hidden = |number: usize| {
        journal.write(&Record::Crossing(crossing(&format!("[\"{}\"]", secret(number))))).unwrap();
        bed.lines("").last().unwrap()["input"] == json!(["[secret]"])
    };
    assert_eq!([0, 983, 984, 985, 986, 999].map(hidden), [false, false, true, false, true, true]);
}

#[test]
fn a_short_secret_is_not_looked_for() {
    let bed = Bed::new();
    let journal = bed.open();
    journal.hide("1234567");
    journal.write(&Record::Crossing(crossing("[\"1234567\"]"))).unwrap();
    assert!(bytes(&bed).contains("1234567"));
}

#[test]
fn of_a_secret_that_is_json_every_text_is_hidden() {
    let bed = Bed::new();
    let journal = bed.open();
    let key = json!({ "type": "account", "private_key": "-----BEGIN KEY-----\nabc\n", "of": ["anna@example.com"] });
    journal.hide(&key.to_string());
    let read = json!([key.to_string(), serde_json::to_string_pretty(&key).unwrap(), "anna@example.com", "account"]);
    journal.write(&Record::Crossing(crossing(&read.to_string()))).unwrap();
    let text = bytes(&bed);
    assert!(!text.contains("BEGIN KEY") && !text.contains("anna@example.com"), "{text}");
    assert!(text.contains("private_key") && text.contains("account"), "{text}");
}
