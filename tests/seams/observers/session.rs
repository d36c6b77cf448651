//! What is seen of a session around its runs.

use std::time::Duration;

use seam_harness::SessionEvent;
use seam_loop::Header;
use seam_loop::{CancellationToken, Message, Model, ThinkingLevel};
use serde_json::json;

use super::{says, seen, shown, watching};

#[tokio::test]
async fn session_start() {
    let talk = watching("session-start", json!({})).talk(json!([])).await;
    assert_eq!(seen("session-start", talk).await, ["startup -"]);
}

#[tokio::test]
async fn session_shutdown() {
    let talk = watching("session-shutdown", json!({})).talk(json!([])).await;
    assert_eq!(seen("session-shutdown", talk).await, ["quit"]);
}

#[tokio::test]
async fn session_compact() {
    let (entry, summary) = ("e7".to_owned(), "we \"met\"".to_owned());
    let from_plugin = Some("shortens".into());
    let event = SessionEvent::SessionCompact { entry, summary, from_plugin };
    assert_eq!(shown("session-compact", event).await, [r#"e7 "we \"met\"" shortens"#]);
}

#[tokio::test]
async fn session_tree() {
    let event = SessionEvent::SessionTree { new_leaf: None, old_leaf: Some("e7".to_owned()), from_plugin: None };
    assert_eq!(shown("session-tree", event).await, ["- e7 -"]);
}

#[tokio::test]
async fn model_select() {
    let mut talk = watching("model-select", json!({})).talk(json!([])).await;
    for id in ["m", "large", "large", "small"] {
        talk.harness.set_model(Model { provider: "scripted".to_owned(), id: id.to_owned() });
    }
    let expected = ["scripted/large scripted/m", "scripted/small scripted/large"];
    assert_eq!(seen("model-select", talk).await, expected);
}

#[tokio::test]
async fn thinking_level_select() {
    let mut talk = watching("thinking-level-select", json!({})).talk(json!([])).await;
    for level in [ThinkingLevel::Xhigh, ThinkingLevel::Xhigh, ThinkingLevel::Low] {
        talk.harness.set_thinking_level(level);
    }
    assert_eq!(seen("thinking-level-select", talk).await, ["xhigh off", "low xhigh"]);
}

#[tokio::test]
async fn tools_update() {
    let mut talk = watching("tools-update", json!({})).talk(json!([])).await;
    for active in [&["ls", "echo"][..], &["ls", "echo"], &["read"]] {
        talk.harness.set_active_tools(active.iter().map(|&name| name.to_owned()).collect()).unwrap();
    }
    let all = "read,write,edit,bash,grep,find,ls,echo";
    assert_eq!(seen("tools-update", talk).await, [format!("{all} ls,echo"), format!("{all} read")]);
}

#[tokio::test]
async fn resources_update() {
    let offers = json!({ "resources-discover": {
        "skills": [["commit", "writes it", "..."], ["review", "reads it", "..."]],
        "prompt-templates": [["bug", "reports it", "..."]]
    } });
    let talk = watching("resources-update", offers).talk(json!([])).await;
    assert_eq!(seen("resources-update", talk).await, ["commit,review bug"]);
}

/// Told when something is put in, and when it is taken.
#[tokio::test]
async fn queue_update() {
    let slow = json!({ "content": [{ "text": "a" }], "delay": 50 });
    let mut talk = watching("queue-update", json!({})).talk(json!([slow, says("b"), says("c")])).await;
    let handle = talk.harness.handle();
    handle.next_turn(Message::user("n1"));
    handle.next_turn(Message::user("n2"));
    let adds = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        handle.follow_up(Message::user("f")).unwrap();
        handle.steer(Message::user("s")).unwrap();
    };
    tokio::join!(talk.say("1"), adds);
    let expected = ["0 0 1", "0 0 2", "0 0 0", "0 1 0", "1 1 0", "0 1 0", "0 0 0"];
    assert_eq!(seen("queue-update", talk).await, expected);
}

#[tokio::test]
async fn save_point() {
    let mut talk = watching("save-point", json!({})).talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    talk.say("2").await;
    assert_eq!(seen("save-point", talk).await, ["false", "false"]);
}

#[tokio::test]
async fn abort() {
    let slow = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let mut talk = watching("abort", json!({})).talk(json!([slow, says("a")])).await;
    let (handle, abort) = (talk.harness.handle(), CancellationToken::new());
    let aborts = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        handle.steer(Message::user("s")).unwrap();
        handle.follow_up(Message::user("f1")).unwrap();
        handle.follow_up(Message::user("f2")).unwrap();
        abort.cancel();
    };
    tokio::join!(talk.say_until("1", &abort), aborts);
    talk.say("2").await;
    assert_eq!(seen("abort", talk).await, ["1 2"]);
}

#[tokio::test]
async fn settled() {
    let slow = json!({ "content": [{ "text": "a" }], "delay": 50 });
    let mut talk = watching("settled", json!({})).talk(json!([slow, says("b")])).await;
    let handle = talk.harness.handle();
    let adds = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        handle.next_turn(Message::user("n"));
    };
    tokio::join!(talk.say("1"), adds);
    talk.say("2").await;
    assert_eq!(seen("settled", talk).await, ["1", "0"]);
}

#[tokio::test]
async fn after_provider_response() {
    let model = Model { provider: "scripted".to_owned(), id: "m".to_owned() };
    let header = |name: &str, value: &str| Header { name: name.to_owned(), value: value.to_owned() };
    let headers = vec![header("retry-after", "5"), header("Set-Cookie", "s=1"), header("x-id", "a b")];
    let event = SessionEvent::response(model, 429, headers);
    assert_eq!(shown("after-provider-response", event).await, ["scripted/m 429 retry-after=5,x-id=a b"]);
}
