//! The `seam` binary, as a person and as a script meet it.

mod audit;
mod child;
mod config;
mod dialog;
mod doctor;
mod export;
mod gates;
mod journal;
mod lock;
mod models;
mod models_run;
mod open_files;
mod output;
mod plugins;
mod prompts;
mod question;
mod reload;
mod replay;
mod session;
mod spoken;
mod started;
mod stopping;
mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use seam_tests::files;
use serde_json::{Value, json};
use tempfile::TempDir;

const SECRET: &str = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";

/// A project and a script that works on it.
struct Project {
    folder: TempDir,
    elsewhere: TempDir,
}

impl Project {
    fn new(turns: &Value) -> Self {
        let project = Self { folder: TempDir::new().unwrap(), elsewhere: TempDir::new().unwrap() };
        fs::write(project.elsewhere.path().join("script.json"), json!({ "turns": turns }).to_string()).unwrap();
        project
    }

    fn plugin(self, name: &str) -> Self {
        fs::copy(files::example(name), self.plugins().join(format!("{name}.wasm"))).unwrap();
        self
    }

    /// The plugin that misbehaves, set to do this.
    fn stress(self, deeds: &str) -> Self {
        fs::copy(files::stress(), self.plugins().join("stress.wasm")).unwrap();
        self.file("seam.toml", &format!("[plugins.stress]\nconfig = {deeds}\n"))
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.path().join(name), text).unwrap();
        self
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Its own plugins: its settings are for these. The folder is there from now on.
    fn plugins(&self) -> std::path::PathBuf {
        let folder = self.path().join(".seam/plugins");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn run(&self) -> Command {
        let mut seam = seam();
        seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache")).arg("run");
        seam.arg("--cwd").arg(self.path()).arg("--session-dir").arg(self.elsewhere.path().join("sessions"));
        // They are about plugins that are not the project's own: by itself it has no say.
        let settings = self.path().join("seam.toml");
        if settings.exists() {
            seam.arg("--config").arg(settings);
        }
        seam.arg("--script").arg(self.elsewhere.path().join("script.json"));
        seam
    }

    fn events(&self) -> Vec<Value> {
        let output = self.run().args(["--json", "go"]).assert().success().get_output().stdout.clone();
        let lines = String::from_utf8(output).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).expect("each line is one event")).collect()
    }
}

fn seam() -> Command {
    let mut seam = Command::new(files::root().join("target/debug/seam"));
    seam.env_remove("SEAM_LOG").env("NO_COLOR", "1").env("XDG_STATE_HOME", state());
    seam.env("XDG_CONFIG_HOME", files::root().join("target/test-config"));
    seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache"));
    // No test asks a real service, or by way of a real proxy.
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        seam.env_remove(name).env_remove(name.to_lowercase());
    }
    let providers = seam_providers::Providers::new(&BTreeMap::new()).unwrap();
    for name in providers.key_variables() {
        seam.env_remove(name);
    }
    seam
}

/// Where sessions are kept: not where the user has his own.
fn state() -> std::path::PathBuf {
    files::root().join("target/test-state")
}

fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "toolCall": { "id": id, "name": name, "args": args } })
}

fn ends(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["type"] == "tool_execution_end").collect()
}

#[test]
fn a_plugin_refuses_a_real_write() {
    let turns = json!([
        { "content": [call("c1", "write", json!({ "path": ".env", "content": "stolen" }))] },
        { "content": [{ "text": "I see." }] }
    ]);
    let project = Project::new(&turns).plugin("protected-paths");
    let events = project.events();
    assert!(!project.path().join(".env").exists());
    let ends = ends(&events);
    assert_eq!(ends[0]["isError"], true);
    assert_eq!(ends[0]["decisions"][0]["by"], json!({ "plugin": "protected-paths" }));
    assert_eq!(ends[0]["decisions"][0]["ruling"]["kind"], "block");
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types[..3], ["session", "session_start", "agent_start"]);
    assert_eq!(types[types.len() - 2..], ["settled", "session_shutdown"]);
}

#[test]
fn a_secret_is_in_no_event_and_on_no_screen() {
    let turns = json!([
        { "content": [call("c1", "read", json!({ "path": "conf" })), call("c2", "bash", json!({ "command": "cat conf; sleep 0.3" }))] },
        { "content": [{ "text": "done" }] }
    ]);
    let project = Project::new(&turns).plugin("redact-secrets").file("conf", SECRET);
    let json = project.run().args(["--json", "go"]).assert().success().get_output().stdout.clone();
    let screen = project.run().arg("go").assert().success().get_output().stdout.clone();
    for output in [json, screen] {
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains("[redacted") && !output.contains(SECRET), "{output}");
    }
}

