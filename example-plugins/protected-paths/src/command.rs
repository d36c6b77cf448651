//! The words of a shell command that may be paths, without running or fully parsing it.

use std::iter::Peekable;
use std::str::Chars;

/// A character of a command, behind its quotes and backslashes.
#[derive(Clone, Copy)]
pub(crate) struct Char {
    pub(crate) char: char,
    /// Whether the shell takes it as it is.
    pub(crate) quoted: bool,
}

/// The command cut where a word must end, in quotes too: they may hold a command for another shell.
pub(crate) fn words(command: &str) -> Vec<Vec<Char>> {
    unquoted(command)
        .split(|c| c.char.is_whitespace() || ";|&<>()`".contains(c.char))
        .filter(|word| !word.is_empty())
        .map(<[Char]>::to_vec)
        .collect()
}

pub(crate) fn plain(word: &[Char]) -> String {
    word.iter().map(|c| c.char).collect()
}

/// What may be a path in a word: all of it, and what stands behind a sign that a path seldom has.
pub(crate) fn candidates(word: &str) -> impl Iterator<Item = &str> {
    let pieces = word.split(is_separator).filter(|piece| piece.len() < word.len());
    let attached = word.split(is_separator).filter_map(attached_value);
    let defaults = word.split("${").skip(1).filter_map(default_value);
    std::iter::once(word).chain(pieces).chain(attached).chain(defaults).filter(|piece| !piece.is_empty())
}

fn is_separator(c: char) -> bool {
    "$={}[],:@".contains(c)
}

/// `.env` of `-f.env`.
fn attached_value(piece: &str) -> Option<&str> {
    let mut option = piece.strip_prefix('-')?.chars();
    option.next()?;
    Some(option.as_str())
}

/// `.env` of `x:-.env}`.
fn default_value(parameter: &str) -> Option<&str> {
    let value = parameter.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    value.trim_start_matches([':', '-', '+', '=', '?']).split(is_separator).next()
}

/// The command without quotes and backslashes, so that `.en""v` reads `.env`; what `$'...'` encodes is decoded.
fn unquoted(command: &str) -> Vec<Char> {
    let mut text = Vec::new();
    let mut chars = command.chars().peekable();
    // The quote that is open; `$` for `$'`.
    let mut open = None;
    while let Some(char) = chars.next() {
        let plain = match (char, open) {
            ('\\', _) if chars.next_if_eq(&'\n').is_some() => None,
            ('\\', Some('\'')) => None,
            ('\\', Some('$')) => escape(&mut chars),
            ('\\', _) => {
                let next = chars.next().filter(|next| !is_quote(*next));
                text.extend(next.map(|char| Char { char, quoted: true }));
                None
            }
            ('$', None) if chars.next_if_eq(&'\'').is_some() => {
                open = Some('$');
                None
            }
            (quote, None) if is_quote(quote) => {
                open = Some(quote);
                None
            }
            (quote, Some(mark)) if is_quote(quote) => {
                open = open.filter(|_| quote != mark && (quote, mark) != ('\'', '$'));
                None
            }
            _ => Some(char),
        };
        text.extend(plain.map(|char| Char { char, quoted: open.is_some() }));
    }
    text
}

fn is_quote(c: char) -> bool {
    c == '\'' || c == '"'
}

/// What a backslash in `$'...'` stands for, as far as it may be part of a name.
fn escape(chars: &mut Peekable<Chars>) -> Option<char> {
    let (radix, most, first) = match chars.next()? {
        'x' => (16, 2, 0),
        'u' => (16, 4, 0),
        'U' => (16, 8, 0),
        digit @ '0'..='7' => (8, 2, digit.to_digit(8)?),
        other => return Some(other),
    };
    let mut code = first;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        code = code.wrapping_mul(radix) + digit;
        chars.next();
    }
    char::from_u32(code)
}
