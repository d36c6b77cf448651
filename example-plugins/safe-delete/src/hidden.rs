//! Looks for deletes that a shell function named `rm` cannot catch. By the words of a command: help, no boundary.

/// Programs and options that start the program named next to them, past any function.
const STARTERS: &[&str] = &[
    "busybox", "chroot", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "parallel", "setsid", "stdbuf",
    "sudo", "timeout", "xargs", "-exec", "-execdir", "-ok", "-okdir",
];
/// Programs that run a text as a command.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];
/// Programs that delete and have no function here.
const DELETERS: &[&str] = &["shred", "unlink"];
/// What cuts a command into its parts.
const SEPARATORS: &[char] = &[';', '&', '|', '\n', '(', ')', '{', '}', '`'];

/// Whether `rm` is a word of the command, with or without quotes and backslashes.
pub(crate) fn mentions_rm(command: &str) -> bool {
    parts(command).any(|words| words.iter().any(|word| program(word) == "rm"))
}

/// The part of the command that deletes past the function, when one does.
pub(crate) fn delete(command: &str) -> Option<&str> {
    let hides = |part: &&str| deletes_past_function(&words(part));
    command.split(SEPARATORS).map(str::trim).find(hides).or_else(|| runs_text_with_rm(command).then(|| command.trim()))
}

/// Whether the words of one simple command start a delete by a path or through another program.
fn deletes_past_function(words: &[String]) -> bool {
    let starts = |word: &String| STARTERS.contains(&program(word));
    words.iter().any(|word| word == "-delete")
        || words.first().is_some_and(|word| DELETERS.contains(&program(word)))
        || words.iter().any(|word| word.ends_with("/rm"))
        || words.iter().position(starts).is_some_and(|at| {
            words.iter().skip(at + 1).any(|word| program(word) == "rm" || DELETERS.contains(&program(word)))
        })
}

/// Whether a shell is given a text, and the command names `rm` somewhere behind it.
fn runs_text_with_rm(command: &str) -> bool {
    let mut words = words(command).into_iter();
    let shell = words.by_ref().any(|word| SHELLS.contains(&program(&word)));
    shell && words.any(|word| word.split(SEPARATORS).any(|part| program(part) == "rm"))
}

fn parts(command: &str) -> impl Iterator<Item = Vec<String>> {
    command.split(SEPARATORS).map(words)
}

/// Words without their quotes and backslashes.
fn words(part: &str) -> Vec<String> {
    part.split_whitespace().map(|word| word.replace(['\'', '"', '\\'], "")).collect()
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
