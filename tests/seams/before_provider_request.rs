//! `before-provider-request`: headers and options of a request to a provider.

use seam_harness::seams::ProviderRequest;
use seam_harness::{Failure, Refused};
use seam_loop::{Header, Model};
use seam_tests::bed::{Bed, Session, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Map, Value, json};

const SECRET: [&str; 12] = [
    "Authorization",
    "proxy-authorization",
    "X-API-Key",
    "api-key",
    "x-goog-api-key",
    "Cookie",
    "set-cookie",
    "x-amz-security-token",
    "x-auth-token",
    "Ocp-Apim-Subscription-Key",
    "cf-aig-authorization",
    "x-my-secret",
];

fn header(name: &str, value: &str) -> Header {
    Header { name: name.to_owned(), value: value.to_owned() }
}

fn request(headers: &[(&str, &str)], options: Value) -> ProviderRequest {
    ProviderRequest {
        model: Model { provider: "anthropic".to_owned(), id: "m".to_owned() },
        headers: headers.iter().map(|(name, value)| header(name, value)).collect(),
        options: options.as_object().cloned().unwrap_or_else(Map::new),
    }
}

/// Passes the request through the plugins. Gives who said something.
async fn patch(session: &Session, request: &mut ProviderRequest) -> Result<Vec<String>, Refused> {
    let bus = session.dispatcher.bus();
    let mut decisions = Vec::new();
    bus.before_provider_request(request, &|_| Ok(()), &bus.conversation.moment(), &mut decisions).await?;
    Ok(trail(&decisions))
}

fn does(change: Value) -> Value {
    json!({ "before-provider-request": change, "observe": "quiet" })
}

#[tokio::test]
async fn headers_and_options_are_set_and_deleted() {
    let change = json!({
        "delete-header": ["X-OLD"], "set-header": [["x-trace", "1"], ["X-Kept", "new"]],
        "delete-option": ["timeoutMs", "unknown"], "set-option": [["retries", { "most": 2 }]]
    });
    let session = Bed::new().everything("p", does(change)).start().await;
    let mut sent = request(&[("x-old", "a"), ("x-kept", "b")], json!({ "timeoutMs": 5, "stream": true }));
    assert_eq!(patch(&session, &mut sent).await.unwrap(), ["p before-provider-request change"]);
    let expected = request(&[("x-trace", "1"), ("X-Kept", "new")], json!({ "stream": true, "retries": { "most": 2 } }));
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn changes_form_a_chain_and_stand_beside_each_other() {
    let set = |name| does(json!({ "set-header": [["x-last", name], [format!("x-{name}"), "1"]] }));
    for (order, bed) in in_every_order([set("a"), does(json!({})), set("c")]) {
        let session = bed.start().await;
        let mut sent = request(&[("x-last", "nobody")], json!({}));
        let rulings: Vec<_> = order
            .chars()
            .map(|letter| {
                let ruling = if letter == 'b' { "proceed" } else { "change" };
                format!("{} before-provider-request {ruling}", name(order, letter))
            })
            .collect();
        assert_eq!(patch(&session, &mut sent).await.unwrap(), rulings, "{order}");
        let setting = order.replace('b', "");
        let last = setting.chars().last().unwrap().to_string();
        sent.headers.sort_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(sent.headers, [header("x-a", "1"), header("x-c", "1"), header("x-last", &last)], "{order}");
    }
}

#[tokio::test]
async fn it_sees_what_the_plugin_before_left_and_no_header_with_a_key() {
    let bed = Bed::new().everything("1", does(json!({ "set-header": [["x-trace", "1"]], "set-option": [["n", 1]] })));
    let sees = json!({ "tell": ["before-provider-request"], "observe": "quiet" });
    let session = bed.everything("request-sees", sees).start().await;
    let mut headers: Vec<(&str, &str)> = SECRET.iter().map(|name| (*name, "sk-secret")).collect();
    headers.push(("x-kept", "b"));
    let mut sent = request(&headers, json!({ "timeoutMs": 5 }));
    patch(&session, &mut sent).await.unwrap();
    assert_eq!(
        told("request-sees"),
        [
            r#"before-provider-request: Event { session: _, model: Model { provider: "anthropic", id: "m" }, headers: [Header { name: "x-kept", value: "b" }, Header { name: "x-trace", value: "1" }], options: [OptionValue { name: "timeoutMs", value: "5" }, OptionValue { name: "n", value: "1" }] }"#
        ]
    );
    assert_eq!(sent.headers, [header("x-kept", "b"), header("x-trace", "1")]);
}

/// All changes of an answer are made, or none.
#[tokio::test]
async fn a_header_with_a_key_cannot_be_set() {
    for secret in SECRET {
        let session = Bed::new()
            .everything("p", does(json!({ "set-header": [["x-a", "1"], [secret, "sk-mine"]] })))
            .start()
            .await;
        let mut sent = request(&[("x-kept", "b")], json!({}));
        let refused = patch(&session, &mut sent).await.unwrap_err();
        let fault = format!("it sets `{}`, which carries a key", secret.to_lowercase());
        assert_eq!(refused.failure, Failure::InvalidAnswer(fault));
        assert_eq!(sent, request(&[("x-kept", "b")], json!({})), "{secret}");
    }
}

#[tokio::test]
async fn what_says_where_a_request_goes_cannot_be_set() {
    for name in ["baseUrl", "base-url", "BASEURL", "apiKey", "api-key", "api_key", "headers", "Headers"] {
        let session = Bed::new().everything("p", does(json!({ "set-option": [[name, "x"]] }))).start().await;
        let mut sent = request(&[], json!({}));
        let failure = patch(&session, &mut sent).await.unwrap_err().failure.to_string();
        assert!(failure.contains("which is the host's"), "{name}: {failure}");
        assert!(sent.options.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn changes_are_bounded_in_number() {
    for (count, fails) in [(256, false), (257, true)] {
        let options: Vec<_> = (0..count).map(|place| json!([format!("o{place}"), 1])).collect();
        let session = Bed::new().everything("p", does(json!({ "set-option": options }))).start().await;
        assert_eq!(patch(&session, &mut request(&[], json!({}))).await.is_err(), fails, "{count}");
    }
}

#[tokio::test]
async fn what_cannot_be_a_header_is_the_plugins_failure() {
    for (name, value) in [("", "x"), ("a b", "x"), ("a:b", "x"), ("x-a", "1\r\nAuthorization: sk"), ("ä", "x")] {
        let bed = Bed::new().everything("p", does(json!({ "set-header": [[name, value]] }))).skip_failures("p");
        let session = bed.start().await;
        let mut sent = request(&[("x-kept", "b")], json!({}));
        assert_eq!(patch(&session, &mut sent).await.unwrap(), ["p before-provider-request failure"], "{name}");
        assert_eq!(sent, request(&[("x-kept", "b")], json!({})));
    }
}
