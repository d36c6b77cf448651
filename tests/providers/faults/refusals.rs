//! Services that do not answer: which are asked again and when, and what is told of the others.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use seam_loop::{Content, ErrorKind};
use seam_tests::models::overflows::{others, overflows};
use seam_tests::models::{Plan, Said, Trouble};

use super::super::run;
use super::super::wire::{Wire, user};
use super::*;

#[tokio::test]
async fn who_is_busy_or_fails_is_asked_again() {
    for protocol in Protocol::ALL {
        for status in [408, 409, 429, 500, 502, 503, 504, 520, 529] {
            let (server, mut talk) = with(protocol, 3).await;
            server.push(Plan::plain(status, "text/html", "<html><title>no</title></html>"));
            server.push(Plan::plain(status, "application/json", ""));
            server.say(protocol, &Said::text("Here."));
            let outcome = run(&mut talk, "go").await;
            assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{protocol:?} {status}");
            let name = protocol.name();
            let why = [
                (1, format!("{name} answered {status}: a page for people, \"no\"")),
                (2, format!("{name} answered {status}: no reason was given")),
            ];
            assert_eq!(retries(&talk), why);
        }
    }
}

#[tokio::test]
async fn each_services_own_troubles_that_pass_are_asked_again() {
    for protocol in Protocol::ALL {
        for trouble in [Trouble::Internal, Trouble::Unavailable, Trouble::Overloaded] {
            let (server, mut talk) = with(protocol, 3).await;
            server.push(Plan::trouble(protocol, trouble));
            server.say(protocol, &Said::text("Here."));
            assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?} {trouble:?}");
            assert_eq!(retries(&talk).len(), 1);
        }
    }
}

#[tokio::test]
async fn a_service_says_how_long_to_wait() {
    for (header, value) in [("retry-after-ms", "40"), ("retry-after", "0.04")] {
        let (server, mut talk) = with(Protocol::Anthropic, 3).await;
        server.push(Plan::plain(529, "application/json", "").header(header, value));
        server.say(Protocol::Anthropic, &Said::text("Here."));
        assert_eq!(run(&mut talk, "go").await.error, None);
        assert_eq!(retries(&talk)[0].0, 40, "{header}");
        let [first, second] = &server.requests()[..] else { panic!() };
        assert!(second.at - first.at >= Duration::from_millis(40));
    }
    // Google says it in the body; OpenAI in milliseconds too.
    for protocol in [Protocol::Gemini, Protocol::Chat, Protocol::Responses] {
        let (server, mut talk) = with(protocol, 1).await;
        server.push(Plan::trouble(protocol, Trouble::RateLimited));
        server.say(protocol, &Said::text("Here."));
        assert_eq!(run(&mut talk, "go").await.error, None);
        assert_eq!(retries(&talk)[0].0, 2_500, "{protocol:?}");
    }
}

