//! How much a tool tells the model, and how a text is cut.

/// Most bytes of text in one result.
pub(crate) const MAX_BYTES: usize = 50 * 1024;

/// Most lines of text in one result.
pub(crate) const MAX_LINES: usize = 2_000;

/// The longest start of the text that has at most `bytes` bytes and cuts no character.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The longest end of the text that has at most `bytes` bytes and cuts no character.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_cut() {
        assert_eq!((head("a€b", 2), head("a€b", 4), head("ab", 9)), ("a", "a€", "ab"));
        assert_eq!((tail("a€b", 2), tail("a€b", 4), tail("ab", 9)), ("b", "€b", "ab"));
    }
}
