//! Keeps WASI out of a plugin: three functions of the C library that std's panic path calls.
//!
//! std links them in for its default panic message, its backtrace setting and its abort, and each brings the C
//! library's file table, environment and exit along: imports of 13 WASI interfaces that no plugin uses. Defined here,
//! the C library's own are never taken. Should std or the C library change, the imports come back: more imports are
//! asked for, none is granted silently, and the test of the example plugins' imports fails.

#![allow(unsafe_code, reason = "replaces four C functions by name")]

use core::ffi::{c_char, c_int, c_void};

/// Standard output and error go nowhere; any other file is an error.
#[unsafe(no_mangle)]
extern "C" fn write(file: c_int, _bytes: *const c_void, length: usize) -> isize {
    if matches!(file, 1 | 2) { length as isize } else { -1 }
}

/// No variable is set.
#[unsafe(no_mangle)]
extern "C" fn getenv(_name: *const c_char) -> *const c_char {
    core::ptr::null()
}

/// Traps.
#[unsafe(no_mangle)]
extern "C" fn abort() -> ! {
    core::arch::wasm32::unreachable()
}

/// No memory. std's backtrace asks for the working folder, which would bring in the C library's allocator.
#[unsafe(no_mangle)]
extern "C" fn strdup(_text: *const c_char) -> *mut c_char {
    core::ptr::null_mut()
}
