//! Edits into a list of messages: what is shown is what a simple model of the rules shows, and a list of edits that breaks
//! one of them changes nothing.
//!
//! An input is text. Its first line is the messages; each line after it is an edit of plugin `own`, and after a line `then`
//! one of plugin `other`:
//!
//! ```text
//! hello @other/note=text bye
//! drop 0 1
//! replace 1 @own/note
//! insert 2 new
//! ```
//!
//! A message with an `@` is a plugin's: its kind, and what it says. Lines that are nothing of this are left out.

mod model;

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::edits::{Edit, Shown};
use seam_harness::seams::TransformContext;
use seam_harness::{Conversation, Failure, Hook, HookBus, Moment, OnFailure, Refused};
use seam_loop::message::CustomMessage;
use seam_loop::{Content, Decision, Message, Ruling};
use tokio::runtime::{Builder, Runtime};

/// The most messages and the most edits of a list.
const MOST: usize = 256;
/// The plugins that edit, in their order.
const PLUGINS: [&str; 2] = ["own", "other"];

/// A message of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    /// What kind of message, if it is a plugin's.
    kind: Option<String>,
    text: String,
}

/// An edit of an input.
#[derive(Debug, Clone)]
enum Line {
    Drop(Range<usize>),
    Replace(usize, Word),
    Insert(usize, Word),
}

/// Edits the messages of an input as it says.
pub fn check(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.lines();
    let words: Vec<Word> = lines.next().unwrap_or_default().split_whitespace().take(MOST).map(Word::read).collect();
    let lines: Vec<&str> = lines.collect();
    let mut lists = lines.split(|line| *line == "then");
    let lists = PLUGINS.map(|_| read(lists.next().unwrap_or_default()));
    check_skipping(&words, &lists);
    check_refusing(&words, &lists);
}

fn read(lines: &[&str]) -> Vec<Line> {
    lines.iter().filter_map(|line| Line::read(line)).take(MOST).collect()
}

/// A plugin whose edits cannot be used is as if it had said nothing.
fn check_skipping(words: &[Word], lists: &[Vec<Line>; 2]) {
    let mut expected = words.to_vec();
    let (mut faults, mut changes) = (0, 0);
    for (plugin, list) in PLUGINS.iter().zip(lists).filter(|(_, list)| !list.is_empty()) {
        match model::apply(&expected, list, plugin) {
            Some(shown) => (expected, changes) = (shown, changes + 1),
            None => faults += 1,
        }
    }
    let (shown, trail) = edited(words, lists, OnFailure::Skip);
    let shown = shown.expect("failures are skipped");
    assert_eq!(shown.is_some(), changes > 0, "{trail:?}");
    if let Some(shown) = shown {
        assert_eq!(shown.iter().map(|message| Word::of(message)).collect::<Vec<_>>(), expected);
    }
    assert_eq!(count(&trail, |ruling| matches!(ruling, Ruling::Failure { refused: false, .. })), faults, "{trail:?}");
    assert_eq!(count(&trail, |ruling| matches!(ruling, Ruling::Change { .. })), changes, "{trail:?}");
}

/// The first edits that cannot be used stop it all.
fn check_refusing(words: &[Word], lists: &[Vec<Line>; 2]) {
    let mut expected = Ok(words.to_vec());
    for (plugin, list) in PLUGINS.iter().zip(lists) {
        expected = expected.and_then(|shown| model::apply(&shown, list, plugin).ok_or(*plugin));
    }
    let (shown, trail) = edited(words, lists, OnFailure::Refuse);
    let by = shown.map(drop).map_err(|refused| refused.plugin.to_string());
    assert_eq!(by, expected.map(drop).map_err(str::to_owned), "{trail:?}");
}

/// What the harness makes of it. What is stored stays as it was.
fn edited(
    words: &[Word],
    lists: &[Vec<Line>; 2],
    on_failure: OnFailure,
) -> (Result<Option<Shown>, Refused>, Vec<Decision>) {
    let conversation = Arc::new(Conversation::new("fuzzed"));
    words.iter().for_each(|word| conversation.push(word.message()));
    let at = conversation.moment();
    let before = at.slice(0..at.length());
    let hooks = PLUGINS.iter().zip(lists).map(|(plugin, list)| {
        let seam = Arc::new(Editor(list.iter().map(Line::edit).collect()));
        Hook::<dyn TransformContext> { plugin: (*plugin).into(), on_failure, shadow: false, seam }
    });
    let bus = HookBus { transform_context: hooks.collect(), ..HookBus::default() };
    let mut trail = Vec::new();
    let shown = RUNTIME.with(|runtime| runtime.block_on(bus.transform_context(&at, &mut trail)));
    assert!(conversation.moment().slice(0..usize::MAX) == before, "what is stored was changed");
    (shown, trail)
}

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().build().expect("a runtime");
}

fn count(trail: &[Decision], is: impl Fn(&Ruling) -> bool) -> usize {
    trail.iter().filter(|decision| is(&decision.ruling)).count()
}

/// A plugin that always gives these edits.
struct Editor(Vec<Edit>);

#[async_trait]
impl TransformContext for Editor {
    async fn transform(&self, _: &Moment) -> Result<Vec<Edit>, Failure> {
        Ok(self.0.clone())
    }
}

impl Word {
    fn read(word: &str) -> Self {
        let Some(custom) = word.strip_prefix('@') else { return Self { kind: None, text: word.to_owned() } };
        let (kind, text) = custom.split_once('=').unwrap_or((custom, ""));
        Self { kind: Some(kind.to_owned()), text: text.to_owned() }
    }

    fn message(&self) -> Arc<Message> {
        let Some(kind) = &self.kind else { return Arc::new(Message::user(&*self.text)) };
        Arc::new(Message::Custom(CustomMessage {
            custom_type: kind.clone(),
            content: vec![Content::text(&*self.text)],
            display: true,
            details: None,
            timestamp: 0,
        }))
    }

    fn of(message: &Message) -> Self {
        let (kind, content) = match message {
            Message::User(user) => (None, &user.content),
            Message::Custom(custom) => (Some(custom.custom_type.clone()), &custom.content),
            other => panic!("nobody put this there: {other:?}"),
        };
        Self { kind, text: content.iter().filter_map(Content::as_text).collect() }
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let verb = words.next()?;
        let place = words.next()?.parse().ok()?;
        let word = words.next()?;
        match verb {
            "drop" => Some(Self::Drop(place..word.parse().ok()?)),
            "replace" => Some(Self::Replace(place, Word::read(word))),
            "insert" => Some(Self::Insert(place, Word::read(word))),
            _ => None,
        }
    }

    fn edit(&self) -> Edit {
        match self {
            Self::Drop(range) => Edit::Drop(range.clone()),
            Self::Replace(place, word) => Edit::Replace(*place, word.message()),
            Self::Insert(place, word) => Edit::Insert(*place, word.message()),
        }
    }
}
