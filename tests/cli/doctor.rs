//! `seam doctor`.

mod plugins;
mod providers;

use std::fs;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::Value;

use super::config::{Place, Said, gate};

/// What the key of a test is.
const KEY: &str = "sk-doctor-5f4e3d2c1b0a";

/// A place whose environment has what is said here, and no key and no proxy of whoever runs the tests.
pub(super) struct Bare {
    pub(super) place: Place,
    variables: Vec<(String, String)>,
}

impl Bare {
    pub(super) fn new() -> Self {
        Self { place: Place::new(), variables: Vec::new() }
    }

    pub(super) fn user(self, text: &str) -> Self {
        Self { place: self.place.user(text), ..self }
    }

    pub(super) fn project(self, text: &str) -> Self {
        Self { place: self.place.project(text), ..self }
    }

    pub(super) fn plugin(self, name: &str, file: &std::path::Path) -> Self {
        Self { place: self.place.plugin(name, file), ..self }
    }

    /// A variable of the environment.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A cache in which nothing is yet.
    fn with_own_cache(self) -> Self {
        let cache = self.place.home().join("cache");
        self.with("XDG_CACHE_HOME", &cache.to_string_lossy())
    }

    /// A command that works on the project.
    pub(super) fn seam(&self, args: &[&str]) -> Said {
        let mut seam = Command::new(files::root().join("target/debug/seam"));
        seam.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let home = self.place.home();
        seam.env("HOME", &home).env("COLUMNS", "100").env("NO_COLOR", "1");
        for (name, folder) in [("CONFIG", home.join("config")), ("STATE", home.join("state"))] {
            seam.env(format!("XDG_{name}_HOME"), folder);
        }
        seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
        seam.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = seam.current_dir(self.place.path()).args(args).assert().get_output().clone();
        let told = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap().replace(&*self.place.path().to_string_lossy(), "PROJECT");
            text.replace(&*home.to_string_lossy(), "HOME")
        };
        Said { code: output.status.code().unwrap(), out: told(output.stdout), err: told(output.stderr) }
    }

    /// What is found.
    fn found(&self, args: &[&str]) -> Found {
        let said = self.seam(&[&["doctor", "--json"], args].concat());
        let checks =
            serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}{}", said.out, said.err));
        Found { code: said.code, checks }
    }
}

/// What was found, as a program reads it.
struct Found {
    code: i32,
    checks: Vec<Value>,
}

impl Found {
    /// Each line about this: its mark, what was found, what to do.
    fn of(&self, name: &str) -> Vec<(&str, &str, &str)> {
        let checks = self.checks.iter().filter(|check| check["check"] == name);
        checks.map(|check| (word(check, "mark"), word(check, "found"), word(check, "remedy"))).collect()
    }

    /// That there is one line about this, with this mark, and that it says this, and to do that.
    fn says(&self, name: &str, mark: &str, found: &str, remedy: &str) {
        let fits = |(a, b, c): &(&str, &str, &str)| *a == mark && b.contains(found) && c.contains(remedy);
        let all = self.of(name);
        assert!(all.iter().any(fits), "{name}: {all:#?}");
        let has_its_remedy = |(mark, _, remedy): &(&str, &str, &str)| (*mark == "ok") == remedy.is_empty();
        assert!(all.iter().all(has_its_remedy), "{name}: {all:#?}");
    }

    /// The same of a fault, by which the exit code is another.
    fn is_fault(&self, name: &str, found: &str, remedy: &str) {
        self.says(name, "fault", found, remedy);
        assert_eq!(self.code, 1);
    }

    /// The same of a note, beside which there is no fault.
    fn is_note(&self, name: &str, found: &str, remedy: &str) {
        self.says(name, "note", found, remedy);
        assert_eq!((self.code, self.marked("fault")), (0, Vec::<&str>::new()));
    }

    fn marked(&self, mark: &str) -> Vec<&str> {
        self.checks.iter().filter(|check| check["mark"] == mark).map(|check| word(check, "check")).collect()
    }
}

fn word<'a>(check: &'a Value, key: &str) -> &'a str {
    check[key].as_str().unwrap_or_default()
}

/// Where lines end depends on how long the names of folders are here, and versions are not the same tomorrow.
fn steady(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match (lines.last_mut(), line.strip_prefix("         ").map(str::trim_start)) {
            (Some(last), Some(more)) if !more.starts_with('→') => last.push_str(&format!(" {more}")),
            _ => lines.push(line.to_owned()),
        }
    }
    let version = |line: &mut String| *line = "ok     versions   VERSIONS".to_owned();
    lines.iter_mut().filter(|line| line.starts_with("ok     versions ")).for_each(version);
    lines.join("\n")
}

