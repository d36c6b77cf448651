//! The threads of everything that asks plugins or a model.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Builder;

use crate::exit::Exit;

/// How long blocking work that is left at the end may take to finish, such as a write. Then it is abandoned.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// After so many steps of other work, signals and timers are looked at. A guest that computes gives way every 5 ms, and
/// as many of them as there are threads must not keep Ctrl-C from being noticed.
const EVENT_INTERVAL: u32 = 8;

/// Does it to the end.
pub(crate) fn with_threads(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = Builder::new_multi_thread().enable_all().event_interval(EVENT_INTERVAL).build();
    let runtime = runtime.context("the threads that a run needs cannot be started")?;
    let result = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_MOMENT);
    result
}
