//! All of them at once, and a session beside them that means no harm.

use std::fs;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinHandle;

use super::{Ready, deeds};
use crate::bed::{Bed, Session, text, trail};

/// Every deed there is, each again and again in a session of its own, until this is dropped.
pub struct Crowd {
    deeds: Vec<JoinHandle<()>>,
    longest: Arc<Mutex<(Duration, &'static str)>>,
    /// How many MiB they may take in all.
    pub takes_mib: u64,
}

impl Crowd {
    /// Lets them begin.
    pub async fn begin() -> Self {
        let deeds = deeds();
        let takes_mib = deeds.iter().map(|deed| deed.takes_mib).sum();
        let mut ready = Vec::new();
        for deed in deeds {
            ready.push((deed.name, deed.prepare().await));
        }
        let longest = Arc::<Mutex<_>>::default();
        let begin = |(name, ready)| tokio::spawn(watched(name, Arc::clone(&longest), again(ready)));
        Self { deeds: ready.into_iter().map(begin).collect(), longest, takes_mib }
    }

    /// For how long one of them has computed without giving way, and which one.
    pub fn longest(&self) -> (Duration, &'static str) {
        *self.longest.lock().expect("nobody panicked with it")
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.deeds.len()
    }

    /// Whether all of them are still at it.
    pub fn is_whole(&self) -> bool {
        self.deeds.iter().all(|deed| !deed.is_finished())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.deeds.iter().for_each(JoinHandle::abort);
    }
}

async fn again(mut ready: Ready) {
    loop {
        ready.happen().await;
        tokio::task::yield_now().await;
    }
}

/// The same work, of which it is noted how long its longest step takes.
async fn watched(name: &'static str, longest: Arc<Mutex<(Duration, &'static str)>>, work: impl Future<Output = ()>) {
    let mut work = pin!(work);
    poll_fn(|context| {
        let began = computed();
        let polled = work.as_mut().poll(context);
        let took = computed().saturating_sub(began);
        let mut longest = longest.lock().expect("nobody panicked with it");
        *longest = (*longest).max((took, name));
        polled
    })
    .await;
}

/// For how long this thread has computed so far. That others had the processor meanwhile does not count.
fn computed() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(told.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
}

/// A session with two gates: one refuses every command, one has nothing against any call.
pub struct Quiet(Session);

/// What became of its calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// How many were made.
    pub made: usize,
    /// How many the gate that refuses commands was asked about.
    pub gated: usize,
    /// How many it refused.
    pub refused: usize,
    /// How many of those it has nothing against ran.
    pub ran: usize,
    /// Whether a refused command ran.
    pub any_refused_ran: bool,
    /// How long each took, the shortest first.
    pub took: Vec<Duration>,
}

impl Quiet {
    /// Starts it.
    pub async fn start() -> Self {
        let refuses = json!({ "tool-call": { "do": "block", "text": "no", "tool": "bash" }, "observe": "quiet" });
        Self(Bed::new().everything("refuses", refuses).stress("agrees", json!({})).start().await)
    }

    /// Makes calls, of which every second is a command.
    pub async fn calls(&self, count: usize) -> Calls {
        let mut calls = Calls::default();
        let before = self.0.runs();
        for number in 0..count {
            // As a call that comes from elsewhere, it waits for its turn on a thread. That counts.
            let began = Instant::now();
            tokio::task::yield_now().await;
            let settled = match number % 2 {
                0 => self.0.echo("x").await,
                _ => self.0.call("bash", json!({ "command": "touch MARK" })).await,
            };
            calls.took.push(began.elapsed());
            calls.made += 1;
            calls.gated += usize::from(trail(&settled.decisions).iter().any(|by| by.starts_with("refuses tool-call")));
            calls.refused += usize::from(text(&settled) == "Blocked by plugin `refuses`: no");
        }
        calls.ran = self.0.runs() - before;
        calls.any_refused_ran = self.0.workspace.join("MARK").exists();
        calls.took.sort();
        calls
    }
}

impl Calls {
    /// The time within which so many of a hundred were done.
    pub fn percentile(&self, of_hundred: usize) -> Duration {
        let place = (self.took.len() * of_hundred).div_ceil(100).saturating_sub(1);
        self.took.get(place).copied().unwrap_or_default()
    }
}
