//! `tool-execution-end`: a tool call is over.

use seam_harness::{Event, Failure, Moment};
use seam_loop::{AgentEvent, Decider, Decision, Ruling};

use crate::bindings::exports::seam::harness::tool_execution_end as wit;
use crate::convert::content::cut;
use crate::instance::Instances;

pub(super) async fn observe(to: &Instances, event: &Event, at: &Moment) -> Result<(), Failure> {
    let Event::Agent(AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, decisions }) = event else { return Ok(()) };
    let (content, _) = cut(&result.content);
    let details = result.details.as_ref().map(ToString::to_string);
    let texts: Vec<String> = decisions.iter().map(|decision| text(&decision.ruling)).collect();
    let decisions: Vec<_> = decisions.iter().zip(&texts).map(|(decision, text)| self::decision(decision, text)).collect();
    let event = wit::Event { session: at.session(), call_id: tool_call_id, tool: tool_name, content: &content, details: details.as_deref(), is_error: *is_error, decisions: &decisions };
    ask!(to, tool_execution_end.call_observe(event) of Some(tool_call_id), at at, returning 0)
}

fn decision<'a>(decision: &'a Decision, text: &'a str) -> wit::Decision<'a> {
    let by = match &decision.by {
        Decider::Plugin(name) => wit::Decider::Plugin(name),
        Decider::User => wit::Decider::User,
        Decider::Host => wit::Decider::Host,
    };
    wit::Decision { by, seam: decision.seam, ruling: ruling(&decision.ruling), text }
}

fn ruling(ruling: &Ruling) -> wit::Ruling {
    match ruling {
        Ruling::Failure { refused: true, .. } => wit::Ruling::FailureRefused,
        Ruling::Failure { refused: false, .. } => wit::Ruling::FailureSkipped,
        Ruling::Block { .. } => wit::Ruling::Block,
        Ruling::Withhold { .. } => wit::Ruling::Withhold,
        Ruling::Ask { .. } => wit::Ruling::Ask,
        Ruling::Rewrite { .. } => wit::Ruling::Rewrite,
        Ruling::Change { .. } | Ruling::Handled { .. } => wit::Ruling::Change,
        Ruling::Proceed => wit::Ruling::Proceed,
    }
}

fn text(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Failure { failure: text, .. }
        | Ruling::Block { reason: text }
        | Ruling::Withhold { reason: text }
        | Ruling::Ask { question: text }
        | Ruling::Handled { reply: text } => text.clone(),
        Ruling::Rewrite { arguments } => arguments.to_string(),
        Ruling::Change { fields } => fields.join(", "),
        Ruling::Proceed => String::new(),
    }
}
