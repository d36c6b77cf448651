//! The binary: what is remembered over several runs, and what a person sees of it.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::json;
use tempfile::TempDir;

/// A workspace with the plugin, and its sessions.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(steps: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        fs::create_dir_all(place.path("work/.seam/plugins")).unwrap();
        fs::copy(files::guest("reach-a"), place.path("work/.seam/plugins/remembers.wasm")).unwrap();
        let grants = "[plugins.remembers.grants]\nmessages = true\nsession = true\nmodels = true\n";
        let settings = format!("{grants}[plugins.remembers.config.steps]\n{steps}\n");
        fs::write(place.path("settings.toml"), settings).unwrap();
        let turns = json!({ "turns": [{ "content": [{ "text": "yes" }] }] });
        fs::write(place.path("script.json"), turns.to_string()).unwrap();
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn seam(&self, words: &[&str]) -> Command {
        let mut seam = Command::new(files::root().join("target/debug/seam"));
        seam.env_remove("SEAM_LOG").env("NO_COLOR", "1").env("XDG_CONFIG_HOME", self.path("config"));
        seam.env("XDG_STATE_HOME", self.path("state")).env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
        seam.args(words).arg("--cwd").arg(self.path("work"));
        seam
    }

    fn run(&self, words: &[&str]) -> String {
        let mut seam = self.seam(&[&["run"], words].concat());
        seam.arg("--config").arg(self.path("settings.toml")).arg("--script").arg(self.path("script.json"));
        String::from_utf8(seam.assert().success().get_output().stdout.clone()).unwrap()
    }

    fn session(&self, words: &[&str]) -> String {
        let assert = self.seam(&[&["session"], words].concat()).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    /// The id of its only session.
    fn id(&self) -> String {
        self.session(&["ls"]).split_whitespace().next().unwrap().to_owned()
    }
}

/// Also what it writes when it is asked for its tools, before anybody owns the conversation.
#[test]
fn each_run_goes_on_with_what_the_one_before_remembered() {
    let place = Place::new(r#"list-tools = [["count", "starts"]]"#);
    place.run(&["hi"]);
    for starts in ["2", "3"] {
        let said = place.run(&["--continue", r#"/do [["get", "starts"], ["set", "a", "b"]]"#]);
        assert!(said.contains(&format!("{starts} | ok")), "{said}");
    }
}

#[test]
fn an_entry_of_it_is_a_line_with_the_plugins_name() {
    let place = Place::new(r#"input = [["count", "said"], ["append", "note", "{}"]]"#);
    place.run(&["hi"]);
    let id = place.id();
    for shown in [place.session(&["tree", &id]), place.session(&["show", &id])] {
        assert!(!shown.contains("seam:state"), "{shown}");
    }
    let tree = place.session(&["tree", &id]);
    let lines: Vec<&str> = tree.lines().filter_map(|line| line.split_once("state of")).map(|(_, rest)| rest).collect();
    assert_eq!(lines, [": remembers/note", ": remembers"]);
    let page = place.path("page.html");
    place.session(&["export", &id, "--html", "--output", page.to_str().unwrap()]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("state of: remembers</p>") && !page.contains("seam:state\""), "{page}");
}

#[test]
fn its_decisions_can_be_made_again() {
    let place = Place::new(r#"input = [["count", "said"], ["get", "said"], ["append", "note", "{}"]]"#);
    place.run(&["hi"]);
    place.run(&["--continue", "again"]);
    let before = place.session(&["tree", &place.id()]);
    let mut replay = place.seam(&["replay", &place.id()]);
    replay.arg("--config").arg(place.path("settings.toml")).arg("--plugins").arg(place.path("work/.seam/plugins"));
    let assert = replay.assert().success();
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(said.contains(" as then, 0 different"), "{said}");
    assert_eq!(place.session(&["tree", &place.id()]), before);
}
