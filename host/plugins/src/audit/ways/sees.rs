//! What a plugin sees.

use super::given::{self, Tools};
use super::{Seen, Through, through};
use crate::audit::{Given, Reach};
use crate::contract::{REACHES, SeamFacts, Sight};
use crate::grants::FolderMode;

/// All it sees, the most telling first: at its seams, and by its imports.
pub(crate) fn sees(seams: &[&SeamFacts], reaches: &[Reach], given: Given<'_>) -> Vec<Seen> {
    let imports = through(reaches).into_iter().flat_map(|(through, if_granted)| {
        let by = move |(sight, what)| Seen { what, by: through.name().to_owned(), if_granted, sight };
        by_import(through, given, if_granted).into_iter().map(by)
    });
    let at_seams = seams.iter().map(|seam| Seen {
        what: seam.sees.to_owned(),
        by: seam.name.to_owned(),
        if_granted: false,
        sight: seam.sight,
    });
    let (mut seen, others): (Vec<Seen>, Vec<Seen>) = imports.partition(|seen| seen.by == "conversation");
    seen.extend(at_seams.chain(others));
    seen.sort_by_key(|seen| seen.sight);
    seen
}

fn by_import(through: Through<'_>, Given { grants, outside }: Given<'_>, if_granted: bool) -> Vec<(Sight, String)> {
    let one = |sight, what: &str| vec![(sight, what.to_owned())];
    match through {
        Through::Contract("conversation") => one(Sight::All, "every message of the conversation"),
        Through::Contract("full-result") => one(Sight::Signs, general("full-result")),
        Through::Contract("config") => one(Sight::Signs, general("config")),
        Through::Contract("state") => one(Sight::Signs, "what it kept in the session before"),
        Through::Contract("session") => one(Sight::Signs, "the session's id and name"),
        Through::Contract("models") => one(Sight::Signs, "the model and the names of tools"),
        Through::Contract("ui") => one(Sight::Some, "what you answer it"),
        Through::Contract("complete") => one(Sight::Signs, "what the model answers it"),
        Through::Contract("call-tool") => tools(&Tools::of(grants, if_granted), &given::files(outside)),
        Through::Contract("exec") => {
            let programs = given::named(&grants.exec, if_granted, "programs");
            vec![(Sight::All, format!("what {programs} can read"))]
        }
        Through::Contract(_) => vec![],
        Through::Http => {
            vec![(Sight::Signs, format!("what {} may answer", given::named(&grants.http, if_granted, "hosts")))]
        }
        Through::Files => given::folders(grants, &[FolderMode::Ro, FolderMode::Rw])
            .map(|folders| (Sight::All, format!("files in {folders}")))
            .into_iter()
            .collect(),
        Through::Variables => {
            let variables = if grants.env.len() == 1 { "the variable" } else { "the variables" };
            vec![(Sight::All, format!("{variables} {}", given::named(&grants.env, false, "")))]
        }
        Through::Clock => one(Sight::Signs, "the time"),
        Through::Random => one(Sight::Signs, "random numbers"),
    }
}

fn tools(tools: &Tools, files: &str) -> Vec<(Sight, String)> {
    let files = tools.looking.as_ref().map(|names| format!("{files} (by {names})"));
    let prints = tools.commands.as_ref().map(|name| format!("what any command can read (by {name})"));
    let gives = tools.others.as_ref().map(|names| format!("what {names} may give"));
    [files, prints, gives].into_iter().flatten().map(|what| (Sight::All, what)).collect()
}

/// What the table of imports says.
fn general(import: &str) -> &'static str {
    REACHES.iter().find(|reach| reach.name == import).map_or("", |reach| reach.reaches)
}
