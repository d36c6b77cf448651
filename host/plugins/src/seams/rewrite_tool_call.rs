//! `rewrite-tool-call`: new arguments before any gate.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::RewriteToolCall;
use seam_harness::{Failure, Moment};
use seam_loop::ToolCall;

use crate::bindings::exports::seam::harness::rewrite_tool_call as wit;
use crate::convert::call::{Parts, invocation};
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl RewriteToolCall for Asked {
    async fn rewrite(&self, call: &ToolCall, at: &Moment) -> Result<Option<String>, Failure> {
        let parts = Parts::of(call);
        let targets = parts.targets();
        let event = wit::Event { call: invocation(call, &targets) };
        let returned = 2 * call.arguments.text().len();
        Ok(match ask!(&self.0, rewrite_tool_call.call_rewrite(event) of Some(&call.id), at at, returning returned)? {
            wit::Outcome::Arguments(arguments) => Some(arguments),
            wit::Outcome::Keep => None,
        })
    }
}
