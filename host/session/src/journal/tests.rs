mod bounds;
mod mending;
mod properties;
mod secrets;
mod tampering;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

/// A folder with the journal of a session in it.
struct Bed {
    folder: tempfile::TempDir,
    bounds: JournalBounds,
}

impl Bed {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), bounds: JournalBounds::default() }
    }

    fn with(segment: u64, total: u64) -> Self {
        Self { bounds: JournalBounds { segment, total }, ..Self::new() }
    }

    fn session(&self) -> PathBuf {
        self.folder.path().join("talk.jsonl")
    }

    fn file(&self, end: &str) -> PathBuf {
        self.folder.path().join(format!("talk.journal{end}"))
    }

    fn open(&self) -> Journal {
        Journal::open(&self.session(), "s-1", self.bounds).unwrap()
    }

    fn lines(&self, end: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.file(end)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn verify(&self) -> Verified {
        verify(&self.session()).unwrap()
    }

    /// What is wrong, as `FILE:LINE: WHAT`.
    fn faults(&self) -> Vec<String> {
        let faults = self.verify().faults;
        faults.into_iter().map(|Fault { file, line, what }| format!("{file}:{line}: {what}")).collect()
    }

    fn records(&self) -> Vec<Record<'static>> {
        read(&self.session()).unwrap().map(|found| found.unwrap().1).collect()
    }

    fn files(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// What an error says, with `FOLDER` for the folder.
    fn said<T>(&self, result: Result<T, JournalError>) -> String {
        let error = result.err().expect("an error").to_string();
        error.replace(&self.folder.path().display().to_string(), "FOLDER")
    }
}

fn crossing(input: &str) -> Crossing<'_> {
    Crossing {
        plugin: "guard".into(),
        digest: "ab".into(),
        seam: "tool-call".into(),
        function: "decide".into(),
        instance: 1,
        shadow: false,
        call: Some("call-1".into()),
        took_us: 12,
        input: Json::new(input),
        host: Vec::new(),
        outcome: Outcome::Answer(Json::new("\"proceed\"")),
    }
}

fn done(call: &str) -> Record<'_> {
    Record::Done(Done { call: call.into(), is_error: false, took_us: 5 })
}