#[test]
fn a_place_where_nothing_is_set_as_a_person_reads_it() {
    let said = Bare::new().with_own_cache().seam(&["doctor"]);
    assert_eq!((said.code, &*said.err), (0, ""));
    insta::assert_snapshot!(steady(&said.out), @r#"
    ok     versions   VERSIONS
    ok     workspace  PROJECT
    ok     settings   none: neither HOME/config/seam/seam.toml nor PROJECT/seam.toml is there
    ok     agreement  the settings ask for nothing that needs it
    note   model      the settings choose none
                      → Give `--model` to each new run, or set `model = "PROVIDER/NAME"` in HOME/config/seam/seam.toml; `seam models` lists models
    note   providers  there is no key for any of them
                      → Set the variable of one of them; `seam models` says which variable that is
    ok     plugins    none in PROJECT/.seam/plugins
    ok     cache      HOME/cache/seam/compiled is made when a plugin is compiled
    ok     sessions   HOME/state/seam/sessions is made for the first one

    no fault, 2 notes
    "#);
}

#[test]
fn versions_are_those_that_it_was_built_with() {
    let found = Bare::new().found(&[]);
    let lock = fs::read_to_string(files::root().join("Cargo.lock")).unwrap();
    let (_, wasmtime) = lock.split_once("name = \"wasmtime\"\nversion = \"").unwrap();
    let wasmtime = wasmtime.split('"').next().unwrap();
    let expected = format!("seam {}, wasmtime {wasmtime}, contract seam:harness@", env!("CARGO_PKG_VERSION"));
    found.says("versions", "ok", &expected, "");
}

#[test]
fn settings_that_cannot_be_read_are_a_fault_and_the_rest_is_looked_at() {
    let found = Bare::new().project("[workspace]\nout = 1\n").found(&[]);
    found.is_fault("settings", "PROJECT/seam.toml line 2: unknown key `out`", "Correct that file");
    assert_eq!(found.marked("ok"), ["versions", "workspace", "cache", "sessions"]);
    let found = Bare::new().found(&["--config", "absent.toml"]);
    found.is_fault("settings", "absent.toml cannot be read", "Correct that file");
}

#[test]
fn settings_are_told_in_the_order_in_which_they_hold() {
    let place = Bare::new().user("").project("");
    place.found(&[]).says("settings", "ok", "PROJECT/seam.toml, over HOME/config/seam/seam.toml", "");
    fs::write(place.place.path().join("own.toml"), "").unwrap();
    place.found(&["--config", "own.toml"]).says("settings", "ok", "own.toml, over HOME/config/seam/seam.toml", "");
}

#[test]
fn what_nobody_agreed_to_is_a_fault_until_it_is() {
    let place = Bare::new().plugin("gate", &gate()).project("[plugins.gate.limits]\ntime-ms = 900\n");
    let found = place.found(&[]);
    found.is_fault("agreement", "it sets `time-ms` of `gate` to 900", "`seam trust` shows all of it");
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    let found = place.found(&[]);
    found.says("agreement", "ok", "you agreed to what PROJECT/seam.toml asks for", "");
    assert_eq!(found.code, 0);
    let state = place.place.home().join("state/seam/trusted");
    fs::remove_file(&state).unwrap();
    fs::create_dir(&state).unwrap();
    place.found(&[]).is_fault("agreement", "HOME/state/seam/trusted cannot be read", "Mend HOME/state/seam/trusted");
}

#[test]
fn a_session_folder_that_cannot_be_is_a_fault() {
    let place = Bare::new();
    fs::create_dir_all(place.place.home().join("state")).unwrap();
    fs::write(place.place.home().join("state/seam"), "").unwrap();
    place.found(&[]).is_fault("sessions", "HOME/state/seam is no folder", "keep no session with `--no-session`");
}

#[test]
fn a_cache_that_is_not_used_is_a_note() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Bare::new().with_own_cache();
    let cache = place.place.home().join("cache");
    place.found(&[]).says("cache", "ok", "HOME/cache/seam/compiled is made when a plugin is compiled", "");
    fs::create_dir_all(cache.join("seam/compiled")).unwrap();
    fs::write(cache.join("seam/compiled/x.cwasm"), [0; 1234]).unwrap();
    place.found(&[]).says("cache", "ok", "HOME/cache/seam/compiled, 1.2 KB", "");
    fs::set_permissions(cache.join("seam/compiled"), fs::Permissions::from_mode(0o777)).unwrap();
    place.found(&[]).is_note(
        "cache",
        "others can write to HOME/cache/seam/compiled",
        "`chmod 700 HOME/cache/seam/compiled`",
    );
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "").unwrap();
    place.found(&[]).is_note("cache", "HOME/cache is no folder", "set XDG_CACHE_HOME to another folder");
}

#[test]
fn what_a_program_reads_is_described_in_the_help() {
    let help = Bare::new().seam(&["doctor", "--help"]).out;
    let (_, help) = help.split_once("--json prints a list").unwrap();
    for check in Bare::new().found(&[]).checks {
        for key in check.as_object().unwrap().keys() {
            assert!(help.split([' ', ',', '\n']).any(|word| word == key), "{key}");
        }
    }
    for mark in ["ok", "note", "fault"] {
        assert!(help.contains(&format!("`{mark}`")), "{mark}");
    }
}

#[test]
fn a_workspace_that_is_not_there_is_an_error() {
    let said = Bare::new().seam(&["doctor", "--cwd", "nowhere"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("--cwd nowhere cannot be used: No such file"), "{}", said.err);
}
