//! What plugins note through `log`, by plugin.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

static NOTES: Mutex<Option<HashMap<String, Vec<String>>>> = Mutex::new(None);

/// Collects notes from here on, in this process.
pub fn collect() {
    static ONCE: Once = Once::new();
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
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() != "seam::plugin" {
            return;
        }
        let mut note = Note::default();
        event.record(&mut note);
        let mut notes = NOTES.lock().expect("no test panicked with it");
        notes.get_or_insert_default().entry(note.plugin).or_default().push(note.text);
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
