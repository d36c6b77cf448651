//! `before-provider-payload`: the body, as it reaches the service.

use seam_loop::StopReason;
use seam_tests::bed::Bed;
use seam_tests::models::{Plan, Protocol};
use seam_tests::recording::Recording;
use seam_tests::three::in_every_order;
use serde_json::{Value, json};

use super::super::{failed, run};
use super::{does, with};

const SEAM: &str = "before-provider-payload";

/// A body in which everything stands that JSON has.
const ODD: &str = r#"{"z":1,"a":[null,true,-0.5,18446744073709551615,-9223372036854775808,1e300],"ä\n\"\\\u0001":"\u0000 𝄞 \"<\/script>\"","":[{"x":[]}],"m":{"b":1,"a":2}}"#;

#[tokio::test]
async fn a_body_reaches_the_service_as_the_plugin_gave_it() {
    for protocol in Protocol::ALL {
        let bed = Bed::new().everything("p", does(SEAM, json!({ "do": "replace", "text": ODD })));
        let (server, mut talk) = with(bed, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let expected: Value = serde_json::from_str(ODD).unwrap();
        // The order of fields counts: caches of services go by it.
        assert_eq!(server.body(0).to_string(), expected.to_string());
    }
}

#[tokio::test]
async fn a_patch_changes_what_it_says_and_nothing_else() {
    let patch = r#"[{"op": "add", "path": "/extra", "value": {"b": 1, "a": "ä"}}]"#;
    for protocol in Protocol::ALL {
        let (plain, mut talk) = with(Bed::new(), protocol).await;
        run(&mut talk, "hi").await;
        let bed = Bed::new().everything("p", does(SEAM, json!({ "do": "patch", "text": patch })));
        let (patched, mut talk) = with(bed, protocol).await;
        run(&mut talk, "hi").await;
        let mut expected = plain.body(0);
        expected["extra"] = json!({ "b": 1, "a": "ä" });
        assert_eq!(patched.body(0).to_string(), expected.to_string());
    }
}

#[tokio::test]
async fn a_chain_of_three_adds_up_in_every_order() {
    let wrap = |name: &str| does(SEAM, json!({ "do": "replace", "text": format!(r#"{{"by":"{name}","of":{{}}}}"#) }));
    let patch = r#"[{"op": "add", "path": "/b", "value": 1}]"#;
    for (order, bed) in in_every_order([wrap("a"), does(SEAM, json!({ "do": "patch", "text": patch })), wrap("c")]) {
        let (server, mut talk) = with(bed, Protocol::Responses).await;
        run(&mut talk, "hi").await;
        let mut sent = server.body(0);
        for name in order.chars().rev() {
            match name {
                'b' => assert_eq!(sent.as_object_mut().unwrap().remove("b"), Some(json!(1)), "{order}"),
                name => {
                    assert_eq!(sent["by"], name.to_string(), "{order}");
                    sent = sent["of"].take();
                }
            }
        }
        assert_eq!(sent["model"], Protocol::Responses.model(), "{order}");
    }
}

/// A service that streams nothing then answers with the whole. What it says is no stream, and that is said.
#[tokio::test]
async fn a_body_without_stream_ends_in_an_error_that_says_so() {
    let whole = r#"{"id":"x","choices":[{"message":{"content":"hello"}}]}"#;
    for protocol in [Protocol::Anthropic, Protocol::Chat, Protocol::Responses] {
        let bed = Bed::new()
            .everything("p", does(SEAM, json!({ "do": "patch", "text": r#"[{"op": "remove", "path": "/stream"}]"# })));
        let (server, mut talk) = with(bed, protocol).await;
        server.push(Plan::plain(200, "application/json", whole));
        let error = failed(&mut talk, "hi").await;
        assert!(error.contains("application/json and not with a stream"), "{error}");
        assert!(error.contains("whether a plugin took `stream` away"), "{error}");
        assert_eq!((server.requests().len(), server.body(0).get("stream")), (1, None));
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_the_plugins_failure_and_nothing_is_sent() {
    for text in ["5", "null", "[{}]", r#""x""#, "true"] {
        let deed = does(SEAM, json!({ "do": "replace", "text": text }));
        let (server, mut talk) = with(Bed::new().everything("setter", deed.clone()), Protocol::Gemini).await;
        let error = failed(&mut talk, "hi").await;
        let words =
            "plugin `setter` failed at `before-provider-payload`: its answer is not usable: the body is no JSON";
        assert!(error.contains(words), "{error}");
        assert!(server.requests().is_empty());

        let (server, mut talk) =
            with(Bed::new().everything("setter", deed).skip_failures("setter"), Protocol::Gemini).await;
        assert_eq!(run(&mut talk, "hi").await.stop_reason, StopReason::Stop);
        assert!(server.body(0)["contents"].is_array());
    }
    let patch = does(SEAM, json!({ "do": "patch", "text": r#"[{"op": "replace", "path": "", "value": 5}]"# }));
    let (server, mut talk) = with(Bed::new().everything("setter", patch), Protocol::Gemini).await;
    assert!(failed(&mut talk, "hi").await.contains("the body is no JSON object"));
    assert!(server.requests().is_empty());
}

/// What a service says of a body that it does not want is what the user reads.
#[tokio::test]
async fn what_the_service_refuses_is_told_in_its_words() {
    let (server, mut talk) =
        with(Bed::new().everything("p", does(SEAM, json!({ "do": "replace", "text": "{}" }))), Protocol::Anthropic)
            .await;
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages: Field required"}}"#;
    server.push(Plan::plain(400, "application/json", body));
    let error = failed(&mut talk, "hi").await;
    assert_eq!(error, "anthropic-messages answered 400: messages: Field required");
    assert_eq!(server.requests().len(), 1);
}

/// What a plugin is shown is what is sent, to the byte. Its journal has it.
#[tokio::test]
async fn a_plugin_sees_the_body_as_it_is_sent() {
    for protocol in Protocol::ALL {
        let recording = Recording::new();
        let bed = Bed::new().everything("sees", json!({ "observe": "quiet" })).journal(recording.journal.clone());
        let (server, mut talk) = with(bed, protocol).await;
        run(&mut talk, "ä \"quoted\" \u{1} 𝄞").await;
        talk.close().await;
        let crossings = recording.crossings();
        let shown = crossings.iter().find(|crossing| crossing.seam == SEAM).unwrap().input.value().unwrap();
        assert_eq!(shown.pointer("/0/payload").unwrap(), &server.body(0).to_string());
    }
}
