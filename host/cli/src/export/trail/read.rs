//! The trail, read from the journal line by line.

use std::collections::HashMap;
use std::path::Path;

use seam_session::journal::{
    self, By, Crossing, Done, JournalError, JournalReader, Line, Outcome, Plugin, Record, Rejected, Ruling, Run,
    Verdict as Ruled, Verified,
};

use crate::export::trail::{HOST, Lane, Mark, TOOLS, Texts, Trail, USER};
use crate::export::verdict::{Class, Verdict};
use crate::export::words::{clock, grouped};
use crate::terminal::style::both_ends;

/// How long arguments and questions get, in characters.
const WORDS: usize = 400;
/// How many faults of a journal are told one by one.
const FAULTS: usize = 10;
/// How much of a digest is shown, in hexadecimal digits.
const DIGEST: usize = 12;

impl Trail {
    /// Reads the journal of a session file. One that is damaged is read as far as it goes.
    pub(crate) fn of(session_file: &Path) -> Self {
        let mut trail = Self::empty();
        match journal::verify(session_file) {
            Ok(verified) => trail.check(&verified),
            Err(JournalError::Absent { .. }) => {
                trail.note(false, "there is no journal, so it is not known who decided what".to_owned());
                return trail;
            }
            Err(error) => trail.note(true, format!("the journal cannot be checked: {error}")),
        }
        match journal::read(session_file) {
            Ok(lines) => trail.read(lines),
            Err(error) => trail.note(true, format!("the journal cannot be read: {error}")),
        }
        trail
    }

    fn empty() -> Self {
        let lane = |name: &str, kind| Lane { name: name.to_owned(), kind, note: String::new() };
        let lanes = [("conversation", "talk"), ("tools", "tools"), ("host rules", "host"), ("you", "user")];
        Self {
            lanes: lanes.map(|(name, kind)| lane(name, kind)).into(),
            texts: Texts::default(),
            marks: Vec::new(),
            said: Vec::new(),
            notes: Vec::new(),
            calls: HashMap::new(),
            plugins: HashMap::new(),
        }
    }

    fn note(&mut self, is_bad: bool, note: String) {
        self.notes.push((is_bad, note));
    }

    /// What the check of the hash chain has found.
    fn check(&mut self, verified: &Verified) {
        let lines = format!("{} lines", grouped(verified.lines));
        if verified.faults.is_empty() {
            self.note(false, format!("the journal has {lines}, and their chain is whole"));
        } else {
            self.note(
                true,
                format!("the journal was changed after it was written; it has {lines}, and below is what is there"),
            );
        }
        if verified.dropped > 0 {
            self.note(
                false,
                format!("its oldest {} lines are gone, because it became long", grouped(verified.dropped)),
            );
        }
        if verified.entries > 0 {
            let entries = grouped(verified.entries);
            self.note(
                false,
                format!("it begins after the first {entries} entries; an earlier one may have been removed"),
            );
        }
        if verified.torn > 0 {
            self.note(false, format!("its last line was cut after {} bytes", grouped(verified.torn)));
        }
        for fault in verified.faults.iter().take(FAULTS) {
            let line = if fault.line > 0 { format!(", line {}", fault.line) } else { String::new() };
            self.note(true, format!("{}{line}: {}", fault.file, fault.what));
        }
        let more = verified.more + verified.faults.len().saturating_sub(FAULTS) as u64;
        if more > 0 {
            self.note(true, format!("{} more of these; `seam journal verify` names them", grouped(more)));
        }
    }

    fn read(&mut self, lines: JournalReader) {
        let (mut running, mut bad) = (HashMap::new(), 0_u64);
        for line in lines {
            match line {
                Ok((line, record)) => self.take(&line, &record, &mut running),
                Err(error) if bad == 0 => {
                    bad = 1;
                    self.note(true, format!("left out of this page: {error}"));
                }
                Err(_) => bad += 1,
            }
        }
        if bad > 1 {
            self.note(true, format!("left out too: {} more lines that cannot be read", grouped(bad - 1)));
        }
    }

    /// `running`: the marks of calls that are not over.
    fn take(&mut self, line: &Line, record: &Record<'_>, running: &mut HashMap<String, usize>) {
        match record {
            Record::Plugin(plugin) => self.plugin(plugin),
            Record::Crossing(crossing) => self.crossing(line, crossing),
            Record::Rejected(rejected) => self.rejected(line, rejected),
            Record::Ruling(ruling) => self.ruling(line, ruling),
            Record::Run(run) => {
                running.insert(run.call.to_string(), self.marks.len());
                self.run(line, run);
            }
            Record::Done(done) => {
                let mark = running.remove(&*done.call);
                self.done(mark, done);
            }
            Record::Mended(mended) => {
                let at = clock(line.time.try_into().unwrap_or_default());
                self.note(false, format!("{} bytes of half a line were cut off its end at {at} UTC", mended.bytes));
            }
            Record::Open(_) => {}
        }
    }

