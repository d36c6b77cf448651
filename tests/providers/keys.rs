//! Keys: where they come from, which one counts, and what is said of one that is missing or wrong.

use std::path::Path;

use seam_providers::ProviderSettings;
use seam_tests::bed::Bed;
use seam_tests::models::{Protocol, Recorded, Server};
use serde_json::json;

use super::{Settings, again, failed, replace, run, service, talk};

/// A variable that Cargo sets for every test, and what it holds.
const VARIABLE: (&str, &str) = ("CARGO_PKG_NAME", "seam-tests");

/// The services of a server, with this source of keys.
fn keyed(server: &Server, source: &ProviderSettings) -> Settings {
    let ProviderSettings { key_env, key_command, keys_at, .. } = source;
    let with = |protocol: Protocol| ProviderSettings {
        key_env: key_env.clone(),
        key_command: key_command.clone(),
        keys_at: keys_at.clone(),
        ..service(server, protocol)
    };
    Protocol::ALL.map(|protocol| (protocol.name().to_owned(), with(protocol))).into()
}

fn environment(variables: &[&str]) -> ProviderSettings {
    let key_env = Some(variables.iter().map(|name| (*name).to_owned()).collect());
    let keys_at = Some("https://keys.example".to_owned());
    ProviderSettings { key_env, keys_at, ..ProviderSettings::default() }
}

/// A command that says so in a file, and prints `first` the first time and `then` after that.
fn command(log: &Path, first: &str, then: &str) -> ProviderSettings {
    let log = log.display();
    let script = format!("if [ -s '{log}' ]; then echo '{then}'; else echo '{first}'; fi; echo x >> '{log}'");
    ProviderSettings {
        key_command: Some(["sh", "-c", &script].map(str::to_owned).to_vec()),
        ..environment(&[VARIABLE.0])
    }
}

/// The key of a request, where its protocol has it. It stands nowhere else.
fn key(sent: &Recorded) -> Option<&str> {
    let headers = [
        ("x-api-key", Protocol::Anthropic),
        ("x-goog-api-key", Protocol::Gemini),
        ("authorization", Protocol::Chat),
        ("authorization", Protocol::Responses),
    ];
    let protocol = sent.protocol.unwrap();
    assert!(
        headers.iter().all(|(name, of)| *of == protocol || *name == "authorization" || sent.header(name).is_none())
    );
    let (name, _) = headers.iter().find(|(_, of)| *of == protocol).unwrap();
    let value = sent.header(name)?;
    match *name {
        "authorization" => Some(value.strip_prefix("Bearer ").unwrap()),
        _ => Some(value),
    }
}

#[tokio::test]
async fn the_first_variable_that_is_set_has_the_key() {
    for protocol in Protocol::ALL {
        let server = Server::with_key(VARIABLE.1);
        let settings = keyed(&server, &environment(&["SEAM_TEST_NOT_SET", VARIABLE.0, "PATH"]));
        let mut talk = talk(Bed::new().upkeep(again(0)), &settings, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        assert_eq!(key(&server.requests()[0]), Some(VARIABLE.1));
    }
}

#[tokio::test]
async fn a_plugins_key_goes_before_a_command_and_that_before_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    for protocol in Protocol::ALL {
        let server = Server::start();
        let settings = keyed(&server, &command(&log, "key-of-command", "key-of-command"));
        let gives = json!({ "get-api-key": { "do": "key", "text": "key-of-plugin" }, "observe": "quiet" });
        let mut talk = talk(Bed::new().everything("gives", gives).upkeep(again(0)), &settings, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        assert!(!log.exists(), "the command is not even run");
        let _none = replace(&mut talk, Bed::new()).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let keys: Vec<_> = server.requests().iter().map(|sent| key(sent).unwrap().to_owned()).collect();
        assert_eq!(keys, ["key-of-plugin", "key-of-command"]);
        std::fs::remove_file(&log).unwrap();
    }
}

#[tokio::test]
async fn a_wrong_key_is_told_by_where_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let wrong = command(&log, "wrong-from-command", "wrong-from-command");
    let gives = json!({ "get-api-key": { "do": "key", "text": "wrong-from-plugin" }, "observe": "quiet" });
    for protocol in Protocol::ALL {
        for (source, bed, from) in [
            (environment(&[VARIABLE.0]), Bed::new(), "Look whether `CARGO_PKG_NAME` is a valid key for it"),
            (wrong.clone(), Bed::new(), "Look whether the command `sh` gives a valid key for it"),
            (wrong.clone(), Bed::new().everything("gives", gives.clone()), "Look whether the plugin that gave it"),
        ] {
            let server = Server::with_key("the-right-key");
            let mut talk = talk(bed.upkeep(again(3)), &keyed(&server, &source), protocol).await;
            let error = failed(&mut talk, "hi").await;
            let status = if protocol == Protocol::Gemini { 400 } else { 401 };
            assert!(error.starts_with(&format!("{} answered {status}: ", protocol.name())), "{error}");
            assert!(error.contains(from) && error.contains("https://keys.example"), "{error}");
            for key in ["wrong-from-command", "wrong-from-plugin", VARIABLE.1] {
                assert!(!error.contains(key), "{error}");
            }
            assert_eq!(server.requests().len(), 1, "a wrong key gets no better by asking again");
        }
    }
}

