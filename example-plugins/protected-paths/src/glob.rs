//! A word of a command that stands for several names: `.e*`, `.[e]nv`, `.{env,x}`, `.e${x}nv`.
//!
//! Nothing is looked up and nothing is expanded: it is held against a name, in time linear in the word. A wildcard
//! alone stands for all there is, as a folder does, and names nothing: at least two characters have to be its own, or
//! a dot in front and outside of quotes, as in `.*`.

use crate::command::Char;
use crate::patterns::matches;

/// Braces within more braces than this are not paired.
const DEEPEST: usize = 64;

pub(crate) struct Glob {
    parts: Vec<Part>,
    /// Whether it stands for names that it does not list.
    wild: bool,
}

enum Part {
    Own {
        char: char,
        /// A dot in front of a name and outside of quotes: only who wants hidden files writes it before a wildcard.
        hidden: bool,
    },
    /// `?`
    Any,
    /// `*`, or a variable.
    Many,
    /// `[...]`
    Class(String),
    /// `{.., ..}`
    Either(Vec<Vec<Part>>),
    /// A sign that a path seldom has, such as `=`: here one may end and another start.
    Cut,
}

impl Glob {
    /// `None` for a word that is just a name.
    pub(crate) fn of(word: &[Char]) -> Option<Self> {
        if !word.iter().any(|c| "*?[{$".contains(c.char)) {
            return None;
        }
        let mut parser = Parser { rest: word, ..Parser::default() };
        while let Some((c, rest)) = parser.rest.split_first() {
            parser.rest = rest;
            parser.take(*c);
        }
        parser.leave_open();
        let stands_for_names = |part: &Part| !matches!(part, Part::Own { .. } | Part::Cut);
        parser.parts.iter().any(stands_for_names).then_some(Self { parts: parser.parts, wild: parser.wild })
    }

    /// Whether it may stand for `name`, or for something in it. With a `*` in front, `name` stands for all that end so:
    /// it is held only against a list of names, for `a*` may end in anything.
    pub(crate) fn covers(&self, name: &str) -> bool {
        let any_front = name.starts_with('*');
        let text = name.trim_start_matches('*');
        let name = Name { text, length: text.chars().count(), any_front };
        let fits = name.length < u64::BITS as usize && !(any_front && self.wild);
        fits && name.cut(name.run(&self.parts, Name::START)).found
    }
}

#[derive(Default)]
struct Parser<'a> {
    rest: &'a [Char],
    parts: Vec<Part>,
    /// What stands before each open brace, and the alternatives that ended.
    open: Vec<(Vec<Part>, Vec<Vec<Part>>)>,
    wild: bool,
    /// Nothing closes a bracket or a `${` any more: not searched again.
    no_bracket: bool,
    no_parameter: bool,
}

impl Parser<'_> {
    fn take(&mut self, c: Char) {
        match c.char {
            '*' => self.push_wild(Part::Many),
            '?' => self.push_wild(Part::Any),
            '[' => self.class(),
            '$' => self.variable(c.quoted),
            '{' if self.open.len() < DEEPEST => self.open.push((std::mem::take(&mut self.parts), Vec::new())),
            ',' if let Some((_, alternatives)) = self.open.last_mut() => {
                alternatives.push(std::mem::take(&mut self.parts));
            }
            '}' if let Some((before, alternatives)) = self.open.pop() => self.close(before, alternatives),
            '=' | ',' | ':' | '@' | '{' | '}' | ']' => self.parts.push(Part::Cut),
            char => {
                let in_front = matches!(self.parts.last(), None | Some(Part::Cut | Part::Own { char: '/', .. }));
                self.parts.push(Part::Own { char, hidden: char == '.' && in_front && !c.quoted });
            }
        }
    }

    fn push_wild(&mut self, part: Part) {
        self.wild = true;
        self.parts.push(part);
    }

    /// `[...]`, of which the first character may be a `]`; one with `[:alpha:]` in it may be anything.
    fn class(&mut self) {
        let first = 1 + usize::from(self.rest.first().is_some_and(|c| "!^".contains(c.char)));
        let is_named = |pair: &[Char]| matches!(pair, [a, b] if a.char == '[' && ":.=".contains(b.char));
        let found = if self.no_bracket { None } else { position(self.rest, first, ']') };
        let Some((inside, rest)) = found.and_then(|end| self.rest.split_at_checked(end)) else {
            self.no_bracket |= self.rest.len() > first;
            return self.parts.push(Part::Cut);
        };
        self.rest = rest.get(1..).unwrap_or_default();
        if inside.windows(2).any(is_named) {
            // `:]` ended it; the bracket's own end follows.
            let own_end = position(self.rest, 0, ']').map_or(0, |end| end + 1);
            self.rest = self.rest.get(own_end..).unwrap_or_default();
            return self.push_wild(Part::Any);
        }
        let inside: String = inside.iter().map(|c| c.char).collect();
        self.push_wild(Part::Class(format!("[{inside}]")));
    }

    /// `$x`, `${...}`, `$1`, `$@`: anything. So is `$(...)`, which ended the word.
    fn variable(&mut self, quoted: bool) {
        let named = self.rest.iter().take_while(|c| c.char.is_ascii_alphanumeric() || c.char == '_').count();
        let length = match self.rest.first().map(|c| c.char) {
            Some('{') if !self.no_parameter => position(self.rest, 1, '}').map_or(0, |end| end + 1),
            Some('@' | '*' | '#' | '?' | '!' | '-' | '$') => 1,
            _ => named,
        };
        self.no_parameter |= length == 0 && self.rest.first().is_some_and(|c| c.char == '{');
        match length > 0 || self.rest.is_empty() && !quoted {
            true => self.push_wild(Part::Many),
            false => self.parts.push(Part::Cut),
        }
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// A list has a comma, `{a..z}` a range; else the shell leaves the braces alone.
    fn close(&mut self, before: Vec<Part>, mut alternatives: Vec<Vec<Part>>) {
        let last = std::mem::replace(&mut self.parts, before);
        match (alternatives.is_empty(), last.as_slice()) {
            (
                true,
                [
                    Part::Own { char: a, .. },
                    Part::Own { char: '.', .. },
                    Part::Own { char: '.', .. },
                    Part::Own { char: z, .. },
                ],
            ) => {
                self.parts.push(Part::Class(format!("[{}-{}]", a.min(z), a.max(z))));
            }
            (true, _) => {
                self.parts.push(Part::Cut);
                self.parts.extend(last);
                self.parts.push(Part::Cut);
            }
            (false, _) => {
                alternatives.push(last);
                self.parts.push(Part::Either(alternatives));
            }
        }
    }

    /// What stands behind braces that nothing closes: each piece for itself.
    fn leave_open(&mut self) {
        let last = std::mem::take(&mut self.parts);
        for (before, alternatives) in self.open.drain(..) {
            self.parts.extend(before);
            self.parts.push(Part::Cut);
            for alternative in alternatives {
                self.parts.extend(alternative);
                self.parts.push(Part::Cut);
            }
        }
        self.parts.extend(last);
    }
}

