//! A journal for one test: what plugins were asked and said, and the same again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use seam_plugins::Plugin;
use seam_plugins::replay::{Counts, Difference, Recorded, Replay};
use seam_session::journal::{self, Crossing, Journal, JournalBounds, Outcome, Record};
use serde_json::Value;
use tempfile::TempDir;

/// A journal beside a session that is not there.
pub struct Recording {
    folder: TempDir,
    /// It.
    pub journal: Arc<Journal>,
}

/// What a replay came to.
pub struct Replayed {
    /// What was different.
    pub differences: Vec<Difference>,
    /// How many calls there were.
    pub counts: Counts,
    /// What the journal says of its plugins.
    pub recorded: Vec<(String, Recorded)>,
}

impl Recording {
    /// An empty one.
    #[allow(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self::bounded(JournalBounds::default())
    }

    /// One of this size.
    pub fn bounded(bounds: JournalBounds) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let journal = Journal::open(&folder.path().join("s.jsonl"), "s", bounds).expect("the journal opens");
        Self { folder, journal: Arc::new(journal) }
    }

    /// The file of the session.
    pub fn session(&self) -> PathBuf {
        self.folder.path().join("s.jsonl")
    }

    /// The folder, which holds nothing but the journal.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Every record, with the number of its segment.
    pub fn records(&self) -> Vec<(u64, Record<'static>)> {
        let records = journal::read(&self.session()).expect("the journal is read");
        records.map(|record| record.expect("a line")).map(|(line, record)| (line.segment, record)).collect()
    }

    /// Every call of a plugin.
    pub fn crossings(&self) -> Vec<Crossing<'static>> {
        let crossing = |(_, record)| if let Record::Crossing(crossing) = record { Some(crossing) } else { None };
        self.records().into_iter().filter_map(crossing).collect()
    }

    /// Makes every call again.
    pub async fn replay(&self, plugins: &[Plugin]) -> Replayed {
        let mut replay = Replay::new(plugins).expect("the plugins are linked");
        let mut differences = Vec::new();
        for record in journal::read(&self.session()).expect("the journal is read") {
            let (line, record) = record.expect("a line");
            differences.extend(replay.take(line.n, &record).await);
        }
        let recorded = replay.recorded().iter().map(|(name, recorded)| (name.clone(), recorded.clone())).collect();
        Replayed { differences, counts: replay.counts(), recorded }
    }

    /// Makes every call again, and finds nothing different. Gives how many calls there were.
    pub async fn assert_same(&self, plugins: &[Plugin]) -> u64 {
        let Replayed { differences, counts, .. } = self.replay(plugins).await;
        assert_eq!(differences, []);
        assert_eq!((counts.same + counts.given_up, counts.absent), (counts.calls, 0));
        counts.calls
    }
}

/// The answer of a call as JSON; of a failure, `KIND: TEXT`.
pub fn answer(crossing: &Crossing<'_>) -> Value {
    match &crossing.outcome {
        Outcome::Answer(answer) => answer.value().expect("it is JSON"),
        Outcome::Withheld(key) => Value::Bool(*key),
        Outcome::Failure { kind, text } => format!("{kind}: {text}").into(),
    }
}
