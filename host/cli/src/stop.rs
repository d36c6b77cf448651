//! How runs are told to stop: Ctrl-C, SIGTERM and SIGHUP abort what runs, a second of them ends it at once.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use seam_loop::CancellationToken;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// How long a run that is to end at once may take for it.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The user's ways to stop what runs. Cloning shares them.
#[derive(Clone)]
pub(crate) struct Stop {
    state: Arc<Mutex<State>>,
    /// Fires at the second signal: the run is dropped, which kills what it started.
    pub(crate) at_once: CancellationToken,
}

#[derive(Default)]
struct State {
    abort: CancellationToken,
    /// Somebody types one prompt after the other: Ctrl-C ends what runs now, and no more than that.
    outlives: bool,
    /// Nothing more is to run.
    over: bool,
}

impl Stop {
    /// Listens from here on.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let mut signals = Signals::listen()?;
        let stop = Self { state: Arc::default(), at_once: CancellationToken::new() };
        let heard = stop.clone();
        tokio::spawn(async move {
            while !heard.again(signals.next().await) {}
            heard.at_once.cancel();
            tokio::time::sleep(AT_ONCE).await;
            std::process::exit(Exit::Aborted as i32);
        });
        Ok(stop)
    }

    /// Fires at the first signal: what runs now stops what it started and ends.
    pub(crate) fn abort(&self) -> CancellationToken {
        self.lock().abort.clone()
    }

    /// From here on Ctrl-C ends what runs, and others may run after it.
    pub(crate) fn outlive_interrupts(&self) {
        self.lock().outlives = true;
    }

    /// What runs from here on has not been stopped yet. False when nothing more is to run.
    pub(crate) fn renew(&self) -> bool {
        let mut state = self.lock();
        if !state.over && state.abort.is_cancelled() {
            state.abort = CancellationToken::new();
        }
        !state.over
    }

    /// A signal came. Gives whether it is a second one.
    fn again(&self, signal: SignalKind) -> bool {
        let mut state = self.lock();
        if state.abort.is_cancelled() {
            return true;
        }
        state.abort.cancel();
        state.over = !state.outlives || signal != SignalKind::interrupt();
        false
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            () = heard(self.hangup.as_mut()) => SignalKind::hangup(),
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