/// One record of every kind, all fields set.
fn all() -> Vec<Record<'static>> {
    let host = HostCall { import: "conversation.length".into(), arguments: Json::new("[]"), answer: Json::new("3") };
    let failure = Outcome::Failure { kind: "crash".into(), text: "it crashed\n(\"panic\")".into() };
    vec![
        Record::Plugin(Plugin {
            name: "guard".into(),
            digest: "ab".into(),
            settings: "cd".into(),
            instance: "session".into(),
            shadow: true,
            time_ms: 250,
            memory_mib: 64,
        }),
        Record::Crossing(Crossing { host: vec![host.clone(), host], ..crossing(r#"[{"id":"ü"},null]"#) }),
        Record::Crossing(Crossing { outcome: Outcome::Answer(Json::NULL), shadow: true, ..crossing("[]") }),
        Record::Crossing(Crossing { outcome: Outcome::Withheld(true), call: None, ..crossing("[]") }),
        Record::Crossing(Crossing { outcome: failure, ..crossing("[1,2.5,true]") }),
        Record::Rejected(Rejected {
            plugin: "guard".into(),
            seam: "rewrite-tool-call".into(),
            call: Some("call-1".into()),
            failure: Failure { kind: "invalid-answer".into(), text: "its answer is not usable: \"x\"".into() },
            refused: true,
        }),
        Record::Rejected(Rejected {
            plugin: "guard".into(),
            seam: "get-api-key".into(),
            call: None,
            failure: Failure { kind: "invalid-answer".into(), text: "".into() },
            refused: false,
        }),
        Record::Ruling(Ruling {
            by: By::User,
            seam: "tool-call".into(),
            call: "call-1".into(),
            tool: "bash".into(),
            arguments: Json::new(r#"{"command":"ls"}"#),
            ruling: Verdict::Proceed,
            questions: vec![("guard".into(), "really?".into()), ("other".into(), "sure?".into())],
        }),
        Record::Ruling(Ruling {
            by: By::Host,
            seam: "tool-call".into(),
            call: "call-2".into(),
            tool: "write".into(),
            arguments: Json::new("{}"),
            ruling: Verdict::Block("outside".into()),
            questions: Vec::new(),
        }),
        Record::Run(Run {
            call: "call-1".into(),
            tool: "bash".into(),
            arguments: Json::new(r#"{"command":"ls"}"#),
            origin: Json::new(r#""model""#),
            replay: "never".into(),
        }),
        done("call-1"),
    ]
}

#[test]
fn what_is_written_is_what_is_read() {
    let bed = Bed::new();
    let journal = bed.open();
    for record in all() {
        journal.write(&record).unwrap();
    }
    let opened =
        Record::Open(Open { session: "s-1".into(), segment: 1, oldest: 1, entries: 0, run: 1, durability: None });
    assert_eq!(bed.records(), [vec![opened], all()].concat());
}

#[test]
fn lines_are_numbered_and_say_the_same_with_and_without_the_chain() {
    let bed = Bed::new();
    let journal = bed.open();
    all().iter().for_each(|record| journal.write(record).unwrap());
    let shown: Vec<Value> = read(&bed.session())
        .unwrap()
        .map(|found| found.unwrap())
        .map(|(line, record)| serde_json::from_str(&line.json(&record)).unwrap())
        .collect();
    let mut lines = bed.lines("");
    for (index, line) in lines.iter_mut().enumerate() {
        assert_eq!(line["n"], json!(index + 1));
        line.as_object_mut().unwrap().retain(|name, _| name != "prev" && name != "hash");
    }
    assert_eq!(shown, lines);
}

#[test]
fn a_journal_that_goes_on_is_one_chain() {
    let bed = Bed::new();
    for _run in 0..3 {
        let journal = bed.open();
        journal.write(&done("a")).unwrap();
        journal.save_point().unwrap();
    }
    let found = Verified { lines: 6, segments: 1, runs: 3, ..Verified::default() };
    assert_eq!(bed.verify(), found);
}

/// As the session file, it is the user's alone.
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = Bed::new();
    drop(bed.open());
    for end in ["", ".head"] {
        assert_eq!(fs::metadata(bed.file(end)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn files_are_beside_the_session_and_bear_its_name() {
    let names = |session: &str| {
        let files = Files::of(std::path::Path::new(session));
        [files.current().to_owned(), files.closed(7), files.head()].map(|path| path.display().to_string())
    };
    assert_eq!(names("/s/a.b.jsonl"), ["/s/a.b.journal", "/s/a.b.journal.7", "/s/a.b.journal.head"]);
    assert_eq!(names("talk.txt"), ["talk.txt.journal", "talk.txt.journal.7", "talk.txt.journal.head"]);
    assert_eq!(names("talk"), ["talk.journal", "talk.journal.7", "talk.journal.head"]);
}

#[test]
fn a_session_has_one_journal_by_whatever_name_it_is_opened() {
    let bed = Bed::new();
    fs::write(bed.session(), "").unwrap();
    let link = bed.folder.path().join("link.jsonl");
    std::os::unix::fs::symlink("talk.jsonl", &link).unwrap();
    drop(bed.open());
    assert_eq!(Journal::open(&link, "s-1", bed.bounds).unwrap().path(), bed.file("").canonicalize().unwrap());
    assert_eq!(verify(&link).unwrap(), bed.verify());
    assert_eq!(bed.verify().runs, 2);
}

#[test]
fn a_session_without_a_journal_says_so() {
    let bed = Bed::new();
    let said = "there is no journal `FOLDER/talk.journal`: the session is a fork in which nothing was done yet, was made by \
                another program, or was told to keep none";
    assert_eq!(bed.said(read(&bed.session())), said);
    assert_eq!(bed.said(verify(&bed.session())), said);
}

#[test]
fn a_journal_of_another_session_is_not_added_to() {
    let bed = Bed::new();
    drop(bed.open());
    let other = Journal::open(&bed.session(), "s-2", bed.bounds);
    assert_eq!(
        bed.said(other),
        "journal `FOLDER/talk.journal` is damaged: it belongs to session s-1, not to s-2; look at it with `seam journal \
         verify`, then move it and the files beside it that begin with its name away to go on without them"
    );
}

fn session(bed: &Bed, id: &str) -> SessionLog {
    let new = crate::NewSession { id: Some(id.to_owned()), ..crate::NewSession::new("/work") };
    SessionLog::create(bed.session(), new, crate::Durability::Never).unwrap()
}

#[test]
fn a_journal_of_another_session_is_not_taken_for_its_own() {
    let bed = Bed::new();
    let log = session(&bed, "s-1");
    bed.open().write(&done("a")).unwrap();
    assert_eq!((bed.faults(), bed.records().len()), (Vec::new(), 2));
    drop(log);
    fs::remove_file(bed.session()).unwrap();
    let _other = session(&bed, "s-2");
    assert_eq!(bed.faults(), ["talk.journal:1: is of session s-1, and the file beside it is session s-2"]);
    assert_eq!(
        bed.said(read(&bed.session()).unwrap().next().unwrap()),
        "line 1 of journal `FOLDER/talk.journal` is of session s-1, and this is session s-2; see `seam journal verify`"
    );
}

#[test]
fn a_journal_that_begins_later_than_its_session_says_so() {
    let bed = Bed::new();
    let mut log = session(&bed, "s-1");
    bed.open().write(&done("a")).unwrap();
    assert_eq!(bed.verify().entries, 0);
    for text in ["a", "b"] {
        log.append(crate::NewEntry::Message(json!({ "role": "user", "content": text }))).unwrap();
    }
    drop(bed.open());
    assert_eq!(bed.verify().entries, 0);
    ["", ".head"].iter().for_each(|end| fs::remove_file(bed.file(end)).unwrap());
    drop(bed.open());
    drop(bed.open());
    assert_eq!(bed.verify(), Verified { lines: 2, segments: 1, runs: 2, entries: 2, ..Verified::default() });
}

/// A long value stands there once, however many plugins are asked about it.
#[test]
fn a_long_value_is_stored_once() {
    let bed = Bed::new();
    let journal = bed.open();
    let long = format!("[{{\"text\":\"{}\"}},7]", "x".repeat(600));
    let record = Record::Crossing(crossing(&long));
    for _plugin in 0..8 {
        journal.write(&record).unwrap();
    }
    let lines = bed.lines("");
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, [vec!["open", "blob"], vec!["crossing"; 8]].concat());
    assert_eq!(lines[2]["input"], json!([{ "$blob": lines[1]["digest"] }, 7]));
    assert_eq!(bed.records()[1..], vec![record; 8]);
    assert_eq!(bed.faults(), Vec::<String>::new());
}

/// Values of every shape around the limit, and values that look like references.
#[test]
fn a_value_comes_back_whatever_it_looks_like() {
    let bed = Bed::new();
    let journal = bed.open();
    let fake = format!("{{\"$blob\":\"{}\"}}", "0".repeat(64));
    let long = format!("\"{}\"", "y\\\"],[\\\\".repeat(100));
    let many = format!("[{}]", vec!["12345"; 200].join(","));
    let values = [
        "null".to_owned(),
        "[]".to_owned(),
        fake.clone(),
        format!("[{fake}]"),
        format!("[[{fake}],{{\"a\":{fake}}}]"),
        format!("[{fake},{long},[{fake},{long}]]"),
        long.clone(),
        many.clone(),
        format!("[{many},{fake},{many}]"),
        format!("[{}]", [fake.as_str(); 9].join(",")),
        format!("{{\"a\":{long},\"b\":[{many}]}}"),
    ];
    let mut written = Vec::new();
    for value in &values {
        let host = HostCall { import: "a.b".into(), arguments: Json::new(value), answer: Json::new(value) };
        let outcome = Outcome::Answer(Json::new(value));
        let record = Record::Crossing(Crossing { host: vec![host], outcome, ..crossing(value) });
        journal.write(&record).unwrap();
        written.push(record);
    }
    assert_eq!(bed.records()[1..], written);
    assert_eq!(bed.faults(), Vec::<String>::new());
    for line in fs::read_to_string(bed.file("")).unwrap().lines().filter(|line| line.contains("\"crossing\"")) {
        assert!(line.len() < 4 * 512 + 400, "{line}");
    }
}

#[test]
fn a_value_with_a_line_end_in_it_is_not_written_and_nothing_is_after_it() {
    let bed = Bed::new();
    let journal = bed.open();
    let bad = journal.write(&Record::Crossing(crossing("[\n]")));
    assert_eq!(bed.said(bad), "journal `FOLDER/talk.journal` takes no more lines: a value for it has a line end in it");
    assert!(journal.failure().is_some());
    assert!(journal.write(&done("a")).is_err());
    assert!(journal.save_point().is_err());
    assert_eq!(bed.lines("").len(), 1);
}

#[test]
fn a_journal_that_was_removed_is_noticed_at_the_next_save_point() {
    let bed = Bed::new();
    let journal = bed.open();
    fs::remove_file(bed.file("")).unwrap();
    assert_eq!(
        bed.said(journal.save_point()),
        "journal `FOLDER/talk.journal` takes no more lines: the file was removed"
    );
}

#[test]
fn nothing_stays_of_a_session_in_which_nothing_was_said_or_decided() {
    let bed = Bed::new();
    let log = SessionLog::create(bed.session(), crate::NewSession::new("/work"), crate::Durability::Never).unwrap();
    let journal = bed.open();
    journal.write(&all()[0]).unwrap();
    leave(&log, Some(&journal)).unwrap();
    assert_eq!(bed.files(), Vec::<String>::new());
}

#[test]
fn a_session_in_which_something_was_decided_stays() {
    let bed = Bed::new();
    let log = SessionLog::create(bed.session(), crate::NewSession::new("/work"), crate::Durability::Never).unwrap();
    let journal = bed.open();
    journal.write(&done("a")).unwrap();
    leave(&log, Some(&journal)).unwrap();
    assert_eq!(bed.files(), ["talk.journal", "talk.journal.head", "talk.jsonl"]);
}
