//! `tool-updates`: what a plugin's tool has so far. It speaks for the running call alone.

use seam_loop::ToolOutput;
use wasmtime::Result;

use crate::bindings::seam::harness::tool_updates::Host;
use crate::bindings::seam::harness::types::ContentResult;
use crate::convert::content::from_content;
use crate::convert::json;
use crate::state::{Misuse, State};

impl Host for State {
    async fn send(&mut self, content: Vec<ContentResult>, details: Option<String>) -> Result<bool> {
        let Some((updates, abort)) = self.view.updates.clone() else {
            return Err(Misuse("it sent an update outside `tools.execute`").into());
        };
        let details = details.map(|details| json("the details", &details)).transpose();
        let details = details.map_err(|_| Misuse("the details of an update are not JSON"))?;
        let partial = ToolOutput { content: from_content(content), details, ..ToolOutput::default() };
        tokio::select! {
            biased;
            () = abort.cancelled() => {}
            () = updates.send(partial) => {}
        }
        Ok(!abort.is_cancelled())
    }
}
