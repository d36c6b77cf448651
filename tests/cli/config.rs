//! Settings: what they may say, whose they are, and which plugins a run has by them.

mod faults;
mod leave_out;
mod order;
mod protected;
mod trust;
mod user;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project and its user, with folders of their own for everything.
pub(super) struct Place {
    folder: TempDir,
    home: TempDir,
}

/// What a run of `seam` came to.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

impl Place {
    pub(super) fn new() -> Self {
        let place = Self { folder: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        fs::create_dir_all(place.path().join(".seam/plugins")).unwrap();
        fs::create_dir_all(place.home().join("config/seam")).unwrap();
        place.script(&json!([{ "content": [{ "text": "ok" }] }]));
        place
    }

    /// The project, canonical.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Where the user has his folders.
    pub(super) fn home(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// What the model does.
    pub(super) fn script(&self, turns: &Value) {
        fs::write(self.home().join("script.json"), json!({ "turns": turns }).to_string()).unwrap();
    }

    /// A plugin under a name.
    pub(super) fn plugin(self, name: &str, file: &Path) -> Self {
        fs::copy(file, self.plugin_file(name)).unwrap();
        self
    }

    pub(super) fn plugin_file(&self, name: &str) -> PathBuf {
        self.path().join(".seam/plugins").join(format!("{name}.wasm"))
    }

    /// The project's settings.
    pub(super) fn project(self, text: &str) -> Self {
        fs::write(self.path().join("seam.toml"), text).unwrap();
        self
    }

    /// The user's settings.
    pub(super) fn user(self, text: &str) -> Self {
        fs::write(self.home().join("config/seam/seam.toml"), text).unwrap();
        self
    }

    /// A command that works on the project.
    pub(super) fn seam(&self, args: &[&str]) -> Said {
        self.seam_reads(args, "")
    }

    /// A run that does what each of these lines says.
    pub(super) fn talk(&self, prompts: &[&str]) -> Said {
        let script = self.home().join("script.json");
        self.seam_reads(&["run", "--no-session", "--script", &script.to_string_lossy()], &prompts.join("\n"))
    }

    /// The same with these lines to read.
    pub(super) fn seam_reads(&self, args: &[&str], input: &str) -> Said {
        let (command, rest) = args.split_first().unwrap();
        let mut seam: Command = super::seam();
        seam.current_dir(self.path()).env("COLUMNS", "100");
        seam.env("XDG_CONFIG_HOME", self.home().join("config")).env("XDG_STATE_HOME", self.home().join("state"));
        let output = seam.arg(command).args(rest).write_stdin(input).assert().get_output().clone();
        let told = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap().replace(&*self.path().to_string_lossy(), "PROJECT");
            text.replace(&*self.home().to_string_lossy(), "HOME")
        };
        Said { code: output.status.code().unwrap(), out: told(output.stdout), err: told(output.stderr) }
    }

    /// A run that plays the script.
    pub(super) fn run(&self, args: &[&str]) -> Said {
        let script = self.home().join("script.json");
        self.seam(&[&["run", "--script", &script.to_string_lossy(), "go"], args].concat())
    }

    /// The names of the plugins that a run has, in order; none when it does not begin.
    pub(super) fn loaded(&self) -> String {
        let out = self.run(&["--no-session"]).out;
        out.lines().find_map(|line| line.strip_prefix("plugins: ")).unwrap_or_default().to_owned()
    }
}

/// A plugin that may be asked and needs no grant.
pub(super) fn gate() -> PathBuf {
    files::guest("gate")
}

/// A plugin that needs grants: to call tools, to run programs, to ask the model and the user.
pub(super) fn needy() -> PathBuf {
    files::guest("reach-b")
}

/// All that it needs.
pub(super) const GRANTS: &str = "ui = true\ntools = [\"read\"]\nexec = [\"git\"]\ncomplete = 1000\n";

/// The settings that grant it.
pub(super) fn granted(name: &str) -> String {
    format!("[plugins.{name}.grants]\n{GRANTS}")
}

#[test]
fn a_link_to_nowhere_in_the_users_folder_is_not_the_defaults() {
    let place = Place::new();
    symlink("nowhere", place.home().join("config/seam/seam.toml")).unwrap();
    let said = place.run(&[]);
    let told = "seam: HOME/config/seam/seam.toml cannot be read: No such file or directory (os error 2)\n";
    assert_eq!((said.code, &*said.err), (2, told));
}
