//! The chosen model, and whether providers can be asked.

use std::fs;
use std::net::TcpListener;

use seam_tests::models::{Protocol, Server};

use super::{Bare, KEY, steady};

/// Settings by which a provider is this server.
fn at(provider: &str, url: &str) -> String {
    format!("[providers.{provider}]\nbase-url = \"{url}\"\n")
}

/// The model is one of Anthropic's, which is this server.
fn chosen(server: &Server) -> Bare {
    let settings = at("anthropic", &server.base_url(Protocol::Anthropic));
    Bare::new().user(&format!("model = \"anthropic/claude-sonnet-5:high\"\n{settings}")).with("ANTHROPIC_API_KEY", KEY)
}

/// An address where nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn a_place_where_all_is_well_as_a_person_reads_it() {
    let server = Server::with_key(KEY);
    let said = chosen(&server).with_own_cache().seam(&["doctor"]);
    assert_eq!((said.code, &*said.err), (0, ""));
    insta::assert_snapshot!(steady(&said.out).replace(&server.root(), "SERVER"), @r#"
    ok     versions   VERSIONS
    ok     workspace  PROJECT
    ok     settings   HOME/config/seam/seam.toml
    ok     agreement  the settings ask for nothing that needs it
    ok     model      anthropic/claude-sonnet-5:high, by HOME/config/seam/seam.toml; it reads 1,000,000 tokens, and writes 128,000
    ok     anthropic  `ANTHROPIC_API_KEY` has a key; SERVER/v1 is reached (it answered 200)
    ok     plugins    none in PROJECT/.seam/plugins
    ok     cache      HOME/cache/seam/compiled is made when a plugin is compiled
    ok     sessions   HOME/state/seam/sessions is made for the first one

    no fault
    "#);
    let requests = server.requests();
    let [request] = &*requests else { panic!("{requests:?}") };
    assert_eq!((&*request.method, &*request.path, request.header("x-api-key")), ("GET", "/v1/models", Some(KEY)));
}

