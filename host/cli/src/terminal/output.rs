//! What `seam` says, on stdout and on stderr. That it cannot be heard stops no run: an effect is never left half-way.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stdout. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    failed: Arc<AtomicBool>,
}

impl Output {
    /// Prints. After the first failure, which is told once on stderr, nothing is printed any more.
    pub(crate) fn print(&self, text: &str) {
        if self.has_failed() {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.failed.store(true, Ordering::Relaxed);
            complain(&format!("the output cannot be written ({error}); what follows is not shown"));
        }
    }

    /// Whether something could not be printed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Tells of something wrong, on stderr. On a terminal no word is broken at its edge.
pub(crate) fn complain(text: &str) {
    let text = format!("seam: {text}");
    let width = rustix::termios::tcgetwinsize(io::stderr()).ok().map(|size| usize::from(size.ws_col));
    // Some terminals do not say.
    let text = width.filter(|width| *width > 0).map_or(text.clone(), |width| at_words(&text, width));
    let _nobody_hears = writeln!(io::stderr().lock(), "{text}");
}

/// The text with its first line broken at words. Further lines are to be copied, and stay as they are.
fn at_words(text: &str, width: usize) -> String {
    let (first, rest) = text.split_once('\n').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let mut lines: Vec<String> = Vec::new();
    for word in first.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push_str(&format!(" {word}"));
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.extend(rest.map(str::to_owned));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::at_words;

    #[test]
    fn lines_end_between_words_and_lines_to_copy_stay() {
        assert_eq!(at_words("seam: one two three", 13), "seam: one two\nthree");
        assert_eq!(at_words("seam: /a/long/path is", 8), "seam:\n/a/long/path\nis");
        assert_eq!(at_words("seam: add\n    exec = [\"git\"]", 10), "seam: add\n    exec = [\"git\"]");
    }
}
