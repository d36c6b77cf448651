//! The conversation: the entries of the branch that the session goes on from, and between them who was asked.

use std::collections::HashMap;

use anyhow::Result;
use seam_session::{Entry, EntryKind, Session};
use serde_json::Value;

use crate::export::calls::{self, Calls};
use crate::export::content::{Look, blocks, content, field, part, text};
use crate::export::decisions;
use crate::export::html::Html;
use crate::export::outline::{Outline, millis};
use crate::export::trail::Trail;
use crate::export::words::{clock, grouped, moment};
use crate::terminal::entry::Words;
use crate::terminal::style::one_line;

/// How long an aside gets, in characters.
const ASIDE: usize = 300;

/// An entry on its way to the page.
pub(crate) struct Shown<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) json: Value,
    /// Its place on the branch.
    pub(crate) place: usize,
}

impl Shown<'_> {
    /// The message that it is.
    pub(crate) fn message(&self) -> &Value {
        part(&self.json, "message")
    }
}

/// Writes the branch. No more of it is in memory than one answer of the model with the results of its calls.
pub(crate) fn write(html: &mut Html<'_>, session: &Session, trail: &Trail, outline: &Outline) -> Result<()> {
    let labels: HashMap<&str, &str> = session.labels().collect();
    let mut around = decisions::Around::new(trail);
    let mut calls = Calls::new(trail, outline);
    let mut entries = session.branch().enumerate().peekable();
    while let Some((place, entry)) = entries.next() {
        let shown = Shown { entry, json: session.json(entry.id())?, place };
        around.before(html, millis(&shown.json));
        let label = labels.get(entry.id()).copied();
        if field(shown.message(), "role") != "assistant" {
            one(html, &shown, label);
            continue;
        }
        // What comes before the next words of anybody belongs to the calls of this answer.
        let mut results = Vec::new();
        while let Some((place, entry)) = entries.next_if(|(_, entry)| !is_said(entry)) {
            results.push(Shown { entry, json: session.json(entry.id())?, place });
        }
        answer(html, &shown, label);
        for rest in calls.write(html, &shown, results) {
            one(html, &rest, labels.get(rest.entry.id()).copied());
        }
        html.raw("</article>");
    }
    around.before(html, None);
    Ok(())
}

/// Whether an entry is somebody's words, and no result of a tool.
fn is_said(entry: &Entry) -> bool {
    match entry.kind() {
        EntryKind::Message { role, .. } => role.as_deref() != Some("toolResult"),
        EntryKind::CustomMessage { .. } | EntryKind::Compaction { .. } | EntryKind::BranchSummary => true,
        _ => false,
    }
}

fn answer(html: &mut Html<'_>, shown: &Shown<'_>, label: Option<&str>) {
    let message = shown.message();
    let names = [field(message, "provider"), field(message, "model")];
    let model = if names.iter().all(|name| name.is_empty()) { "a model".to_owned() } else { names.join("/") };
    begin(html, "said assistant", shown, &model, label);
    content(html, message, Look::Words, shown.entry.line());
    let error = field(message, "errorMessage");
    if !error.is_empty() {
        html.raw("<p class=\"note bad\">It ended: ").text(error).raw("</p>");
    }
    usage(html, message);
}

/// What an answer has cost, if that is known.
fn usage(html: &mut Html<'_>, message: &Value) {
    let count = |name: &str| part(part(message, "usage"), name).as_u64().unwrap_or_default();
    let (input, output) = (count("input") + count("cacheRead") + count("cacheWrite"), count("output"));
    if input + output > 0 {
        let said = format!("{} tokens in, {} out", grouped(input), grouped(output));
        html.raw("<p class=\"usage\">").text(&said).raw("</p>");
    }
}

