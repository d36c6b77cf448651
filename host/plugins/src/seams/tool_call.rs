//! `tool-call`: a gate.

use std::pin::pin;

use async_trait::async_trait;
use seam_harness::seams::{ToolCallGate, Verdict};
use seam_harness::{Failure, FinalCall};

use crate::bindings::exports::seam::harness::tool_call as wit;
use crate::convert::{Parts, invocation};
use crate::instance::Instances;
use crate::seams::absent;

/// A plugin's gate in one session.
pub(crate) struct ToolCallHook(pub(crate) std::sync::Arc<Instances>);

#[async_trait]
impl ToolCallGate for ToolCallHook {
    async fn decide(&self, call: &FinalCall) -> Result<Verdict, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let event = wit::Event { call: invocation(call, &targets) };
        let mut lease = self.0.lend(0).await?;
        let guest = lease.warm.guests.tool_call.as_ref().ok_or_else(absent)?;
        let answer = self.0.bounded(pin!(guest.call_decide(&mut lease.warm.store, event))).await;
        Ok(match self.0.settle(lease, answer)? {
            wit::Verdict::Block(wit::Refusal { reason, terminate }) => Verdict::Block { reason, terminate },
            wit::Verdict::Ask(question) => Verdict::Ask(question),
            wit::Verdict::Proceed => Verdict::Proceed,
        })
    }
}
