//! Whole answers: the script as JSON, the events as lines.

use std::fmt::Write as _;
use std::time::Duration;

use futures_util::StreamExt as _;
use seam_loop::provider::BlockKind;
use seam_loop::{AssistantMessage, ErrorKind, Model, Request, StreamEvent, ThinkingLevel, Usage};
use serde_json::{Value, json};
use tokio::time::{self, Instant};

use super::*;

fn provider(turns: Value) -> Scripted {
    Scripted::new(Script::from_value(json!({ "turns": turns }), "script.json").unwrap())
}

async fn ask(provider: &Scripted, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
    let model = Model { provider: "scripted".to_owned(), id: "main".to_owned() };
    let request = Request {
        model: &model,
        thinking_level: ThinkingLevel::Off,
        api_key: None,
        system_prompt: "",
        messages: &[],
        tools: &[],
        max_tokens: None,
        hooks: &seam_loop::NoHooks,
    };
    provider.stream(request, abort).await
}

/// What a turn answers when nobody aborts.
async fn play(turn: Value) -> Vec<StreamEvent> {
    let provider = provider(json!([turn]));
    ask(&provider, &CancellationToken::new()).await.unwrap().collect().await
}

/// What a turn answers when it is aborted once `seen` events have come.
async fn play_aborted(turn: Value, seen: usize) -> Vec<StreamEvent> {
    let (provider, abort) = (provider(json!([turn])), CancellationToken::new());
    let mut stream = ask(&provider, &abort).await.unwrap();
    let mut events = Vec::new();
    loop {
        if events.len() == seen {
            abort.cancel();
        }
        match stream.next().await {
            Some(event) => events.push(event),
            None => return events,
        }
    }
}

/// The message at the end of the events.
fn message(events: &[StreamEvent]) -> &AssistantMessage {
    match events.last() {
        Some(StreamEvent::End(message)) => message,
        other => panic!("the stream ends with {other:?}"),
    }
}

/// A message without what is the same in each of them.
fn told(message: &AssistantMessage) -> Value {
    let mut told = serde_json::to_value(message).unwrap();
    for key in ["provider", "model", "timestamp", "usage"] {
        told.as_object_mut().unwrap().remove(key);
    }
    told
}

/// The events, one line each.
fn lines(events: &[StreamEvent]) -> String {
    let mut lines = String::new();
    for event in events {
        match event {
            StreamEvent::Start => writeln!(lines, "start"),
            StreamEvent::BlockStart { index, kind: BlockKind::Text } => writeln!(lines, "{index} text"),
            StreamEvent::BlockStart { index, kind: BlockKind::Thinking } => writeln!(lines, "{index} thinking"),
            StreamEvent::BlockStart { index, kind: BlockKind::ToolCall { id, name } } => {
                writeln!(lines, "{index} call {id} {name}")
            }
            StreamEvent::BlockDelta { index, delta } => writeln!(lines, "{index} + {delta}"),
            StreamEvent::BlockEnd { index, block } => {
                writeln!(lines, "{index} = {}", serde_jcs::to_string(block).unwrap())
            }
            StreamEvent::End(message) => writeln!(lines, "end {:?}", message.stop_reason),
        }
        .unwrap();
    }
    lines
}

fn text_and_call() -> Value {
    json!({"content": [{"text": "ab"}, {"toolCall": {"id": "c1", "name": "write", "args": {"path": "a"}}}], "chunks": 2})
}

#[tokio::test]
async fn an_answer_comes_in_blocks() {
    let expected = r#"start
0 text
0 + a
0 + b
0 = {"text":"ab","type":"text"}
1 call c1 write
1 + {"path":"a"}
1 = {"arguments":{"path":"a"},"id":"c1","name":"write","type":"toolCall"}
end ToolUse
"#;
    assert_eq!(lines(&play(text_and_call()).await), expected);
    let mut ended = text_and_call();
    ended["stream"] = json!("end");
    assert_eq!(lines(&play(ended).await), expected);
}

#[tokio::test]
async fn thinking_is_streamed_by_code_points() {
    let events = play(json!({"content": [{"thinking": "👨👩👧x"}], "chunks": 2})).await;
    let expected =
        "start\n0 thinking\n0 + 👨👩\n0 + 👧x\n0 = {\"thinking\":\"👨👩👧x\",\"type\":\"thinking\"}\nend Stop\n";
    assert_eq!(lines(&events), expected);
}

