//! `tool-updates`: what a plugin's tool has so far. It speaks for the running call alone.
//!
//! Each update says all there is so far, and the result says it again: one that comes too soon is left out. Of that one
//! the journal holds that it was sent, and not what.

use std::time::{Duration, Instant};

use seam_loop::ToolOutput;
use wasmtime::Result;

use crate::bindings::seam::harness::tool_updates::Host;
use crate::bindings::seam::harness::types::ContentResult;
use crate::convert::content::from_content;
use crate::convert::json;
use crate::reach::NONE;
use crate::state::{LiveUpdates, Misuse, State};

/// The shortest time between two updates of a call.
const UPDATE: Duration = Duration::from_millis(100);

const SEND: &str = "tool-updates.send";

impl Host for State {
    async fn send(&mut self, content: Vec<ContentResult>, details: Option<String>) -> Result<bool> {
        self.counted()?;
        let (arguments, goes_on) = match self.goes_on_without()? {
            Some(goes_on) => (self.asked_again(&(NONE, None::<String>)), goes_on),
            None => {
                let arguments = self.asked_again(&(&content, &details));
                (arguments, self.update(content, details).await?)
            }
        };
        self.heard(SEND, arguments, &goes_on);
        Ok(goes_on)
    }
}

impl State {
    /// Where updates of the running call go.
    fn live(&mut self) -> Result<&mut LiveUpdates> {
        self.view.updates.as_mut().ok_or_else(|| Misuse("it sent an update outside `tools.execute`").into())
    }

    /// Whether the call goes on, when an update comes too soon.
    fn goes_on_without(&mut self) -> Result<Option<bool>> {
        let live = self.live()?;
        let is_early = live.last.is_some_and(|last| last.elapsed() < UPDATE);
        Ok(is_early.then(|| !live.abort.is_cancelled()))
    }

    async fn update(&mut self, content: Vec<ContentResult>, details: Option<String>) -> Result<bool> {
        let live = self.live()?;
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
