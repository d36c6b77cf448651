//! `ui`: what plugins say to the user and ask.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use seam_harness::seams::User;
use seam_harness::{Event, SessionEvent};
use seam_loop::{CancellationToken, Origin, ToolCall};
use seam_tests::bed::{Bed, text, wait};
use seam_tests::recording::Recording;
use serde_json::{Value, json};

use super::asks::{asks, call, tool};

/// A user who answers with these, one after another, and remembers what was asked.
#[derive(Default)]
struct Answers {
    answers: Mutex<VecDeque<&'static str>>,
    asked: Mutex<Vec<String>>,
    /// Nobody answers: every question waits.
    sleeps: bool,
}

impl Answers {
    fn with(answers: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.iter().copied().collect()), ..Self::default() })
    }

    async fn answer(&self, asked: String) -> &'static str {
        self.asked.lock().unwrap().push(asked);
        if self.sleeps {
            std::future::pending::<()>().await;
        }
        self.answers.lock().unwrap().pop_front().unwrap_or_default()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl User for Answers {
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        self.answer(format!("{} {questions:?}", call.tool)).await == "yes"
    }

    async fn confirms(&self, plugin: &str, question: &str) -> bool {
        self.answer(format!("{plugin} confirm {question:?}")).await == "yes"
    }

    async fn selects(&self, plugin: &str, question: &str, options: &[String]) -> Option<usize> {
        self.answer(format!("{plugin} select {question:?} {options:?}")).await.parse().ok()
    }

    async fn inputs(&self, plugin: &str, question: &str) -> Option<String> {
        let answer = self.answer(format!("{plugin} input {question:?}")).await;
        (!answer.is_empty()).then(|| answer.to_owned())
    }
}

fn all_questions() -> Value {
    json!([{ "confirm": "Sure?" }, { "select": "Which?", "of": ["a", "b"] }, { "input": "Name?" }])
}

/// A bed with the plugin, whose tool `own` does these steps.
fn talks(steps: Value) -> Bed {
    asks(Bed::new(), "asks", tool("own", steps))
}

#[tokio::test]
async fn the_user_is_asked_under_the_plugins_name_and_answers() {
    let user = Answers::with(&["yes", "1", "Ada"]);
    let mut talk = talks(all_questions()).user(user.clone()).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, "confirm: true\nselect: Some(1)\ninput: Some(\"Ada\")");
    let asked = ["asks confirm \"Sure?\"", "asks select \"Which?\" [\"a\", \"b\"]", "asks input \"Name?\""];
    assert_eq!(user.asked(), asked);
}

const NOTHING: &str = "confirm: false\nselect: None\ninput: None";

#[tokio::test]
async fn without_a_user_and_without_an_answer_it_is_what_does_nothing() {
    let mut talk = talks(all_questions()).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, NOTHING);
    let silent = Answers::with(&[]);
    let mut talk = talks(all_questions()).user(silent.clone()).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, NOTHING);
    // A choice that was not on offer is none.
    let mut talk = talks(all_questions()).user(Answers::with(&["no", "2", ""])).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, NOTHING);
    assert_eq!(silent.asked().len(), 3);
}

#[tokio::test]
async fn a_user_who_does_not_answer_is_not_waited_for_for_ever() {
    let user = Arc::new(Answers { sleeps: true, ..Answers::default() });
    let bed = talks(all_questions()).user(user.clone()).set("asks", |settings| {
        (settings.limits.user_ms, settings.limits.tool_time_ms) = (400, 300);
    });
    let mut talk = bed.talk(json!([])).await;
    // Longer than the plugin's own time: waiting is not its time.
    assert_eq!(call(&mut talk, "own", "").await, NOTHING);
    assert_eq!(user.asked().len(), 3);
}

#[tokio::test]
async fn an_abort_ends_a_question() {
    let user = Arc::new(Answers { sleeps: true, ..Answers::default() });
    let mut talk = talks(all_questions()).user(user.clone()).talk(json!([])).await;
    let abort = CancellationToken::new();
    let aborting = async {
        while user.asked().is_empty() {
            wait(5).await;
        }
        abort.cancel();
    };
    let made = talk.harness.call(Origin::User, "own", json!({ "text": "" }), &abort);
    let ended = async { tokio::join!(made, aborting).0 };
    let settled = tokio::time::timeout(Duration::from_secs(20), ended).await.expect("it waits for an answer");
    assert_eq!(text(&settled), "Operation aborted");
    assert_eq!(user.asked().len(), 1);
}

#[tokio::test]
async fn what_is_shown_is_clean_and_short() {
    let long = "ä".repeat(5000);
    let steps = json!([
        { "confirm": "a\u{1b}[2J\u{202e}b\r\nc" },
        { "confirm": long },
        { "select": "?", "of": ["x\ny\u{7}", long] },
        { "notify": "a\u{1b}]0;x\u{7}b\nc" },
        { "notify": long },
        { "status": "one\ntwo\u{9b}" },
    ]);
    let user = Answers::with(&[]);
    let mut talk = talks(steps).user(user.clone()).talk(json!([])).await;
    call(&mut talk, "own", "").await;
    let asked = user.asked();
    assert_eq!(asked[0], "asks confirm \"a[2Jb\\nc\"");
    assert_eq!(asked[1], format!("asks confirm {:?}", "ä".repeat(2048)));
    assert_eq!(asked[2], format!("asks select \"?\" {:?}", ["x y ".to_owned(), "ä".repeat(128)]));
    let told = told(talk.close().await);
    assert_eq!(told, ["asks says a]0;xb\nc", &format!("asks says {}", "ä".repeat(2048)), "asks is at one two "]);
}

