//! A journal as a person reads it: a row for each line.

mod about;

use std::collections::HashMap;

use seam_session::journal::{
    By, Crossing, Fault, Line, Open, Outcome, Plugin, Record, Rejected, Ruling, Verdict, Verified,
};

use crate::terminal::journal::about::{answered, call, event, origin, tool};
use crate::terminal::style::{Style, one_line};

/// How wide a line gets, in characters.
const WIDTH: usize = 100;
/// How wide the columns get.
const WHO: usize = 26;
const SEAM: usize = 23;
const SAID: usize = 14;
/// How long any other text gets before it is brought into its column.
const TEXT: usize = 2 * WIDTH;
/// How much of a digest is shown.
const DIGEST: usize = 12;
/// Calls that began and are not known to be over. More are not remembered.
const OPEN_CALLS: usize = 1_000;

/// What a decision does to what was to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Plain,
    Quiet,
    Change,
    Refusal,
}

/// What was said.
#[derive(Debug)]
struct Said {
    /// In one word.
    word: String,
    tone: Tone,
    /// The rest of it, on a line of its own.
    more: String,
}

/// What stands in a row.
#[derive(Debug)]
struct Row {
    who: String,
    /// The seam, or the id of a call.
    seam: String,
    said: Said,
    took: String,
    about: String,
}

/// The rows, and how wide their columns are.
#[derive(Debug)]
pub(crate) struct Table {
    style: Style,
    number: usize,
    who: usize,
    seam: usize,
    said: usize,
    took: usize,
    /// What the calls are about that are not over.
    calls: HashMap<String, String>,
    /// The opening that nothing was shown of yet.
    opening: Option<String>,
    run: u64,
    /// The plugins of this run were shown already: this is another segment of it.
    goes_on: bool,
}

impl Said {
    fn new(word: impl Into<String>, tone: Tone, more: impl Into<String>) -> Self {
        Self { word: word.into(), tone, more: more.into() }
    }
}

impl Table {
    pub(crate) fn new(style: Style) -> Self {
        let (calls, opening) = (HashMap::new(), None);
        Self { style, number: 1, who: 0, seam: 0, said: 0, took: 0, calls, opening, run: 0, goes_on: false }
    }

    /// Makes the columns wide enough for a row.
    pub(crate) fn measure(&mut self, line: &Line, record: &Record<'_>) {
        self.number = self.number.max(line.n.to_string().len());
        let Some(row) = self.cells(record) else { return };
        let wider = |column: &mut usize, text: &str, most| *column = (*column).max(text.chars().count()).min(most);
        wider(&mut self.who, &row.who, WHO);
        wider(&mut self.seam, &row.seam, SEAM);
        wider(&mut self.said, &row.said.word, SAID);
        wider(&mut self.took, &row.took, WIDTH);
    }

    /// A line that is not shown.
    pub(crate) fn pass(&mut self, line: &Line, record: &Record<'_>) {
        if let Record::Open(open) = record {
            self.opens(line, open);
        }
    }

    /// The row of a line, and before it the opening that it is of.
    pub(crate) fn row(&mut self, line: &Line, record: &Record<'_>) -> String {
        self.pass(line, record);
        let text = match record {
            Record::Plugin(plugin) if !self.goes_on => self.known(plugin),
            other => self.aligned(line, other),
        };
        if text.is_empty() { text } else { self.opening.take().unwrap_or_default() + &text }
    }

    /// Remembers an opening, to be told before what follows it.
    fn opens(&mut self, line: &Line, open: &Open<'_>) {
        let (date, time) = about::when(line.time);
        self.goes_on = self.run == open.run;
        self.run = open.run;
        let words = if self.goes_on { format!("segment {}", open.segment) } else { format!("run {}", open.run) };
        self.opening = Some(format!("{}\n", self.style.bold(&format!("{words}, {date} {time} UTC"))));
    }

    fn known(&self, plugin: &Plugin<'_>) -> String {
        let digest: String = plugin.digest.chars().take(DIGEST).collect();
        let shadow = if plugin.shadow { ", a shadow" } else { "" };
        let (name, instance) = (one_line(&plugin.name, WHO), one_line(&plugin.instance, WHO));
        let facts = format!(
            "sha256 {digest}, an instance for each {instance}, {} ms, {} MiB{shadow}",
            plugin.time_ms, plugin.memory_mib
        );
        format!("{:number$}  {name}: {}\n", "", self.style.dim(&facts), number = self.number)
    }

    fn aligned(&mut self, line: &Line, record: &Record<'_>) -> String {
        let Some(Row { who, seam, said, took, about }) = self.cells(record) else { return String::new() };
        let (_, time) = about::when(line.time);
        let cell = |text: &str, width: usize| format!("{:<width$}", one_line(text, width));
        let start = format!("{:>number$}  {time}  ", line.n, number = self.number);
        let word = self.toned(&cell(&said.word, self.said), said.tone);
        let (who, seam) = (cell(&who, self.who), cell(&seam, self.seam));
        let taken = start.chars().count() + self.who + self.seam + self.said + self.took + 4 * 2;
        let about = one_line(&about, WIDTH.saturating_sub(taken));
        let row = format!("{start}{who}  {seam}  {word}  {took:>width$}  {about}", width = self.took);
        let indent = start.chars().count();
        let more = one_line(&said.more, WIDTH - indent);
        let more = if more.is_empty() { more } else { format!("{:indent$}{more}\n", "") };
        let sent = if let Record::Crossing(crossing) = record { about::sent(crossing) } else { Vec::new() };
        let line = |sent: &String| format!("{:indent$}{}\n", "", one_line(sent, WIDTH - indent));
        format!("{}\n{more}{}", row.trim_end(), sent.iter().map(line).collect::<String>())
    }

