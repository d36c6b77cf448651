//! Who was asked, and what they said, where it happened.

use crate::export::html::Html;
use crate::export::trail::{Mark, Trail};
use crate::export::verdict::{Class, counted};
use crate::export::words::{clock, took};

/// How many decisions are shown between two entries. All are on the time line.
const SHOWN: usize = 40;

impl Class {
    /// A sign for it. The time line has the same.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Refused => "✕",
            Self::Failed => "!",
            Self::Asked => "?",
            Self::Changed => "~",
            Self::Ran => "▸",
            Self::Said => "“",
            Self::Passed => "·",
            Self::Watched => "o",
        }
    }

    /// The name of its class in the style sheet.
    fn style(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Failed => "failure",
            Self::Asked => "asked",
            Self::Changed => "changed",
            Self::Ran => "ran",
            Self::Said => "said",
            Self::Passed => "passed",
            Self::Watched => "watched",
        }
    }

    fn is_quiet(self) -> bool {
        matches!(self, Self::Passed | Self::Watched)
    }
}

/// Who decided about a call. Nothing when nobody is known.
pub(crate) fn about(html: &mut Html<'_>, trail: &Trail, marks: &[&Mark]) {
    if marks.is_empty() {
        return;
    }
    html.raw("<div class=\"decisions\">");
    list(html, trail, marks, "no objection: ");
    html.raw("</div>");
}

/// Those that did something, in their order; then those that did not, folded.
fn list(html: &mut Html<'_>, trail: &Trail, marks: &[&Mark], passed: &str) {
    let (quiet, loud): (Vec<&Mark>, Vec<&Mark>) = marks.iter().partition(|mark| mark.class.is_quiet());
    items(html, trail, &loud);
    if quiet.is_empty() {
        return;
    }
    let parts = [(passed, Class::Passed), ("watched by ", Class::Watched)];
    let parts = parts.map(|(words, class)| (words, names(trail, &quiet, class)));
    let parts = parts.iter().filter(|(_, names)| !names.is_empty()).map(|(words, names)| format!("{words}{names}"));
    html.raw("<details class=\"quiet\"><summary><bdi>")
        .text(&parts.collect::<Vec<_>>().join(" · "))
        .raw("</bdi></summary>");
    items(html, trail, &quiet);
    html.raw("</details>");
}

/// Whose marks of a class there are.
fn names(trail: &Trail, marks: &[&Mark], class: Class) -> String {
    let mut names: Vec<&str> = Vec::new();
    for mark in marks.iter().filter(|mark| mark.class == class) {
        let name = trail.lane_name(mark.lane);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn items(html: &mut Html<'_>, trail: &Trail, marks: &[&Mark]) {
    if marks.is_empty() {
        return;
    }
    html.raw("<ol>");
    for mark in marks.iter().take(SHOWN) {
        item(html, trail, mark);
    }
    html.raw("</ol>");
    let more = marks.len().saturating_sub(SHOWN);
    if more > 0 {
        html.raw("<p class=\"note\">").text(&counted(more, "more is", "more are")).raw(" on the time line.</p>");
    }
}

fn item(html: &mut Html<'_>, trail: &Trail, mark: &Mark) {
    html.raw(if mark.shadow { "<li class=\"ghost " } else { "<li class=\"" }).raw(mark.class.style());
    if let Some(n) = mark.n {
        html.raw("\" id=\"x").number(n);
    }
    html.raw("\"><span class=\"sign\">").raw(mark.class.sign()).raw("</span> <b><bdi>");
    html.text(trail.lane_name(mark.lane)).raw("</bdi></b> ");
    if mark.shadow {
        html.raw("<span class=\"shadow\">in shadow mode, without effect:</span> ");
    }
    // What a tool was given stands beside it.
    let words = if mark.is_run() { "ran it" } else { trail.texts.get(mark.words) };
    html.raw("<span class=\"words\">").text(words).raw("</span> <small>");
    html.text(trail.texts.get(mark.place));
    if let Some(micros) = mark.took_us {
        html.raw(" · ").text(&took(micros));
    }
    html.raw(" · <a href=\"#timeline\" data-n=\"")
        .number(mark.n.unwrap_or_default())
        .raw("\">")
        .text(&clock(mark.time));
    html.raw("</a></small></li>");
}

/// The marks that are about no call of the branch, between the entries.
pub(crate) struct Around<'a> {
    trail: &'a Trail,
    next: usize,
}

impl<'a> Around<'a> {
    pub(crate) fn new(trail: &'a Trail) -> Self {
        Self { trail, next: 0 }
    }

    /// Writes those that were recorded before a time; all that are left, when there is none.
    pub(crate) fn before(&mut self, html: &mut Html<'_>, time: Option<u64>) {
        let mut marks = Vec::new();
        while let Some(mark) = self.trail.marks.get(self.next).filter(|mark| time.is_none_or(|time| mark.time <= time))
        {
            self.next += 1;
            if mark.call.is_none() {
                marks.push(mark);
            }
        }
        if marks.iter().all(|mark| mark.class == Class::Watched) {
            return;
        }
        html.raw("<div class=\"decisions around\">");
        list(html, self.trail, &marks, "nothing to say: ");
        html.raw("</div>");
    }
}
