//! The `seam` binary in a project whose plugins lie where they lie by default.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with plugins in `.seam/plugins`, and scripts elsewhere.
pub(super) struct Program {
    folder: TempDir,
    elsewhere: TempDir,
}

/// A call of a script.
pub(super) fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "toolCall": { "id": id, "name": name, "args": args } })
}

/// Turns: these calls in one message, then an end.
pub(super) fn batch(calls: &[Value]) -> Value {
    json!([{ "content": calls }, { "content": [{ "text": "done" }] }])
}

/// The binary.
pub(super) fn seam() -> PathBuf {
    files::root().join("target/debug/seam")
}

impl Program {
    /// A project and what its model does.
    pub(super) fn new(turns: &Value) -> Self {
        let program = Self { folder: TempDir::new().unwrap(), elsewhere: TempDir::new().unwrap() };
        fs::create_dir_all(program.path().join(".seam/plugins")).unwrap();
        program.script("script", turns);
        program
    }

    /// Another script. Gives its file.
    pub(super) fn script(&self, name: &str, turns: &Value) -> PathBuf {
        let file = self.elsewhere.path().join(format!("{name}.json"));
        fs::write(&file, json!({ "turns": turns }).to_string()).unwrap();
        file
    }

    /// A plugin under a name.
    pub(super) fn plugin(self, name: &str, file: &Path) -> Self {
        fs::copy(file, self.path().join(".seam/plugins").join(format!("{name}.wasm"))).unwrap();
        self
    }

    /// A file of the project.
    pub(super) fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.path().join(name), text).unwrap();
        self
    }

    /// The project.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A run of it.
    pub(super) fn run(&self) -> Command {
        let mut run = Command::new(seam());
        run.env_remove("SEAM_LOG").env("NO_COLOR", "1").env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
        run.env("XDG_STATE_HOME", files::root().join("target/test-state"));
        run.env("XDG_CONFIG_HOME", files::root().join("target/test-config"));
        run.args(["run", "--no-session", "--cwd"]).arg(self.path());
        run.arg("--script").arg(self.elsewhere.path().join("script.json"));
        run
    }

    /// The events of a run.
    pub(super) fn events(&self) -> Vec<Value> {
        Self::events_of(&mut self.run())
    }

    /// The same of a run whose settings the user names: they may ask for more.
    pub(super) fn events_with_named_settings(&self) -> Vec<Value> {
        Self::events_of(self.run().arg("--config").arg(self.path().join("seam.toml")))
    }

    fn events_of(run: &mut Command) -> Vec<Value> {
        let stdout = run.args(["--json", "go"]).assert().success().get_output().stdout.clone();
        let lines = String::from_utf8(stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).expect("each line is one event")).collect()
    }

    /// What a person reads of a run.
    pub(super) fn screen(&self) -> String {
        let stdout = self.run().arg("go").assert().success().get_output().stdout.clone();
        String::from_utf8(stdout).unwrap()
    }
}

/// The events of a type.
pub(super) fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}
