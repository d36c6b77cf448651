//! The page around the conversation: what it may load (nothing), what it is about, and what is amiss.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use seam_session::Session;
use sha2::{Digest as _, Sha256};

use crate::export::html::Html;
use crate::export::outline::Outline;
use crate::export::trail::Trail;
use crate::export::verdict::{Class, counted};
use crate::export::words::{grouped, length, moment};
use crate::terminal::style::one_line;

/// The page's own style and script: all that its policy lets run.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// How long a fact and the title get, in characters.
const FACT: usize = 600;
const TITLE: usize = 120;
/// How many things that are amiss are told.
const NOTES: usize = 50;

/// The beginning, with the policy: nothing is loaded, and only this style and this script count.
pub(crate) fn begin(html: &mut Html<'_>, session: &Session, outline: &Outline) {
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; ");
    html.raw("base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; style-src '");
    html.text(&digest(STYLE)).raw("'; script-src '").text(&digest(SCRIPT)).raw("'\">\n");
    html.raw("<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<title>").text(&title(session, outline));
    html.raw("</title>\n<style>").raw(STYLE).raw("</style>\n</head>\n<body>\n");
}

pub(crate) fn end(html: &mut Html<'_>) {
    html.raw("<footer>Written by seam ").raw(env!("CARGO_PKG_VERSION"));
    html.raw(
        ". It shows the session file, and of its journal who decided what, when and for how long. What plugins were \
              shown is in the journal alone.</footer>\n<script>",
    );
    html.raw(SCRIPT).raw("</script>\n</body>\n</html>\n");
}

fn digest(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Its name, or what was said first.
fn title(session: &Session, outline: &Outline) -> String {
    let name = session.name().or(outline.first_words.as_deref());
    one_line(name.unwrap_or(&session.header().id), TITLE)
}

/// What the session is, in figures.
pub(crate) fn heading(html: &mut Html<'_>, session: &Session, outline: &Outline, trail: &Trail) {
    html.raw("<header><p class=\"kind\">A seam session</p><h1 dir=\"auto\">")
        .text(&title(session, outline))
        .raw("</h1>");
    counts(html, outline, trail);
    html.raw("<dl class=\"facts\">");
    for (name, value) in facts(session, outline) {
        html.raw("<div><dt>").raw(name).raw("</dt><dd><bdi>").text(&one_line(&value, FACT)).raw("</bdi></dd></div>");
    }
    html.raw("</dl>");
    plugins(html, trail);
    notes(html, session, trail);
    html.raw("</header>\n");
}

fn counts(html: &mut Html<'_>, outline: &Outline, trail: &Trail) {
    let of = |class| trail.marks.iter().filter(|mark| mark.class == class && !mark.shadow).count();
    let of_session = [
        (outline.messages, "", "message", "messages"),
        (outline.calls.len(), "▸", "tool call", "tool calls"),
        (outline.errors, "", "error result", "error results"),
    ];
    let of_journal = [
        (of(Class::Refused), "✕", "refused", "refused"),
        (of(Class::Changed), "~", "changed", "changed"),
        (of(Class::Asked), "?", "asked", "asked"),
        (of(Class::Failed), "!", "failure of a plugin", "failures of plugins"),
    ];
    // Without a journal nothing is known of these.
    let known = of_journal.iter().filter(|_| !trail.marks.is_empty());
    html.raw("<ul class=\"counts\">");
    for (count, sign, one, several) in of_session.iter().chain(known) {
        html.raw("<li><b>").text(&grouped(*count as u64)).raw("</b> ");
        html.raw(if *count == 1 { one } else { several });
        if !sign.is_empty() {
            html.raw(" <span class=\"sign\">").raw(sign).raw("</span>");
        }
        html.raw("</li>");
    }
    html.raw("</ul>");
}

fn facts(session: &Session, outline: &Outline) -> Vec<(&'static str, String)> {
    let header = session.header();
    let mut facts = vec![("session", header.id.clone()), ("workspace", header.cwd.clone())];
    if !outline.models.is_empty() {
        let models: Vec<&str> = outline.models.iter().map(String::as_str).collect();
        facts.push((if models.len() == 1 { "model" } else { "models" }, models.join(", ")));
    }
    if let (Some(first), Some(last)) = (outline.first, outline.last) {
        facts.push(("from", format!("{} UTC", moment(first))));
        facts.push(("to", format!("{} UTC", moment(last))));
        facts.push(("length", length(last.saturating_sub(first))));
    }
    facts.extend(header.parent_session.clone().map(|parent| ("forked from", parent)));
    facts.push(("file", session.path().display().to_string()));
    facts
}

fn plugins(html: &mut Html<'_>, trail: &Trail) {
    let plugins: Vec<_> = trail.lanes.iter().filter(|lane| lane.kind == "plugin").collect();
    if plugins.is_empty() {
        return;
    }
    html.raw("<details class=\"plugins\"><summary>")
        .text(&counted(plugins.len(), "plugin", "plugins"))
        .raw("</summary><ul>");
    for lane in plugins {
        html.raw("<li><b><bdi>").text(&one_line(&lane.name, FACT)).raw("</bdi></b> <span class=\"note\">");
        html.text(&one_line(&lane.note, FACT)).raw("</span></li>");
    }
    html.raw("</ul></details>");
}

/// What is to be said of the two files.
fn notes(html: &mut Html<'_>, session: &Session, trail: &Trail) {
    let file = session.notices().iter().map(|notice| (true, format!("the session file: {notice}")));
    let notes: Vec<(bool, String)> = trail.notes.iter().cloned().chain(file).collect();
    html.raw("<ul class=\"notes\">");
    for (is_bad, note) in notes.iter().take(NOTES) {
        html.raw(if *is_bad { "<li class=\"bad\"><b>!</b> " } else { "<li>" }).text(&one_line(note, FACT)).raw("</li>");
    }
    let more = notes.len().saturating_sub(NOTES);
    if more > 0 {
        html.raw("<li>").text(&counted(more, "more note", "more notes")).raw("</li>");
    }
    html.raw("</ul>");
}
