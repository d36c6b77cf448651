//! `tool-call`: a gate.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{ToolCallGate, Verdict};
use seam_harness::{Failure, FinalCall, Moment};

use crate::bindings::exports::seam::harness::tool_call as wit;
use crate::convert::call::{Parts, invocation};
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl ToolCallGate for Asked {
    async fn decide(&self, call: &FinalCall, at: &Moment) -> Result<Verdict, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let event = wit::Event { call: invocation(call, &targets) };
        Ok(match ask!(&self.0, tool_call.call_decide(event) of Some(&call.id), at at, returning 0)? {
            wit::Verdict::Block(wit::Refusal { reason, terminate }) => Verdict::Block { reason, terminate },
            wit::Verdict::Ask(question) => Verdict::Ask(question),
            wit::Verdict::Proceed => Verdict::Proceed,
        })
    }
}
