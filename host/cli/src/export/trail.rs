//! The journal as far as the page shows it: who decided what, when, and how long it took. What plugins were shown, and
//! what the host told them, is left out: a plugin may have been shown the very secret that it took out.

mod read;

use std::collections::HashMap;

use crate::export::verdict::Class;

/// One mark of the time line.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The number of its line in the journal. Nothing: it is of the session file.
    pub(crate) n: Option<u64>,
    /// When it was recorded, in milliseconds since 1970.
    pub(crate) time: u64,
    /// How long it took, in microseconds.
    pub(crate) took_us: Option<u64>,
    /// Whose it is: a place in [`Trail::lanes`].
    pub(crate) lane: usize,
    pub(crate) class: Class,
    /// Where it happened: a seam, or what happened. A place in [`Trail::texts`].
    pub(crate) place: usize,
    /// What was said. A place in [`Trail::texts`].
    pub(crate) words: usize,
    /// Whether it changed nothing, because the plugin runs beside the others.
    pub(crate) shadow: bool,
    /// The call it is about.
    pub(crate) call: Option<usize>,
    /// The entry that it is.
    pub(crate) entry: Option<usize>,
}

/// Whose marks stand on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) name: String,
    /// `talk`, `tools`, `host`, `user` or `plugin`.
    pub(crate) kind: &'static str,
    /// What else is known of it.
    pub(crate) note: String,
}

/// Texts, each once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    all: Vec<String>,
    places: HashMap<String, usize>,
}

/// The lanes that are always there.
pub(crate) const TALK: usize = 0;
const TOOLS: usize = 1;
const HOST: usize = 2;
const USER: usize = 3;

/// What the page shows of a journal.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) texts: Texts,
    /// Those of the journal, in the order in which they were recorded.
    pub(crate) marks: Vec<Mark>,
    /// Those of the session file, in its order.
    pub(crate) said: Vec<Mark>,
    /// What is to be said of the journal, and whether it is bad.
    pub(crate) notes: Vec<(bool, String)>,
    /// The ids that marks name, with the places of their marks.
    calls: HashMap<String, Vec<usize>>,
    plugins: HashMap<String, usize>,
}

impl Texts {
    /// The place of a text.
    pub(crate) fn place(&mut self, text: String) -> usize {
        if let Some(place) = self.places.get(&text) {
            return *place;
        }
        let place = self.all.len();
        self.all.push(text.clone());
        self.places.insert(text, place);
        place
    }

    pub(crate) fn get(&self, place: usize) -> &str {
        self.all.get(place).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.all
    }
}

impl Trail {
    /// The marks about a call, in their order.
    pub(crate) fn of_call(&self, id: &str) -> &[usize] {
        self.calls.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The name of a lane.
    pub(crate) fn lane_name(&self, lane: usize) -> &str {
        self.lanes.get(lane).map(|lane| lane.name.as_str()).unwrap_or_default()
    }

    /// Adds the result of a tool, for want of a journal that says more.
    pub(crate) fn result(&mut self, time: u64, tool: &str, words: &str) {
        let (place, words) = (self.texts.place(tool.to_owned()), self.texts.place(words.to_owned()));
        self.said.push(Mark::new(TOOLS, Class::Ran, time, place, words));
    }

    /// Adds a mark of the session file.
    pub(crate) fn say(&mut self, time: u64, place: &str, words: String, entry: usize) {
        let (place, words) = (self.texts.place(place.to_owned()), self.texts.place(words));
        let said = Mark { entry: Some(entry), ..Mark::new(TALK, Class::Said, time, place, words) };
        self.said.push(said);
    }
}

impl Mark {
    /// Whether it is the run of a tool.
    pub(crate) fn is_run(&self) -> bool {
        self.lane == TOOLS
    }

    fn new(lane: usize, class: Class, time: u64, place: usize, words: usize) -> Self {
        Self { n: None, time, took_us: None, lane, class, place, words, shadow: false, call: None, entry: None }
    }
}