fn position(text: &[Char], from: usize, wanted: char) -> Option<usize> {
    text.iter().skip(from).position(|c| c.char == wanted).map(|at| at + from)
}

/// How much of a name may have been matched, each length a bit; by how many characters of the glob's own: none, one,
/// or enough.
#[derive(Clone, Copy)]
struct State {
    matched: [u64; 3],
    found: bool,
}

struct Name<'a> {
    text: &'a str,
    /// In characters.
    length: usize,
    any_front: bool,
}

impl Name<'_> {
    const START: State = State { matched: [1, 0, 0], found: false };

    fn run(&self, parts: &[Part], state: State) -> State {
        parts.iter().fold(state, |state, part| self.step(state, part))
    }

    fn step(&self, state: State, part: &Part) -> State {
        let State { matched: [none, one, enough], found } = state;
        match part {
            Part::Own { char, hidden } => {
                let State { matched: [front, ..], found } = if *char == '/' { self.cut(state) } else { state };
                let relative = !self.text.starts_with('/');
                let restart = if *char == '/' { u64::from(relative) } else { front & u64::from(self.any_front) };
                let [none, one, enough] = [none, one, enough].map(|bits| self.advance(bits, |c| c == *char));
                match hidden {
                    true => State { matched: [restart, 0, none | one | enough], found },
                    false => State { matched: [restart, none, one | enough], found },
                }
            }
            Part::Any => self.wild(state, |c| c != '/'),
            Part::Class(class) => self.wild(state, |c| matches(class, c.encode_utf8(&mut [0; 4]))),
            Part::Many => (0..self.length).fold(state, |state, _| {
                let next = self.wild(state, |c| c != '/');
                either(state, next)
            }),
            Part::Either(alternatives) => {
                alternatives.iter().map(|parts| self.run(parts, state)).fold(State { matched: [0; 3], found }, either)
            }
            Part::Cut => State { matched: Self::START.matched, found: self.cut(state).found },
        }
    }

    /// A component ends here: if all of the name was matched, it was found.
    fn cut(&self, state: State) -> State {
        let [.., enough] = state.matched;
        State { found: state.found || enough >> self.length & 1 == 1, ..state }
    }

    fn wild(&self, state: State, may_be: impl Fn(char) -> bool) -> State {
        State { matched: state.matched.map(|bits| self.advance(bits, &may_be)), found: state.found }
    }

    /// One character further where the next one may be that.
    fn advance(&self, bits: u64, may_be: impl Fn(char) -> bool) -> u64 {
        if bits == 0 {
            return 0;
        }
        let places = self.text.chars().enumerate();
        places.filter(|(at, c)| bits >> at & 1 == 1 && may_be(*c)).fold(0, |next, (at, _)| next | 2 << at)
    }
}

fn either(a: State, b: State) -> State {
    let ([a0, a1, a2], [b0, b1, b2]) = (a.matched, b.matched);
    State { matched: [a0 | b0, a1 | b1, a2 | b2], found: a.found || b.found }
}
