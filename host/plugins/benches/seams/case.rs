//! What is measured.

use std::time::Duration;

use serde_json::{Value, json};

/// What every run does.
pub(crate) const WORK: &str = "a run of two turns: a tool call, then a text in 100 pieces";

/// Who takes part in a run.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// How many plugins there are.
    pub(crate) plugins: usize,
    /// What each of them is.
    pub(crate) guest: Option<&'static str>,
    /// What is set for it.
    pub(crate) config: Value,
    /// How many messages the conversation holds before.
    pub(crate) messages: usize,
    /// How long the model waits before each response.
    pub(crate) wait: Duration,
    /// Whether everything is written into a journal, on the disk.
    pub(crate) journal: bool,
}

impl Case {
    /// How many runs make a round: fewer of those that take long.
    pub(crate) fn runs(&self) -> usize {
        if self.wait.is_zero() { 40 } else { 4 }
    }
}

/// Cases that stand beside the first of them.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) rows: Vec<Case>,
}

const NONE: Case = Case {
    name: "none",
    plugins: 0,
    guest: None,
    config: Value::Null,
    messages: 0,
    wait: Duration::ZERO,
    journal: false,
};

pub(crate) fn groups() -> Vec<Group> {
    let before = |name, plugins, messages| Case { name, plugins, guest: Some("context"), messages, ..NONE };
    let observers = |name, plugins, what: &str| Case {
        name,
        plugins,
        guest: Some("observer"),
        config: json!({ "observe": what }),
        ..NONE
    };
    let waiting = |case| Case { wait: Duration::from_millis(5), ..case };
    vec![
        Group {
            title: "plugins that export other seams",
            rows: vec![NONE, Case { name: "8", plugins: 8, guest: Some("bystander"), ..NONE }],
        },
        Group { title: "messages before, no plugin", rows: vec![before("10", 0, 10), before("10,000", 0, 10_000)] },
        Group {
            title: "messages before, a plugin at `transform-context` that edits nothing",
            rows: vec![before("10", 1, 10), before("10,000", 1, 10_000)],
        },
        Group {
            title: "a plugin at `transform-context`, and a journal",
            rows: vec![before("none", 1, 0), Case { journal: true, ..before("each call written", 1, 0) }],
        },
        Group {
            title: "an observer that does nothing, and a journal",
            rows: vec![
                observers("none", 1, "quiet"),
                Case { journal: true, ..observers("each call written", 1, "quiet") },
            ],
        },
        Group {
            title: "observers",
            rows: vec![
                NONE,
                observers("one that does nothing", 1, "quiet"),
                observers("one that crashes at each event", 1, "trap"),
                observers("one that loops until its limit of 250 ms", 1, "loop"),
            ],
        },
        Group {
            title: "observers, and a model that begins to answer after 5 ms",
            rows: vec![
                waiting(NONE),
                waiting(observers("one that does nothing", 1, "quiet")),
                waiting(observers("one that crashes at each event", 1, "trap")),
                waiting(observers("one that loops until its limit of 250 ms", 1, "loop")),
                waiting(observers("4 that loop until their limit of 250 ms", 4, "loop")),
            ],
        },
    ]
}
