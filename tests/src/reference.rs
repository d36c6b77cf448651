//! The generated part of `wit/README.md`: the seams and the imports, from the tables the host works with.

use std::fmt::Write as _;
use std::path::PathBuf;

use seam_harness::OnFailure;
use seam_plugins::contract::{GRANTED_WASI, INERT_WASI, LIVE_WASI, REACHES, SEAMS, SeamFacts, Timing};
use wit_parser::{Resolve, WorldItem};

use crate::files;

/// Where it begins.
pub const BEGIN: &str =
    "<!-- Generated from host/plugins/src/contract: `cargo run -q -p seam-tests --bin reference` -->\n";
/// Where it ends.
pub const END: &str = "<!-- End of what is generated. -->\n";

/// The page with its generated part made anew; none when it has no place for it.
pub fn renewed(page: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}{END}{after}", generated()))
}

fn generated() -> String {
    let mut text = String::new();
    for seams in SEAMS.chunk_by(|one, next| one.timing == next.timing) {
        let (title, about) = timing(seams[0].timing);
        write!(text, "\n### {title}\n\n{about}\n\n").unwrap();
        if seams[0].timing == Timing::Observe {
            observers(seams, &mut text);
        } else {
            deciders(seams, &mut text);
        }
    }
    imports(&mut text);
    text
}

fn deciders(seams: &[SeamFacts], text: &mut String) {
    text.push_str("| seam | sees | can | several plugins | if it fails | `refuse` means | `skip` means |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    for seam in seams {
        let default = match seam.on_failure {
            OnFailure::Refuse => "`refuse`",
            OnFailure::Skip => "`skip`",
        };
        let SeamFacts { name, sees, power, combining, skipped, .. } = seam;
        let refusal = seam.refusal.unwrap_or("not possible");
        let file = file(name);
        writeln!(text, "| [`{name}`]({file}) | {sees} | {power} | {combining} | {default} | {refusal} | {skipped} |")
            .unwrap();
    }
}

fn observers(seams: &[SeamFacts], text: &mut String) {
    text.push_str("| seam | sees |\n|---|---|\n");
    for seam in seams {
        writeln!(text, "| [`{}`]({}) | {} |", seam.name, file(seam.name), seam.sees).unwrap();
    }
}

fn imports(text: &mut String) {
    text.push_str("\n### Imports\n\n");
    text.push_str("| import | functions | reaches | grant |\n|---|---|---|---|\n");
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(files::root().join("wit")).unwrap();
    let host = &resolve.worlds[resolve.packages[package].worlds["host"]];
    for reach in REACHES {
        let named = |item: &&WorldItem| match item {
            WorldItem::Interface { id, .. } => resolve.interfaces[*id].name.as_deref() == Some(reach.name),
            _ => false,
        };
        let Some(WorldItem::Interface { id, .. }) = host.imports.values().find(named) else { continue };
        let functions: Vec<String> = resolve.interfaces[*id].functions.keys().map(|name| format!("`{name}`")).collect();
        let (name, functions) = (reach.name, functions.join(", "));
        let grant = reach.grant.map_or_else(|| "always there".to_owned(), |grant| format!("`{grant}`"));
        writeln!(text, "| [`{name}`](reach.wit) | {functions} | {} | {grant} |", reach.reaches).unwrap();
    }
    wasi(text);
    text.push('\n');
}

/// What is there of WASI, with the grant and without.
fn wasi(text: &mut String) {
    text.push_str("\n### Imports of WASI 0.2\n\n");
    text.push_str("| import | without the grant | with it | grant |\n|---|---|---|---|\n");
    for (name, grant, reaches) in GRANTED_WASI {
        writeln!(text, "| `{name}` | the plugin does not load | {reaches} | `{grant}` |").unwrap();
    }
    for (name, grant, reaches) in LIVE_WASI {
        let inert = INERT_WASI.iter().find(|(inert, _)| inert == name).unwrap().1;
        writeln!(text, "| `{name}` | {inert} | {reaches} | `{grant}` |").unwrap();
    }
    let is_live = |name: &str| LIVE_WASI.iter().any(|(live, ..)| *live == name);
    for (name, inert) in INERT_WASI.iter().filter(|(name, _)| !is_live(name)) {
        writeln!(text, "| `{name}` | {inert} | there is no grant | |").unwrap();
    }
}

/// The file a seam stands in.
fn file(seam: &str) -> String {
    let head = format!("interface {seam} {{");
    let entries = std::fs::read_dir(files::root().join("wit")).unwrap();
    let mut wit =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "wit"));
    let holds = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().any(|line| line == head);
    let file = wit.find(holds).unwrap_or_else(|| panic!("`{seam}` stands in no file of wit/"));
    file.file_name().unwrap().to_string_lossy().into_owned()
}

fn timing(timing: Timing) -> (&'static str, &'static str) {
    match timing {
        Timing::BeforeRequest => ("Before the request", "What the model will be shown, and how it is asked."),
        Timing::BeforeEffect => {
            ("Before the effect", "A tool call, before it touches anything. The only place where it can be refused.")
        }
        Timing::AfterEffect => {
            ("After the effect", "What has happened stays; what is told of it, and what comes next.")
        }
        Timing::Session => ("Before something happens to the session", "Called before anything is written."),
        Timing::Observe => (
            "What happened",
            "They have no result. Each plugin has a queue of its own, so none slows the run; a failure is reported and \
             changes nothing.",
        ),
        Timing::Provide => ("What a plugin offers", "Asked for at the start of a session, used during it."),
    }
}
