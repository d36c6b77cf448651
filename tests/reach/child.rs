//! A run of `seam` with one plugin, in folders of its own.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use seam_tests::files;
use serde_json::json;
use tempfile::TempDir;

/// A project, with a plugin and its settings beside it.
pub(super) struct Child {
    folder: TempDir,
}

impl Child {
    /// With this guest as plugin `p`, granted this.
    pub(super) fn new(guest: &str, grants: &str) -> Self {
        let child = Self { folder: TempDir::new().unwrap() };
        std::fs::create_dir_all(child.project().join(".seam")).unwrap();
        std::fs::create_dir_all(child.path().join("plugins")).unwrap();
        std::fs::copy(files::guest(guest), child.path().join("plugins/p.wasm")).unwrap();
        std::fs::write(child.settings(), format!("[plugins.p.grants]\n{grants}\n")).unwrap();
        child
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    fn settings(&self) -> PathBuf {
        self.project().join("seam.toml")
    }

    /// `seam COMMAND` there, with these variables.
    pub(super) fn seam(&self, command: &str, variables: &[(&str, &Path)]) -> Command {
        let mut seam = Command::new(files::root().join("target/debug/seam"));
        seam.env_remove("SSL_CERT_FILE").env_remove("SEAM_LOG").env("NO_COLOR", "1");
        seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
        seam.env("XDG_STATE_HOME", self.path().join("state")).env("XDG_CONFIG_HOME", self.path().join("config"));
        seam.envs(variables.iter().copied()).arg(command).arg("--cwd").arg(self.project());
        seam.arg("--session-dir").arg(self.path().join("sessions"));
        seam
    }

    /// The same with the plugin.
    pub(super) fn with_plugin(&self, command: &str, variables: &[(&str, &Path)]) -> Command {
        let mut seam = self.seam(command, variables);
        seam.arg("--plugins").arg(self.path().join("plugins")).arg("--config").arg(self.settings());
        seam
    }

    /// A run in which the model calls `bash` with this command. Gives the exit code and what was told.
    pub(super) fn run(&self, command: &str, variables: &[(&str, &Path)]) -> (i32, String) {
        let call = json!({ "id": "c1", "name": "bash", "args": { "command": command } });
        let turns = json!({ "turns": [{ "content": [{ "toolCall": call }] }, { "content": [{ "text": "done" }] }] });
        let script = self.path().join("script.json");
        std::fs::write(&script, turns.to_string()).unwrap();
        told(self.with_plugin("run", variables).arg("--script").arg(script).arg("go"))
    }

    /// What the plugin blocked the call with.
    pub(super) fn refused(&self, command: &str, variables: &[(&str, &Path)]) -> String {
        let (_, told) = self.run(command, variables);
        let (_, said) = told.split_once("refused: ").unwrap_or(("", &told));
        said.lines().next().unwrap_or_default().to_owned()
    }

    /// The newest session.
    pub(super) fn session(&self) -> String {
        let (_, told) = told(self.seam("session", &[]).arg("ls"));
        told.split_whitespace().next().unwrap_or_default().to_owned()
    }
}

/// The exit code, and both outputs.
pub(super) fn told(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), told)
}
