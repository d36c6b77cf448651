//! Events in a line: their fields in the contract's order, joined by spaces. Texts are quoted, `-` is a field without a
//! value, a list is joined by commas.

use std::fmt::{Debug, Display};

use seam::observe::*;
use seam::{Content, Range};

/// An event in a line.
pub(crate) trait Fields {
    fn fields(&self) -> String;
}

macro_rules! fields {
    ($($event:ident: |$of:ident| $($field:expr),+;)+) => {
        $(
            impl Fields for $event {
                fn fields(&self) -> String {
                    let $of = self;
                    [$($field.to_string()),+].join(" ")
                }
            }
        )+
    };
}

fields! {
    Abort: |of| of.session, of.cleared_steering, of.cleared_follow_up;
    AfterProviderResponse: |of| of.session, model(&of.model), of.status,
        list(of.headers.iter().map(|header| format!("{}={}", header.name, header.value)));
    AgentEnd: |of| of.session, range(of.added), case(of.stop_reason), quoted(of.error_message.as_ref());
    AgentStart: |of| of.session;
    MessageEnd: |of| of.session, of.message;
    MessageStart: |of| of.session, case(of.role), plain(of.call_id.as_ref());
    MessageUpdate: |of| of.session, case(of.kind), of.block, quoted(Some(&of.delta)), plain(of.call_id.as_ref());
    ModelSelect: |of| of.session, model(&of.model), model(&of.previous);
    QueueUpdate: |of| of.session, of.steering, of.follow_up, of.next_turn;
    ResourcesUpdate: |of| of.session, list(&of.skills), list(&of.prompt_templates);
    SavePoint: |of| of.session, of.pending;
    SessionCompact: |of| of.session, of.entry, quoted(Some(&of.summary)), plain(of.from_plugin.as_ref());
    SessionShutdown: |of| of.session, case(of.reason);
    SessionStart: |of| of.session, case(of.reason), plain(of.previous.as_ref());
    SessionTree: |of| of.session, plain(of.new_leaf.as_ref()), plain(of.old_leaf.as_ref()),
        plain(of.from_plugin.as_ref());
    Settled: |of| of.session, of.next_turn;
    ThinkingLevelSelect: |of| of.session, case(of.level), case(of.previous);
    ToolExecutionEnd: |of| of.session, of.call_id, of.tool, content(&of.content), plain(of.details.as_ref()),
        of.is_error, list(of.decisions.iter().map(decision));
    ToolExecutionStart: |of| of.session, of.call_id, of.tool, of.arguments;
    ToolExecutionUpdate: |of| of.session, of.call_id, of.tool, content(&of.content), plain(of.details.as_ref());
    ToolsUpdate: |of| of.session, list(&of.tools), list(&of.active);
    TurnEnd: |of| of.session, of.turn, of.message, range(of.results);
    TurnStart: |of| of.session, of.turn;
}

fn plain(value: Option<&String>) -> &str {
    value.map_or("-", |value| value)
}

fn quoted(value: Option<&String>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:?}"))
}

fn range(range: Range) -> String {
    format!("{}..{}", range.start, range.end)
}

fn model(model: &seam::Model) -> String {
    format!("{}/{}", model.provider, model.id)
}

fn content(content: &[Content]) -> String {
    format!("{:?}", content.iter().filter_map(Content::as_text).collect::<String>())
}

/// Who, where, what, and the text in quotes: `guard@tool-call:block"no"`.
fn decision(of: &Decision) -> String {
    let by = match &of.by {
        Decider::Plugin(name) => name,
        Decider::User => "user",
        Decider::Host => "host",
    };
    format!("{by}@{}:{}{:?}", of.seam, case(of.ruling), of.text)
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() { "-".to_owned() } else { items.join(",") }
}

/// A case as the contract spells it: `StopReason::ToolUse` is `tool-use`.
pub(crate) fn case(case: impl Debug) -> String {
    let name = format!("{case:?}");
    let mut kebab = String::new();
    for letter in name.rsplit("::").next().unwrap_or(&name).chars() {
        if letter.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase());
    }
    kebab
}
