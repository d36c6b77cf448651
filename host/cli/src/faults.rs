//! An error as a person reads it.

use crate::terminal::style::clean;

/// An error and its causes, each once: many messages hold their cause already.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.iter().any(|message| message.contains(&cause)) {
            told.push(cause);
        }
    }
    clean(told.join(": ").trim_end())
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    #[test]
    fn a_cause_that_was_told_is_not_told_again() {
        let error = anyhow!("no such file").context("x cannot be read: no such file").context("no settings");
        assert_eq!(super::told(&error), "no settings: x cannot be read: no such file");
    }
}