    fn plugin(&mut self, plugin: &Plugin<'_>) {
        let lane = self.lane(&plugin.name);
        let digest = plugin.digest.get(..DIGEST).unwrap_or(&plugin.digest);
        let shadow = if plugin.shadow { ", in shadow mode: its answers change nothing" } else { "" };
        let note = format!("sha256 {digest}{shadow}");
        if let Some(lane) = self.lanes.get_mut(lane).filter(|lane| !lane.note.contains(&note)) {
            let gap = if lane.note.is_empty() { "" } else { "; later " };
            lane.note.push_str(&format!("{gap}{note}"));
        }
    }

    /// The lane of a plugin.
    fn lane(&mut self, plugin: &str) -> usize {
        if let Some(lane) = self.plugins.get(plugin) {
            return *lane;
        }
        self.lanes.push(Lane { name: plugin.to_owned(), kind: "plugin", note: String::new() });
        self.plugins.insert(plugin.to_owned(), self.lanes.len() - 1);
        self.lanes.len() - 1
    }

    fn crossing(&mut self, line: &Line, crossing: &Crossing<'_>) {
        let verdict = match &crossing.outcome {
            Outcome::Withheld(was_given) => Verdict::withheld(*was_given),
            Outcome::Failure { kind, text } => Verdict::failure(kind, text),
            Outcome::Answer(answer) => match answer.value() {
                Ok(answer) => Verdict::of(&crossing.seam, &crossing.function, &answer),
                Err(error) => Verdict::failure("unreadable", &error.to_string()),
            },
        };
        let lane = self.lane(&crossing.plugin);
        let place = match (&*crossing.seam, &*crossing.function) {
            (seam @ ("tools" | "commands"), function) => format!("{seam}.{function}"),
            (seam, _) => seam.to_owned(),
        };
        let words = format!("{}{}", verdict.words, imports(crossing));
        let mark = self.mark(lane, verdict.class, line, place, words);
        let mark = Mark { took_us: Some(crossing.took_us), shadow: crossing.shadow, ..mark };
        self.push(mark, crossing.call.as_deref());
    }

    /// What a plugin said stands before it, and did not count.
    fn rejected(&mut self, line: &Line, rejected: &Rejected<'_>) {
        let Rejected { plugin, seam, call, failure, refused } = rejected;
        let verdict = Verdict::failure(&failure.kind, &failure.text);
        let end = if *refused { "so it was refused" } else { "so it went on without this plugin" };
        let lane = self.lane(plugin);
        let shadow = self.marks.iter().rfind(|mark| mark.lane == lane).is_some_and(|mark| mark.shadow);
        let mark = self.mark(lane, verdict.class, line, seam.to_string(), format!("{}; {end}", verdict.words));
        self.push(Mark { shadow, ..mark }, call.as_deref());
    }

    fn ruling(&mut self, line: &Line, ruling: &Ruling<'_>) {
        let lane = if ruling.by == By::Host { HOST } else { USER };
        let (class, words) = match &ruling.ruling {
            Ruled::Block(reason) => (Class::Refused, format!("refused: {}", both_ends(reason, WORDS))),
            Ruled::Proceed if ruling.by == By::User => (Class::Ran, "allowed it".to_owned()),
            Ruled::Proceed => (Class::Passed, "no objection".to_owned()),
        };
        let questions = ruling.questions.iter();
        let asked = questions.map(|(plugin, question)| format!("{plugin} asked: {}", both_ends(question, WORDS)));
        let asked = asked.collect::<Vec<_>>().join("; ");
        let words = if asked.is_empty() { words } else { format!("{words} ({asked})") };
        let mark = self.mark(lane, class, line, ruling.seam.to_string(), words);
        self.push(mark, Some(&ruling.call));
    }

    fn run(&mut self, line: &Line, run: &Run<'_>) {
        let words = format!("ran {}", both_ends(run.arguments.text(), WORDS));
        let mark = self.mark(TOOLS, Class::Ran, line, run.tool.to_string(), words);
        self.push(mark, Some(&run.call));
    }

    fn done(&mut self, mark: Option<usize>, done: &Done<'_>) {
        let Some(mark) = mark.and_then(|mark| self.marks.get_mut(mark)) else { return };
        mark.took_us = Some(done.took_us);
        if done.is_error {
            let words = format!("{}: it gave an error", self.texts.get(mark.words));
            mark.words = self.texts.place(words);
        }
    }

    fn mark(&mut self, lane: usize, class: Class, line: &Line, place: String, words: String) -> Mark {
        let (place, words) = (self.texts.place(place), self.texts.place(words));
        let time = line.time.try_into().unwrap_or_default();
        Mark { n: Some(line.n), ..Mark::new(lane, class, time, place, words) }
    }

    fn push(&mut self, mark: Mark, call: Option<&str>) {
        if let Some(call) = call {
            self.calls.entry(call.to_owned()).or_default().push(self.marks.len());
        }
        self.marks.push(mark);
    }
}

/// Which functions of the host a plugin called meanwhile.
fn imports(crossing: &Crossing<'_>) -> String {
    let mut names: Vec<&str> = crossing.host.iter().map(|call| &*call.import).collect();
    names.sort_unstable();
    let named = names.chunk_by(PartialEq::eq).filter_map(|same| match same {
        [one] => Some((*one).to_owned()),
        [first, ..] => Some(format!("{first} ×{}", same.len())),
        [] => None,
    });
    let named = named.collect::<Vec<_>>().join(", ");
    if named.is_empty() { named } else { format!(" · called {named}") }
}
