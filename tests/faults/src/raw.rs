//! The calls themselves, past the C library's functions: those lead back here.

use libc::{c_int, c_void, off_t, size_t, ssize_t};

/// # Safety
/// `bytes` has `count` bytes.
pub(crate) unsafe fn write(file: c_int, bytes: *const c_void, count: size_t) -> ssize_t {
    // SAFETY: the caller's.
    unsafe { libc::syscall(libc::SYS_write, file, bytes, count) as ssize_t }
}

/// # Safety
/// `bytes` has `count` bytes.
pub(crate) unsafe fn write_at(file: c_int, bytes: *const c_void, count: size_t, at: off_t) -> ssize_t {
    // SAFETY: the caller's.
    unsafe { libc::syscall(libc::SYS_pwrite64, file, bytes, count, at) as ssize_t }
}

pub(crate) fn sync(file: c_int) -> ssize_t {
    // SAFETY: it takes no pointer.
    unsafe { libc::syscall(libc::SYS_fsync, file) as ssize_t }
}

pub(crate) fn cut(file: c_int, length: off_t) -> ssize_t {
    // SAFETY: it takes no pointer.
    unsafe { libc::syscall(libc::SYS_ftruncate, file, length) as ssize_t }
}

/// Makes a file hold these bytes, whatever else becomes of it.
pub(crate) fn put_back(file: c_int, bytes: &[u8]) {
    cut(file, 0);
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        // SAFETY: `rest` has that many bytes.
        match unsafe { write_at(file, rest.as_ptr().cast(), rest.len(), done as off_t) } {
            written if written > 0 => done += written.unsigned_abs(),
            _ => std::process::abort(),
        }
    }
}

/// What a failed call gives.
pub(crate) fn failed(error: c_int) -> ssize_t {
    // SAFETY: the place of this thread's error number, which is always there.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Ends the process as a kill from outside does.
pub(crate) fn die() -> ! {
    // SAFETY: it takes no pointer.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    loop {
        std::hint::spin_loop();
    }
}
