//! What plugins note through `log`, by plugin.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

static NOTES: Mutex<Option<HashMap<String, Vec<String>>>> = Mutex::new(None);

static ONCE: Once = Once::new();
/// Every log line of every crate, once they are collected.
static LINES: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Collects notes from here on, in this process, and every log line of every crate, with those of its spans. That is slow:
/// it is for a process that does nothing else.
pub fn collect_all() {
    ONCE.call_once(|| {
        *LINES.lock().expect("no test panicked with it") = Some(Vec::new());
        // This way the lines of crates that know `log` only are taken too.
        tracing_subscriber::registry().with(Collector).try_init().expect("nobody else collects");
    });
}

/// Every log line since [`collect_all`].
pub fn all() -> Vec<String> {
    LINES.lock().expect("no test panicked with it").clone().unwrap_or_default()
}

/// Collects notes from here on, in this process.
pub fn collect() {
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(Collector);
        tracing::subscriber::set_global_default(subscriber).expect("nobody else collects");
    });
}

/// Takes the notes of a plugin. Tests run side by side, so give plugins whose notes matter names of their own.
pub fn take(plugin: &str) -> Vec<String> {
    let mut notes = NOTES.lock().expect("no test panicked with it");
    notes.as_mut().and_then(|notes| notes.remove(plugin)).unwrap_or_default()
}

struct Collector;

impl<S: Subscriber> Layer<S> for Collector {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        line(|line| span.record(line));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        line(|line| event.record(line));
        if event.metadata().target() != "seam::plugin" {
            return;
        }
        let mut note = Note::default();
        event.record(&mut note);
        let mut notes = NOTES.lock().expect("no test panicked with it");
        notes.get_or_insert_default().entry(note.plugin).or_default().push(note.text);
    }
}

/// Keeps a line, if lines are collected.
fn line(record: impl FnOnce(&mut Line)) {
    if let Some(lines) = LINES.lock().expect("no test panicked with it").as_mut() {
        let mut line = Line::default();
        record(&mut line);
        lines.push(line.0);
    }
}

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        let _written = write!(self.0, "{}={value} ", field.name());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _written = write!(self.0, "{}={value:?} ", field.name());
    }
}

#[derive(Default)]
struct Note {
    plugin: String,
    text: String,
}

impl Visit for Note {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "plugin" {
            value.clone_into(&mut self.plugin);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            let _written = write!(self.text, "{value:?}");
        }
    }
}