/// What a command printed may have expired: it is asked again for the next request, and for no other reason.
#[tokio::test]
async fn a_command_is_asked_again_after_its_key_was_refused() {
    for protocol in Protocol::ALL {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let server = Server::with_key("key-that-is-new");
        let settings = keyed(&server, &command(&log, "key-that-is-old", "key-that-is-new"));
        let mut talk = talk(Bed::new().upkeep(again(0)), &settings, protocol).await;
        failed(&mut talk, "1").await;
        for text in ["2", "3"] {
            assert_eq!(run(&mut talk, text).await.error, None, "{}", protocol.name());
        }
        let keys: Vec<_> = server.requests().iter().map(|sent| key(sent).unwrap().to_owned()).collect();
        assert_eq!(keys, ["key-that-is-old", "key-that-is-new", "key-that-is-new"]);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "x\nx\n");
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_sent_and_it_is_said_where_to_put_one() {
    let server = Server::start();
    let settings = keyed(&server, &environment(&["SEAM_TEST_NOT_SET", "SEAM_TEST_NOT_SET_EITHER"]));
    let mut first = talk(Bed::new().upkeep(again(3)), &settings, Protocol::Chat).await;
    let error = failed(&mut first, "hi").await;
    assert_eq!(
        error,
        "openai-chat: there is no key. Set the variable `SEAM_TEST_NOT_SET` or `SEAM_TEST_NOT_SET_EITHER`, or \
         `key-command` under `[providers.openai-chat]` in your seam.toml. Keys are made at https://keys.example."
    );
    // A plugin that has none is no help.
    let settled = Bed::new().everything("none", json!({ "observe": "quiet" })).upkeep(again(3));
    let mut second = talk(settled, &settings, Protocol::Chat).await;
    assert_eq!(failed(&mut second, "hi").await, error);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_command_that_gives_no_key_is_told_and_nothing_is_sent() {
    for (script, words) in [
        ("echo sk-half-a-key; exit 3", "the key's command `sh` failed (exit status: 3); run it yourself to see why"),
        ("true", "the key's command `sh` printed nothing; run it yourself to see why"),
        ("printf 'sk-one two'", "the command `sh` gives a key with blanks or characters that are not ASCII"),
        ("printf 'sk-\\001'", "the command `sh` gives a key with blanks or characters that are not ASCII"),
    ] {
        let server = Server::start();
        let source = ProviderSettings {
            key_command: Some(["sh", "-c", script].map(str::to_owned).to_vec()),
            ..environment(&[VARIABLE.0])
        };
        let mut talk = talk(Bed::new().upkeep(again(3)), &keyed(&server, &source), Protocol::Responses).await;
        let error = failed(&mut talk, "hi").await;
        assert!(error.starts_with("openai-responses: ") && error.contains(words), "{error}");
        assert!(!error.contains("sk-"), "{error}");
        assert!(server.requests().is_empty());
    }
}
