//! The settings of providers.

use std::fs;

use super::{KEY, Place};

/// What is told of the user's own settings.
fn of_user(text: &str) -> String {
    let place = Place::new();
    fs::write(place.home().join("config/seam/seam.toml"), text).unwrap();
    told(&place)
}

fn told(place: &Place) -> String {
    let ended = place.run("anthropic/x", &[]);
    assert_eq!((ended.code, &*ended.out), (2, ""));
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    ended.err
}

#[test]
fn settings_that_cannot_be_used_are_told_with_their_line() {
    let cases = [
        "[providers.anthropic]\nbaseurl = \"http://x\"",
        "[providers.anthropic]\nprotocol = \"anthropic\"",
        "[providers.anthropic]\nconnect-ms = 0",
        "[providers.anthropic]\nsilence-ms = 0",
        "[providers.anthropic]\nkey-command = []",
        "[providers.anthropic]\nkey-env = 1",
        "[providers.anthropic]\nbase-url = \"ftp://x\"",
        "[providers.anthropic]\nbase-url = \"https://me:pass@x\"",
        "[providers]\nmine = { base-url = \"http://x\" }",
        "[providers.mine]\nprotocol = \"openai-chat\"",
        "[providers.anthropic.models.x]\nwindows = 1",
        "[providers.anthropic.models.x]\nthinking = { low = 1.5 }",
        "[providers.anthropic.models.x]\nthinking = { lo = 1 }",
        "[[providers.anthropic]]\nprotocol = \"gemini\"",
        "model = \"claude-sonnet-4-5\"",
        "\nmodel = \"antropic/x\"",
        "model = 1",
    ];
    insta::assert_snapshot!(cases.map(of_user).concat(), @r#"
    seam: HOME/config/seam/seam.toml line 2: unknown key `baseurl` under `[providers.anthropic]`; did you mean `base-url`?
    seam: HOME/config/seam/seam.toml line 2: `protocol` under `[providers.anthropic]` cannot be `anthropic`; known are `anthropic-messages`, `openai-chat`, `openai-responses`, `gemini`
    seam: HOME/config/seam/seam.toml line 2: `connect-ms` under `[providers.anthropic]` is 0; give at least 1
    seam: HOME/config/seam/seam.toml line 2: `silence-ms` under `[providers.anthropic]` is 0; give at least 1
    seam: HOME/config/seam/seam.toml line 2: `key-command` under `[providers.anthropic]` is empty; give a program and its arguments, or leave it out
    seam: HOME/config/seam/seam.toml line 2: `key-env` under `[providers.anthropic]` cannot be used; give a text in quotes, or a list of them
    seam: HOME/config/seam/seam.toml line 1: `[providers.anthropic]` has a `base-url` that is neither http nor https
    seam: HOME/config/seam/seam.toml line 1: `[providers.anthropic]` has a `base-url` with a name or a password in it; use `key-env` or `key-command`
    seam: HOME/config/seam/seam.toml line 2: `[providers.mine]` has no `protocol`; give `openai-chat`, `openai-responses`, `anthropic-messages` or `gemini`
    seam: HOME/config/seam/seam.toml line 1: `[providers.mine]` has no `base-url`; give the address of its service
    seam: HOME/config/seam/seam.toml line 2: unknown key `windows` under `[providers.anthropic.models.x]`; did you mean `window`?
    seam: HOME/config/seam/seam.toml line 2: `low` under `[providers.anthropic.models.x.thinking]` cannot be used; give a number of tokens, or a word in quotes
    seam: HOME/config/seam/seam.toml line 2: unknown key `lo` under `[providers.anthropic.models.x.thinking]`; did you mean `low`?
    seam: HOME/config/seam/seam.toml line 1: `anthropic` under `[providers]` is a list; give a table: `{ key = value }`
    seam: HOME/config/seam/seam.toml line 1: `model`: `claude-sonnet-4-5` names no provider; did you mean `anthropic/claude-sonnet-4-5`?
    seam: HOME/config/seam/seam.toml line 2: `model`: `antropic/x` names the provider `antropic`, which is not there; did you mean `anthropic`? There are anthropic, cerebras, deepseek, fireworks, google, groq, llamacpp, lmstudio, mistral, ollama, openai, openrouter, together, vllm, xai. For another one, give its `protocol` and `base-url` under `[providers.antropic]` in seam.toml
    seam: HOME/config/seam/seam.toml line 1: `model` is `1`; give a text in quotes
    "#);
}

#[test]
fn a_key_does_not_stand_in_settings() {
    for name in ["api-key", "key", "token", "API_KEY", "apiKey"] {
        let told = of_user(&format!("[providers.anthropic]\n{name} = \"{KEY}\"\n"));
        let expected = format!(
            "seam: HOME/config/seam/seam.toml line 2: `{name}` under `[providers.anthropic]`: keys do not stand in settings; name \
             the variable that holds it with `key-env`, or a command that prints it with `key-command`\n"
        );
        assert_eq!(told, expected);
    }
}

#[test]
fn a_header_with_a_key_stands_in_no_projects_file() {
    let headers = format!("[providers.anthropic.headers]\nx-team-token = \"{KEY}\"\nx-team = \"blue\"\n");
    let place = Place::new().project(&headers);
    let expected = "seam: PROJECT/seam.toml line 2: `x-team-token` under `[providers.anthropic.headers]` carries a key, and no key \
                    stands in a project's file; use `key-env` or `key-command`, or set it in your own settings\n";
    assert_eq!(told(&place), expected);
    let named = place.run("anthropic/x", &["--config", "seam.toml"]);
    assert_eq!((named.code, &*named.err), (2, &*expected.replace("PROJECT/", "")), "named or not");
    let place = Place::new().user(&headers);
    assert_eq!(place.run("anthropic/x", &[]).code, 0);
    let request = place.server.requests().remove(0);
    assert_eq!((request.header("x-team-token"), request.header("x-team")), (Some(KEY), Some("blue")));
}

/// It is seen from the file that names it.
#[test]
fn a_file_of_certificates_is_found_from_the_file_that_names_it() {
    let place = Place::new();
    let text = format!("[providers.anthropic]\nbase-url = \"{}/v1\"\nca-file = \"ca.pem\"\n", place.server.root());
    fs::write(place.home().join("config/seam/seam.toml"), text).unwrap();
    let missing = place.run("anthropic/x", &[]);
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("HOME/config/seam/ca.pem"), "{}", missing.err);
    let project = Place::new().project("[providers.anthropic]\nca-file = \"certs/ca.pem\"\n");
    let expected = "seam: PROJECT/seam.toml line 2: `ca-file` under `[providers.anthropic]` names PROJECT/certs/ca.pem, which is no \
                    file; correct it, or leave it out\n";
    assert_eq!(told(&project), expected);
}

