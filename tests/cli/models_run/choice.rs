//! Which model is asked.

use seam_tests::models::{Protocol, Said};
use serde_json::json;

use super::{Ended, Place};

fn say(place: &Place, words: &str) {
    place.server.say(Protocol::Anthropic, &Said::text(words));
}

fn asked(place: &Place) -> String {
    place.last()["model"].as_str().unwrap().to_owned()
}

#[test]
fn the_command_line_goes_before_the_session_and_that_before_the_settings() {
    let place = Place::new().user("model = \"anthropic/of-settings\"");
    say(&place, "one");
    assert_eq!(place.seam(&["run", "go"]).code, 0);
    assert_eq!(asked(&place), "of-settings");
    say(&place, "two");
    assert_eq!(place.run("anthropic/of-arguments", &["--continue"]).code, 0);
    assert_eq!(asked(&place), "of-arguments");
    say(&place, "three");
    assert_eq!(place.seam(&["run", "--continue", "go"]).code, 0);
    assert_eq!(asked(&place), "of-arguments", "it is the session's own now");
}

#[test]
fn a_projects_settings_choose_where_the_user_does_not() {
    let place = Place::new().project("model = \"anthropic/of-project\"");
    say(&place, "one");
    assert_eq!(place.seam(&["run", "--no-session", "go"]).code, 0);
    assert_eq!(asked(&place), "of-project");
    let place = Place::new().user("model = \"anthropic/of-user\"").project("model = \"anthropic/of-project\"");
    let ended = place.seam(&["run", "--no-session", "go"]);
    assert_eq!(ended.code, 3);
    assert!(
        ended.err.contains("it sets `model` to \"anthropic/of-project\", where your own settings have"),
        "{}",
        ended.err
    );
}

#[test]
fn the_level_is_kept_with_the_session() {
    let place = Place::new();
    let budget = |place: &Place| place.last()["thinking"]["budget_tokens"].as_u64();
    for (model, args) in [
        (Some("anthropic/claude-sonnet-4-5:low"), &["--session-dir"][..]),
        (None, &["--continue", "--session-dir"]),
        (Some("anthropic/claude-sonnet-4-5:high"), &["--continue", "--session-dir"]),
        (Some("anthropic/claude-sonnet-4-5:off"), &["--continue", "--session-dir"]),
    ] {
        say(&place, "ok");
        let kept = place.home().join("kept").display().to_string();
        let model: Vec<&str> = model.into_iter().flat_map(|model| ["--model", model]).collect();
        let ended = place.seam(&[&["run", "go"], &*model, args, &[&*kept]].concat());
        assert_eq!((ended.code, &*ended.err), (0, ""));
    }
    let budgets: Vec<Option<u64>> =
        place.server.requests().iter().map(|request| request.body["thinking"]["budget_tokens"].as_u64()).collect();
    assert_eq!(budgets[0], budgets[1]);
    assert!(budgets[0] < budgets[2] && budgets[0].is_some(), "{budgets:?}");
    assert_eq!((budgets[3], budget(&place)), (None, None));
}

#[test]
fn without_a_model_it_says_what_to_do() {
    let place = Place::new();
    let Ended { code, out, err } = place.seam(&["run", "go"]);
    assert_eq!((code, &*out), (2, ""));
    insta::assert_snapshot!(err, @r#"
    seam: there is no model to ask: give `--model PROVIDER/NAME` (`seam models` lists them), or set `model` in seam.toml; `--script FILE` plays one from a JSON file. Keys are set for anthropic, google, openai, openrouter
    "#);
    let mut without = place.command(&["run", "go"]);
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"] {
        without.env_remove(name);
    }
    assert!(place.ended(&mut without).err.ends_with(" No provider's key is set\n"));
    assert_eq!(super::walk(&place.home().join("state")), Vec::<std::path::PathBuf>::new(), "nothing is begun");
    assert_eq!(place.seam(&["run", "!true"]).code, 0, "a command of the user needs none");
}

