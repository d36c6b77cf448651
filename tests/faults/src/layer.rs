//! Counts the calls on the chosen files, and does the deed when its turn has come.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use libc::{EIO, ENOSPC, c_int, ssize_t};

use crate::plan::{Call, Deed, Plan};
use crate::raw;

static LAYER: OnceLock<Option<Layer>> = OnceLock::new();

struct Layer {
    plan: Plan,
    /// One call after another on the chosen files: none comes between a deed and the end of the process.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seen: u64,
    /// What each file holds for certain: what it held at first, or when it was last synced.
    synced: HashMap<PathBuf, Vec<u8>>,
}

/// Does a call, or what the plan says instead. `work` does it, or the first half of it.
pub(crate) fn through(call: Call, file: c_int, work: impl Fn(bool) -> ssize_t) -> ssize_t {
    let layer = LAYER.get_or_init(|| Plan::read().map(|plan| Layer { plan, state: Mutex::default() }));
    let Some(Layer { plan, state }) = layer else { return work(false) };
    let path = fs::read_link(format!("/proc/self/fd/{file}")).unwrap_or_default();
    if !path.to_string_lossy().contains(&plan.part) {
        return work(false);
    }
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if plan.is_power() {
        state.synced.entry(path.clone()).or_insert_with(|| fs::read(&path).unwrap_or_default());
    }
    let done = state.turn(plan, call, work);
    if plan.is_power() && call == Call::Sync && done == 0 {
        state.synced.insert(path.clone(), fs::read(&path).unwrap_or_default());
    }
    done
}

impl State {
    /// Counts a call, and does it or the deed.
    fn turn(&mut self, plan: &Plan, call: Call, work: impl Fn(bool) -> ssize_t) -> ssize_t {
        match (plan.deed, call) {
            (Deed::Full, Call::Write | Call::Place) if self.seen >= plan.number => return raw::failed(ENOSPC),
            (Deed::Stuck, Call::Cut) if self.seen >= plan.number => return raw::failed(EIO),
            _ => {}
        }
        if !plan.counts(call) {
            return work(false);
        }
        self.seen += 1;
        match self.seen.checked_sub(plan.number) {
            Some(0) => self.deed(plan.deed, call, work),
            Some(1) if matches!(plan.deed, Deed::Half | Deed::Stuck) => raw::failed(EIO),
            _ => work(false),
        }
    }

    fn deed(&self, deed: Deed, call: Call, work: impl Fn(bool) -> ssize_t) -> ssize_t {
        log();
        match deed {
            Deed::Error => return raw::failed(EIO),
            Deed::Full => return raw::failed(ENOSPC),
            // A `pwrite` is of one page here, which is written whole or not at all.
            Deed::Half | Deed::Stuck if call == Call::Place => return raw::failed(EIO),
            Deed::Short | Deed::Half | Deed::Stuck => return work(true),
            Deed::Kill => {}
            Deed::KillHalf if call == Call::Place => {}
            Deed::KillHalf => drop(work(true)),
            Deed::KillAfter => drop(work(false)),
            Deed::Power => self.synced.iter().for_each(|(path, bytes)| put_back(path, bytes)),
            Deed::PowerHalf => self.synced.iter().for_each(|(path, bytes)| put_back(path, &half(path, bytes))),
        }
        raw::die()
    }
}

/// What was synced of a file, and the first half of what was appended to it since.
fn half(path: &Path, synced: &[u8]) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap_or_default();
    let Some(new) = bytes.strip_prefix(synced).map(<[u8]>::len) else { return synced.to_owned() };
    bytes.truncate(synced.len() + new / 2);
    bytes
}

fn put_back(path: &Path, bytes: &[u8]) {
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        raw::put_back(file.as_raw_fd(), bytes);
    }
}

/// Notes that the deed is done. A log that cannot be written ends the process: a test would hold for nothing.
fn log() {
    let Some(log) = std::env::var_os("SEAM_FAULTS_LOG") else { return };
    let file = OpenOptions::new().create(true).append(true).open(log);
    let written = file.map(|file| {
        let line = b"FAULT\n";
        // SAFETY: `line` has that many bytes.
        unsafe { raw::write(file.as_raw_fd(), line.as_ptr().cast(), line.len()) }
    });
    if !written.is_ok_and(|written| written > 0) {
        std::process::abort();
    }
}
