//! What is in memory is what is in the file, whatever was done.

use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{Bed, line, user};
use crate::{BranchSummary, Compaction, NewEntry, Session, SessionLog};

#[derive(Clone, Debug)]
enum Step {
    Say(String),
    Answer(String),
    Model(String),
    Level(String),
    Tools(Vec<String>),
    Custom(String),
    CustomMessage(String),
    Compact(usize),
    Label(usize, Option<String>),
    Name(String),
    Move(Option<usize>, Option<String>),
    Foreign(usize, usize),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let text = || "[a-c\"\\\\\u{2028}\n]{0,4}";
    prop_oneof![
        4 => text().prop_map(Step::Say),
        3 => text().prop_map(Step::Answer),
        1 => "[mn]".prop_map(Step::Model),
        1 => "(off|low|high)".prop_map(Step::Level),
        1 => prop::collection::vec("[rw]", 0..3).prop_map(Step::Tools),
        1 => text().prop_map(Step::Custom),
        2 => text().prop_map(Step::CustomMessage),
        2 => any::<usize>().prop_map(Step::Compact),
        1 => (any::<usize>(), prop::option::of("[ xy]{0,2}")).prop_map(|(at, label)| Step::Label(at, label)),
        1 => "[ pq\n]{0,3}".prop_map(Step::Name),
        3 => (prop::option::weighted(0.9, any::<usize>()), prop::option::of(text()))
            .prop_map(|(at, summary)| Step::Move(at, summary)),
        3 => (any::<usize>(), any::<usize>()).prop_map(|(kind, at)| Step::Foreign(kind, at)),
        1 => Just(Step::Reopen),
    ]
}

/// What we never write, and what other programs do: the types of the later dialect, and messages of every role.
fn foreign(kind: usize, target: Option<String>) -> (&'static str, Value) {
    let target = target.unwrap_or_else(|| "none".to_owned());
    let message = |role: &str, content: Value| ("message", json!({ "message": { "role": role, "content": content } }));
    match kind % 9 {
        0 => ("context_edit", json!({ "targetId": target, "replacement": null })),
        1 => ("context_edit", json!({ "targetId": target, "replacement": { "content": "edited" } })),
        2 => ("usage", json!({ "kind": "cache", "provider": "p", "model": "m", "usage": { "input": 1 } })),
        3 => (
            "compaction",
            json!({ "summary": "s", "firstKeptEntryId": target, "tokensBefore": 1, "systemMessage": "y" }),
        ),
        4 => message("system", "be kind".into()),
        5 => message("toolResult", json!([{ "type": "text", "text": "r" }])),
        6 => {
            ("message", json!({ "message": { "role": "bashExecution", "command": "ls", "output": "", "exitCode": 0 } }))
        }
        7 => message("assistant", Value::Null),
        _ => message("custom", "c".into()),
    }
}

/// Appends a line as another program does, while nobody has the file open.
fn append_foreign(bed: &Bed, log: SessionLog, kind: usize, chance: usize) -> SessionLog {
    let target = one_of(log.session().entries().iter().collect(), chance);
    let (id, leaf) =
        (format!("f{}", log.session().entries().len()), log.session().leaf().map(|leaf| leaf.id().to_owned()));
    drop(log);
    let (kind, fields) = foreign(kind, target);
    fs::write(bed.path(), bed.text() + &line(kind, &id, leaf.as_deref(), fields) + "\n").unwrap();
    bed.open()
}

/// One of some entries, chosen by chance.
fn one_of(entries: Vec<&crate::Entry>, chance: usize) -> Option<String> {
    (!entries.is_empty()).then(|| entries[chance % entries.len()].id().to_owned())
}

fn take(bed: &Bed, mut log: SessionLog, step: Step) -> SessionLog {
    let of_branch = |log: &SessionLog, chance| one_of(log.session().branch().collect(), chance);
    let of_all = |log: &SessionLog, chance| one_of(log.session().entries().iter().collect(), chance);
    let entry = match step {
        Step::Say(text) => NewEntry::Message(user(&text)),
        Step::Answer(text) => {
            NewEntry::Message(json!({ "role": "assistant", "content": text, "provider": "p", "model": "m" }))
        }
        Step::Model(id) => NewEntry::ModelChange { provider: "p".to_owned(), model_id: id },
        Step::Level(level) => NewEntry::ThinkingLevelChange(level),
        Step::Tools(names) => NewEntry::ActiveToolsChange(names),
        Step::Custom(text) => NewEntry::Custom { custom_type: "c".to_owned(), data: Some(text.into()) },
        Step::CustomMessage(text) => {
            NewEntry::CustomMessage { custom_type: "c".to_owned(), content: text.into(), display: true, details: None }
        }
        Step::Compact(chance) => {
            let first_kept = if chance % 4 == 0 { None } else { of_branch(&log, chance) };
            NewEntry::Compaction(Compaction { summary: "s".to_owned(), first_kept, ..Compaction::default() })
        }
        Step::Label(chance, label) => {
            if let Some(target) = of_all(&log, chance) {
                log.label(&target, label.as_deref()).unwrap();
            }
            return log;
        }
        Step::Name(name) => {
            log.name(&name).unwrap();
            return log;
        }
        Step::Move(chance, summary) => {
            let target = chance.and_then(|chance| of_all(&log, chance));
            let summary = summary.map(|summary| BranchSummary { summary, ..BranchSummary::default() });
            log.move_to(target.as_deref(), summary).unwrap();
            return log;
        }
        Step::Foreign(kind, chance) => return append_foreign(bed, log, kind, chance),
        Step::Reopen => {
            drop(log);
            return bed.open();
        }
    };
    log.append(entry).unwrap();
    log
}

fn same(kept: &Session, read: &Session) {
    assert_eq!(kept.reduction(), read.reduction());
    assert_eq!(kept.entries(), read.entries());
    assert_eq!(kept.leaf(), read.leaf());
    assert_eq!(kept.name(), read.name());
    assert_eq!(kept.labels().collect::<Vec<_>>(), read.labels().collect::<Vec<_>>());
    assert_eq!(kept.context().unwrap(), read.context().unwrap());
    assert_eq!(read.notices(), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reduction_kept_entry_by_entry_is_that_of_the_file(steps in prop::collection::vec(step(), 0..40)) {
        let bed = Bed::new();
        let mut log = bed.create();
        for step in steps {
            log = take(&bed, log, step);
            same(log.session(), &bed.read());
        }
    }

    /// Wherever a file ends, a reader finds the whole entries before, and a writer goes on after them.
    #[test]
    fn a_file_cut_anywhere_has_its_whole_entries(steps in prop::collection::vec(step(), 1..12), at in any::<prop::sample::Index>()) {
        let bed = Bed::new();
        let mut log = bed.create();
        for step in steps {
            log = take(&bed, log, step);
        }
        drop(log);
        let (text, header) = (bed.text(), bed.text().find('\n').unwrap() + 1);
        let cut = header + at.index(text.len() - header + 1);
        fs::write(bed.path(), &text.as_bytes()[..cut]).unwrap();
        let whole = text.as_bytes()[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
        let read = bed.read().entries().len();
        // A line of which only the end is missing is whole.
        assert!(read == whole || (read == whole + 1 && text.as_bytes().get(cut) == Some(&b'\n')));
        let mut log = bed.open();
        crate::testing::say(&mut log, "on");
        assert_eq!(bed.read().entries().len(), read + 1);
        assert_eq!(bed.read().notices(), []);
    }
}
