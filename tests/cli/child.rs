//! A run that is started by the shell command of another one has the plugins of that one, wherever it is started.

use std::fs;
use std::path::Path;

use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Project, call, ends};

/// A project whose usual plugin folder holds these, and a folder beside it.
struct Family {
    project: Project,
    elsewhere: TempDir,
}

impl Family {
    /// The outer run makes this command; in it `%run` starts a run that plays `inner`.
    fn new(plugins: &[&str], command: &str, inner: &Value) -> Self {
        let elsewhere = TempDir::new().unwrap();
        let at = elsewhere.path().canonicalize().unwrap();
        fs::write(at.join("inner.json"), json!({ "turns": inner }).to_string()).unwrap();
        let run = format!(
            "{} run --no-session --script {}",
            files::root().join("target/debug/seam").display(),
            at.join("inner.json").display()
        );
        let command = command.replace("ELSEWHERE", &at.to_string_lossy()).replace("%run", &run);
        let bash = call("c1", "bash", json!({ "command": command }));
        let project = Project::new(&json!([{ "content": [bash] }, { "content": [{ "text": "done" }] }]));
        let family = Self { project, elsewhere };
        family.plugins(family.project.path(), plugins);
        family
    }

    /// Puts plugins where a run in a folder finds them.
    fn plugins(&self, folder: &Path, plugins: &[&str]) {
        let folder = folder.join(".seam/plugins");
        fs::create_dir_all(&folder).unwrap();
        for name in plugins {
            fs::copy(files::example(name), folder.join(format!("{name}.wasm"))).unwrap();
        }
    }

    fn file(mut self, name: &str, text: &str) -> Self {
        self.project = self.project.file(name, text);
        self
    }

    fn is_there(&self, name: &str) -> bool {
        self.elsewhere.path().join(name).exists() || self.project.path().join(name).exists()
    }

