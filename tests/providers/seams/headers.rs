//! `before-provider-request`: headers and options, as they reach the service.

use seam_harness::{CompactionSettings, Event, SessionEvent, Upkeep};
use seam_loop::{CancellationToken, StopReason};
use seam_tests::bed::Bed;
use seam_tests::models::{End, Plan, Protocol, Said, Server};
use seam_tests::three::{in_every_order, told};
use serde_json::{Value, json};

use super::super::{again, failed, run, service, services, talk};
use super::{does, with};

const SEAM: &str = "before-provider-request";

#[tokio::test]
async fn headers_that_are_set_and_deleted_are_so_at_the_service() {
    let change = json!({
        "delete-header": ["X-Ours"],
        "set-header": [["x-trace", "a\tb"], ["User-Agent", "somebody"], ["x-kept", "new"]]
    });
    for protocol in Protocol::ALL {
        let server = Server::start();
        let mut settings = services(&server);
        let ours = &mut settings.get_mut(protocol.name()).unwrap().headers;
        ours.extend([("x-ours", "1"), ("X-Kept", "old"), ("x-other", "2")].map(|(n, v)| (n.to_owned(), v.to_owned())));
        let mut talk = talk(Bed::new().everything("p", does(SEAM, change.clone())), &settings, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let sent = &server.requests()[0];
        let all = |name: &str| -> Vec<&str> {
            sent.headers.iter().filter(|(header, _)| header == name).map(|(_, value)| &**value).collect()
        };
        let found = ["x-ours", "x-trace", "user-agent", "x-kept", "x-other", "content-type"].map(all);
        let kept: [&[&str]; 6] = [&[], &["a\tb"], &["somebody"], &["new"], &["2"], &["application/json"]];
        assert_eq!(found, kept, "{}", protocol.name());
    }
}

#[tokio::test]
async fn a_secret_header_of_the_settings_is_shown_to_nobody_and_is_sent() {
    let server = Server::start();
    let mut settings = services(&server);
    for provider in settings.values_mut() {
        provider.headers.insert("x-gateway-token".to_owned(), "gateway-12345678".to_owned());
        provider.headers.insert("x-team".to_owned(), "blue".to_owned());
    }
    for protocol in Protocol::ALL {
        let name = format!("headers-secret-{}", protocol.name());
        let sees = json!({ SEAM: { "delete-header": ["x-gateway-token"] }, "tell": [SEAM], "observe": "quiet" });
        let mut talk = talk(Bed::new().everything(&name, sees), &settings, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let told = told(&name).join("\n");
        assert!(told.contains("x-team") && told.contains("blue"), "{told}");
        assert!(!told.contains("gateway"), "{told}");
        let events = serde_json::to_string(&talk.close().await).unwrap();
        assert!(!events.contains("gateway"), "{events}");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|sent| sent.header("x-gateway-token") == Some("gateway-12345678")));
}

/// What is set at the end of a chain of three counts, in every order.
#[tokio::test]
async fn a_chain_of_three_sends_what_the_last_left() {
    let set = |name| does(SEAM, json!({ "set-header": [["x-last", name], [format!("x-{name}"), "1"]] }));
    for (order, bed) in in_every_order([set("a"), does(SEAM, json!({ "delete-header": ["x-a", "x-c"] })), set("c")]) {
        let (server, mut talk) = with(bed, Protocol::Anthropic).await;
        run(&mut talk, "hi").await;
        let sent = &server.requests()[0];
        let (setters, at) = (order.replace('b', ""), order.find('b').unwrap());
        assert_eq!(sent.header("x-last"), setters.chars().last().map(|c| c.to_string()).as_deref(), "{order}");
        for (place, name) in order.char_indices().filter(|(_, name)| *name != 'b') {
            let left = (place > at).then_some("1");
            assert_eq!(sent.header(&format!("x-{name}")), left, "{order}");
        }
    }
}

#[tokio::test]
async fn options_are_heeded() {
    let options = json!([["maxTokens", 77], ["temperature", 0.25], ["cacheRetention", "none"]]);
    for protocol in Protocol::ALL {
        let (server, mut talk) =
            with(Bed::new().everything("p", does(SEAM, json!({ "set-option": options }))), protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let body = server.body(0);
        let at = |pointer: &str| body.pointer(pointer).cloned();
        let (limit, temperature) = match protocol {
            Protocol::Anthropic => (at("/max_tokens"), at("/temperature")),
            Protocol::Chat => (at("/max_tokens").or_else(|| at("/max_completion_tokens")), at("/temperature")),
            Protocol::Responses => (at("/max_output_tokens"), at("/temperature")),
            Protocol::Gemini => (at("/generationConfig/maxOutputTokens"), at("/generationConfig/temperature")),
        };
        assert_eq!((limit, temperature), (Some(json!(77)), Some(json!(0.25))), "{body}");
        assert!(!body.to_string().contains("cache"), "{body}");
    }
}

#[tokio::test]
async fn how_long_a_beginning_is_kept_can_be_chosen() {
    for (set, expected) in [
        (json!([]), Some(json!({ "type": "ephemeral" }))),
        (json!([["cacheRetention", "short"]]), Some(json!({ "type": "ephemeral" }))),
        (json!([["cacheRetention", "long"]]), Some(json!({ "type": "ephemeral", "ttl": "1h" }))),
        (json!([["cacheRetention", "none"]]), None),
    ] {
        let bed = Bed::new().everything("p", does(SEAM, json!({ "set-option": set })));
        let (server, mut talk) = with(bed, Protocol::Anthropic).await;
        run(&mut talk, "hi").await;
        let body = server.body(0);
        assert_eq!(body.pointer("/system/0/cache_control").cloned(), expected, "{set}: {body}");
    }
}

#[tokio::test]
async fn a_service_may_be_silent_for_as_long_as_a_plugin_says() {
    for protocol in Protocol::ALL {
        let bed = Bed::new().everything("p", does(SEAM, json!({ "set-option": [["timeoutMs", 120]] })));
        let (server, mut talk) = with(bed, protocol).await;
        let answer = Plan::whole(protocol, &Said::text("no"));
        server.push(answer.clone().never());
        server.push(answer.truncated(20, End::Hang));
        let error = failed(&mut talk, "hi").await;
        assert!(error.contains("it did not answer within 0.12 s"), "{error}");
        let error = failed(&mut talk, "hi").await;
        assert!(error.contains("it was silent for 0.12 s"), "{error}");
    }
}

#[tokio::test]
async fn an_option_that_cannot_be_used_is_the_plugins_failure_and_nothing_is_sent() {
    for (name, value, word) in [
        ("retries", json!(3), "unknown field `retries`"),
        ("maxTokens", json!(0), "at least 1"),
        ("maxTokens", json!(-1), "`maxTokens`"),
        ("maxTokens", json!("many"), "`maxTokens`"),
        ("timeoutMs", json!(0), "at least 1"),
        ("cacheRetention", json!("ever"), "`none`, `short`, `long`"),
        ("temperature", json!("hot"), "`temperature`"),
        ("baseUrl", json!("http://elsewhere"), "which is the host's"),
        ("api-key", json!("sk"), "which is the host's"),
    ] {
        let set = does(SEAM, json!({ "set-option": [[name, value]], "set-header": [["x-trace", "1"]] }));
        let (server, mut talk) = with(Bed::new().everything("setter", set.clone()), Protocol::Chat).await;
        let error = failed(&mut talk, "hi").await;
        assert!(error.contains("plugin `setter` failed at `before-provider-request`"), "{error}");
        assert!(error.contains(word), "{name}: {error}");
        assert!(server.requests().is_empty());

        // What it said beside that does not count either.
        let bed = Bed::new().everything("setter", set).skip_failures("setter");
        let (server, mut talk) = with(bed, Protocol::Chat).await;
        assert_eq!(run(&mut talk, "hi").await.stop_reason, StopReason::Stop);
        assert_eq!(server.requests()[0].header("x-trace"), None);
    }
}

#[tokio::test]
async fn headers_of_the_host_cannot_be_deleted() {
    let deletes = does(SEAM, json!({ "delete-header": ["Content-Type"] }));
    let (server, mut talk) = with(Bed::new().everything("setter", deletes), Protocol::Anthropic).await;
    let error = failed(&mut talk, "hi").await;
    assert!(error.contains("it deletes `content-type`, which is the host's"), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn headers_of_the_host_and_headers_with_keys_cannot_be_set() {
    let hosts = ["Host", "content-length", "Transfer-Encoding", "connection", "content-type", "accept-encoding"];
    let keys = ["Authorization", "x-api-key", "X-Goog-Api-Key", "cookie", "x-gateway-token"];
    for (name, why) in hosts.map(|name| (name, "is the host's")).into_iter().chain(keys.map(|name| (name, "a key"))) {
        let set = does(SEAM, json!({ "set-header": [[name, "sk-mine-0123"]] }));
        let (server, mut talk) = with(Bed::new().everything("setter", set), Protocol::Anthropic).await;
        let error = failed(&mut talk, "hi").await;
        assert!(error.contains(&format!("it sets `{}`, which ", name.to_lowercase())), "{error}");
        assert!(error.contains(why) && !error.contains("sk-mine"), "{error}");
        assert!(server.requests().is_empty(), "{name}");
    }
}

/// The user reads in the events who changed what.
#[tokio::test]
async fn who_changed_a_request_is_told() {
    let set: Value = does(SEAM, json!({ "set-header": [["x-trace", "1"]], "set-option": [["temperature", 1]] }));
    let server = Server::start();
    let settings = [("one".to_owned(), service(&server, Protocol::Chat))].into();
    let model = seam_loop::Model { provider: "one".to_owned(), id: "any/model:1".to_owned() };
    let providers = std::sync::Arc::new(seam_providers::Providers::new(&settings).unwrap());
    let bed = Bed::new().everything("setter", set).upkeep(again(0));
    let begun = bed.begin_with(providers, model, Vec::new(), None, seam_harness::Restore::default());
    let mut talk = begun.await.unwrap();
    run(&mut talk, "hi").await;
    assert_eq!(seam_tests::bed::trail(&talk.decided()), ["setter before-provider-request change"]);
    assert_eq!(server.body(0)["model"], "any/model:1");
    let events = talk.close().await;
    let head = events.iter().find_map(|event| match event {
        Event::Session(SessionEvent::AfterProviderResponse { model, status, .. }) => Some((model.to_string(), *status)),
        _ => None,
    });
    assert_eq!(head, Some(("one/any/model:1".to_owned(), 200)));
}

#[tokio::test]
async fn a_plugin_sees_headers_and_options_and_of_a_summary_how_long_it_may_get() {
    let bed = Bed::new().everything("headers-sees", json!({ "tell": [SEAM], "observe": "quiet" }));
    let server = Server::start();
    let compaction = CompactionSettings { enabled: true, reserve_tokens: 200, keep_recent_tokens: 150 };
    let upkeep = Upkeep { context_window: Some(1000), compaction, ..again(0) };
    let mut talk = talk(bed.upkeep(upkeep), &services(&server), Protocol::Anthropic).await;
    for word in ["one", "two"] {
        server.say(Protocol::Anthropic, &Said::text(&".".repeat(400)));
        run(&mut talk, &format!("{word}{}", ".".repeat(397))).await;
    }
    talk.harness.compact(None, &CancellationToken::new()).await.unwrap();
    let told = told("headers-sees");
    assert_eq!((told.len(), &told[0]), (3, &told[1]));
    insta::assert_snapshot!(told[1..].join("\n"), @r#"
    before-provider-request: Event { session: _, model: Model { provider: "anthropic-messages", id: "claude-sonnet-4-5" }, headers: [Header { name: "content-type", value: "application/json" }, Header { name: "accept", value: "text/event-stream" }, Header { name: "anthropic-version", value: "2023-06-01" }], options: [] }
    before-provider-request: Event { session: _, model: Model { provider: "anthropic-messages", id: "claude-sonnet-4-5" }, headers: [Header { name: "content-type", value: "application/json" }, Header { name: "accept", value: "text/event-stream" }, Header { name: "anthropic-version", value: "2023-06-01" }], options: [OptionValue { name: "maxTokens", value: "160" }] }
    "#);
}
