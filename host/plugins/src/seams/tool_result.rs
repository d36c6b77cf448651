//! `tool-result`: what is told of a call that ran.

use std::pin::pin;

use async_trait::async_trait;
use seam_harness::seams::{Change, Outcome, ToolResultPatch};
use seam_harness::{Failure, FinalCall};
use seam_loop::{Content, ToolOutput, Usage};

use crate::bindings::exports::seam::harness::tool_result as wit;
use crate::bindings::seam::harness::types::{ContentParam, ContentResult, ImageParam, Usage as WitUsage};
use crate::convert::{Parts, invocation};
use crate::instance::Instances;
use crate::seams::absent;

/// How much text an event holds. The rest is read through `full-result`.
const EVENT_TEXT: usize = 64 << 10;

/// A plugin's patches in one session.
pub(crate) struct ToolResultHook(pub(crate) std::sync::Arc<Instances>);

#[async_trait]
impl ToolResultPatch for ToolResultHook {
    async fn review(&self, call: &FinalCall, output: &ToolOutput, partial: bool) -> Result<Outcome, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let (content, truncated) = event_content(&output.content);
        let details = output.details.as_ref().map(ToString::to_string);
        let event = wit::Event {
            call: invocation(call, &targets),
            content: &content,
            truncated,
            details: details.as_deref(),
            is_error: output.is_error,
            usage: output.usage.map(usage),
            partial,
        };
        let mut lease = self.0.lend(2 * size(output, details.as_deref())).await?;
        if self.0.linked.full_result {
            lease.warm.store.data_mut().full_result =
                Some(output.content.iter().filter_map(Content::as_text).collect());
        }
        let guest = lease.warm.guests.tool_result.as_ref().ok_or_else(absent)?;
        let answer = self.0.bounded(pin!(guest.call_review(&mut lease.warm.store, event))).await;
        outcome(self.0.settle(lease, answer)?)
    }
}

/// The content, its text cut to [`EVENT_TEXT`] in all, and whether it was cut.
fn event_content(content: &[Content]) -> (Vec<ContentParam<'_>>, bool) {
    let mut room = EVENT_TEXT;
    let mut truncated = false;
    let mut shown = Vec::with_capacity(content.len());
    for piece in content {
        match piece {
            Content::Text { text } => {
                let end = text.floor_char_boundary(room);
                room -= end;
                truncated |= end < text.len();
                if end > 0 || text.is_empty() {
                    shown.push(ContentParam::Text(text.get(..end).unwrap_or_default()));
                }
            }
            Content::Image { data, mime_type } => shown.push(ContentParam::Image(ImageParam { mime_type, data })),
        }
    }
    (shown, truncated)
}

fn size(output: &ToolOutput, details: Option<&str>) -> usize {
    let content = output.content.iter().map(|piece| match piece {
        Content::Text { text } => text.len(),
        Content::Image { data, .. } => data.len(),
    });
    content.sum::<usize>() + details.map_or(0, str::len)
}

fn usage(usage: Usage) -> WitUsage {
    let Usage { input, output, cache_read, cache_write, cost } = usage;
    WitUsage { input, output, cache_read, cache_write, cost }
}

fn outcome(answer: wit::Outcome) -> Result<Outcome, Failure> {
    Ok(match answer {
        wit::Outcome::Withhold(reason) => Outcome::Withhold(reason),
        wit::Outcome::Change(changes) => Outcome::Change(changes.into_iter().map(change).collect::<Result<_, _>>()?),
        wit::Outcome::Keep => Outcome::Keep,
    })
}

fn change(change: wit::Change) -> Result<Change, Failure> {
    Ok(match change {
        wit::Change::Content(content) => Change::Content(content.into_iter().map(from_wit).collect()),
        wit::Change::Details(text) => {
            let parsed = serde_json::from_str(&text);
            let details =
                parsed.map_err(|error| Failure::InvalidAnswer(format!("the details are not JSON ({error})")))?;
            Change::Details(Some(details))
        }
        wit::Change::ClearDetails => Change::Details(None),
        wit::Change::IsError(is_error) => Change::IsError(is_error),
        wit::Change::Usage(WitUsage { cost, .. }) if !cost.is_finite() || cost < 0.0 => {
            return Err(Failure::InvalidAnswer("the cost is not an amount of money".to_owned()));
        }
        wit::Change::Usage(WitUsage { input, output, cache_read, cache_write, cost }) => {
            Change::Usage(Usage { input, output, cache_read, cache_write, cost })
        }
        wit::Change::Terminate(terminate) => Change::Terminate(terminate),
    })
}

fn from_wit(content: ContentResult) -> Content {
    match content {
        ContentResult::Text(text) => Content::Text { text },
        ContentResult::Image(image) => Content::Image { data: image.data, mime_type: image.mime_type },
    }
}