    /// What the command of the outer run printed.
    fn said(&self) -> String {
        let events = self.project.events();
        let ends = ends(&events);
        ends[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// A model that writes these.
fn writes(paths: &[&str]) -> Value {
    let calls: Vec<Value> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| call(&format!("w{at}"), "write", json!({ "path": path, "content": "x" })))
        .collect();
    json!([{ "content": calls }, { "content": [{ "text": "done" }] }])
}

const REFUSED: &str = "is protected by `.env`: no reading, no writing";

#[test]
fn it_has_them_in_the_same_folder_and_loads_them_once() {
    let family = Family::new(&["protected-paths", "redact-secrets"], "%run go", &writes(&[".env", "free"]));
    let said = family.said();
    assert!(said.starts_with("plugins of the outer run: protected-paths, redact-secrets\n\n→ write .env"), "{said}");
    assert!(said.contains(REFUSED), "{said}");
    assert!(!family.is_there(".env") && family.is_there("free"), "{said}");
}

#[test]
fn it_has_them_and_their_settings_in_another_folder() {
    for command in ["cd ELSEWHERE && %run go", "%run --cwd ELSEWHERE go", "%run --cwd ELSEWHERE --config /dev/null go"]
    {
        let family = Family::new(&["protected-paths"], command, &writes(&["secret.md", ".env"]));
        let family = family.file("seam.toml", "[plugins.protected-paths.config]\nsecret = [\"secret.md\"]\n");
        let said = family.said();
        assert!(said.starts_with("plugins of the outer run: protected-paths\n"), "{said}");
        assert!(!family.is_there("secret.md") && family.is_there(".env"), "{said}");
    }
}

#[test]
fn its_own_come_after_them() {
    let family = Family::new(&["protected-paths"], "%run --plugins ELSEWHERE/.seam/plugins go", &writes(&[".env"]));
    family.plugins(family.elsewhere.path(), &["redact-secrets"]);
    let said = family.said();
    assert!(said.starts_with("plugins of the outer run: protected-paths\nplugins: redact-secrets\n"), "{said}");
    assert!(said.contains(REFUSED) && !family.is_there(".env"), "{said}");
}

#[test]
fn a_run_within_it_has_all_of_them() {
    let family = Family::new(&["protected-paths"], "cd ELSEWHERE && %run go", &json!([]));
    let at = family.elsewhere.path().canonicalize().unwrap();
    family.plugins(&at, &["redact-secrets"]);
    let inmost = json!({ "turns": writes(&[".env"]) });
    fs::write(at.join("inmost.json"), inmost.to_string()).unwrap();
    fs::create_dir(at.join("further")).unwrap();
    let seam = files::root().join("target/debug/seam");
    let command = format!("{} run --cwd further --script inmost.json go", seam.display());
    let inner =
        json!({ "turns": [{ "content": [call("c1", "bash", json!({ "command": command }))] }, { "content": [] }] });
    fs::write(at.join("inner.json"), inner.to_string()).unwrap();
    let said = family.said();
    assert!(said.contains("plugins of the outer run: protected-paths, redact-secrets\n"), "{said}");
    assert!(said.contains(REFUSED) && !family.is_there("further/.env"), "{said}");
}

#[test]
fn with_other_plugins_or_settings_than_the_outer_run_has_nothing_runs() {
    let other =
        format!("cp {} .seam/plugins/redact-secrets.wasm; %run go", files::example("protected-paths").display());
    for (command, told) in [
        ("rm .seam/plugins/redact-secrets.wasm; %run go", "redact-secrets.wasm: it cannot be read (No such file"),
        ("printf '' >.seam/plugins/redact-secrets.wasm; %run go", "redact-secrets.wasm: the file is empty"),
        (&other, "redact-secrets.wasm has changed since that run began"),
        ("cd ELSEWHERE; rm -r \"$OLDPWD/.seam\"; %run go", "redact-secrets.wasm: it cannot be read (No such file"),
        ("rm seam.toml; %run go", "seam.toml cannot be read: No such file"),
        ("echo >seam.toml; %run go", "seam.toml has changed since that run began"),
        ("SEAM_OUTER_RUNS= %run go", "`SEAM_OUTER_RUNS` cannot be read"),
        ("SEAM_OUTER_RUNS='[{}]' %run go", "`SEAM_OUTER_RUNS` cannot be read: missing field `plugins`"),
    ] {
        let family = Family::new(&["redact-secrets"], command, &writes(&["free"])).file("seam.toml", "[workspace]\n");
        let said = family.said();
        assert!(said.starts_with("seam: the plugins of the outer run cannot be loaded: "), "{command}: {said}");
        assert!(said.contains(told), "{command}: {said}");
        assert!(said.contains("nothing was run") && said.ends_with("The command exited with code 3."), "{said}");
        assert!(!family.is_there("free"), "{command}");
    }
}

/// Two of one name would be one on the screen and in the records.
#[test]
fn a_plugin_of_its_own_with_the_name_of_one_of_them_is_that_one_or_an_error() {
    let folder = "%run --cwd ELSEWHERE go";
    let settings = "[plugins.protected-paths.config]\nsecret = [\"other.md\"]\n";
    let family = Family::new(&["protected-paths"], folder, &writes(&["free"]));
    family.plugins(family.elsewhere.path(), &["protected-paths"]);
    assert!(family.said().starts_with("plugins of the outer run: protected-paths\n\n"));
    fs::write(family.elsewhere.path().join("seam.toml"), settings).unwrap();
    let said = family.said();
    assert!(said.contains("protected-paths.wasm: its name `protected-paths` is also that of /"), "{said}");
    assert!(said.ends_with("The command exited with code 3."), "{said}");
    let family = family.file("seam.toml", settings);
    assert!(family.said().starts_with("plugins of the outer run: protected-paths\n\n"));
}

#[test]
fn no_file_tool_of_it_writes_the_outer_plugins_or_settings() {
    let family = Family::new(&["redact-secrets"], "cd .. && %run go", &json!([])).file("seam.toml", "");
    let workspace = family.project.path().file_name().unwrap().to_string_lossy().into_owned();
    let paths = [".seam/plugins/redact-secrets.wasm", "seam.toml"].map(|path| format!("{workspace}/{path}"));
    let inner = json!({ "turns": writes(&paths.each_ref().map(String::as_str)) });
    fs::write(family.elsewhere.path().join("inner.json"), inner.to_string()).unwrap();
    let said = family.said();
    assert_eq!(said.matches("holds Seam's own settings, plugins or sessions").count(), 2, "{said}");
}

/// A shell command may do what the user may: this holds nobody who means to escape.
#[test]
fn a_command_that_takes_the_variable_away_is_not_held() {
    let command = "cd ELSEWHERE && env -u SEAM_OUTER_RUNS %run go";
    let family = Family::new(&["protected-paths"], command, &writes(&[".env"]));
    let said = family.said();
    assert!(said.starts_with("no plugins: nothing is checked\n") && family.is_there(".env"), "{said}");
}
