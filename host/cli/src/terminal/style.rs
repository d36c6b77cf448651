//! Colours and clean text. A colour never carries a meaning alone.

use std::io::IsTerminal as _;

/// How text is set off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    coloured: bool,
}

impl Style {
    /// Colours when stdout is a terminal and `NO_COLOR` is not set.
    pub(crate) fn for_stdout() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { coloured: !refused && std::io::stdout().is_terminal() }
    }

    /// No colours.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { coloured: false }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.set(text, "1")
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.set(text, "2")
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.set(text, "31")
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.set(text, "32")
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.set(text, "33")
    }

    fn set(self, text: &str, code: &str) -> String {
        if self.coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Text that cannot steer a terminal: no control characters but line ends and tabs. What would turn the text around or
/// take no room is named.
pub(crate) fn clean(text: &str) -> String {
    let kept = text.chars().filter(|c| is_layout(*c) || !c.is_control());
    named(kept, is_unseen)
}

/// Like [`clean`], with every control character named too: for what somebody has to judge to the letter.
pub(crate) fn exact(text: &str) -> String {
    named(text.chars(), |c| is_unseen(c) || c.is_control() && !is_layout(c))
}

/// Clean text on one line, its end cut off beyond so many characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = clean(text).replace('\n', "⏎ ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A text of about so many characters, its middle cut out: the end often says what matters.
pub(crate) fn both_ends(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let tail = most / 3;
    let head: String = text.chars().take(most - tail).collect();
    let tail: String = text.chars().skip(length - tail).collect();
    format!("{head} […{} more characters…] {tail}", length - most)
}

fn named(text: impl Iterator<Item = char>, is_named: impl Fn(char) -> bool) -> String {
    let mut named = String::new();
    for c in text {
        match is_named(c) {
            true => named.extend(c.escape_unicode()),
            false => named.push(c),
        }
    }
    named
}

fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

/// Whether a character takes no room, ends a line or changes the direction of others.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_or_hides() {
        assert_eq!(clean("a\u{1b}[31m\tb\r\n\u{202e}c\u{200b}"), "a[31m\tb\n\\u{202e}c\\u{200b}");
        assert_eq!(exact("a\r\u{1b}\n"), "a\\u{d}\\u{1b}\n");
    }

    #[test]
    fn what_is_long_says_so() {
        assert_eq!(one_line("a\nbcd", 5), "a⏎ b…");
        assert_eq!(both_ends("abcdefghij", 6), "abcd […4 more characters…] ij");
        assert_eq!(both_ends("abcdef", 6), "abcdef");
    }
}
