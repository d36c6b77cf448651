//! What messages are made of: texts, pictures, reasoning.

use serde_json::Value;

use crate::export::html::Html;
use crate::export::words::{grouped, size};

/// How much of a text the page holds, in bytes: of its beginning, and of its end.
const HEAD: usize = 48 * 1024;
const TAIL: usize = 16 * 1024;
/// A text of more lines, or of more bytes, is folded. So many of its lines are shown then.
const LINES: usize = 24;
const BYTES: usize = 3000;
const PREVIEW: usize = 10;
/// The largest picture that the page holds, in bytes of base64.
const PICTURE: usize = 6 * 1024 * 1024;
/// The types of pictures that are shown. SVG is not: it is a document of its own.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// How the lines of a text are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// As words. Between fences of three backticks: as code.
    Words,
    /// As output of a program.
    Output,
    /// As lines that were added and taken away.
    Diff,
}

/// A text of a field; empty when it is none.
pub(crate) fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A field; null when it is not there.
pub(crate) fn part<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// The content blocks of a message.
pub(crate) fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

/// Content, be it a text or blocks. Calls are left out. `line`: where it stands in the file.
pub(crate) fn content(html: &mut Html<'_>, message: &Value, look: Look, line: u64) {
    if let Some(words) = message.get("content").and_then(Value::as_str) {
        text(html, words, look, line);
    }
    for block in blocks(message) {
        match field(block, "type") {
            "" => drop(html.raw("<p class=\"note\">[content of no type]</p>")),
            "text" => text(html, field(block, "text"), look, line),
            "thinking" => thinking(html, field(block, "thinking"), line),
            "image" => picture(html, block, line),
            "toolCall" => {}
            other => {
                html.raw("<p class=\"note\">").text(&format!("[content of the type `{other}`]")).raw("</p>");
            }
        }
    }
}

fn thinking(html: &mut Html<'_>, words: &str, line: u64) {
    if words.is_empty() {
        html.raw("<p class=\"note\">Reasoning that the provider does not show.</p>");
        return;
    }
    html.raw("<details class=\"thinking\"><summary>Reasoning, ").text(&size(words.len())).raw("</summary>");
    text(html, words, Look::Words, line);
    html.raw("</details>");
}

fn picture(html: &mut Html<'_>, block: &Value, line: u64) {
    let (data, kind) = (field(block, "data"), field(block, "mimeType"));
    let is_base64 = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    if data.is_empty() || !is_base64 || !PICTURES.contains(&kind) || data.len() > PICTURE {
        let what =
            format!("[a picture of the type `{kind}`, {}: not shown; line {line} of the file]", size(data.len()));
        html.raw("<p class=\"note\">").text(&what).raw("</p>");
        return;
    }
    html.raw("<img alt=\"A picture of the conversation\" src=\"data:").text(kind).raw(";base64,").text(data).raw("\">");
}

/// A text, folded when it is long, and cut when it is very long.
pub(crate) fn text(html: &mut Html<'_>, text: &str, look: Look, line: u64) {
    let text = text.trim_end_matches('\n');
    if text.trim().is_empty() {
        return;
    }
    let lines = text.lines().count();
    let folds = look != Look::Words && (lines > LINES || text.len() > BYTES) || text.len() > HEAD + TAIL;
    if !folds {
        return lines_of(html, text, look);
    }
    html.raw("<div class=\"fold\">");
    lines_of(html, beginning(text), look);
    html.raw("<details><summary>All of it: ").text(&grouped(lines as u64));
    html.raw(" lines, ").text(&size(text.len())).raw("</summary>");
    let (head, left_out, tail) = cut(text);
    lines_of(html, head, look);
    if left_out > 0 {
        html.raw("<p class=\"note cut\">").text(&size(left_out)).raw(" are left out here. All of it stands in line ");
        html.number(line).raw(" of the session file.</p>");
        lines_of(html, tail, look);
    }
    html.raw("</details></div>");
}

fn beginning(text: &str) -> &str {
    let end = text.match_indices('\n').nth(PREVIEW - 1).map_or(text.len(), |(at, _)| at);
    text.get(..end.min(text.floor_char_boundary(BYTES / 2))).unwrap_or_default()
}

/// The beginning, how many bytes are left out, and the end.
fn cut(text: &str) -> (&str, usize, &str) {
    if text.len() <= HEAD + TAIL {
        return (text, 0, "");
    }
    let (head, rest) = text.split_at(text.floor_char_boundary(HEAD));
    let (left_out, tail) = rest.split_at(rest.ceil_char_boundary(rest.len() - TAIL));
    (head, left_out.len(), tail)
}

fn lines_of(html: &mut Html<'_>, text: &str, look: Look) {
    match look {
        Look::Words => fenced(html, text),
        Look::Diff => diff(html, text),
        Look::Output if is_diff(text) => diff(html, text),
        Look::Output => drop(html.raw("<pre dir=\"auto\">").raw("\n").text(text).raw("</pre>")),
    }
}

/// Words, with code between fences.
fn fenced(html: &mut Html<'_>, text: &str) {
    let (mut is_code, mut start, mut end) = (false, 0, 0);
    for line in text.split_inclusive('\n') {
        let next = end + line.len();
        if line.trim_start().starts_with("```") {
            let last = if is_code { next } else { end };
            words(html, text.get(start..last).unwrap_or_default(), is_code);
            (start, is_code) = (last, !is_code);
        }
        end = next;
    }
    words(html, text.get(start..).unwrap_or_default(), is_code);
}

fn words(html: &mut Html<'_>, text: &str, is_code: bool) {
    let text = text.trim_matches('\n');
    match (text.is_empty(), is_code) {
        (true, _) => {}
        (false, true) => drop(html.raw("<pre>\n").text(text).raw("</pre>")),
        (false, false) => drop(html.raw("<div class=\"words\" dir=\"auto\">").text(text).raw("</div>")),
    }
}

fn is_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ -")) || text.starts_with("--- ") && text.contains("\n+++ ")
}

fn diff(html: &mut Html<'_>, text: &str) {
    html.raw("<pre class=\"diff\">\n");
    for line in text.lines() {
        match line.as_bytes().first() {
            _ if line.starts_with("--- ") || line.starts_with("+++ ") => drop(html.raw("<b>").text(line).raw("</b>\n")),
            Some(b'+') => drop(html.raw("<ins>").text(line).raw("\n</ins>")),
            Some(b'-') => drop(html.raw("<del>").text(line).raw("\n</del>")),
            Some(b'@') => drop(html.raw("<b>").text(line).raw("</b>\n")),
            _ => drop(html.text(line).raw("\n")),
        }
    }
    html.raw("</pre>");
}