    fn toned(&self, text: &str, tone: Tone) -> String {
        match tone {
            Tone::Plain => text.to_owned(),
            Tone::Quiet => self.style.dim(text),
            Tone::Change => self.style.yellow(text),
            Tone::Refusal => self.style.red(text),
        }
    }

    fn cells(&mut self, record: &Record<'_>) -> Option<Row> {
        Some(match record {
            Record::Open(_) | Record::Plugin(_) => return None,
            Record::Crossing(crossing) => crossed(crossing),
            Record::Rejected(rejected) => not_usable(rejected),
            Record::Ruling(ruling) => ruled(ruling),
            Record::Run(run) => {
                let (about, seam) = (tool(&run.tool, run.arguments.text()), run.call.clone().into_owned());
                if self.calls.len() < OPEN_CALLS {
                    self.calls.insert(seam.clone(), about.clone());
                }
                let said = Said::new("runs", Tone::Plain, "");
                Row { who: origin(&run.origin), seam, said, took: String::new(), about }
            }
            Record::Done(done) => {
                let about = self.calls.remove(&*done.call).unwrap_or_default();
                let (word, tone) = if done.is_error { ("error", Tone::Change) } else { ("done", Tone::Quiet) };
                let (seam, said) = (done.call.clone().into_owned(), Said::new(word, tone, ""));
                Row { who: String::new(), seam, said, took: took(done.took_us), about }
            }
            Record::Mended(mended) => {
                let said = Said::new("mended", Tone::Change, about::mended(*mended));
                let (seam, took, about) = (String::new(), String::new(), String::new());
                Row { who: "host".to_owned(), seam, said, took, about }
            }
        })
    }
}

fn not_usable(rejected: &Rejected<'_>) -> Row {
    let Rejected { plugin, seam, failure, refused, .. } = rejected;
    let about = if *refused { "refused for it" } else { "it went on without it" };
    let (word, more) = ("not usable", failure.text.clone().into_owned());
    let said = Said::new(word, Tone::Refusal, more);
    Row {
        who: plugin.clone().into_owned(),
        seam: seam.clone().into_owned(),
        said,
        took: String::new(),
        about: about.to_owned(),
    }
}

fn crossed(crossing: &Crossing<'_>) -> Row {
    let said = match &crossing.outcome {
        Outcome::Answer(answer) => answered(answer),
        Outcome::Withheld(true) => Said::new("a key", Tone::Change, ""),
        Outcome::Withheld(false) => Said::new("no key", Tone::Quiet, ""),
        Outcome::Failure { text, .. } => Said::new("failed", Tone::Refusal, &**text),
    };
    let shadow = if crossing.shadow { "shadow: " } else { "" };
    let call = call(&crossing.input);
    let about = call.map_or_else(|| event(&crossing.input), |(name, arguments)| tool(&name, &arguments));
    let (who, seam) = (format!("{shadow}{}", crossing.plugin), crossing.seam.clone().into_owned());
    Row { who, seam, said, took: took(crossing.took_us), about }
}

fn ruled(ruling: &Ruling<'_>) -> Row {
    let questions = ruling.questions.iter().map(|(plugin, question)| format!("{plugin} asked: {question}"));
    let questions: Vec<String> = questions.collect();
    let said = match &ruling.ruling {
        Verdict::Proceed => Said::new("proceed", Tone::Quiet, questions.join("; ")),
        Verdict::Block(reason) if questions.is_empty() => Said::new("block", Tone::Refusal, &**reason),
        Verdict::Block(reason) => Said::new("block", Tone::Refusal, format!("{reason} ({})", questions.join("; "))),
    };
    let who = if ruling.by == By::User { "you" } else { "host" }.to_owned();
    let about = tool(&ruling.tool, ruling.arguments.text());
    Row { who, seam: ruling.seam.clone().into_owned(), said, took: String::new(), about }
}

pub(super) fn took(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..100_000 => format!("{}.{} ms", us / 1_000, us / 100 % 10),
        100_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
    }
}

/// What came of checking it.
pub(crate) fn verified(found: &Verified, style: Style) -> String {
    let Verified { lines, dropped, entries, segments, torn, faults, more, .. } = found;
    let mut text: String = faults.iter().map(fault).collect();
    let of = format!("{} in {}", count(*lines, "line", "lines"), count(*segments, "file", "files"));
    text.push_str(&match faults.len() as u64 + more {
        0 => format!("{}: {of}\n", style.green("intact")),
        faults => {
            let shown = if *more > 0 { " (the first 100 are shown)" } else { "" };
            format!("{}: {}{shown} in {of}\n", style.red("not intact"), count(faults, "fault", "faults"))
        }
    });
    if *dropped > 0 {
        text.push_str(&format!("{dropped} older lines are gone: the journal was too long to keep them\n"));
    }
    if *entries > 0 {
        let entries = count(*entries, "entry", "entries");
        text.push_str(&format!(
            "it begins after {entries} of the session: that is a fork, kept no journal before, or an earlier one was removed\n"
        ));
    }
    if *torn > 0 {
        text.push_str(&format!(
            "half a line of {torn} bytes is at its end: a process was killed while it wrote; the next run cuts it off\n"
        ));
    }
    text
}

fn fault(fault: &Fault) -> String {
    let place = if fault.line == 0 { String::new() } else { format!(" line {}", fault.line) };
    one_line(&format!("{}{place}: {}", fault.file, fault.what), TEXT) + "\n"
}

fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests;