#[test]
fn a_run_as_a_person_reads_it() {
    let turns = json!([
        { "content": [{ "text": "I write, and I clean up." },
            call("c1", "write", json!({ "path": ".env", "content": "x" })),
            call("c2", "bash", json!({ "command": "rm -f old" }))] },
        { "content": [{ "text": "Done." }] }
    ]);
    let project =
        Project::new(&turns).plugin("protected-paths").plugin("redact-secrets").plugin("safe-delete").file("old", "");
    let output = project.run().arg("go").assert().success().get_output().stdout.clone();
    let path = project.path().canonicalize().unwrap();
    let output = String::from_utf8(output).unwrap().replace(&*path.to_string_lossy(), "PROJECT");
    let (begin, id) = output.split_once("session: ").unwrap();
    let output = format!("{begin}session: ID{}", &id[13..]);
    insta::assert_snapshot!(output, @r#"
    plugins: protected-paths, redact-secrets, safe-delete
    session: ID
    I write, and I clean up.

    → write .env  content="x"
      protected-paths  refused: `PROJECT/.env` is protected by `.env`: no reading, no writing
      no objection: safe-delete
      ✗ not run

    → bash rm -f old
      safe-delete      rewrote the call: ([[ ! -d old || -L old ]] && mkdir -p .trash/c2 && mv --backup=numbered -t .trash/c2 -- old || ! ls -d -- old) 2>/dev/null
      no objection: protected-paths, redact-secrets
      ✓ done
        (no output)
        [Changed before it ran by plugin `safe-delete`. The tool got these arguments: {"command":"([[ ! -d old || -L …

    Done.
    "#);
    assert!(!project.path().join("old").exists() && project.path().join(".trash").is_dir());
}

#[test]
fn a_plugin_that_does_not_load_stops_the_run_before_it_starts() {
    let turns = json!([{ "content": [call("c1", "bash", json!({ "command": "touch MARK" }))] }, { "content": [] }]);
    let project = Project::new(&turns).plugin("protected-paths");
    fs::write(project.plugins().join("broken.wasm"), "").unwrap();
    let output = project.run().arg("go").assert().code(3).get_output().stderr.clone();
    assert!(!project.path().join("MARK").exists());
    let told = String::from_utf8(output).unwrap().replace(&*project.plugins().to_string_lossy(), "PLUGINS");
    insta::assert_snapshot!(told, @r#"
    seam: plugin not loaded: PLUGINS/broken.wasm: the file is empty; copy it again
    seam: nothing was run, since what is not loaded cannot refuse. To run without a plugin, take its file out of PLUGINS, or set `on-failure = "skip"` for it.
    "#);
}

#[test]
fn settings_reach_their_plugin() {
    let turns = json!([
        { "content": [call("c1", "write", json!({ "path": "notes/secret.md", "content": "x" }))] },
        { "content": [{ "text": "ok" }] }
    ]);
    let project = Project::new(&turns).plugin("protected-paths");
    let project = project.file("seam.toml", "[plugins.protected-paths.config]\nsecret = [\"secret.md\"]\n");
    let events = project.events();
    assert_eq!(ends(&events)[0]["decisions"][0]["ruling"]["kind"], "block");
    assert!(!project.path().join("notes").exists());
}

#[test]
fn settings_nobody_reads_are_an_error() {
    for (settings, told) in [
        (
            "[plugins.protected-path]\n",
            "has settings for plugin `protected-path`, which is not loaded (loaded: protected-paths)",
        ),
        (
            "[plugins.protected-paths]\nonfailure = \"skip\"\n",
            "line 2: unknown key `onfailure` under `[plugins.protected-paths]`; did you mean `on-failure`?",
        ),
        (
            "[workspace]\noutside = [\"/nowhere/at/all\"]\n",
            "line 2: `outside` under `[workspace]` names /nowhere/at/all, which cannot be used",
        ),
    ] {
        let project = Project::new(&json!([])).plugin("protected-paths").file("seam.toml", settings);
        let output = project.run().arg("go").assert().code(2).get_output().stderr.clone();
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains(told), "{output}");
    }
}

#[test]
fn a_failed_run_has_an_exit_code_of_its_own() {
    let project = Project::new(&json!([{ "error": "overloaded" }]));
    let output = project.run().arg("go").assert().code(1).get_output().stderr.clone();
    assert_eq!(String::from_utf8(output).unwrap(), "seam: the run failed: overloaded\n");
}

#[test]
fn without_a_model_it_says_what_to_do() {
    let output = seam().args(["run", "go"]).assert().code(2).get_output().stderr.clone();
    insta::assert_snapshot!(String::from_utf8(output).unwrap(), @r#"
    seam: there is no model to ask: give `--model PROVIDER/NAME` (`seam models` lists them), or set `model` in seam.toml; `--script FILE` plays one from a JSON file. No provider's key is set
    "#);
}

#[test]
fn an_audit_as_a_person_reads_it() {
    let output =
        seam().arg("audit").arg(files::root().join("target/plugins")).assert().success().get_output().stdout.clone();
    let output = String::from_utf8(output).unwrap();
    // Sizes, digests and versions change with every build.
    let steady: Vec<String> = output
        .split("\n\n")
        .filter_map(|block| {
            let (block, _) = block.split_once("  made with")?;
            let (head, rest) = block.split_once("\n  sha256")?;
            let (_, rest) = rest.split_once('\n')?;
            Some(format!("{}\n{rest}", head.split("  ").next()?))
        })
        .collect();
    insta::assert_snapshot!(steady.join("\n"), @r#"
    fold-results
      can leak    no: it sees every message of the conversation, but has no way out of its own; the
                  model reads its words and may act on them
      can decide  transform-context  before the request: change what the model is shown; if it fails, no
                                     request is sent; the run ends
      can see     conversation       every message of the conversation
                  transform-context  how many messages
                  config             its own settings
      can send    transform-context  words to the model, which may act on them
                  log                notes to you, bounded
      imports     always there  config, conversation, log

    protected-paths
      can leak    no: it sees tool calls, but has no way out of its own; the model reads its words and
                  may act on them
      can decide  tool-call  before the effect: refuse the call, or ask you; if it fails, the call is
                             refused
      can see     tool-call  tool calls
                  config     its own settings
      can send    tool-call  words to the model, which may act on them
                  log        notes to you, bounded
      imports     always there  config, log

    redact-secrets
      can leak    no: it sees tool calls and their results, but has no way out of its own; the model
                  reads its words and may act on them
      can decide  tool-result  after the effect: change or withhold what is told of it; if it fails, the
                               result is withheld
      can see     tool-result  tool calls and their results
                  full-result  the whole text of the result it reviews
      can send    tool-result  words to the model, which may act on them
                  log          notes to you, bounded
      imports     always there  full-result, log

    safe-delete
      can leak    yes: tool calls, into arguments of calls and so into commands (every gate sees them,
                  and each rewrite is shown)
      can decide  rewrite-tool-call  before the effect: change the arguments; gates see it; if it fails,
                                     the call is refused
      can see     rewrite-tool-call  tool calls
                  config             its own settings
      can send    rewrite-tool-call  any arguments into calls of the model, so any text into commands
                                     and files; every gate sees them, and each rewrite is shown
                  log                notes to you, bounded
      imports     always there  config, log
    "#);
    assert!(output.contains("Rust") && output.contains("rustc 1."), "{output}");
}

#[test]
fn an_audit_as_a_program_reads_it() {
    let folder = TempDir::new().unwrap();
    fs::copy(files::example("protected-paths"), folder.path().join("p.wasm")).unwrap();
    fs::write(folder.path().join("q.wasm"), "text").unwrap();
    let output = seam().args(["audit", "--json"]).arg(folder.path()).assert().code(3).get_output().stdout.clone();
    let audits: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(audits[0]["decides"][0]["seam"], "tool-call");
    assert_eq!(audits[0]["decides"][0]["timing"], "before-effect");
    assert_eq!((&audits[0]["problem"], &audits[0]["canLeak"]), (&Value::Null, &json!("no")));
    assert!(audits[1]["problem"].as_str().unwrap().contains("not WebAssembly"));
}

/// Processes that start at once share one cache.
#[test]
fn processes_that_start_at_once_do_not_disturb_each_other() {
    let turns = json!([{ "content": [{ "text": "ok" }] }]);
    let project = Project::new(&turns).plugin("protected-paths").plugin("redact-secrets").plugin("safe-delete");
    let cache = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| project.run().env("XDG_CACHE_HOME", cache.path()).arg("go").assert().success());
        }
    });
    assert_eq!(fs::read_dir(cache.path().join("seam/compiled")).unwrap().count(), 3);
}
