//! Who decided what, written down as it happens, and looked at afterwards.

mod kept;
mod refused;

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};

use super::terminal::at_terminal;
use super::{Project, call, seam};

const KEY: &str = "sk-live-0123456789abcdef";

impl Project {
    /// A plugin that does at each seam what its settings say.
    fn everything(self, deeds: &str) -> Self {
        fs::copy(files::guest("everything"), self.plugins().join("everything.wasm")).unwrap();
        self.file("seam.toml", &format!("[plugins.everything]\nconfig = {deeds}\n"))
    }

    /// The one session file.
    fn session(&self) -> PathBuf {
        let mut found = self.files().into_iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl"));
        let file = found.next().expect("a session");
        assert_eq!(found.next(), None);
        file
    }

    /// All files of sessions.
    fn files(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(self.elsewhere.path().join("sessions")).unwrap();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| file.unwrap().path()).collect()
    }

    fn journal_file(&self) -> PathBuf {
        self.session().with_extension("journal")
    }

    fn journal(&self, arguments: &[&str]) -> Command {
        let mut journal = seam();
        journal.arg("journal").args(arguments).arg(self.session());
        journal
    }

    /// What `seam journal` prints, with what differs from run to run taken out.
    fn shown(&self, arguments: &[&str]) -> String {
        let output = self.journal(arguments).assert().success().get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        let folder = self.path().canonicalize().unwrap();
        plain(&text.replace(&*folder.to_string_lossy(), "PROJECT"))
    }

    /// The lines of `seam journal --json`.
    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let arguments = [&["--json"], arguments].concat();
        let output = self.journal(&arguments).assert().success().get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        text.lines().map(|line| serde_json::from_str(line).expect("each line is a record")).collect()
    }

    /// What `seam journal verify` prints, and its exit code.
    fn verified(&self) -> (Option<i32>, String) {
        let output = self.journal(&["verify"]).assert().get_output().clone();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap().replace(&self.name(), "SESSION"))
    }

    fn name(&self) -> String {
        self.session().file_stem().unwrap().to_str().unwrap().to_owned()
    }
}

/// What is another in each run taken out: times, durations, digests, and the width of the columns.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split("  ").filter(|word| !word.is_empty()).map(str::trim).collect();
        let words: Vec<String> = words.into_iter().map(masked).collect();
        let indent = line.len() - line.trim_start().len();
        format!("{:width$}{}", "", words.join("  "), width = if indent > 2 { 4 } else { 0 })
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn masked(word: &str) -> String {
    let is_time = |word: &str| word.len() == 8 && word.matches(':').count() == 2;
    let is_took = [" µs", " ms", " s"].iter().any(|unit| word.ends_with(unit));
    if is_took && word.starts_with(|first: char| first.is_ascii_digit()) {
        return "TOOK".to_owned();
    }
    if is_time(word) {
        return "TIME".to_owned();
    }
    let parts = word.split(' ').map(|part| match part {
        time if is_time(time) => "TIME",
        date if date.len() == 10 && date.matches('-').count() == 2 => "DATE",
        digest if digest.len() == 13 && digest.ends_with(',') => "DIGEST,",
        other => other,
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn turns() -> Value {
    json!([
        { "content": [
            call("c1", "write", json!({ "path": ".env", "content": "x" })),
            call("c2", "bash", json!({ "command": "touch MARK", "timeout": 9 })),
            call("c3", "read", json!({ "path": "/nowhere" })),
        ] },
        { "content": [{ "text": "end" }] }
    ])
}

#[test]
fn a_journal_as_a_person_reads_it() {
    let project = Project::new(&turns()).plugin("protected-paths").plugin("safe-delete");
    project.run().arg("go").assert().success();
    insta::assert_snapshot!(project.shown(&[]), @r#"
    run 1, DATE TIME UTC
        protected-paths: sha256 DIGEST, an instance for each session, 250 ms, 64 MiB
        safe-delete: sha256 DIGEST, an instance for each session, 250 ms, 64 MiB
    4  TIME  safe-delete  rewrite-tool-call  keep  TOOK  write  .env  content="x"
    5  TIME  protected-paths  tool-call  block  TOOK  write  .env  content="x"
        `PROJECT/.env` is protected by `.env`: no reading, no writing
    6  TIME  safe-delete  rewrite-tool-call  keep  TOOK  bash  touch MARK  timeout=9
    7  TIME  protected-paths  tool-call  proceed  TOOK  bash  touch MARK  timeout=9
    8  TIME  safe-delete  rewrite-tool-call  keep  TOOK  read  /nowhere
    9  TIME  host  tool-call  block  read  /nowhere
        Refused by the host: `/nowhere` is outside the workspace (it leads to /nowhere). To a…
    10  TIME  model  c2  runs  bash  touch MARK  timeout=9
    11  TIME  c2  done  TOOK  bash  touch MARK  timeout=9
    "#);
    insta::assert_snapshot!(project.shown(&["--plugin", "protected-paths", "--call", "c1"]), @r#"
    run 1, DATE TIME UTC
    5  TIME  protected-paths  tool-call  block  TOOK  write  .env  content="x"
        `PROJECT/.env` is protected by `.env`: no reading, no writing
    "#);
    assert_eq!(project.shown(&["--seam", "nowhere"]), "nothing of that stands in the journal");
}