/// What was told of the plugins' words.
fn told(events: Vec<Event>) -> Vec<String> {
    let told = events.into_iter().filter_map(|event| match event {
        Event::Session(SessionEvent::PluginNotice { plugin, text }) => Some(format!("{plugin} says {text}")),
        Event::Session(SessionEvent::PluginStatus { plugin, text }) => Some(format!("{plugin} is at {text}")),
        Event::Session(SessionEvent::Notice { text }) => Some(text),
        _ => None,
    });
    told.collect()
}

#[tokio::test]
async fn beyond_sixty_a_minute_notices_are_dropped_and_that_is_told_once() {
    let steps = json!([{ "notify": "x", "times": 70 }, { "status": "y", "times": 70 }, { "status": "" }]);
    let mut talk = talks(steps).talk(json!([])).await;
    call(&mut talk, "own", "").await;
    let told = told(talk.close().await);
    let count = |what: &str| told.iter().filter(|line| *line == what).count();
    assert_eq!((count("asks says x"), count("asks is at y"), count("asks is at ")), (60, 60, 1));
    let dropped = "plugin `asks` says too much; what it says in the rest of this minute is dropped";
    assert_eq!((count(dropped), told.len()), (1, 122));
}

#[tokio::test]
async fn beyond_twenty_a_minute_questions_are_not_put_and_that_is_told_once() {
    let steps = json!([{ "confirm": "Sure?", "times": 18 }, { "select": "?", "of": ["a"] }, { "input": "?" },
                       { "input": "?", "times": 2 }, { "select": "?", "of": ["a"] }, { "confirm": "Sure?" }]);
    let user = Answers::with(&["yes", "0"].repeat(30));
    let mut talk = talks(steps).user(user.clone()).talk(json!([])).await;
    let answers = call(&mut talk, "own", "").await;
    assert!(answers.ends_with("input: None\ninput: None\nselect: None\nconfirm: false"), "{answers}");
    assert_eq!(user.asked().len(), 20);
    let dropped = "plugin `asks` asks too much; what it asks in the rest of this minute is not put to you";
    assert_eq!(told(talk.close().await), [dropped]);
}

#[tokio::test]
async fn a_choice_of_none_or_of_more_than_64_is_not_put() {
    let many: Vec<String> = (0..65).map(|n| n.to_string()).collect();
    let steps =
        json!([{ "select": "?", "of": [] }, { "select": "?", "of": many }, { "select": "?", "of": many[..64] }]);
    let user = Answers::with(&["63"]);
    let mut talk = talks(steps).user(user.clone()).talk(json!([])).await;
    assert_eq!(call(&mut talk, "own", "").await, "select: None\nselect: None\nselect: Some(63)");
    assert_eq!(user.asked().len(), 1);
}

/// A gate of another plugin asks about a call that a plugin makes.
#[tokio::test]
async fn a_question_about_a_plugins_call_is_put_to_the_user() {
    let question = json!({ "tool-call": { "do": "ask", "tool": "echo", "text": "May it?" }, "observe": "quiet" });
    for (answer, told) in [("yes", "call: ok hi"), ("no", "call: not-run Refused by the user.")] {
        let user = Answers::with(&[answer]);
        let bed = talks(json!([{ "call": "echo", "with": { "text": "hi" } }])).everything("gate", question.clone());
        let mut talk = bed.user(user.clone()).talk(json!([])).await;
        assert_eq!(call(&mut talk, "own", "").await, told);
        assert_eq!(user.asked(), ["echo [(\"gate\", \"May it?\")]"]);
    }
}

#[tokio::test]
async fn answers_are_journalled_and_can_be_replayed() {
    let recording = Recording::new();
    let mut steps = all_questions();
    steps.as_array_mut().unwrap().push(json!({ "notify": "thanks", "status": "done" }));
    let bed = talks(steps).user(Answers::with(&["yes", "0", "Ada"])).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let mut talk = bed.talk(json!([])).await;
    call(&mut talk, "own", "").await;
    let crossings = recording.crossings();
    let host = &crossings.iter().find(|crossing| crossing.seam == "tools" && crossing.call.is_some()).unwrap().host;
    let heard: Vec<(String, Value)> =
        host.iter().map(|call| (call.import.to_string(), call.answer.value().unwrap())).collect();
    let expected = [("ui.confirm", json!(true)), ("ui.select", json!(0)), ("ui.input", json!("Ada"))];
    assert_eq!(heard, expected.map(|(import, answer)| (import.to_owned(), answer)));
    talk.close().await;
    recording.assert_same(&plugins).await;
}
