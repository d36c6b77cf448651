//! `seam run` with models of real services, as far as a real process can tell: the service is played.

mod choice;
mod faults;
mod keys;
mod screen;
mod settings;

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use seam_tests::files;
use seam_tests::models::{Block, Protocol, Said, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::SECRET;

/// The only key that the service takes.
const KEY: &str = "sk-ant-api03-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";

/// What the model costs in these tests, whatever it costs now.
const PRICE: &str =
    "[providers.anthropic.models.claude-sonnet-4-5]\ncost = { input = 3.0, output = 15.0, cache-read = 0.3 }\n";

/// A project, its user, and the service of his providers.
struct Place {
    folder: TempDir,
    home: TempDir,
    server: Server,
}

/// What a process came to.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    /// One whose user has set nothing but where his providers are.
    fn new() -> Self {
        let place =
            Self { folder: TempDir::new().unwrap(), home: TempDir::new().unwrap(), server: Server::with_key(KEY) };
        fs::create_dir_all(place.home().join("config/seam")).unwrap();
        place.user("")
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn home(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// More of the user's own settings. What is no table goes first.
    fn user(self, more: &str) -> Self {
        let (anthropic, google) = (self.server.base_url(Protocol::Anthropic), self.server.base_url(Protocol::Gemini));
        let settings = format!(
            "{more}\n[providers.anthropic]\nbase-url = \"{anthropic}\"\n{PRICE}[providers.openai]\nbase-url = \"{anthropic}\"\n\
             [providers.openrouter]\nbase-url = \"{anthropic}\"\n[providers.google]\nbase-url = \"{google}\"\n\
             [retry]\nbase-ms = 1\n"
        );
        fs::write(self.home().join("config/seam/seam.toml"), settings).unwrap();
        self
    }

    fn project(self, settings: &str) -> Self {
        fs::write(self.path().join("seam.toml"), settings).unwrap();
        self
    }

    fn plugin(self, name: &str) -> Self {
        let folder = self.path().join(".seam/plugins");
        fs::create_dir_all(&folder).unwrap();
        fs::copy(files::example(name), folder.join(format!("{name}.wasm"))).unwrap();
        self
    }

    /// A command with the keys of all providers in its environment.
    fn command(&self, args: &[&str]) -> Command {
        let mut seam = super::seam();
        seam.current_dir(self.path()).args(args);
        seam.env("XDG_CONFIG_HOME", self.home().join("config")).env("XDG_STATE_HOME", self.home().join("state"));
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"] {
            seam.env(name, KEY);
        }
        seam
    }

    fn ended(&self, command: &mut Command) -> Ended {
        let output = command.output().unwrap();
        let told = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap().replace(&*self.path().to_string_lossy(), "PROJECT");
            text.replace(&*self.home().to_string_lossy(), "HOME").replace(&self.server.root(), "http://SERVICE")
        };
        Ended { code: output.status.code().unwrap(), out: told(output.stdout), err: told(output.stderr) }
    }

    fn seam(&self, args: &[&str]) -> Ended {
        self.ended(&mut self.command(args))
    }

    /// A run that asks this model.
    fn run(&self, model: &str, args: &[&str]) -> Ended {
        self.seam(&[&["run", "--model", model, "go"], args].concat())
    }

    /// What was last asked.
    fn last(&self) -> Value {
        self.server.requests().last().unwrap().body.clone()
    }

    /// The files of the session, which is the only one.
    fn session(&self) -> Vec<Value> {
        let files = walk(&self.home().join("state/seam/sessions"));
        let is_session = |path: &&PathBuf| {
            path.extension().is_some_and(|end| end == "jsonl") && !path.to_string_lossy().contains("journal")
        };
        let sessions: Vec<_> = files.iter().filter(is_session).collect();
        assert_eq!(sessions.len(), 1, "{files:?}");
        let text = fs::read_to_string(sessions[0]).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// The ids of sessions are new each time.
fn steady(out: &str) -> String {
    let Some((begin, id)) = out.split_once("session: ") else { return out.to_owned() };
    format!("{begin}session: ID{}", &id[13..])
}

#[test]
fn a_model_is_asked_and_its_tools_run_under_the_plugins() {
    let place = Place::new().plugin("protected-paths").plugin("redact-secrets");
    fs::write(place.path().join("conf"), SECRET).unwrap();
    let calls = vec![
        Block::thinking("A key, and a file for it.", Some("c2ln")),
        Block::text("I look, and I write."),
        Block::call("toolu_1", "bash", json!({ "command": "cat conf" })),
        Block::call("toolu_2", "write", json!({ "path": ".env", "content": "x" })),
    ];
    place.server.say(Protocol::Anthropic, &Said::new(calls));
    place.server.say(Protocol::Anthropic, &Said::text("Done, in part."));
    let ended = place.run("anthropic/claude-sonnet-4-5:high", &[]);
    insta::assert_snapshot!(steady(&ended.out), @r#"
    plugins: protected-paths, redact-secrets
    session: ID
    I look, and I write.

    → write .env  content="x"
      protected-paths  refused: `PROJECT/.env` is protected by `.env`: no reading, no writing
      ✗ not run

    → bash cat conf
      redact-secrets   changed the result: content
      no objection: protected-paths
      ✓ done
        [redacted: api-key]

    Done, in part.

    anthropic/claude-sonnet-4-5 · 68 tokens read (26 cached), 68 written · $0.0012
    "#);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    assert!(!place.path().join(".env").exists());

    let first = place.server.body(0);
    assert_eq!((&first["model"], &first["stream"]), (&json!("claude-sonnet-4-5"), &json!(true)));
    assert!(first["thinking"].is_object(), "{first}");
    let sent = place.last().to_string();
    assert!(sent.contains("[redacted") && !sent.contains(SECRET), "{sent}");
    assert!(sent.contains("is protected by `.env`") && sent.contains("c2ln"), "{sent}");
}

#[test]
fn every_protocol_is_spoken() {
    let cases = [
        (Protocol::Anthropic, "anthropic/claude-sonnet-4-5"),
        (Protocol::Responses, "openai/gpt-5"),
        (Protocol::Chat, "openrouter/openai/gpt-4.1"),
        (Protocol::Gemini, "google/gemini-2.5-flash"),
    ];
    for (protocol, model) in cases {
        let place = Place::new();
        let calls = vec![Block::call("call_1", "bash", json!({ "command": "echo $((6 * 7))" }))];
        place.server.say(protocol, &Said::new(calls));
        place.server.say(protocol, &Said::text("It is done."));
        let ended = place.run(model, &["--no-session"]);
        assert_eq!((ended.code, &*ended.err), (0, ""), "{model}");
        assert!(ended.out.contains("→ bash echo $((6 * 7))") && ended.out.contains("It is done.\n"), "{}", ended.out);
        assert!(place.last().to_string().contains("42"), "{}", place.last());
        let asked: Vec<_> = place.server.requests().iter().map(|request| request.protocol).collect();
        assert_eq!(asked, [Some(protocol); 2]);
    }
}

/// The model of the session is that of the last word about it, and what another one said before goes to it.
#[test]
fn a_session_goes_on_with_the_model_of_another_provider() {
    let place = Place::new();
    let calls = vec![
        Block::thinking("Only mine.", Some("c2ln")),
        Block::text("I count."),
        Block::call("toolu_1", "bash", json!({ "command": "echo $((6 * 7))" })),
    ];
    place.server.say(Protocol::Anthropic, &Said::new(calls));
    place.server.say(Protocol::Anthropic, &Said::text("42."));
    assert_eq!(place.run("anthropic/claude-sonnet-4-5:low", &[]).code, 0);
    place.server.say(Protocol::Gemini, &Said::text("I go on."));
    let ended = place.run("google/gemini-2.5-flash", &["--continue"]);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    let sent = place.last();
    let told = sent.to_string();
    assert!(told.contains("I count.") && told.contains("functionCall") && told.contains("42\\n"), "{told}");
    assert!(!told.contains("c2ln"), "its proof is nothing to another: {told}");
    place.server.say(Protocol::Gemini, &Said::text("And on."));
    assert_eq!(place.seam(&["run", "--continue", "go"]).code, 0);
    let asked: Vec<_> = place.server.requests().iter().map(|request| request.protocol.unwrap()).collect();
    assert_eq!(asked, [Protocol::Anthropic, Protocol::Anthropic, Protocol::Gemini, Protocol::Gemini]);
    let changes: Vec<String> = place
        .session()
        .iter()
        .filter(|entry| entry["type"] == "model_change")
        .map(|entry| format!("{}/{}", entry["provider"].as_str().unwrap(), entry["modelId"].as_str().unwrap()))
        .collect();
    assert_eq!(changes, ["anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]);
}
