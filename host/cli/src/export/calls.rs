//! The calls of an answer: what was asked for, who decided about it, and what came of it.

use serde_json::Value;

use crate::export::content::{Look, blocks, content, field, part, text};
use crate::export::conversation::Shown;
use crate::export::decisions;
use crate::export::html::Html;
use crate::export::outline::Outline;
use crate::export::trail::{Mark, Trail};
use crate::export::verdict::Class;
use crate::export::words::{size, took};
use crate::terminal::style::one_line;

/// How long the name of a tool gets, in characters.
const NAME: usize = 80;
/// An argument of fewer bytes, on one line, stands beside its name.
const SHORT: usize = 90;

/// Numbers the calls of a branch, as the outline did.
pub(crate) struct Calls<'a> {
    trail: &'a Trail,
    outline: &'a Outline,
    next: usize,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Done,
    Failed,
    NotRun,
    Open,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(trail: &'a Trail, outline: &'a Outline) -> Self {
        Self { trail, outline, next: 0 }
    }

    /// Writes the calls of an answer with their results. Gives back what is no result of any of them.
    pub(crate) fn write<'s>(
        &mut self,
        html: &mut Html<'_>,
        answer: &Shown<'_>,
        mut results: Vec<Shown<'s>>,
    ) -> Vec<Shown<'s>> {
        for block in blocks(answer.message()).filter(|block| field(block, "type") == "toolCall") {
            let id = field(block, "id");
            let answers = |shown: &Shown<'_>| field(shown.message(), "toolCallId") == id;
            let result = results.iter().position(answers).map(|place| results.remove(place));
            self.call(html, block, answer.entry.line(), result.as_ref());
        }
        results
    }

    fn call(&mut self, html: &mut Html<'_>, block: &Value, line: u64, result: Option<&Shown<'_>>) {
        let call = self.next;
        self.next += 1;
        let id = self.outline.calls.get(call).map(|(id, _)| id.as_str()).unwrap_or_default();
        let marks: Vec<&Mark> = self.trail.of_call(id).iter().filter_map(|mark| self.trail.marks.get(*mark)).collect();
        let marks: Vec<&Mark> = marks.into_iter().filter(|mark| mark.call == Some(call)).collect();
        let fate = fate(result, &marks);
        html.raw("<section class=\"call ").raw(fate.class()).raw("\" id=\"c").number(call as u64).raw("\">");
        heading(html, block, fate, &marks);
        html.raw("<div class=\"grid\"><div class=\"what\">");
        arguments(html, block.get("arguments").unwrap_or(&Value::Null), line);
        html.raw("</div>");
        decisions::about(html, self.trail, &marks);
        html.raw("<div class=\"what result\">");
        match result {
            Some(result) => self::result(html, result),
            None => drop(html.raw("<p class=\"note\">No result is recorded.</p>")),
        }
        html.raw("</div></div></section>");
    }
}

impl Fate {
    fn class(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::NotRun => "notrun",
            Self::Open => "open",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Done => "✓ done",
            Self::Failed => "! gave an error",
            Self::NotRun => "✕ not run",
            Self::Open => "… no result",
        }
    }
}

fn fate(result: Option<&Shown<'_>>, marks: &[&Mark]) -> Fate {
    let ran = marks.iter().any(|mark| mark.is_run());
    let refused = marks.iter().any(|mark| !mark.shadow && matches!(mark.class, Class::Refused | Class::Failed));
    match result.map(|result| *part(result.message(), "isError") == true) {
        _ if refused && !ran => Fate::NotRun,
        Some(true) => Fate::Failed,
        Some(false) => Fate::Done,
        None => Fate::Open,
    }
}

fn heading(html: &mut Html<'_>, block: &Value, fate: Fate, marks: &[&Mark]) {
    let name = field(block, "name");
    let name = if name.is_empty() { "(a call without a name)" } else { name };
    html.raw("<h4><span class=\"arrow\">→</span> <bdi>")
        .text(&one_line(name, NAME))
        .raw("</bdi> <span class=\"fate\">");
    html.raw(fate.words()).raw("</span>");
    if let Some(micros) = marks.iter().find(|mark| mark.is_run()).and_then(|mark| mark.took_us) {
        html.raw(" <span class=\"took\">").text(&took(micros)).raw("</span>");
    }
    html.raw("</h4>");
}

fn arguments(html: &mut Html<'_>, arguments: &Value, line: u64) {
    let Some(fields) = arguments.as_object() else {
        let what = if arguments.is_null() { "No arguments.".to_owned() } else { arguments.to_string() };
        html.raw("<p class=\"note\">").text(&what).raw("</p>");
        return;
    };
    html.raw("<dl>");
    for (name, value) in fields {
        html.raw("<dt>").text(&one_line(name, NAME)).raw("</dt><dd>");
        match value {
            Value::String(value) if value.len() < SHORT && !value.contains('\n') => {
                html.raw("<code>").text(value).raw("</code>");
            }
            Value::String(value) => text(html, value, Look::Output, line),
            Value::Array(edits) if is_edits(edits) => edits.iter().for_each(|edit| replaced(html, edit, line)),
            Value::Object(_) | Value::Array(_) => {
                text(html, &serde_json::to_string_pretty(value).unwrap_or_default(), Look::Output, line);
            }
            other => drop(html.raw("<code>").text(&other.to_string()).raw("</code>")),
        }
        html.raw("</dd>");
    }
    html.raw("</dl>");
}

fn is_edits(edits: &[Value]) -> bool {
    !edits.is_empty() && edits.iter().all(|edit| part(edit, "oldText").is_string() && part(edit, "newText").is_string())
}

/// A passage and what takes its place.
fn replaced(html: &mut Html<'_>, edit: &Value, line: u64) {
    let lines = |sign: &'static str, name| field(edit, name).lines().map(move |line| format!("{sign}{line}\n"));
    let diff: String = lines("-", "oldText").chain(lines("+", "newText")).collect();
    text(html, &diff, Look::Diff, line);
}

fn result(html: &mut Html<'_>, shown: &Shown<'_>) {
    let message = shown.message();
    let line = shown.entry.line();
    content(html, message, Look::Output, line);
    let details = part(message, "details");
    let diff = field(details, "diff");
    if !diff.is_empty() {
        text(html, diff, Look::Diff, line);
    } else if details.as_object().is_some_and(|details| !details.is_empty()) {
        let details = serde_json::to_string_pretty(details).unwrap_or_default();
        html.raw("<details class=\"json\"><summary>Details, ").text(&size(details.len())).raw("</summary>");
        text(html, &details, Look::Output, line);
        html.raw("</details>");
    }
}

/// A result that answers no call before it.
pub(crate) fn orphan(html: &mut Html<'_>, shown: &Shown<'_>) {
    let name = one_line(field(shown.message(), "toolName"), NAME);
    html.raw("<section class=\"call\" id=\"e").number(shown.place as u64).raw("\"><h4><bdi>").text(&name);
    html.raw("</bdi> <span class=\"fate\">a result without its call</span></h4><div class=\"what result\">");
    result(html, shown);
    html.raw("</div></section>");
}
