//! `tool-updates`: what a plugin's tool has so far. It speaks for the running call alone.
//!
//! Each update says all there is so far, and the result says it again: one that comes too soon is left out.

use std::time::{Duration, Instant};

use seam_loop::ToolOutput;
use wasmtime::Result;

use crate::bindings::seam::harness::tool_updates::Host;
use crate::bindings::seam::harness::types::ContentResult;
use crate::convert::content::from_content;
use crate::convert::json;
use crate::state::{Misuse, State};

/// The shortest time between two updates of a call.
const UPDATE: Duration = Duration::from_millis(100);

const SEND: &str = "tool-updates.send";

impl Host for State {
    async fn send(&mut self, content: Vec<ContentResult>, details: Option<String>) -> Result<bool> {
        let arguments = self.asked(SEND, &(&content, &details));
        let goes_on = self.update(content, details).await?;
        self.heard(SEND, arguments, &goes_on);
        Ok(goes_on)
    }
}

impl State {
    async fn update(&mut self, content: Vec<ContentResult>, details: Option<String>) -> Result<bool> {
        let Some(live) = &mut self.view.updates else {
            return Err(Misuse("it sent an update outside `tools.execute`").into());
        };
        if live.last.is_some_and(|last| last.elapsed() < UPDATE) {
            return Ok(!live.abort.is_cancelled());
        }
        let details = details.map(|details| json("the details", &details)).transpose();
        let details = details.map_err(|_| Misuse("the details of an update are not JSON"))?;
        let content = from_content(content).map_err(|_| Misuse("a picture of an update has no type of a picture"))?;
        let partial = ToolOutput { content, details, ..ToolOutput::default() };
        tokio::select! {
            biased;
            () = live.abort.cancelled() => {}
            () = live.updates.send(partial) => {}
        }
        live.last = Some(Instant::now());
        Ok(!live.abort.is_cancelled())
    }
}
