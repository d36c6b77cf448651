//! `full-result`: the whole text of the result under review. There is none outside such a call.

use wasmtime::Result;

use crate::bindings::seam::harness::full_result::Host;
use crate::reach::NONE;
use crate::state::{Misuse, State};

/// The most one read gives, in bytes.
const LONGEST: usize = 1 << 20;

impl Host for State {
    fn length(&mut self) -> Result<u32> {
        self.answered("full-result.length", &NONE, |state| Ok(u32::try_from(text(state)?.len())?))
    }

    fn read(&mut self, offset: u32, length: u32) -> Result<String> {
        self.answered("full-result.read", &[offset, length], |state| {
            Ok(slice(text(state)?, offset as usize, length as usize).to_owned())
        })
    }
}

fn text(state: &State) -> Result<&str> {
    match &state.view.full_result {
        Some(text) => Ok(text),
        None => Err(Misuse("it read `full-result` outside `tool-result`").into()),
    }
}

/// At most `length` bytes from `offset` on. Both ends move back to the start of a character, but where that would give
/// nothing before the end, one character is given.
fn slice(text: &str, offset: usize, length: usize) -> &str {
    let start = text.floor_char_boundary(offset);
    let end = text.floor_char_boundary(start.saturating_add(length.min(LONGEST)));
    let end = if end == start { text.ceil_char_boundary(start + 1) } else { end };
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::slice;

    #[test]
    fn ends_move_back_to_the_start_of_a_character() {
        assert_eq!(slice("aäb", 0, 2), "a");
        assert_eq!(slice("aäb", 2, 2), "ä");
        assert_eq!(slice("aäb", 3, 9), "b");
        assert_eq!(slice("aäb", 4, 9), "");
        assert_eq!(slice("aäb", 99, 9), "");
    }

    #[test]
    fn a_read_shorter_than_a_character_gives_that_character() {
        assert_eq!(slice("😀b", 0, 1), "😀");
        assert_eq!(slice("ab", 0, 0), "a");
    }

    #[test]
    fn reading_on_from_the_end_of_each_piece_gives_the_whole() {
        let text = "aä😀".repeat(100);
        let (mut at, mut whole) = (0, String::new());
        while at < text.len() {
            let piece = slice(&text, at, 3);
            at += piece.len();
            whole.push_str(piece);
        }
        assert_eq!(whole, text);
    }
}