/// An entry that is no answer of the model.
fn one(html: &mut Html<'_>, shown: &Shown<'_>, label: Option<&str>) {
    let message = shown.message();
    let line = shown.entry.line();
    match (shown.entry.kind().name(), field(message, "role")) {
        ("message", "toolResult") => calls::orphan(html, shown),
        ("message", "bashExecution") => {
            begin(html, "said user", shown, "You, in the shell", label);
            text(html, &format!("$ {}", field(message, "command")), Look::Output, line);
            text(html, field(message, "output"), Look::Output, line);
            html.raw("</article>");
        }
        ("message", "user") => said(html, "said user", shown, "You", label, message),
        ("message", role) => {
            said(html, "said other", shown, if role.is_empty() { "message" } else { role }, label, message)
        }
        ("custom_message", _) => {
            said(html, "said other", shown, field(&shown.json, "customType"), label, &shown.json);
        }
        ("compaction", _) => {
            let title = "Compacted: for the model, this summary stands for what came before";
            summary(html, shown, title, label);
        }
        ("branch_summary", _) => summary(html, shown, "A summary of a branch that was left", label),
        _ => aside(html, shown, label),
    }
}

fn said(html: &mut Html<'_>, class: &'static str, shown: &Shown<'_>, who: &str, label: Option<&str>, message: &Value) {
    begin(html, class, shown, who, label);
    content(html, message, Look::Words, shown.entry.line());
    if blocks(message).next().is_none() && field(message, "content").is_empty() {
        html.raw("<p class=\"note\">Nothing.</p>");
    }
    html.raw("</article>");
}

fn summary(html: &mut Html<'_>, shown: &Shown<'_>, title: &str, label: Option<&str>) {
    begin(html, "said summary", shown, title, label);
    if let Some(tokens) = part(&shown.json, "tokensBefore").as_u64() {
        html.raw("<p class=\"note\">").text(&format!("{} tokens before.", grouped(tokens))).raw("</p>");
    }
    text(html, field(&shown.json, "summary"), Look::Words, shown.entry.line());
    html.raw("</article>");
}

/// A setting or a note, on one line.
fn aside(html: &mut Html<'_>, shown: &Shown<'_>, label: Option<&str>) {
    let kind = shown.entry.kind();
    anchored(html, "<p class=\"aside\" id=\"e", shown);
    html.text(&Words::of(&shown.json).line(ASIDE));
    self::label(html, label);
    html.raw("</p>");
    if let EntryKind::Other(name) = kind {
        html.raw("<details class=\"json\"><summary>An entry of the unknown type ").text(&one_line(name, ASIDE));
        html.raw("</summary>");
        text(html, &serde_json::to_string_pretty(&shown.json).unwrap_or_default(), Look::Output, shown.entry.line());
        html.raw("</details>");
    }
}

/// The beginning of an article, with who speaks and when.
fn begin(html: &mut Html<'_>, class: &'static str, shown: &Shown<'_>, who: &str, label: Option<&str>) {
    html.raw("<article class=\"").raw(class);
    anchored(html, "\" id=\"e", shown);
    html.raw("<h3><bdi>").text(&one_line(who, ASIDE)).raw("</bdi>");
    self::label(html, label);
    if let Some(time) = millis(&shown.json) {
        let clock = clock(time);
        html.raw(" <time title=\"").text(&moment(time)).raw(" UTC\">").text(clock.get(..8).unwrap_or(&clock));
        html.raw("</time>");
    }
    html.raw(" <a class=\"id\" href=\"#e").number(shown.place as u64).raw("\">").text(&one_line(shown.entry.id(), 40));
    html.raw("</a></h3>");
}

fn anchored(html: &mut Html<'_>, markup: &'static str, shown: &Shown<'_>) {
    html.raw(markup).number(shown.place as u64).raw("\">");
}

fn label(html: &mut Html<'_>, label: Option<&str>) {
    if let Some(label) = label {
        html.raw(" <span class=\"label\">").text(&one_line(label, ASIDE)).raw("</span>");
    }
}
