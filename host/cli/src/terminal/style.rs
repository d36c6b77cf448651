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

/// Text that cannot steer a terminal: no control characters but line ends and tabs.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

/// The first line's worth of a text, shortened to so many characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = clean(text).replace('\n', "⏎ ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
