//! How a run is told to stop: Ctrl-C, SIGTERM and SIGHUP abort it, a second of them ends it at once.

use std::io;
use std::time::Duration;

use seam_loop::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// How long a run that is to end at once may take for it.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The user's two ways to stop a run.
pub(crate) struct Stop {
    /// Fires at the first signal: the run stops what it started and ends.
    pub(crate) abort: CancellationToken,
    /// Fires at the second: the run is dropped, which kills what it started.
    pub(crate) at_once: CancellationToken,
}

impl Stop {
    /// Listens from here on.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let mut signals = Signals::listen()?;
        let stop = Self { abort: CancellationToken::new(), at_once: CancellationToken::new() };
        let (abort, at_once) = (stop.abort.clone(), stop.at_once.clone());
        tokio::spawn(async move {
            signals.next().await;
            abort.cancel();
            signals.next().await;
            at_once.cancel();
            tokio::time::sleep(AT_ONCE).await;
            std::process::exit(Exit::Aborted as i32);
        });
        Ok(stop)
    }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// None when whoever started `seam` wants it to outlive the terminal, as `nohup` does.
    hangup: Option<Signal>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = heard(self.hangup.as_mut()) => {}
        }
    }
}

async fn heard(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether the process was started with this signal ignored. Known on Linux alone.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    ignored >> (signal.as_raw_value() - 1) & 1 == 1
}