#[test]
fn faults_as_a_person_reads_them() {
    let server = Server::with_key("another");
    let said = chosen(&server).with_own_cache().seam(&["doctor"]);
    assert_eq!((said.code, &*said.err), (1, ""));
    insta::assert_snapshot!(steady(&said.out).replace(&server.root(), "SERVER"), @r#"
    ok     versions   VERSIONS
    ok     workspace  PROJECT
    ok     settings   HOME/config/seam/seam.toml
    ok     agreement  the settings ask for nothing that needs it
    ok     model      anthropic/claude-sonnet-5:high, by HOME/config/seam/seam.toml; it reads 1,000,000 tokens, and writes 128,000
    FAULT  anthropic  the key is refused: SERVER/v1 answered 401: invalid x-api-key
                      → Look whether `ANTHROPIC_API_KEY` is a valid key for it (keys are made at https://console.anthropic.com/settings/keys)
    ok     plugins    none in PROJECT/.seam/plugins
    ok     cache      HOME/cache/seam/compiled is made when a plugin is compiled
    ok     sessions   HOME/state/seam/sessions is made for the first one

    1 fault
    "#);
}

#[test]
fn a_key_is_sent_as_each_protocol_has_it_and_shown_nowhere() {
    for (protocol, header, value) in [
        (Protocol::Anthropic, "x-api-key", KEY.to_owned()),
        (Protocol::Chat, "authorization", format!("Bearer {KEY}")),
        (Protocol::Responses, "authorization", format!("Bearer {KEY}")),
        (Protocol::Gemini, "x-goog-api-key", KEY.to_owned()),
    ] {
        for (server, code) in [(Server::with_key(KEY), 0), (Server::with_key("another"), 1)] {
            let settings = at("own", &server.base_url(protocol));
            let settings = format!("{settings}protocol = \"{}\"\nkey-env = \"OWN_KEY\"\n", protocol.name());
            let place = Bare::new().user(&settings).with("OWN_KEY", KEY).with("SEAM_LOG", "trace");
            let said = place.seam(&["doctor"]);
            assert_eq!(said.code, code, "{}", said.out);
            let requests = server.requests();
            assert_eq!(requests.len(), 1, "{protocol:?}");
            assert_eq!(requests[0].header(header), Some(&*value), "{protocol:?}");
            assert!(!requests[0].path.contains('?'), "{}", requests[0].path);
            assert!(!(said.out + &said.err).contains(KEY), "{protocol:?}");
        }
    }
}

#[test]
fn a_refused_key_is_a_fault() {
    let server = Server::with_key("another");
    let found = chosen(&server).found(&[]);
    found.is_fault("anthropic", "the key is refused: ", "Look whether `ANTHROPIC_API_KEY` is a valid key for it");
    found.is_fault("anthropic", "/v1 answered 401: ", "(keys are made at https://console.anthropic.com/settings/keys)");
}

#[test]
fn a_service_that_is_not_reached_is_a_fault() {
    let url = nobody();
    let settings = format!("model = \"anthropic/claude-sonnet-5\"\n{}", at("anthropic", &url));
    let place = Bare::new().user(&settings).with("ANTHROPIC_API_KEY", KEY);
    let remedy = "Look whether it is started, and whether `base-url` under `[providers.anthropic]` is right";
    place.found(&[]).is_fault("anthropic", &format!("not reached: {url}: "), remedy);
    place.found(&[]).is_fault("anthropic", "Connection refused", remedy);
}

#[test]
fn a_proxy_that_is_not_there_is_named_without_what_lets_one_in() {
    let proxy = nobody();
    let settings = format!("model = \"anthropic/claude-sonnet-5\"\n{}", at("anthropic", "http://api.example"));
    let place = Bare::new().user(&settings).with("ANTHROPIC_API_KEY", KEY);
    let place = place.with("HTTP_PROXY", &proxy.replace("http://", "http://me:hidden-word@"));
    let found = place.found(&[]);
    found.is_fault("anthropic", "not reached: ", "and the proxy that `HTTP_PROXY` names");
    let at = proxy.replace("http://", "");
    found.says("proxy", "ok", &format!("requests go through what is set in `HTTP_PROXY` ({at})"), "");
    assert!(!format!("{:?}", found.checks).contains("hidden-word"), "{:?}", found.checks);
    place.with("NO_PROXY", "127.0.0.1").found(&[]).says("proxy", "ok", "`NO_PROXY` makes exceptions", "");
}

/// No proxy is asked for a service of this machine.
#[test]
fn a_service_on_this_machine_needs_no_proxy() {
    let server = Server::start();
    let found = chosen(&server).with("HTTP_PROXY", &nobody()).found(&[]);
    assert_eq!((found.code, server.requests().len()), (0, 1));
}

#[test]
fn what_the_chosen_model_does_not_need_is_a_note() {
    let server = Server::start();
    let others = at("ollama", &nobody()) + &at("openai", &nobody()) + "[providers.groq]\nsilence-ms = 9000\n";
    let settings = format!(
        "model = \"anthropic/claude-sonnet-5\"\n{}{others}",
        at("anthropic", &server.base_url(Protocol::Anthropic))
    );
    let found = Bare::new().user(&settings).with("ANTHROPIC_API_KEY", KEY).with("OPENAI_API_KEY", KEY).found(&[]);
    found.is_note("ollama", "no key is needed; not reached: ", "Look whether it is started");
    found.is_note("openai", "`OPENAI_API_KEY` has a key; not reached: ", "`[providers.openai]`");
    found.is_note("groq", "there is no key", "Set the variable `GROQ_API_KEY`");
    found.says("anthropic", "ok", "is reached (it answered 200)", "");
}

#[test]
fn a_model_without_a_key_is_a_fault() {
    let found = Bare::new().user("model = \"openai/gpt-4.1\"\n").found(&[]);
    let remedy = "Set the variable `OPENAI_API_KEY`, or `key-command` under `[providers.openai]` in your seam.toml. Keys \
                  are made at https://platform.openai.com/api-keys";
    found.is_fault("openai", "there is no key", remedy);
}

#[test]
fn a_key_command_that_fails_is_a_fault() {
    let settings = "model = \"openai/gpt-4.1\"\n[providers.openai]\nkey-command = [\"sh\", \"-c\", \"exit 3\"]\n";
    let found = Bare::new().user(settings).found(&["--offline"]);
    found.is_fault("openai", "the key's command `sh` failed (exit status: 3)", "Look what `sh` prints");
}

#[test]
fn a_key_that_cannot_be_one_is_a_fault() {
    let place = Bare::new().user("model = \"openai/gpt-4.1\"\n").with("OPENAI_API_KEY", "two words");
    place.found(&[]).is_fault(
        "openai",
        "`OPENAI_API_KEY` gives a key with blanks",
        "Set the variable `OPENAI_API_KEY`",
    );
}

/// A project that somebody else wrote could send the key anywhere.
#[test]
fn settings_that_nobody_agreed_to_run_nothing_and_ask_nobody() {
    let server = Server::start();
    let url = server.base_url(Protocol::Anthropic);
    let marks = tempfile::TempDir::new().unwrap();
    let mark = marks.path().join("MARK");
    let command = format!("key-command = [\"sh\", \"-c\", \"touch {}; echo key-1\"]\n", mark.display());
    let place = Bare::new().project(&(at("anthropic", &url) + &command)).with("ANTHROPIC_API_KEY", KEY);
    let found = place.found(&[]);
    found.is_fault("agreement", "PROJECT/seam.toml asks for what you have not agreed to", "`seam trust`");
    found.is_fault("agreement", "", "no service is asked here");
    found.says("anthropic", "note", "the command `sh` was not run; not asked", "`seam trust`");
    assert_eq!((server.requests().len(), mark.exists()), (0, false));
    assert_eq!(place.seam(&["trust", "--yes"]).code, 0);
    place.found(&[]).says("anthropic", "ok", "the command `sh` has a key; ", "");
    assert_eq!((server.requests()[0].header("x-api-key"), mark.exists()), (Some("key-1"), true));
}

#[test]
fn offline_no_service_is_asked() {
    let server = Server::start();
    let found = chosen(&server).with("HTTP_PROXY", &nobody()).found(&["--offline"]);
    found.says("anthropic", "ok", "is not asked (`--offline`)", "");
    assert_eq!((found.code, server.requests().len(), found.of("proxy").len()), (0, 0, 0));
}

#[test]
fn a_key_that_goes_over_the_network_in_plain_text_is_a_note() {
    let place = Bare::new().user(&at("openai", "http://models.example/v1"));
    assert_eq!(place.found(&["--offline"]).of("openai").len(), 1, "there is no key");
    let found = place.with("OPENAI_API_KEY", KEY).found(&["--offline"]);
    found.is_note("openai", "http://models.example/v1 without encryption", "Give an address with `https://`");
}

#[test]
fn an_answer_that_is_no_list_is_a_note() {
    let server = Server::start();
    let settings = format!("model = \"openai/gpt-4.1\"\n{}", at("openai", &format!("{}/nowhere", server.root())));
    let found = Bare::new().user(&settings).with("OPENAI_API_KEY", KEY).found(&[]);
    found.is_note("openai", "reached, but ", "look whether `base-url` under `[providers.openai]` is right");
}

#[test]
fn certificates_that_cannot_be_read_are_a_fault() {
    let place = Bare::new();
    fs::write(place.place.home().join("config/seam/ca.pem"), "nothing").unwrap();
    let settings = "model = \"openai/gpt-4.1\"\n[providers.openai]\nca-file = \"ca.pem\"\n";
    let found = place.user(settings).with("OPENAI_API_KEY", KEY).found(&[]);
    found.is_fault("openai", "HOME/config/seam/ca.pem cannot be used", "Correct `ca-file` under `[providers.openai]`");
}

#[test]
fn a_model_that_cannot_be_is_a_fault_of_the_settings() {
    for (model, found) in [("openia/gpt-4.1", "did you mean `openai`?"), ("gpt-own", "names no provider")] {
        let found_of = Bare::new().project(&format!("model = \"{model}\"\n")).found(&[]);
        found_of.is_fault(
            "settings",
            &format!("PROJECT/seam.toml line 1: `model`: `{model}` names "),
            "Correct that file",
        );
        found_of.is_fault("settings", found, "");
    }
}

#[test]
fn a_model_of_which_nothing_is_known_or_that_thinks_otherwise_is_a_note() {
    let note = |model: &str, found: &str, remedy: &str| {
        let place = Bare::new().user(&format!("model = \"{model}\"\n")).with("ANTHROPIC_API_KEY", KEY);
        place.found(&["--offline"]).is_note("model", found, remedy);
    };
    note("anthropic/own", "not in the table; taken to read 128,000 tokens, to write 8,192", "`seam models anthropic`");
    note("anthropic/own", "", "`[providers.anthropic.models.\"own\"]`");
    note(
        "anthropic/claude-sonnet-5:minimal",
        "it has no level `minimal`, so `low` is used",
        "Give a level that it has: `low`",
    );
}
