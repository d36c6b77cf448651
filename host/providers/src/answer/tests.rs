//! What goes in in pieces comes out as events and as one message.

use serde_json::json;

use super::*;

fn answer() -> Answer {
    let mut answer = Answer::new(Model { provider: "p".to_owned(), id: "m".to_owned() });
    assert_eq!(answer.next_event(), Some(StreamEvent::Start));
    answer
}

fn call(id: &str) -> Part {
    Part::Call { id: id.to_owned(), name: "t".to_owned() }
}

/// A line for each event that is there.
fn told(answer: &mut Answer) -> Vec<String> {
    let line = |event| match event {
        StreamEvent::Start => "start".to_owned(),
        StreamEvent::BlockStart { index, kind } => format!("{index} {kind:?}"),
        StreamEvent::BlockDelta { index, delta } => format!("{index} + {delta}"),
        StreamEvent::BlockEnd { index, block } => format!("{index} = {}", json!(block)),
        StreamEvent::End(message) => format!("{:?} {}", message.stop_reason, json!(message.content)),
    };
    std::iter::from_fn(|| answer.next_event()).map(line).collect()
}

#[test]
fn blocks_begin_go_on_and_end_and_the_message_is_all_of_them() {
    let mut answer = answer();
    let (first, second) = (answer.open("0", call("a")), answer.open("1", call("b")));
    for (place, piece) in [(first, "{\"x\":"), (second, "{"), (first, "1}"), (second, ""), (second, "}")] {
        answer.push(place, piece).unwrap();
    }
    answer.close(first);
    answer.close(first);
    answer.stop = Some(StopReason::Stop);
    answer.finish(|_| 0.5).unwrap();
    let (a, b) = (
        r#"{"type":"toolCall","id":"a","name":"t","arguments":{"x":1}}"#,
        r#"{"type":"toolCall","id":"b","name":"t","arguments":{}}"#,
    );
    let expected = [
        r#"0 ToolCall { id: "a", name: "t" }"#.to_owned(),
        r#"1 ToolCall { id: "b", name: "t" }"#.to_owned(),
        r#"0 + {"x":"#.to_owned(),
        "1 + {".to_owned(),
        "0 + 1}".to_owned(),
        "1 + }".to_owned(),
        format!("0 = {a}"),
        format!("1 = {b}"),
        format!("ToolUse [{a},{b}]"),
    ];
    assert_eq!(told(&mut answer), expected);
}

#[test]
fn a_piece_without_a_block_goes_on_with_the_last_or_begins_one() {
    let mut answer = answer();
    for (part, piece) in [(Part::Thinking, "h"), (Part::Thinking, "m"), (Part::Text, "a"), (Part::Thinking, "x")] {
        let place = answer.continued(&part);
        answer.push(place, piece).unwrap();
    }
    let open = answer.open("c", call("c"));
    let place = answer.continued(&Part::Text);
    answer.push(place, "b").unwrap();
    // A call ends by itself, whatever begins behind it.
    assert_eq!(answer.find("c"), Some(open));
    assert_eq!(answer.blocks.iter().map(|block| &*block.text).collect::<Vec<_>>(), ["hm", "a", "x", "", "b"]);
    assert_eq!(answer.open, [3, 4]);
}

#[test]
fn of_a_whole_only_what_is_missing_is_added() {
    let mut answer = answer();
    let place = answer.open("0", Part::Text);
    answer.push(place, "ab").unwrap();
    for whole in ["abcd", "abcd", ""] {
        answer.complete(place, whole).unwrap();
    }
    assert_eq!(told(&mut answer)[1..], ["0 + ab", "0 + cd"]);
    // A piece in the middle was lost.
    assert!(answer.complete(place, "ab not cd").is_err());
}

#[test]
fn no_answer_is_without_bounds() {
    let mut answer = answer();
    let place = answer.open("0", Part::Text);
    let mebibyte = "x".repeat(1 << 20);
    for _ in 0..63 {
        answer.push(place, &mebibyte).unwrap();
        answer.events.clear();
    }
    let text = "an answer of more than 64 MiB, 1024 blocks or 128 tool calls, which is none";
    assert_eq!(answer.push(place, &mebibyte).unwrap_err().text, text);
}

/// Signatures, ids and blocks in which nothing is count too.
#[test]
fn what_nobody_reads_has_bounds() {
    let mut signed = answer();
    let place = signed.open("0", Part::Thinking);
    (0..70).for_each(|_| signed.sign(place, &"x".repeat(1 << 20)));
    let (mut blocks, mut calls, mut named) = (answer(), answer(), answer());
    for number in 0..20_000 {
        blocks.continued(if number % 2 == 0 { &Part::Text } else { &Part::Thinking });
    }
    for _ in 0..129 {
        calls.open("", call("c"));
    }
    for _ in 0..17 {
        named.open("", Part::Call { id: String::new(), name: "x".repeat(4 << 20) });
    }
    for answer in [&mut signed, &mut blocks, &mut calls, &mut named] {
        assert_eq!(answer.check().unwrap_err().kind, ErrorKind::Other);
        answer.stop = Some(StopReason::Stop);
        assert!(answer.finish(|_| 0.0).is_err() && answer.blocks.len() <= MOST_BLOCKS);
    }
}

#[test]
fn an_answer_without_a_reason_for_its_end_is_none() {
    let mut answer = answer();
    assert_eq!(answer.finish(|_| 0.0), Err(Fault::truncated()));
}

/// What is told and not yet heard of is the end, and nothing else.
#[test]
fn what_broke_off_holds_what_came_and_says_why() {
    let mut answer = answer();
    let place = answer.open("0", Part::Text);
    answer.push(place, "half").unwrap();
    answer.fail(ProviderError::new("no"));
    assert_eq!(told(&mut answer), [r#"Error [{"type":"text","text":"half"}]"#]);
    answer.abort();
    assert_eq!(told(&mut answer), [r#"Aborted [{"type":"text","text":"half"}]"#]);
}
