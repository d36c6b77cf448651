//! Where a plugin can send something.

use super::given::{self, Tools};
use super::{Through, To, Way, through};
use crate::audit::{Given, Reach};
use crate::contract::{Out, SeamFacts};
use crate::grants::FolderMode;

/// Where it goes, what it can be, and the place if something can leak there.
type Said = (To, String, Option<String>);

/// What answers of seams are a way to.
const ANSWERS: [(Out, To, &str, Option<&str>); 5] = [
    (
        Out::Arguments,
        To::Calls,
        "any arguments into calls of the model, so any text into commands and files; every gate sees them, and each \
         rewrite is shown",
        Some("into arguments of calls and so into commands (every gate sees them, and each rewrite is shown)"),
    ),
    (
        Out::Requests,
        To::Provider,
        "anything into requests to a provider you set up",
        Some("into requests to a provider you set up"),
    ),
    (
        Out::Key,
        To::Account,
        "whole requests to the owner of a key it chooses, who may read them at the provider",
        Some("whole requests, to the owner of a key it chooses, who may read them at the provider"),
    ),
    (Out::Model, To::Model, "words to the model, which may act on them", None),
    (Out::User, To::User, "words to you", None),
];

/// All ways there are, the worst first: those by which something can leak.
pub(crate) fn sends(seams: &[&SeamFacts], reaches: &[Reach], given: Given<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    for (through, if_granted) in through(reaches) {
        let by = |said| way(said, vec![through.name().to_owned()], if_granted);
        ways.extend(by_import(through, given, if_granted).into_iter().map(by));
    }
    for (out, to, what, place) in ANSWERS {
        let by: Vec<String> = seams.iter().filter(|seam| seam.out == out).map(|seam| seam.name.to_owned()).collect();
        if !by.is_empty() {
            ways.push(way((to, what.to_owned(), place.map(str::to_owned)), by, false));
        }
    }
    ways.sort_by_key(|way| (!way.leaks, way.to));
    ways
}

fn way((to, what, place): Said, by: Vec<String>, if_granted: bool) -> Way {
    Way { to, what, by, leaks: place.is_some(), if_granted, place: place.unwrap_or_default() }
}

fn by_import(through: Through<'_>, Given { grants, outside }: Given<'_>, if_granted: bool) -> Vec<Said> {
    let harmless = |to, what: &str| vec![(to, what.to_owned(), None)];
    match through {
        Through::Http => http(&given::named(&grants.http, if_granted, "hosts")),
        Through::Contract("exec") => exec(&given::named(&grants.exec, if_granted, "programs")),
        Through::Contract("call-tool") => tools(&Tools::of(grants, if_granted), &given::files(outside)),
        Through::Files => {
            given::folders(grants, &[FolderMode::Rw]).map(|folders| files(&folders)).into_iter().collect()
        }
        Through::Contract("complete") => complete(grants.complete.filter(|_| !if_granted)),
        Through::Contract("models") => {
            harmless(To::Run, "the choice of model, of how much it thinks, and of the tools it may call")
        }
        Through::Contract("messages") => {
            harmless(To::Model, "messages into the conversation, which may keep a run going; the model may act on them")
        }
        Through::Contract("session") => harmless(To::Session, "entries, labels and a name into the session's file"),
        Through::Contract("state") => {
            harmless(To::Session, "what it wants to remember into the session's file, bounded")
        }
        Through::Contract("ui") => harmless(To::User, "notices and questions to you, under its name"),
        Through::Contract("log") => harmless(To::User, "notes to you, bounded"),
        Through::Contract("tool-updates") => harmless(To::User, "live output of its own tools to you"),
        Through::Contract(_) | Through::Variables | Through::Clock | Through::Random => vec![],
    }
}

fn http(hosts: &str) -> Vec<Said> {
    vec![(To::Network, format!("any request to {hosts}"), Some(format!("to {hosts}")))]
}

fn exec(programs: &str) -> Vec<Said> {
    let what = format!(
        "any arguments to {programs}, which may change files, use the network and run other programs; every gate sees \
         the call"
    );
    vec![(To::Programs, what, Some(format!("to {programs} with any arguments (every gate sees the call)")))]
}

fn files(folders: &str) -> Said {
    let what = format!("any files into {folders}: it can make, change and remove them, and no gate sees it");
    (To::Files, what, Some(format!("into files in {folders}")))
}

fn complete(budget: Option<u32>) -> Vec<Said> {
    let budget = budget.map_or_else(|| "a budget you set".to_owned(), |tokens| format!("{tokens} tokens a session"));
    let what = format!("any question to the session's model, so to its provider, within {budget}");
    vec![(To::Provider, what, Some("to the provider of the session's model".to_owned()))]
}

fn tools(tools: &Tools, files: &str) -> Vec<Said> {
    let command = |name: &String| {
        let what = format!("any command to {name}, with all your rights; every gate sees the call");
        (To::Programs, what, Some(format!("to any command (by {name}; every gate sees the call)")))
    };
    let write = |names: &String| {
        let what = format!("any text into {files}, by {names}; every gate sees the call");
        (To::Files, what, Some(format!("into {files} (by {names}; every gate sees the call)")))
    };
    let other = |names: &String| {
        let what = format!("any arguments to {names}, with all that comes of it; every gate sees the call");
        (To::Tools, what, Some(format!("to {names} with any arguments (every gate sees the call)")))
    };
    let look = |names: &String| {
        (To::Tools, format!("any arguments to {names}, to look and nothing else; every gate sees the call"), None)
    };
    let [command, write] = [tools.commands.as_ref().map(command), tools.writing.as_ref().map(write)];
    let [other, look] = [tools.others.as_ref().map(other), tools.looking.as_ref().map(look)];
    [command, other, look, write].into_iter().flatten().collect()
}