/// Where prompts are typed, each says so: commands among them need no model.
#[test]
fn prompts_without_a_model_fail_one_by_one() {
    let place = Place::new();
    let mut seam = place.command(&["run"]);
    let ended = place.ended(seam.write_stdin("one\n!echo two\n"));
    assert_eq!(ended.code, 1);
    assert!(ended.err.starts_with("seam: the run failed: there is no model to ask: give `--model"), "{}", ended.err);
    assert!(ended.out.contains("→ bash echo two\n  ✓ done\n"), "{}", ended.out);
    let ended = place.seam(&["run", "--continue", "go"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.starts_with("seam: there is no model to ask: give `--model"), "{}", ended.err);
}

#[test]
fn a_session_whose_model_is_not_there_needs_another() {
    let place = Place::new();
    let script = place.home().join("script.json");
    std::fs::write(&script, json!({ "turns": [{ "content": [{ "text": "ok" }] }] }).to_string()).unwrap();
    assert_eq!(place.seam(&["run", "go", "--script", &script.to_string_lossy()]).code, 0);
    let ended = place.seam(&["run", "go", "--continue"]);
    assert_eq!(ended.code, 2);
    let told = "seam: there is no model to ask: that of the session, scripted/scripted, is not there; give `--model";
    assert!(ended.err.starts_with(told), "{}", ended.err);
    say(&place, "hello");
    let ended = place.run("anthropic/claude-sonnet-4-5", &["--continue"]);
    assert_eq!(ended.code, 0);
    assert!(ended.out.contains("its model was scripted/scripted, which is not there"), "{}", ended.out);
}

#[test]
fn what_is_no_model_is_told_before_anything_is_done() {
    let place = Place::new();
    let cases = ["claude-sonnet-4-5", "antropic/claude-sonnet-4-5", "anthropic/"];
    let told: String = cases
        .map(|model| {
            let ended = place.run(model, &[]);
            assert_eq!((ended.code, &*ended.out), (2, ""));
            ended.err
        })
        .concat();
    insta::assert_snapshot!(told, @r#"
    seam: --model: `claude-sonnet-4-5` names no provider; did you mean `anthropic/claude-sonnet-4-5`?
    seam: --model: `antropic/claude-sonnet-4-5` names the provider `antropic`, which is not there; did you mean `anthropic`? There are anthropic, cerebras, deepseek, fireworks, google, groq, llamacpp, lmstudio, mistral, ollama, openai, openrouter, together, vllm, xai. For another one, give its `protocol` and `base-url` under `[providers.antropic]` in seam.toml
    seam: --model: `anthropic/` names no model; give `anthropic/NAME` (`seam models anthropic` lists names)
    "#);
    let both = place.run("anthropic/x", &["--script", "x.json"]);
    assert_eq!(both.code, 2);
    assert!(both.err.contains("cannot be used with '--script <FILE>'"), "{}", both.err);
    assert_eq!(place.server.requests().len(), 0);
}

#[test]
fn what_a_model_is_taken_to_be_is_said_once() {
    let place = Place::new();
    say(&place, "ok");
    let unknown = place.run("anthropic/new-model", &["--no-session"]);
    say(&place, "ok");
    let level = place.run("anthropic/claude-sonnet-4-5:max", &["--no-session"]);
    let first = |ended: &Ended| {
        let notes = ended.out.lines().filter(|line| line.starts_with('`'));
        notes.map(|line| line.to_owned() + "\n").collect::<String>()
    };
    insta::assert_snapshot!(first(&unknown) + &first(&level), @r#"
    `anthropic/new-model` is not in the table: taken to read 128,000 tokens and write 8,192, to see pictures, and not to think; say otherwise under `[providers.anthropic.models."new-model"]`
    `anthropic/claude-sonnet-4-5` has no level `max`: `high` is used
    "#);
    say(&place, "ok");
    let known = place
        .user("[providers.anthropic.models.new-model]\nwindow = 1000000\n")
        .run("anthropic/new-model", &["--no-session"]);
    assert_eq!(first(&known), "");
}

/// A summary is asked of the session's model, or of another, which it then keeps.
#[test]
fn a_session_is_compacted_by_the_model_that_is_named() {
    let place = Place::new().user("[session.compaction]\nkeep-recent-tokens = 0\n");
    for go_on in ["--json", "--continue"] {
        say(&place, &"Long words. ".repeat(500));
        assert_eq!(place.run("anthropic/first", &[go_on]).code, 0);
    }
    let sessions = place.seam(&["session", "ls", "--json"]);
    let sessions: serde_json::Value = serde_json::from_str(&sessions.out).unwrap();
    let id = sessions[0]["id"].as_str().unwrap();
    say(&place, "A summary.");
    let ended = place.seam(&["session", "compact", id, "--model", "anthropic/second"]);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    assert!(ended.out.contains("A summary."), "{}", ended.out);
    assert_eq!(asked(&place), "second");
    say(&place, "three");
    assert_eq!(place.seam(&["run", "--continue", "go"]).code, 0);
    assert_eq!(asked(&place), "second");
    assert!(place.last().to_string().contains("A summary."), "{}", place.last());
}
