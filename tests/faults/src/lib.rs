//! Faults of files for a real process. Loaded in front of the C library (`LD_PRELOAD`), it lets every call through but one
//! on chosen files: that one fails, ends half-way, or is the last thing the process does.
//!
//! `SEAM_FAULTS` says which, in four words: `CALL NUMBER DEED PART`. The calls of this kind are counted, from 1, on files
//! whose path has this part. Without it nothing is changed.
//!
//! | call | |
//! |---|---|
//! | `write` | `write`, `pwrite` |
//! | `sync` | `fsync`, `fdatasync` |
//! | `cut` | `ftruncate` |
//! | `any` | all of them |
//!
//! | deed | |
//! |---|---|
//! | `error` | it fails once: an error of the device |
//! | `full` | it fails, and so does every later write: no space is left |
//! | `short` | half of it is written, and no error: the caller has to write the rest |
//! | `half` | half of it is written, and the next call fails: an error of the device |
//! | `stuck` | as `half`, and the file cannot be cut any more |
//! | `kill` | the process is killed instead |
//! | `kill-half` | half of it is written, then the process is killed |
//! | `kill-after` | it is done, then the process is killed |
//! | `power` | the process is killed, and all files of that part are as they were when they were last synced |
//! | `power-half` | as `power`, but half of what was appended since then is there |
//!
//! Half of a `pwrite` is nothing, but for `short`: it is of one page here, which a disk writes whole or not at all.
//!
//! To the file that `SEAM_FAULTS_LOG` names it appends the line `FAULT` when it does its deed. It is for tests alone.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "it stands in for functions of the C library, which take pointers")]

mod layer;
mod plan;
mod raw;

use libc::{c_int, c_void, off_t, size_t, ssize_t};

use layer::through;
use plan::Call;

/// Stands in for `write`.
///
/// # Safety
/// As that of the C library: `bytes` has `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    // SAFETY: the caller's; less than `count` is part of it.
    through(Call::Write, file, |half| unsafe { raw::write(file, bytes, if half { count / 2 } else { count }) })
}

/// Stands in for `pwrite`.
///
/// # Safety
/// As that of the C library: `bytes` has `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite(file: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    // SAFETY: the caller's; less than `count` is part of it.
    through(Call::Place, file, |half| unsafe { raw::write_at(file, bytes, if half { count / 2 } else { count }, at) })
}

/// Stands in for `pwrite64`.
///
/// # Safety
/// As that of the C library: `bytes` has `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite64(file: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    // SAFETY: the caller's.
    unsafe { pwrite(file, bytes, count, at) }
}

/// Stands in for `fsync`.
#[unsafe(no_mangle)]
pub extern "C" fn fsync(file: c_int) -> c_int {
    i32::from(through(Call::Sync, file, |_| raw::sync(file)) != 0).wrapping_neg()
}

/// Stands in for `fdatasync`.
#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(file: c_int) -> c_int {
    fsync(file)
}

/// Stands in for `ftruncate`.
#[unsafe(no_mangle)]
pub extern "C" fn ftruncate(file: c_int, length: off_t) -> c_int {
    i32::from(through(Call::Cut, file, |_| raw::cut(file, length)) != 0).wrapping_neg()
}

/// Stands in for `ftruncate64`.
#[unsafe(no_mangle)]
pub extern "C" fn ftruncate64(file: c_int, length: off_t) -> c_int {
    ftruncate(file, length)
}