#[tokio::test]
async fn a_service_that_says_so_is_not_asked_again() {
    let (server, mut talk) = with(Protocol::Anthropic, 3).await;
    server.push(Plan::plain(429, "application/json", "").header("x-should-retry", "false"));
    assert!(run(&mut talk, "go").await.error.is_some());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_not_waited_for_and_told() {
    let date = "Fri, 31 Dec 2100 23:59:59 GMT";
    for (value, told) in [("61", " asks to wait 61 s: try again then"), ("86400", "86400 s"), (date, "try again then")]
    {
        let (server, mut talk) = with(Protocol::Chat, 3).await;
        server.push(Plan::plain(429, "application/json", "").header("retry-after", value));
        let began = Instant::now();
        let error = run(&mut talk, "go").await.error.unwrap();
        assert!(error.starts_with("openai-chat answered 429: no reason was given. The provider"), "{error}");
        assert!(error.contains(told), "{error}");
        assert!(began.elapsed() < Duration::from_secs(10));
        assert_eq!((server.requests().len(), retries(&talk).len()), (1, 0));
    }
}

#[tokio::test]
async fn who_stays_busy_is_given_up() {
    let (server, mut talk) = with(Protocol::Responses, 2).await;
    server.always(Plan::trouble(Protocol::Responses, Trouble::Overloaded));
    let error = run(&mut talk, "go").await.error.unwrap();
    assert_snapshot!(error, @"openai-responses answered 503: Our servers are currently overloaded. Please try again later");
    assert_eq!(server.requests().len(), 3);
    // What was given up is not the end of the conversation.
    server.always(Plan::whole(Protocol::Responses, &Said::text("Here.")));
    assert_eq!(run(&mut talk, "again").await.error, None);
}

/// What is told of a trouble in each protocol. It is asked once.
async fn told(trouble: Trouble) -> String {
    let mut lines = Vec::new();
    for protocol in Protocol::ALL {
        let (server, mut talk) = with(protocol, 3).await;
        server.push(Plan::trouble(protocol, trouble));
        let error = run(&mut talk, "go").await.error.unwrap();
        assert_eq!((server.requests().len(), retries(&talk).len()), (1, 0), "{error}");
        lines.push(error.replace(&server.root(), "http://SERVICE"));
    }
    lines.join("\n")
}

#[tokio::test]
async fn a_wrong_key_says_where_it_came_from() {
    assert_snapshot!(told(Trouble::WrongKey).await, @r#"
    anthropic-messages answered 401: invalid x-api-key. It wants a key: set `key-env`, the name of a variable, or `key-command` under `[providers.anthropic-messages]`
    openai-chat answered 401: Incorrect API key provided: sk-wrong************cdef. You can find your API key at https://platform.openai.com/account/api-keys. It wants a key: set `key-env`, the name of a variable, or `key-command` under `[providers.openai-chat]`
    openai-responses answered 401: Incorrect API key provided: sk-wrong************cdef. You can find your API key at https://platform.openai.com/account/api-keys. It wants a key: set `key-env`, the name of a variable, or `key-command` under `[providers.openai-responses]`
    gemini answered 400: API key not valid. Please pass a valid API key. It wants a key: set `key-env`, the name of a variable, or `key-command` under `[providers.gemini]`
    "#);
}

#[tokio::test]
async fn no_credit_says_whose_account_it_is() {
    assert_snapshot!(told(Trouble::NoCredit).await, @r#"
    anthropic-messages answered 400: Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits. Look at the account that pays for it, or choose another model
    openai-chat answered 429: You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors. Look at the account that pays for it, or choose another model
    openai-responses answered 429: You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors. Look at the account that pays for it, or choose another model
    gemini answered 403: This API method requires billing to be enabled. Please enable billing on project #528187219840 by visiting https://console.developers.google.com/billing/enable?project=528187219840 then retry. Look at the account that pays for it, or choose another model
    "#);
}

#[tokio::test]
async fn no_such_model_says_which() {
    assert_snapshot!(told(Trouble::NoSuchModel).await, @r#"
    anthropic-messages answered 404: model: claude-nonsense. Look whether it has the model `claude-sonnet-4-5` (`seam models anthropic-messages` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    openai-chat answered 404: The model `gpt-nonsense` does not exist or you do not have access to it. Look whether it has the model `gpt-4.1` (`seam models openai-chat` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    openai-responses answered 400: The requested model 'gpt-nonsense' does not exist. Look whether it has the model `gpt-5` (`seam models openai-responses` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    gemini answered 404: models/gemini-nonsense is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods. Look whether it has the model `gemini-2.5-flash` (`seam models gemini` lists those that are known), and whether `base-url` is right (http://SERVICE/v1beta)
    "#);
}

/// A wrong address is mostly somebody's web page.
#[tokio::test]
async fn what_is_no_stream_says_to_look_at_the_address() {
    let mut lines = Vec::new();
    for plan in [
        Plan::plain(200, "text/html", "<html><title>Welcome</title></html>"),
        Plan::plain(200, "application/json; charset=utf-8", r#"{"object":"list"}"#),
        Plan::plain(
            200,
            "application/json",
            r#"{"error":{"message":"The model is not loaded.","code":"model_not_found"}}"#,
        ),
        Plan::plain(301, "text/html", "").header("location", "https://elsewhere.example/v1"),
        Plan::plain(404, "text/html", "<html><title>Not here</title></html>"),
        Plan::plain(200, "text/plain", "hello\n"),
    ] {
        let (server, mut talk) = with(Protocol::Chat, 0).await;
        server.push(plan);
        let error = run(&mut talk, "go").await.error.unwrap();
        lines.push(error.replace(&server.root(), "http://SERVICE"));
    }
    assert_snapshot!(lines.join("\n"), @r#"
    openai-chat: it answered with text/html and not with a stream; look whether `base-url` is right (http://SERVICE/v1), and whether a plugin took `stream` away
    openai-chat: it answered with application/json and not with a stream; look whether `base-url` is right (http://SERVICE/v1), and whether a plugin took `stream` away
    openai-chat: The model is not loaded. Look whether it has the model `gpt-4.1` (`seam models openai-chat` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    openai-chat: it redirects to https://elsewhere.example/v1, where no key is sent to; set `base-url` if that is right
    openai-chat answered 404: a page for people, "Not here". Look whether it has the model `gpt-4.1` (`seam models openai-chat` lists those that are known), and whether `base-url` is right (http://SERVICE/v1)
    openai-chat: the response ended before the answer was complete
    "#);
}

/// Everybody's words, over the wire.
#[tokio::test]
async fn refusals_in_everybodys_words_are_what_they_are() {
    for known in overflows().into_iter().chain(others()) {
        let wire = Wire::new();
        wire.server.push(known.plan());
        let messages = [user(vec![Content::text("hi")])];
        let asked = wire.ask(&super::super::model(known.protocol), &messages, &[]).await;
        let Err(error) = asked else { panic!("{}: {asked:?}", known.name) };
        match known.trouble {
            Trouble::Overflow => assert_eq!(error.kind, ErrorKind::Overflow, "{}: {error}", known.name),
            Trouble::RateLimited => {
                assert!(matches!(error.kind, ErrorKind::Transient { .. }), "{}: {error}", known.name)
            }
            _ => assert_eq!(error.kind, ErrorKind::Other, "{}: {error}", known.name),
        }
        let todo = match known.trouble {
            Trouble::WrongKey => "It wants a key",
            Trouble::NoCredit => "Look at the account",
            Trouble::NoSuchModel => "Look whether it has the model",
            _ => "",
        };
        assert!(error.text.contains(todo), "{}: {error}", known.name);
    }
}
