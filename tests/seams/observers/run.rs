//! What is seen of runs, turns and messages.

use seam_tests::bed::Bed;
use seam_tests::notes;
use serde_json::json;

use super::{calls, says, seen, watching};

#[tokio::test]
async fn agent_start() {
    let mut talk = watching("agent-start", json!({})).talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    talk.say("2").await;
    assert_eq!(seen("agent-start", talk).await, ["", ""]);
}

/// A run that cannot go on adds a message that says so, behind those it has added before.
#[tokio::test]
async fn agent_end() {
    let turns = json!([
        calls("c1", "echo", json!({ "text": "x" })), says("a"), { "error": "down" }, { "throws": "no net" }
    ]);
    let mut talk = watching("agent-end", json!({})).talk(turns).await;
    for text in ["1", "2", "3"] {
        talk.say(text).await;
    }
    let expected = ["0..4 stop -", "4..6 error \"down\"", "6..8 error \"no net\""];
    assert_eq!(seen("agent-end", talk).await, expected);
}

#[tokio::test]
async fn turn_start() {
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), says("a"), says("b")]);
    let mut talk = watching("turn-start", json!({})).talk(turns).await;
    talk.say("1").await;
    talk.say("2").await;
    assert_eq!(seen("turn-start", talk).await, ["1", "2", "1"]);
}

#[tokio::test]
async fn turn_end() {
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), says("a"), says("b")]);
    let mut talk = watching("turn-end", json!({})).talk(turns).await;
    talk.say("1").await;
    talk.say("2").await;
    assert_eq!(seen("turn-end", talk).await, ["1 1 2..3", "2 3 4..4", "1 5 6..6"]);
}

#[tokio::test]
async fn message_start() {
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), says("a")]);
    let adds = json!({ "before-agent-start": { "message": "by the way" } });
    let mut talk = watching("message-start", adds).talk(turns).await;
    talk.say("1").await;
    assert_eq!(seen("message-start", talk).await, ["user -", "custom -", "assistant -", "tool c1", "assistant -"]);
}

#[tokio::test]
async fn message_update() {
    let call = json!({ "toolCall": { "id": "c1", "name": "echo", "args": { "text": "x" } } });
    let turns = json!([{ "content": [{ "thinking": "hm" }, { "text": "I \"look\"" }, call] }, { "stream": "none" }]);
    let mut talk = watching("message-update", json!({})).talk(turns).await;
    talk.say("1").await;
    let expected = [
        r#"thinking-start 0 "" -"#,
        r#"thinking-delta 0 "hm" -"#,
        r#"thinking-end 0 "" -"#,
        r#"text-start 1 "" -"#,
        r#"text-delta 1 "I \"look\"" -"#,
        r#"text-end 1 "" -"#,
        r#"call-start 2 "" -"#,
        r#"call-delta 2 "{\"text\":\"x\"}" -"#,
        r#"call-end 2 "" c1"#,
    ];
    assert_eq!(seen("message-update", talk).await, expected);
}

#[tokio::test]
async fn message_end() {
    let turns = json!([calls("c1", "echo", json!({ "text": "x" })), says("a")]);
    let mut talk = watching("message-end", json!({})).talk(turns).await;
    talk.say("1").await;
    assert_eq!(seen("message-end", talk).await, ["0", "1", "2", "3"]);
}

/// What an observer reads of the conversation is what there was, however late it reads.
#[tokio::test]
async fn the_conversation_is_the_one_of_the_event() {
    let late = json!({ "observe": "quiet", "observe-at": { "session-start": "loop" }, "sees": ["message-end"] });
    let bed = Bed::new().everything("late", late).time_limit("late", 500);
    let mut talk = bed.talk(json!([calls("c1", "echo", json!({ "text": "x" })), says("a")])).await;
    talk.say("hi").await;
    talk.close().await;
    let expected = [
        "failed: the time limit was reached",
        r#"message-end sees: user "hi""#,
        r#"message-end sees: user "hi" | assistant """#,
        r#"message-end sees: user "hi" | assistant "" | tool echo "x""#,
        r#"message-end sees: user "hi" | assistant "" | tool echo "x" | assistant "a""#,
    ];
    assert_eq!(notes::take("late"), expected);
}
