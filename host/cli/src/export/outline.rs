//! What has to be known of a session before its first line is written: counts, and where the calls are.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use seam_session::{Entry, Session, time};
use serde_json::Value;

use crate::export::content::{blocks, field, part};
use crate::export::trail::Trail;
use crate::terminal::entry::Words;
use crate::terminal::style::one_line;

/// How long the words of a mark get, in characters.
const WORDS: usize = 120;

/// A session from afar.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) models: BTreeSet<String>,
    pub(crate) messages: usize,
    /// What the user said first.
    pub(crate) first_words: Option<String>,
    /// The calls of the branch, in their order: id, and when it was asked for.
    pub(crate) calls: Vec<(String, u64)>,
    /// How many results are errors.
    pub(crate) errors: usize,
    /// When the first and the last entry were made, in milliseconds since 1970.
    pub(crate) first: Option<u64>,
    pub(crate) last: Option<u64>,
}

impl Outline {
    /// Reads the branch once. Its entries become marks of the trail.
    pub(crate) fn of(session: &Session, trail: &mut Trail) -> Result<Self> {
        let mut outline = Self::default();
        for (place, entry) in session.branch().enumerate() {
            outline.take(place, entry, &session.json(entry.id())?, trail);
        }
        outline.pair(trail);
        Ok(outline)
    }

    fn take(&mut self, place: usize, entry: &Entry, json: &Value, trail: &mut Trail) {
        let time = millis(json);
        self.first = self.first.or(time);
        self.last = time.or(self.last);
        let message = part(json, "message");
        let role = field(message, "role");
        self.messages += usize::from(entry.kind().name() == "message");
        self.errors += usize::from(role == "toolResult" && *part(message, "isError") == true);
        if role == "assistant" {
            self.models.insert(format!("{}/{}", field(message, "provider"), field(message, "model")));
            let calls = blocks(message).filter(|block| field(block, "type") == "toolCall");
            self.calls.extend(calls.map(|call| (field(call, "id").to_owned(), time.unwrap_or_default())));
        }
        if let Some(time) = time.filter(|_| role == "toolResult" && trail.marks.is_empty()) {
            trail.result(time, field(message, "toolName"), &Words::of(json).line(WORDS));
        }
        let is_said = matches!(role, "user" | "assistant" | "bashExecution")
            || matches!(entry.kind().name(), "custom_message" | "compaction" | "branch_summary");
        if let Some(time) = time.filter(|_| is_said) {
            let words = Words::of(json);
            if role == "user" && self.first_words.is_none() {
                self.first_words = Some(one_line(words.text.trim(), WORDS)).filter(|words| !words.is_empty());
            }
            trail.say(time, &words.who, words.line(WORDS), place);
        }
    }

    /// Tells each mark which call it is about. An id that was used twice is told apart by the time.
    fn pair(&self, trail: &mut Trail) {
        let mut asked: HashMap<&str, Vec<(u64, usize)>> = HashMap::new();
        for (call, (id, time)) in self.calls.iter().enumerate() {
            asked.entry(id).or_default().push((*time, call));
        }
        for (id, calls) in asked {
            for mark in trail.of_call(id).to_vec() {
                if let Some(mark) = trail.marks.get_mut(mark) {
                    let before = calls.iter().rev().find(|(time, _)| *time <= mark.time);
                    mark.call = before.or(calls.first()).map(|(_, call)| *call);
                }
            }
        }
    }
}

/// When an entry was made, in milliseconds since 1970.
pub(crate) fn millis(entry: &Value) -> Option<u64> {
    u64::try_from(time::millis(field(entry, "timestamp"))?).ok()
}