/// Whoever says where requests go gets the key.
#[test]
fn a_project_says_nothing_of_providers_unasked() {
    let settings = "[workspace]\nkeep-env = [\"OPENAI_API_KEY\"]\n[providers.anthropic]\nbase-url = \"http://127.0.0.1:9/v1\"\n\
                    key-command = [\"touch\", \"MARK\"]\nheaders = { x-a = \"1\" }\n[providers.mine]\nprotocol = \"gemini\"\n\
                    base-url = \"http://127.0.0.1:9\"\n";
    let place = Place::new();
    let mark = place.home().join("MARK");
    let place = place.project(&settings.replace("MARK", &mark.display().to_string()));
    let ended = place.run("anthropic/x", &[]);
    assert_eq!((ended.code, &*ended.out), (3, ""));
    assert!(!mark.exists() && place.server.requests().is_empty());
    let shown = place.seam(&["trust"]);
    assert_eq!(shown.code, 3);
    insta::assert_snapshot!(shown.out.trim_end(), @r#"
    PROJECT/seam.toml
      gives keys to shell commands: ["OPENAI_API_KEY"]
      sends what is said to `anthropic`, with its key, to "http://127.0.0.1:9/v1"
      sets `headers` of the provider `anthropic`: { x-a = "1" }
      runs a command for the key of `anthropic`: ["touch", "HOME/MARK"]
      sends what is said to `mine`, with its key, to "http://127.0.0.1:9"
      sets `protocol` of the provider `mine`: "gemini"
    "#);
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    assert_eq!(place.run("anthropic/x", &[]).code, 1, "it is asked now");
    assert!(mark.exists());
}

#[test]
fn a_provider_may_be_one_that_nobody_knows() {
    let place = Place::new();
    let mine = format!(
        "[providers.mine]\nprotocol = \"openai-chat\"\nbase-url = \"{}/v1\"\nkey-command = [\"sh\", \"-c\", \"echo {KEY}\"]\n",
        place.server.root()
    );
    fs::write(place.home().join("config/seam/seam.toml"), mine).unwrap();
    let ended = place.run("mine/some/model:4b", &["--no-session"]);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    assert!(ended.out.contains("That is all.") && place.last()["model"] == "some/model:4b", "{}", ended.out);
}

#[test]
fn which_variable_goes_where_is_said_in_one_line() {
    let place = Place::new().project("[providers.groq]\nkey-env = \"AWS_SECRET_ACCESS_KEY\"\n");
    let shown = place.seam(&["trust"]).out;
    let line =
        "sends the variable \"AWS_SECRET_ACCESS_KEY\", as the key of `groq`, to \"https://api.groq.com/openai/v1\"";
    assert!(shown.contains(line), "{shown}");
}

/// Letters that look like others make another host.
#[test]
fn a_look_alike_of_an_address_is_shown_as_what_it_is() {
    let place = Place::new().project("[providers.anthropic]\nbase-url = \"https://api.\u{430}nthropic.com/v1\"\n");
    let shown = place.seam(&["trust"]).out;
    assert!(shown.contains("to \"https://api.xn--nthropic-06g.com/v1\""), "{shown}");
    let broken = Place::new().project("[providers.anthropic]\nbase-url = 'https://api.anthropic.com\\@evil.example'\n");
    assert!(told(&broken).contains("has a `base-url` with blanks, backslashes"), "{}", told(&broken));
}

/// What was agreed to is what runs, and nothing in the folder where somebody happens to be.
#[test]
fn a_command_for_a_key_is_found_from_its_file_and_not_in_the_project() {
    let place = Place::new();
    for (folder, says) in [(place.path(), "theirs"), (place.home().join("config/seam"), KEY)] {
        fs::create_dir_all(folder.join("bin")).unwrap();
        let script = folder.join("bin/key");
        fs::write(&script, format!("#!/bin/sh\necho {says}\n")).unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mine =
        format!("[providers.anthropic]\nbase-url = \"{}/v1\"\nkey-command = [\"bin/key\"]\n", place.server.root());
    fs::write(place.home().join("config/seam/seam.toml"), mine).unwrap();
    let ended = place.run("anthropic/x", &["--no-session"]);
    assert_eq!((ended.code, &*ended.err), (0, ""));
    let inside = place.path().join("key.sh").display().to_string();
    for words in ["[\"./key.sh\"]".to_owned(), format!("[\"sh\", {inside:?}]")] {
        let project = Place::new();
        let words = words.replace(&*place.path().to_string_lossy(), &project.path().to_string_lossy());
        let project = project.project(&format!("[providers.anthropic]\nkey-command = {words}\n"));
        assert!(told(&project).contains("leads into the project, where it can be changed"), "{}", told(&project));
    }
}
