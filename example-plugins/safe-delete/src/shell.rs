//! Reads a small part of the shell's language exactly, and nothing else of it.
//!
//! Simple commands between `&&`, `||`, `;` and newlines, made of plain characters, quotes, escapes and globs. Variables,
//! substitutions, pipes, redirections, groups, comments, keywords and assignments are not read: `None` for all of it.

use std::iter::Peekable;
use std::str::CharIndices;

/// First words after which the rest is no simple command, or globs mean something else.
const NOT_SIMPLE: &[&str] =
    &["[[", "case", "coproc", "for", "function", "if", "select", "shopt", "time", "until", "while"];

/// A word of a command.
pub(crate) struct Word<'a> {
    /// As it is written, quotes and all.
    pub(crate) raw: &'a str,
    /// What it means; `None` when the shell expands it (a glob, `~`).
    pub(crate) value: Option<String>,
    start: usize,
}

/// A simple command: at least one word.
pub(crate) struct Command<'a> {
    name: Word<'a>,
    arguments: Vec<Word<'a>>,
}

impl<'a> Command<'a> {
    /// Whether its first word is `name`, without quotes.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.raw == name
    }

    pub(crate) fn arguments(&self) -> &[Word<'a>] {
        &self.arguments
    }

    /// Where it starts in the text, in bytes.
    pub(crate) fn start(&self) -> usize {
        self.name.start
    }

    /// Where its last word ends.
    pub(crate) fn end(&self) -> usize {
        let last = self.arguments.last().unwrap_or(&self.name);
        last.start + last.raw.len()
    }

    fn is_simple(&self) -> bool {
        !self.name.raw.contains('=') && !NOT_SIMPLE.contains(&self.name.raw)
    }
}

/// The simple commands of `text` in order; `None` when anything in it is not of the part that is read here.
pub(crate) fn parse(text: &str) -> Option<Vec<Command<'_>>> {
    let mut reader = Reader { text, rest: text.char_indices().peekable() };
    let mut commands = Vec::new();
    while let Some(words) = reader.words()? {
        let mut words = words.into_iter();
        let Some(name) = words.next() else { continue };
        let command = Command { name, arguments: words.collect() };
        commands.push(command.is_simple().then_some(command)?);
    }
    Some(commands)
}

struct Reader<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

impl<'a> Reader<'a> {
    /// The words up to the next separator, which is read too; `Some(None)` at the end of the text.
    fn words(&mut self) -> Option<Option<Vec<Word<'a>>>> {
        if self.peek().is_none() {
            return Some(None);
        }
        let mut words = Vec::new();
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' => _ = self.next(),
                ';' | '\n' => {
                    self.next();
                    break;
                }
                '&' | '|' => {
                    self.next();
                    return (self.next()? == next).then_some(Some(words));
                }
                '#' => return None,
                _ => words.push(self.word()?),
            }
        }
        Some(Some(words))
    }

    fn word(&mut self) -> Option<Word<'a>> {
        let start = self.offset();
        let (mut value, mut is_expanded) = (String::new(), self.peek() == Some('~'));
        while let Some(next) = self.peek().filter(|next| !" \t\n;&|".contains(*next)) {
            self.next();
            match next {
                '\'' | '"' => self.quoted(next, &mut value)?,
                '\\' => value.push(self.next().filter(|escaped| !escaped.is_control())?),
                '*' | '?' | '[' | ']' => is_expanded = true,
                '$' | '`' | '<' | '>' | '(' | ')' | '{' | '}' | '!' => return None,
                _ if next.is_control() => return None,
                _ => value.push(next),
            }
        }
        let raw = self.text.get(start..self.offset())?;
        Some(Word { raw, value: (!is_expanded).then_some(value), start })
    }

    /// The rest of a quotation that `quote` has opened.
    fn quoted(&mut self, quote: char, value: &mut String) -> Option<()> {
        loop {
            match self.next()? {
                end if end == quote => return Some(()),
                '$' | '`' | '\\' if quote == '"' => return None,
                next if next.is_control() && !"\n\t".contains(next) => return None,
                next => value.push(next),
            }
        }
    }

    fn offset(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(offset, _)| *offset)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, next)| *next)
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next().map(|(_, next)| next)
    }
}
