//! Plugins built to do harm, each with what becomes of it. The tests hold it to that, and `cargo xtask bench hostile`
//! prints it.

mod crowd;
mod deeds;
pub mod memory;
pub mod wat;

use std::path::PathBuf;

use seam_loop::{Decision, Ruling};
use seam_plugins::Settings;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bed::{Bed, Session, engine, text};
use crate::files;
use crate::talk::{Talk, calls, says};

pub use crowd::{Calls, Crowd, Quiet};
pub use deeds::deeds;

/// The name that each of them is loaded under.
pub const NAME: &str = "hostile";

/// Something that a plugin does to harm the host.
pub struct Deed {
    /// What it does.
    pub name: &'static str,
    guest: Guest,
    at: At,
    /// What is told of it in the end: these words are in it. For one that is let be: the call's own result.
    pub ends: &'static str,
    /// How many MiB it may take at the most, the host's part included.
    pub takes_mib: u64,
    /// How often it has to happen before it ends so.
    times: u32,
    /// How many milliseconds it has, when it should end for another reason than time.
    time_ms: Option<u32>,
    /// The test that says what holds.
    pub held_by: &'static str,
}

/// Where a guest comes from.
enum Guest {
    /// From the crate `hostile`, with these settings.
    Hostile(Value),
    /// From the crate `stress`, with these settings.
    Stress(Value),
    /// From a text of this name.
    Wat(&'static str),
    /// From a text of this name, made for a contract where one thing reads otherwise.
    Alike(&'static str, &'static [(&'static str, &'static str)]),
    /// From this.
    Bytes(fn() -> Vec<u8>),
}

/// When it does it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// When it is loaded.
    Load,
    /// When a tool is called: at a gate, or when the result is reviewed.
    Call,
    /// When a tool is called in a conversation.
    Turn,
    /// When the model is asked.
    Request,
}

/// The deed of this name.
pub fn deed(name: &str) -> Deed {
    deeds().into_iter().find(|deed| deed.name == name).unwrap_or_else(|| panic!("there is no deed `{name}`"))
}

/// A deed that is about to happen, as often as it is let.
pub enum Ready {
    /// A file that is loaded each time.
    File(PathBuf, TempDir),
    /// A session that calls a tool each time.
    Session(Box<Session>),
    /// A conversation in which the user says something each time.
    Talk(Box<Talk>),
}

impl Ready {
    /// Lets it happen once. Gives what is told in the end.
    pub async fn happen(&mut self) -> String {
        match self {
            Self::File(file, _) => match engine().load(file, &Settings::default()).await {
                Ok(_) => "it was loaded".to_owned(),
                Err(problem) => problem.to_string(),
            },
            Self::Session(session) => text(&session.echo("x").await),
            Self::Talk(talk) => {
                let (said, decided) = (talk.transcript().len(), talk.decided().len());
                talk.say("go").await;
                let said = talk.transcript().into_iter().skip(said);
                let told = said.filter_map(|said| said.strip_prefix("tool: ").map(str::to_owned)).next_back();
                told.unwrap_or_else(|| failures(&talk.decided()[decided..]))
            }
        }
    }
}

impl Deed {
    /// Brings it to where it only has to happen.
    pub async fn prepare(&self) -> Ready {
        /// How often the model answers.
        const ANSWERS: usize = 1000;
        match self.at {
            At::Load => {
                let folder = TempDir::new().expect("a temporary folder");
                let file = folder.path().join(format!("{NAME}.wasm"));
                std::fs::write(&file, self.component()).expect("it is written");
                Ready::File(file, folder)
            }
            At::Call => Ready::Session(Box::new(self.bed().start().await)),
            At::Turn => {
                let turns: Vec<Value> = (0..ANSWERS).flat_map(|_| [calls("echo", "x"), says("done")]).collect();
                Ready::Talk(Box::new(self.bed().talk(json!(turns)).await))
            }
            At::Request => Ready::Talk(Box::new(self.bed().talk(json!(vec![says("done"); ANSWERS])).await)),
        }
    }

    /// Lets it happen. Gives what is told in the end.
    pub async fn happen(&self) -> String {
        self.happen_in(self.prepare().await).await
    }

    /// Lets it happen where it was prepared.
    pub async fn happen_in(&self, mut ready: Ready) -> String {
        for _ in 1..self.times {
            ready.happen().await;
        }
        ready.happen().await
    }

    /// A bed with it as its only plugin.
    pub fn bed(&self) -> Bed {
        self.join(Bed::new())
    }

    /// The same bed with it.
    pub fn join(&self, bed: Bed) -> Bed {
        let (folder, config) = (TempDir::new().expect("a temporary folder"), self.config());
        let file = folder.path().join("guest.wasm");
        std::fs::write(&file, self.component()).expect("it is written");
        bed.plugin(NAME, &file, config).set(NAME, |settings| self.grant(settings))
    }

    /// Its bytes.
    pub fn component(&self) -> Vec<u8> {
        match &self.guest {
            Guest::Hostile(_) => std::fs::read(files::guest("hostile")).expect("it is read"),
            Guest::Stress(_) => std::fs::read(files::stress()).expect("it is read"),
            Guest::Wat(name) => wat::component(name),
            Guest::Alike(name, changes) => wat::component_of_another_contract(name, changes),
            Guest::Bytes(make) => make(),
        }
    }

    fn config(&self) -> Value {
        match &self.guest {
            Guest::Hostile(config) | Guest::Stress(config) => config.clone(),
            _ => json!({}),
        }
    }

    /// What it needs to be let in at all.
    fn grant(&self, settings: &mut Settings) {
        if matches!(self.guest, Guest::Hostile(_)) {
            settings.grants.tools = vec!["echo".to_owned()];
        }
        settings.limits.time_ms = self.time_ms.unwrap_or(settings.limits.time_ms);
    }
}

/// How it has failed, where that is no tool's result.
fn failures(decided: &[Decision]) -> String {
    let failures = decided.iter().filter_map(|decision| match &decision.ruling {
        Ruling::Failure { failure, .. } => Some(failure.as_str()),
        _ => None,
    });
    failures.collect::<Vec<_>>().join("; ")
}
