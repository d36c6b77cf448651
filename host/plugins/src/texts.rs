//! A plugin's words where a person or the model reads them beside the host's: bounded, with nothing that steers or hides.

/// At most so many bytes of a text, without what steers a screen, takes no room or turns text around. Line ends and
/// tabs stay.
pub(crate) fn clean(text: &str, most: usize) -> String {
    let kept = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    kept.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control() && !is_unseen(*c)).collect()
}

/// The same on one line.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let kept = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    kept.chars().filter(|c| !is_unseen(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The first bytes of a text, at most so many.
pub(crate) fn start(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

/// The last bytes of a text, at most so many.
pub(crate) fn end(mut text: String, most: usize) -> String {
    text.drain(..text.ceil_char_boundary(text.len().saturating_sub(most)));
    text
}

/// Whether a character takes no room, ends a line or changes the direction of others.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_or_hides() {
        let text = "a\u{1b}[31m\tb\r\n\u{202e}c\u{200b}\u{e0041}ä";
        assert_eq!(clean(text, 99), "a[31m\tb\ncä");
        assert_eq!(one_line(text, 99), "a [31m b  cä");
    }

    #[test]
    fn it_is_cut_between_characters() {
        assert_eq!(clean("aää", 4), "aä");
        assert_eq!(one_line("aää", 2), "a");
        assert_eq!((start("aää".to_owned(), 4), end("ääa".to_owned(), 4)), ("aä".to_owned(), "äa".to_owned()));
        assert_eq!((start("a".to_owned(), 4), end("a".to_owned(), 4)), ("a".to_owned(), "a".to_owned()));
    }
}
