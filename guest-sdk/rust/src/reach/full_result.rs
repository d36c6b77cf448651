//! The text of a result too long for its event: the import `full-result`. Always granted; shown by the audit.
//!
//! A view of the running call: outside `tool-result` it traps.

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::full_result as import;
#[cfg(not(target_family = "wasm"))]
use crate::testing::full_result as import;

/// The most that one read gives.
const PIECE: u32 = 1 << 20;

/// The length in bytes of all its text, one text after another.
pub fn length() -> u32 {
    import::length()
}

/// The text from byte `offset` on, at most `length` bytes of it and at most 1 MiB; empty at the end.
///
/// Both ends move back to the start of a character; a `length` smaller than the first character gives that one.
pub fn read(offset: u32, length: u32) -> String {
    import::read(offset, length)
}

/// All of the text, in as many reads as it takes.
pub fn read_all() -> String {
    let mut text = String::with_capacity(length() as usize);
    loop {
        let piece = read(text.len() as u32, PIECE);
        if piece.is_empty() {
            return text;
        }
        text.push_str(&piece);
    }
}
