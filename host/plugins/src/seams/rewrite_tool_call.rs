//! `rewrite-tool-call`: new arguments before any gate.

use std::pin::pin;

use async_trait::async_trait;
use seam_harness::Failure;
use seam_harness::seams::RewriteToolCall;
use seam_loop::ToolCall;

use crate::bindings::exports::seam::harness::rewrite_tool_call as wit;
use crate::convert::{Parts, invocation};
use crate::instance::Instances;
use crate::seams::absent;

/// A plugin's rewriting in one session.
pub(crate) struct RewriteToolCallHook(pub(crate) std::sync::Arc<Instances>);

#[async_trait]
impl RewriteToolCall for RewriteToolCallHook {
    async fn rewrite(&self, call: &ToolCall) -> Result<Option<String>, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let event = wit::Event { call: invocation(call, &targets) };
        let mut lease = self.0.lend(2 * call.arguments.text().len()).await?;
        let guest = lease.warm.guests.rewrite_tool_call.as_ref().ok_or_else(absent)?;
        let answer = self.0.bounded(pin!(guest.call_rewrite(&mut lease.warm.store, event))).await;
        Ok(match self.0.settle(lease, answer)? {
            wit::Outcome::Arguments(arguments) => Some(arguments),
            wit::Outcome::Keep => None,
        })
    }
}
