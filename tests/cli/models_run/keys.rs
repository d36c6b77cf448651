//! Keys: who gets them, and where they never stand.

use std::fs;

use seam_tests::models::{Block, Protocol, Said, Trouble};
use seam_tests::{files, models::Plan};
use serde_json::json;

use super::{Ended, KEY, Place, walk};

/// What a shell command of the model prints.
fn printed(place: &Place, command: &str) -> String {
    let calls = vec![Block::call("toolu_1", "bash", json!({ "command": command }))];
    place.server.say(Protocol::Anthropic, &Said::new(calls));
    place.server.say(Protocol::Anthropic, &Said::text("ok"));
    let ended = place.run("anthropic/x", &["--no-session"]);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    place.last()["messages"].as_array().unwrap().last().unwrap()["content"][0]["content"].to_string()
}

/// What tells which keys there are.
const LOOK: &str = "echo \"${ANTHROPIC_API_KEY:+anthropic} ${OPENAI_API_KEY:+openai} ${MY_KEY:+mine} ${HOME:+home}\"";

#[test]
fn shell_commands_get_no_keys_but_those_that_are_kept_for_them() {
    assert!(printed(&Place::new(), LOOK).contains("\"   home"), "{}", printed(&Place::new(), LOOK));
    let place = Place::new().user("[workspace]\nkeep-env = [\"OPENAI_API_KEY\"]\n");
    assert!(printed(&place, LOOK).contains("\" openai  home"), "{}", printed(&place, LOOK));
}

#[test]
fn a_variable_that_the_settings_name_is_one_for_keys() {
    let place = Place::new();
    let settings = format!("[providers.anthropic]\nbase-url = \"{}/v1\"\nkey-env = \"MY_KEY\"\n", place.server.root());
    fs::write(place.home().join("config/seam/seam.toml"), settings).unwrap();
    let run = |command: &str| {
        place.ended(
            place
                .command(&["run", "--model", "anthropic/x", command])
                .env("MY_KEY", KEY)
                .env("ANTHROPIC_API_KEY", "sk-wrong"),
        )
    };
    assert_eq!(run("go").code, 0);
    let Ended { out, .. } = run(&format!("!{LOOK}"));
    assert!(out.contains("\n       home\n"), "{out}");
}

#[test]
fn a_run_within_a_run_says_why_it_has_no_key() {
    let place = Place::new().plugin("protected-paths");
    let seam = files::root().join("target/debug/seam");
    let inner = format!("!{} run --no-session --model anthropic/x go", seam.display());
    let ended = place.seam(&["run", "--json", &inner]);
    assert!(
        ended.out.contains("there is no key") && ended.out.contains("name its variable in `keep-env`"),
        "{}",
        ended.out
    );
    assert_eq!((ended.code, place.server.requests().len()), (1, 0));
    let place = place.user("[workspace]\nkeep-env = [\"ANTHROPIC_API_KEY\"]\n");
    assert_eq!((place.seam(&["run", "--json", &inner]).code, place.server.requests().len()), (0, 1));
}

/// The service repeats the key in an error, the model reads it in a file, and everything is logged.
#[test]
fn a_key_is_written_nowhere() {
    let place = Place::new().plugin("protected-paths");
    let body =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": format!("no room for {KEY}") } });
    let echo = || Plan::plain(529, "application/json", &body.to_string()).header("x-seen", KEY);
    place.server.push(echo());
    let calls = vec![Block::call("toolu_1", "bash", json!({ "command": "env | grep -c '^PATH='" }))];
    place.server.say(Protocol::Anthropic, &Said::new(calls));
    place.server.say(Protocol::Anthropic, &Said::text("ok"));
    place.server.push(Plan::trouble(Protocol::Anthropic, Trouble::WrongKey));
    for (args, code) in [(&["--json"][..], 0), (&["--continue"], 1)] {
        let mut seam = place.command(&[&["run", "--model", "anthropic/x", "go"], args].concat());
        let Ended { code: ended, out, err } = place.ended(seam.env("SEAM_LOG", "trace"));
        assert_eq!(ended, code, "{err}");
        assert!(err.contains("TRACE") || err.contains("DEBUG"), "it is logged: {err}");
        for text in [&out, &err] {
            let at = text.find(KEY).map(|at| text[at.saturating_sub(300)..].chars().take(400).collect::<String>());
            assert_eq!(at, None);
        }
    }
    assert_eq!(place.server.requests().len(), 4);
    assert!(place.server.requests().iter().all(|request| request.header("x-api-key") == Some(KEY)), "it was sent");
    let files: Vec<_> = walk(&place.home()).into_iter().chain(walk(&place.path())).collect();
    assert!(files.iter().any(|file| file.to_string_lossy().contains("journal")), "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()), "{}", file.display());
    }
}

/// From its beginning: it hides a key that a tool finds before any was used.
#[test]
fn the_journal_hides_the_keys_of_the_environment() {
    let place = Place::new().plugin("protected-paths");
    fs::write(place.path().join("conf"), KEY).unwrap();
    assert_eq!(place.seam(&["run", "!cat conf"]).code, 0);
    let journals: Vec<_> = walk(&place.home().join("state"))
        .into_iter()
        .filter(|file| file.to_string_lossy().contains("journal"))
        .collect();
    let text: String = journals.iter().map(|file| fs::read_to_string(file).unwrap_or_default()).collect();
    assert!(text.contains("cat conf") && !text.contains(KEY), "{text}");
}