#[tokio::test]
async fn an_empty_text_has_one_empty_delta() {
    let events = play(json!({"content": [{"text": ""}]})).await;
    assert_eq!(lines(&events), "start\n0 text\n0 + \n0 = {\"text\":\"\",\"type\":\"text\"}\nend Stop\n");
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_one_event() {
    let mut turn = text_and_call();
    turn["stream"] = json!("none");
    let events = play(turn).await;
    assert_eq!(lines(&events), "end ToolUse\n");
    assert_eq!(message(&events).content.len(), 2);
}

#[tokio::test]
async fn tool_call_deltas_are_canonical() {
    let args = r#"{"b": 1.0, "a": [1e21, 0.1, -0.0, 12345678901234567890], "\uFB33": "\u007f\u001f\n\"", "😀": 1e-7}"#;
    let args: Value = serde_json::from_str(args).unwrap();
    let events = play(json!({"content": [{"toolCall": {"id": "c1", "name": "write", "args": args}}]})).await;
    // The emoji's first code unit, U+D83D, is below U+FB33.
    let expected = concat!(
        r#"{"a":[1e+21,0.1,0,12345678901234567000],"b":1,"😀":1e-7,""#,
        "\u{FB33}\":\"\u{7f}",
        r#"\u001f\n\""}"#
    );
    let StreamEvent::BlockDelta { delta, .. } = &events[2] else { panic!("{events:?}") };
    assert_eq!(delta, expected);
}

#[tokio::test]
async fn arguments_that_could_not_be_read() {
    let call = json!({"id": "c1", "name": "write", "args": {}, "argumentsError": "Unexpected end"});
    let events = play(json!({"content": [{ "toolCall": call }]})).await;
    let call = message(&events).tool_calls().next().unwrap();
    assert_eq!((&call.arguments, call.arguments_error.as_deref()), (&json!({}), Some("Unexpected end")));
}

#[tokio::test]
async fn stop_reasons() {
    let cases = [
        (json!({}), json!({"content": [], "stopReason": "stop"})),
        (json!({"stopReason": "length"}), json!({"content": [], "stopReason": "length"})),
        (json!({"stopReason": "deferred"}), json!({"content": [], "stopReason": "deferred"})),
        (
            json!({"stopReason": "aborted", "errorMessage": "gone"}),
            json!({"content": [], "stopReason": "aborted", "errorMessage": "gone"}),
        ),
        (
            json!({"content": [{"text": "I will"}], "error": "overloaded"}),
            json!({
                "content": [{"type": "text", "text": "I will"}], "stopReason": "error", "errorMessage": "overloaded",
            }),
        ),
    ];
    for (turn, expected) in cases {
        assert_eq!(told(message(&play(turn).await)), expected);
    }
    let mut stopped = text_and_call();
    stopped["stopReason"] = json!("stop");
    assert_eq!(message(&play(stopped).await).stop_reason, seam_loop::StopReason::Stop);
}

#[tokio::test]
async fn a_message_names_its_source_and_its_usage() {
    let provider = provider(json!([{"usage": {"input": 50, "cacheWrite": 20}}])).with_name("other");
    assert_eq!(provider.names(), ["other"]);
    let events: Vec<_> = ask(&provider, &CancellationToken::new()).await.unwrap().collect().await;
    let message = message(&events);
    assert_eq!((message.provider.as_str(), message.model.as_str()), ("other", "main"));
    assert_eq!(message.usage, Usage { input: 50, cache_write: 20, ..Usage::default() });
    assert!(message.timestamp > 0);
}

#[tokio::test]
async fn an_error_has_a_kind() {
    let after = |ms| ErrorKind::Transient { retry_after: Some(Duration::from_millis(ms)) };
    for (error, expected) in [
        (json!("no"), ErrorKind::Other),
        (json!({"message": "no"}), ErrorKind::Other),
        (json!({"message": "no", "kind": "overflow"}), ErrorKind::Overflow),
        (json!({"message": "no", "kind": "transient"}), ErrorKind::Transient { retry_after: None }),
        (json!({"message": "no", "kind": "transient", "retryAfter": 30}), after(30)),
    ] {
        let events = play(json!({"content": [{"text": "hm"}], "error": error})).await;
        let message = message(&events);
        assert_eq!((message.error_message.as_deref(), message.error_kind), (Some("no"), expected), "{error}");
        let provider = provider(json!([{"throws": error}]));
        let error = ask(&provider, &CancellationToken::new()).await.err().unwrap();
        assert_eq!((&*error.text, error.kind), ("no", expected));
    }
}

#[tokio::test]
async fn turns_are_taken_in_order_until_none_is_left() {
    let provider = provider(json!([{"throws": "socket closed"}, {"content": [{"text": "hi"}]}]));
    let abort = CancellationToken::new();
    assert_eq!(ask(&provider, &abort).await.err().unwrap().to_string(), "socket closed");
    let second: Vec<_> = ask(&provider, &abort).await.unwrap().collect().await;
    assert_eq!(told(message(&second))["content"], json!([{"type": "text", "text": "hi"}]));
    for _ in 0..2 {
        let exhausted: Vec<_> = ask(&provider, &abort).await.unwrap().collect().await;
        assert_eq!(exhausted.len(), 1);
        let expected = json!({"content": [], "stopReason": "error", "errorMessage": "script exhausted"});
        assert_eq!(told(message(&exhausted)), expected);
    }
}

#[tokio::test]
async fn an_abort_leaves_what_was_streamed() {
    let call = |args: Value| json!({"type": "toolCall", "id": "c1", "name": "write", "arguments": args});
    let text = |text: &str| json!({"type": "text", "text": text});
    let contents = [
        json!([]),
        json!([]),
        json!([text("")]),
        json!([text("a")]),
        json!([text("ab")]),
        json!([text("ab")]),
        json!([text("ab"), call(json!({}))]),
        json!([text("ab"), call(json!({"path": "a"}))]),
        json!([text("ab"), call(json!({"path": "a"}))]),
    ];
    let whole = play(text_and_call()).await;
    assert_eq!(whole.len(), contents.len());
    for (seen, content) in contents.into_iter().enumerate() {
        let mut turn = text_and_call();
        turn["usage"] = json!({"input": 1});
        let events = play_aborted(turn, seen).await;
        assert_eq!(events[..seen], whole[..seen]);
        assert_eq!(events.len(), seen + 1);
        let expected = json!({"content": content, "stopReason": "aborted", "errorMessage": "Request was aborted"});
        assert_eq!(told(message(&events)), expected, "after {seen} events");
        assert_eq!(message(&events).usage, Usage::default());
    }
}

#[tokio::test]
async fn an_abort_after_the_end_changes_nothing() {
    assert_eq!(lines(&play_aborted(text_and_call(), 9).await), lines(&play(text_and_call()).await));
}

#[tokio::test]
async fn an_abort_of_an_answer_that_is_not_streamed_leaves_nothing() {
    let events = play_aborted(json!({"content": [{"text": "hi"}], "stream": "none", "error": "no"}), 0).await;
    assert_eq!(events.len(), 1);
    let expected = json!({"content": [], "stopReason": "aborted", "errorMessage": "Request was aborted"});
    assert_eq!(told(message(&events)), expected);
}

#[tokio::test(start_paused = true)]
async fn an_abort_can_be_ignored() {
    let mut turn = text_and_call();
    turn["ignoreAbort"] = json!(true);
    turn["delay"] = json!(100);
    let start = Instant::now();
    assert_eq!(lines(&play_aborted(turn, 0).await), lines(&play(text_and_call()).await));
    assert_eq!(start.elapsed(), Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn delays_come_before_the_events() {
    let provider = provider(json!([{"content": [{"text": "hi"}], "delay": 100, "chunkDelay": 10}]));
    let start = Instant::now();
    let stream = ask(&provider, &CancellationToken::new()).await.unwrap();
    let times: Vec<_> = stream.map(|_| start.elapsed().as_millis()).collect().await;
    assert_eq!(times, [110, 120, 130, 140, 150]);
}

#[tokio::test(start_paused = true)]
async fn an_abort_ends_the_delay_at_once() {
    let (provider, abort) = (provider(json!([{"content": [{"text": "hi"}], "delay": 100}])), CancellationToken::new());
    let start = Instant::now();
    let aborting = async {
        time::sleep(Duration::from_millis(30)).await;
        abort.cancel();
    };
    let stream = ask(&provider, &abort).await.unwrap();
    let (events, ()) = tokio::join!(stream.collect::<Vec<_>>(), aborting);
    assert_eq!(lines(&events), "end Aborted\n");
    assert_eq!(start.elapsed(), Duration::from_millis(30));
}

#[tokio::test(start_paused = true)]
async fn an_abort_is_looked_for_after_the_chunk_delay() {
    let turn = json!({"content": [{"text": "hi"}], "chunkDelay": 10});
    let (provider, abort) = (provider(json!([turn])), CancellationToken::new());
    let start = Instant::now();
    let aborting = async {
        time::sleep(Duration::from_millis(25)).await;
        abort.cancel();
    };
    let stream = ask(&provider, &abort).await.unwrap();
    let (events, ()) = tokio::join!(stream.collect::<Vec<_>>(), aborting);
    assert_eq!(lines(&events), "start\n0 text\nend Aborted\n");
    assert_eq!(start.elapsed(), Duration::from_millis(30));
}

#[tokio::test]
async fn everything_else_runs_between_two_events() {
    let (provider, abort) = (provider(json!([text_and_call()])), CancellationToken::new());
    let stream = ask(&provider, &abort).await.unwrap();
    // Three tasks hand the abort on before the first event.
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    for (from, to) in [(second.clone(), abort.clone()), (first.clone(), second)] {
        tokio::spawn(async move {
            from.cancelled().await;
            to.cancel();
        });
    }
    tokio::spawn(async move { first.cancel() });
    assert_eq!(lines(&stream.collect::<Vec<_>>().await), "end Aborted\n");
}
