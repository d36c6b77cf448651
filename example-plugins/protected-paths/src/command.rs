//! The words of a shell command that may be paths, without running or fully parsing it.

/// The command cut where a word may end or a variable may start; quotes and backslashes taken away, so that `.en""v`
/// reads `.env`. What expansions and globs stand for is not known.
pub(crate) fn words(command: &str) -> Vec<String> {
    command
        .split(|c: char| c.is_whitespace() || ";|&<>()$={}`,:".contains(c))
        .map(|word| word.replace(['\'', '"', '\\'], ""))
        .filter(|word| !word.is_empty())
        .collect()
}
