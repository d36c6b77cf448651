//! `get-api-key`: the key of a provider.

use seam_tests::bed::{Bed, trail};
use seam_tests::notes;
use seam_tests::talk::{calls, says};
use seam_tests::three::{in_every_order, name, told};
use serde_json::json;

const KEY: &str = "sk-seam-3f1c9a";

#[tokio::test]
async fn the_provider_gets_the_key_for_each_request() {
    let settings = json!({ "get-api-key": { "do": "key", "text": "key-of-{}", "provider": "scripted" } });
    let mut talk = Bed::new().everything("p", settings).talk(json!([calls("echo", "x"), says("yes")])).await;
    talk.say("hi").await;
    let keys: Vec<_> = talk.requests.lock().unwrap().iter().map(|asked| asked.api_key.clone()).collect();
    assert_eq!(keys, vec![Some("key-of-scripted".to_owned()); 2]);
}

#[tokio::test]
async fn the_provider_is_that_of_the_chosen_model() {
    let settings = json!({
        "prepare-request": { "model": "other/m" },
        "get-api-key": { "do": "key", "text": KEY, "provider": "other" },
        "tell": ["get-api-key"], "observe": "quiet"
    });
    let mut talk = Bed::new().everything("key-sees", settings).talk(json!([says("yes")])).await;
    talk.say("hi").await;
    assert_eq!(talk.last_request().api_key.as_deref(), Some(KEY));
    assert_eq!(told("key-sees"), ["get-api-key: \"other\""]);
}

#[tokio::test]
async fn the_first_key_counts_and_nobody_is_asked_after_it() {
    let key = |text| json!({ "get-api-key": { "do": "key", "text": text } });
    for (order, bed) in in_every_order([key("a"), json!({}), key("c")]) {
        let mut talk = bed.talk(json!([says("yes")])).await;
        talk.say("hi").await;
        let first = order.replace('b', "").chars().next().unwrap();
        assert_eq!(talk.last_request().api_key, Some(first.to_string()), "{order}");
        assert_eq!(trail(&talk.decided()), [format!("{} get-api-key change", name(order, first))], "{order}");
    }
}

#[tokio::test]
async fn what_cannot_be_a_key_is_the_plugins_failure_and_the_next_is_asked() {
    let key = |text: &str| json!({ "get-api-key": { "do": "key", "text": text }, "observe": "quiet" });
    for bad in ["", "sk two", "sk\nthree", "sk-\u{e4}", &"k".repeat(8193)] {
        let bed = Bed::new().everything("1", key(bad)).everything("2", key(KEY));
        let mut talk = bed.talk(json!([says("yes")])).await;
        talk.say("hi").await;
        assert_eq!(talk.last_request().api_key.as_deref(), Some(KEY));
        assert_eq!(trail(&talk.decided()), ["1 get-api-key failure", "2 get-api-key change"]);
        let told = format!("{:?}", talk.decided());
        assert!(told.contains("its answer is not usable: the key ") && !told.contains("sk"), "{told}");
    }
}

#[tokio::test]
async fn nobody_has_one() {
    let mut talk = Bed::new().everything("p", json!({})).talk(json!([says("yes")])).await;
    talk.say("hi").await;
    assert_eq!(talk.last_request().api_key, None);
}

/// Neither the sink nor another plugin that watches and asks for everything ever sees it.
#[tokio::test]
async fn the_key_stands_in_no_event() {
    let all = json!([
        "input",
        "before-agent-start",
        "prepare-request",
        "transform-context",
        "convert-to-llm",
        "get-api-key",
        "tool-call",
        "tool-result",
        "finish-turn",
        "prepare-next-turn"
    ]);
    let watches = json!({ "tell": all, "sees": all });
    let bed = Bed::new().everything("key-0-watches", watches.clone()).everything("key-2-watches", watches);
    let bed = bed.everything("key-1", json!({ "get-api-key": { "do": "key", "text": KEY } }));
    let mut talk = bed.talk(json!([calls("echo", "x"), says("yes")])).await;
    talk.say("hi").await;
    assert_eq!(talk.last_request().api_key.as_deref(), Some(KEY));
    let events = serde_json::to_string(&talk.close().await).unwrap();
    assert!(events.contains("get-api-key") && !events.contains(KEY));
    for plugin in ["key-0-watches", "key-1", "key-2-watches"] {
        let notes = notes::take(plugin);
        assert!(notes.len() > 20 && !notes.iter().any(|note| note.contains(KEY)), "{plugin}: {notes:?}");
    }
}
