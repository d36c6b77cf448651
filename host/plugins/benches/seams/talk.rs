//! A conversation: the real harness and real plugins.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use seam_harness::seams::{Said, Source};
use seam_harness::{Conversation, Dispatcher, Event, Harness, Heard, HostRules, Parts, Restore, ToolSet, Upkeep};
use seam_loop::{CancellationToken, Model, StopReason, Tool};
use seam_plugins::{Plugin, connect};
use seam_session::{Journal, JournalBounds};
use tempfile::TempDir;

use crate::case::Case;
use crate::parts::{Note, Ready};
use crate::target;

/// How many messages a run adds: the prompt, the call, its result, the text.
const OF_A_RUN: usize = 4;

/// A conversation under way, and where its journal is.
pub(crate) struct Talk {
    harness: Harness,
    _journal: Option<TempDir>,
}

impl Talk {
    /// A conversation that holds as many messages as the case says, and a few more at most.
    pub(crate) async fn start(case: &Case, plugins: &[Plugin]) -> Self {
        let note = Arc::new(Note::new()) as Arc<dyn Tool>;
        let folder = case.journal.then(|| TempDir::new_in(target()).unwrap());
        let journal = folder.as_ref().map(|folder| {
            let session = folder.path().join("s.jsonl");
            Arc::new(Journal::open(&session, "s", JournalBounds::default()).unwrap())
        });
        let connected = connect(plugins, Arc::new(Conversation::default()), vec![note], journal.as_ref()).await;
        assert!(connected.errors.is_empty(), "{:?}", connected.errors);
        let tools = ToolSet::new(connected.tools).unwrap();
        let parts = Parts {
            provider: Arc::new(Ready::after(case.wait)),
            dispatcher: Dispatcher::new(tools, connected.bus, HostRules::default(), None),
            commands: connected.commands,
            model: Model { provider: "ready".to_owned(), id: "m".to_owned() },
            system_prompt: "You are measured.".to_owned(),
            sink: Arc::new(|event: Event| drop(black_box(event))),
            log: None,
            restore: Restore::default(),
            upkeep: Upkeep::default(),
        };
        let mut talk = Self { harness: Harness::start(parts).await.unwrap(), _journal: folder };
        while talk.harness.transcript().messages().len() < case.messages {
            talk.run().await;
        }
        talk
    }

    /// How long a run takes: from the words to the end of it.
    pub(crate) async fn run(&mut self) -> Duration {
        let before = self.harness.transcript().messages().len();
        let said = Said { text: "go".to_owned(), images: Vec::new(), source: Source::User };
        let began = Instant::now();
        let heard = self.harness.say(said, &CancellationToken::new()).await;
        let took = began.elapsed();
        assert!(matches!(&heard, Heard::Ran(outcome) if outcome.stop_reason == StopReason::Stop), "{heard:?}");
        assert_eq!(self.harness.transcript().messages().len(), before + OF_A_RUN);
        took
    }
}
