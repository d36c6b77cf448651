//! `before-provider-payload`: the body of a request to a provider.

use seam_harness::{Failure, Refused};
use seam_loop::Model;
use seam_tests::bed::{Bed, Session, trail};
use seam_tests::three::{in_every_order, told};
use serde_json::{Value, json};

/// Passes a body through the plugins. Gives who said something.
async fn review(session: &Session, body: &mut Value) -> Result<Vec<String>, Refused> {
    let bus = session.dispatcher.bus();
    let model = Model { provider: "anthropic".to_owned(), id: "m".to_owned() };
    let mut decisions = Vec::new();
    bus.before_provider_payload(&model, body, &bus.conversation.moment(), &mut decisions).await?;
    Ok(trail(&decisions))
}

fn does(what: &str, text: &str) -> Value {
    json!({ "before-provider-payload": { "do": what, "text": text }, "observe": "quiet" })
}

#[tokio::test]
async fn a_body_is_replaced_or_patched_or_stays() {
    let patch = r#"[
        {"op": "test", "path": "/a", "value": 1}, {"op": "replace", "path": "/a", "value": 2},
        {"op": "add", "path": "/list/-", "value": "x"}, {"op": "move", "from": "/b", "path": "/c"}
    ]"#;
    for (what, text, expected, ruling) in [
        ("replace", r#"{"was": {}}"#, json!({ "was": { "a": 1, "b": "ä", "list": [] } }), "change"),
        ("patch", patch, json!({ "a": 2, "c": "ä", "list": ["x"] }), "change"),
        ("patch", "[]", json!({ "a": 1, "b": "ä", "list": [] }), "change"),
        ("", "", json!({ "a": 1, "b": "ä", "list": [] }), "proceed"),
    ] {
        let session = Bed::new().everything("p", does(what, text)).start().await;
        let mut body = json!({ "a": 1, "b": "ä", "list": [] });
        let ruling = format!("p before-provider-payload {ruling}");
        assert_eq!(review(&session, &mut body).await.unwrap(), [ruling], "{what} {text}");
        assert_eq!(body, expected, "{what} {text}");
    }
}

/// Each sees what the one before it left.
#[tokio::test]
async fn changes_form_a_chain() {
    let wrap = |name| does("replace", &format!(r#"{{"by": "{name}", "of": {{}}}}"#));
    for (order, bed) in in_every_order([wrap("a"), does("", ""), wrap("c")]) {
        let session = bed.start().await;
        let mut body = json!(1);
        review(&session, &mut body).await.unwrap();
        let expected = order.replace('b', "").chars().fold(json!(1), |of, by| json!({ "by": by, "of": of }));
        assert_eq!(body, expected, "{order}");
    }
}

/// Patches add up, whoever comes first.
#[tokio::test]
async fn patches_of_different_places_stand_beside_each_other() {
    let add = |name| does("patch", &format!(r#"[{{"op": "add", "path": "/{name}", "value": 1}}]"#));
    for (order, bed) in in_every_order([add("a"), does("", ""), add("c")]) {
        let session = bed.start().await;
        let mut body = json!({});
        review(&session, &mut body).await.unwrap();
        assert_eq!(body, json!({ "a": 1, "c": 1 }), "{order}");
    }
}

#[tokio::test]
async fn it_sees_the_session_the_model_and_the_whole_body() {
    let settings = json!({ "tell": ["before-provider-payload"], "observe": "quiet" });
    let session = Bed::new().everything("payload-sees", settings).start().await;
    review(&session, &mut json!({ "text": "x" })).await.unwrap();
    assert_eq!(
        told("payload-sees"),
        [
            r#"before-provider-payload: Event { session: _, model: Model { provider: "anthropic", id: "m" }, payload: "{\"text\":\"x\"}" }"#
        ]
    );
}

/// What may come back grows with what was given.
#[tokio::test]
async fn a_body_may_be_longer_than_other_answers() {
    let settings = json!({ "before-provider-payload": { "do": "replace", "text": r#"{"in": {}}"# } });
    let session = Bed::new().everything("p", settings).start().await;
    let mut body = json!({ "text": "x".repeat(3 << 20) });
    let expected = json!({ "in": body });
    review(&session, &mut body).await.unwrap();
    assert!(body == expected);

    let settings = json!({ "before-provider-payload": { "do": "replace", "text": "[{}, {}, {}]" } });
    let session = Bed::new().everything("p", settings).start().await;
    let failure = review(&session, &mut body).await.unwrap_err().failure;
    assert_eq!(failure, Failure::DataLimit(2 * body.to_string().len()));
}

/// A few operations can make a body of any size and depth.
#[tokio::test]
async fn a_patch_that_blows_a_body_up_is_the_plugins_failure_at_once() {
    let doubled = (0..24).map(|place| json!({ "op": "copy", "from": "", "path": format!("/{place}") }));
    let deeper = (0..450).flat_map(|_| {
        [json!({ "op": "move", "from": "/a", "path": "/b/a" }), json!({ "op": "copy", "from": "/b", "path": "/a" })]
    });
    for (patch, fault) in [
        (doubled.collect::<Vec<_>>(), "the body is longer than 1024 KiB"),
        (deeper.collect(), "more than 128 deep"),
        (vec![json!({ "op": "remove", "path": "/a" }); 1001], "more than 1000 operations"),
    ] {
        let session = Bed::new().everything("p", does("patch", &json!(patch).to_string())).start().await;
        let body = json!({ "a": "x".repeat(1000), "b": {} });
        let mut reviewed = body.clone();
        let failure = review(&session, &mut reviewed).await.unwrap_err().failure;
        assert!(matches!(&failure, Failure::InvalidAnswer(words) if words.contains(fault)), "{failure}");
        assert_eq!(reviewed, body, "{fault}");
    }
}

/// All of a patch applies, or nothing of it does.
#[tokio::test]
async fn a_body_or_patch_that_cannot_be_used_is_the_plugins_failure() {
    for (what, text, fault) in [
        ("replace", "{", "the payload is not JSON"),
        ("patch", "no", "the patch is not JSON"),
        ("patch", "{}", "its JSON Patch cannot be applied"),
        ("patch", r#"[{"op": "add", "path": "/a", "value": 2}, {"op": "remove", "path": "/b"}]"#, "cannot be applied"),
        (
            "patch",
            r#"[{"op": "add", "path": "/a", "value": 2}, {"op": "test", "path": "/a", "value": 1}]"#,
            "cannot be",
        ),
    ] {
        let session = Bed::new().everything("p", does(what, text)).start().await;
        let mut body = json!({ "a": 1 });
        let failure = review(&session, &mut body).await.unwrap_err().failure;
        assert!(matches!(&failure, Failure::InvalidAnswer(words) if words.contains(fault)), "{failure}");
        assert_eq!(body, json!({ "a": 1 }), "{what} {text}");
    }
}
