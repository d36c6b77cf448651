//! `tool-result`: what is told of a call that ran.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{Change, Outcome, ToolResultPatch};
use seam_harness::{Failure, FinalCall, Moment};
use seam_loop::{Content, ToolOutput};

use crate::bindings::exports::seam::harness::tool_result as wit;
use crate::convert::call::{Parts, invocation};
use crate::convert::content::{cut, from_content, from_usage, size, usage};
use crate::convert::{json, object};
use crate::instance::Instances;
use crate::state::View;

/// A patch has its time for each piece of a result of this size, in bytes.
const PIECE: usize = 1 << 20;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl ToolResultPatch for Asked {
    async fn review(
        &self,
        call: &FinalCall,
        output: &ToolOutput,
        partial: bool,
        at: &Moment,
    ) -> Result<Outcome, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let (content, truncated) = cut(&output.content);
        let details = output.details.as_ref().map(ToString::to_string);
        let structured = output.structured_content.as_ref().map(|object| serde_json::json!(object).to_string());
        let event = wit::Event {
            call: invocation(call, &targets),
            content: &content,
            truncated,
            details: details.as_deref(),
            structured_content: structured.as_deref(),
            is_error: output.is_error,
            usage: output.usage.map(usage),
            partial,
        };
        let texts = [&details, &structured].into_iter().flatten().map(String::len).sum::<usize>();
        let size = size(&output.content) + texts;
        // A long result takes long to look through, also when nobody dawdles.
        let pieces = u32::try_from(size.div_ceil(PIECE)).unwrap_or(u32::MAX).max(1);
        let whole = self.0.linked.imports.full_result;
        let view = |view: &mut View| {
            view.full_result = whole.then(|| output.content.iter().filter_map(Content::as_text).collect());
        };
        let tool = partial.then_some(&*call.tool);
        let answer = ask!(&self.0, tool_result.call_review(event) update tool of Some(&call.id), at at, returning 2 * size, within time times pieces, with view)?;
        outcome(answer)
    }
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
        wit::Change::Content(content) => Change::Content(from_content(content)?),
        wit::Change::Details(text) => Change::Details(Some(json("the details", &text)?)),
        wit::Change::ClearDetails => Change::Details(None),
        wit::Change::StructuredContent(text) => {
            Change::StructuredContent(Some(object("the structured content", &text)?))
        }
        wit::Change::ClearStructuredContent => Change::StructuredContent(None),
        wit::Change::IsError(is_error) => Change::IsError(is_error),
        wit::Change::Usage(usage) => Change::Usage(from_usage(usage)?),
        wit::Change::Terminate(terminate) => Change::Terminate(terminate),
    })
}
