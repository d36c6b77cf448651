//! Every seam has all its places: the checklist in `wit/README.md`, as a test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use seam_plugins::contract::{Can, REACHES, SEAMS, SeamFacts};
use seam_tests::files;

const WIT: &str = "wit/*.wit";
const HOST: &str = "wit/worlds.wit, world `host`";
const OBSERVERS: &str = "tests/seams/observers*";
const ROWS: &str = "host/plugins/src/contract/seams.rs";

/// The project's files that a seam has a place in, by path. Those that belong together are one.
#[derive(Clone)]
struct Sources(BTreeMap<String, String>);

impl Sources {
    fn read() -> Self {
        let mut sources = Self(BTreeMap::new());
        let folders = ["wit", "host/plugins/src/seams", "host/harness/src/seams", "guest-sdk/rust/src/seams"];
        folders.into_iter().chain(["tests/seams", "tests/seams/observers"]).for_each(|folder| sources.folder(folder));
        let lists = ["host/plugins/src/seams.rs", "host/harness/src/seams.rs", "guest-sdk/rust/src/seams.rs"];
        let asked = ["host/harness/src/bus.rs", "host/harness/src/event.rs", "host/plugins/src/connect.rs"];
        lists.into_iter().chain(asked).chain(["tests/seams.rs", ROWS]).for_each(|file| sources.file(file));
        sources
    }

    fn folder(&mut self, folder: &str) {
        let Ok(entries) = std::fs::read_dir(files::root().join(folder)) else { return };
        for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            self.file(&format!("{folder}/{}", path.file_name().unwrap().to_string_lossy()));
        }
    }

    fn file(&mut self, file: &str) {
        let text = std::fs::read_to_string(files::root().join(file)).unwrap();
        let is = |end: &str| Path::new(file).extension().is_some_and(|extension| extension == end);
        let name = match file {
            _ if is("wit") => WIT,
            _ if file.starts_with("tests/seams/observers") => OBSERVERS,
            _ => file,
        };
        if let Some((_, host)) = text.split_once("\nworld host {").filter(|_| name == WIT) {
            self.0.insert(HOST.to_owned(), host.to_owned());
        }
        self.0.entry(name.to_owned()).or_default().push_str(&text);
    }

    /// Every seam that is named anywhere in the contract or in the host's table.
    fn seams(&self) -> BTreeSet<String> {
        let interfaces = self.0[WIT].lines().filter_map(|line| line.strip_prefix("interface ")?.strip_suffix(" {"));
        let seams = interfaces.filter(|name| *name != "types" && REACHES.iter().all(|reach| reach.name != *name));
        seams.chain(SEAMS.iter().map(|seam| seam.name)).map(str::to_owned).collect()
    }

    fn is_observer(&self, seam: &str) -> bool {
        let interface = self.0[WIT].split_once(&format!("\ninterface {seam} {{"));
        let body = interface.and_then(|(_, rest)| rest.split_once("\n}")).map(|(body, _)| body);
        let watches = |row: &SeamFacts| row.name == seam && row.can == Can::Watch;
        body.is_some_and(|body| body.contains(" observe: func(")) || SEAMS.iter().any(watches)
    }
}

/// A place: a file, and what must stand in it.
struct Place {
    file: String,
    text: String,
    what: &'static str,
}

fn place(file: impl Into<String>, text: impl Into<String>, what: &'static str) -> Place {
    Place { file: file.into(), text: text.into(), what }
}

fn places(seam: &str, observer: bool) -> Vec<Place> {
    let module = seam.replace('-', "_");
    let row = if observer { format!("observer(\"{seam}\"") } else { format!("name: \"{seam}\"") };
    let mut places = vec![
        place(WIT, format!("\ninterface {seam} {{"), "its interface"),
        place(WIT, format!("\nworld for-{seam} {{\n    export {seam};\n}}"), "its own world"),
        place(HOST, format!("\n    export {seam};"), "its export"),
        place(format!("host/plugins/src/seams/{module}.rs"), "ask!(", "the module that asks a plugin"),
        place("host/plugins/src/seams.rs", format!(" {module} = \"{seam}\";"), "its line in the list of seams"),
        place(ROWS, row, "its row in the host's table"),
    ];
    places.extend(if observer { observed(seam, &module) } else { decided(&module) });
    places
}

fn observed(seam: &str, module: &str) -> Vec<Place> {
    vec![
        place("guest-sdk/rust/src/seams/observe.rs", format!("\n    {module}: "), "its line in the SDK"),
        place(OBSERVERS, format!("fn {module}("), "a test of its name"),
        place("host/harness/src/event.rs", format!(" => \"{seam}\","), "its event's name in `Event::seam`"),
    ]
}

fn decided(module: &str) -> Vec<Place> {
    let sdk = "guest-sdk/rust/src/seams";
    let mut places = vec![
        place(format!("{sdk}/{module}.rs"), "pub trait ", "its trait in the SDK"),
        place(format!("{sdk}.rs"), format!("\npub mod {module};"), "its module in the SDK"),
        place(format!("{sdk}.rs"), format!("\n    {module}: {module}::"), "its line in the SDK's checks"),
        place(format!("tests/seams/{module}.rs"), "test]\n", "a test"),
        place("tests/seams.rs", format!("\nmod {module};"), "its module of tests"),
    ];
    if matches!(module, "tools" | "commands") {
        let offered = format!("seams::{module}::offered(");
        places.push(place("host/plugins/src/connect.rs", offered, "the place that asks what is offered"));
        return places;
    }
    places.extend([
        place(format!("host/harness/src/seams/{module}.rs"), "pub trait ", "its trait and how answers combine"),
        place("host/harness/src/seams.rs", format!("\nmod {module};"), "its module in the harness"),
        place("host/harness/src/bus.rs", format!("    pub {module}: Hooks<"), "its field in `HookBus`"),
    ]);
    places
}

/// That a seam has no such place, in words.
fn told(seam: &str, place: &Place) -> String {
    let text = place.text.trim().lines().next().unwrap_or_default();
    format!("`{seam}` lacks {}: `{text}` in {}", place.what, place.file)
}

/// The places a seam has not.
fn missing(sources: &Sources, seam: &str) -> Vec<String> {
    let lacks = |place: &Place| !sources.0.get(&place.file).is_some_and(|file| file.contains(&place.text));
    places(seam, sources.is_observer(seam)).iter().filter(|place| lacks(place)).map(|place| told(seam, place)).collect()
}

#[test]
fn every_seam_has_all_its_places() {
    let sources = Sources::read();
    let missing: Vec<String> = sources.seams().iter().flat_map(|seam| missing(&sources, seam)).collect();
    assert!(missing.is_empty(), "wit/README.md, \"Adding a seam\", has the list:\n  {}", missing.join("\n  "));
}

/// Takes each place of three seams out in turn, of each kind one.
#[test]
fn a_place_that_is_missing_is_named() {
    let whole = Sources::read();
    for seam in ["tool-call", "turn-end", "commands"] {
        for place in places(seam, whole.is_observer(seam)) {
            let mut sources = whole.clone();
            let file = sources.0.get_mut(&place.file).unwrap();
            *file = file.replace(&place.text, "");
            let missing = missing(&sources, seam);
            assert!(missing.contains(&told(seam, &place)), "{missing:?}");
        }
    }
}
