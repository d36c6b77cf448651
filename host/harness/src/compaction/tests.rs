//! Arithmetic and words, on made-up conversations.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use seam_loop::message::{AssistantMessage, CustomMessage, RequestedCall, ToolResultMessage, UserMessage};
use seam_loop::{AssistantBlock, Content, ErrorKind, Usage};
use serde_json::{Value, json};

use super::*;

fn answer(content: Vec<AssistantBlock>) -> AssistantMessage {
    AssistantMessage {
        content,
        provider: "p".to_owned(),
        model: "m".to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: StopReason::Stop,
        error_message: None,
        error_kind: ErrorKind::Other,
        timestamp: 0,
    }
}

fn call(id: &str, name: &str, arguments: Value) -> AssistantBlock {
    AssistantBlock::ToolCall(RequestedCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
        arguments_error: None,
        signature: None,
    })
}

fn result(text: String) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: "c".to_owned(),
        tool_name: "t".to_owned(),
        content: vec![Content::Text { text }],
        details: None,
        structured_content: None,
        usage: None,
        is_error: false,
        timestamp: 0,
    })
}

/// A conversation by its outline, each message of 100 tokens: `u`ser, `a`ssistant, `r`esult, `c`ustom, a `f`ailed answer
/// without tokens; a digit is an assistant with so many calls, of 100 tokens too.
fn talk(outline: &str) -> Vec<Arc<Message>> {
    let text = || "x".repeat(400);
    let message = |kind: char| match kind {
        'u' => Message::user(text()),
        'a' => Message::Assistant(answer(vec![AssistantBlock::Text { text: text() }])),
        'r' => result(text()),
        'c' => Message::Custom(CustomMessage {
            custom_type: "p/k".to_owned(),
            content: vec![Content::text(text())],
            display: false,
            details: None,
            timestamp: 0,
        }),
        'f' => Message::Assistant(AssistantMessage { stop_reason: StopReason::Error, ..answer(Vec::new()) }),
        calls => {
            let calls = calls.to_digit(10).unwrap();
            let mut content = vec![AssistantBlock::Text { text: "x".repeat(400 - 7 * calls as usize) }];
            content.extend((0..calls).map(|_| call("c", "t", json!("abc"))));
            content.iter_mut().for_each(|block| {
                if let AssistantBlock::ToolCall(call) = block {
                    call.name = "tt".to_owned();
                }
            });
            Message::Assistant(answer(content))
        }
    };
    outline.chars().map(|kind| Arc::new(message(kind))).collect()
}

/// The same, where the user's message at this place has so many tokens.
fn talk_with(outline: &str, place: usize, tokens: usize) -> Vec<Arc<Message>> {
    let mut messages = talk(outline);
    messages[place] = Arc::new(Message::user("x".repeat(4 * tokens)));
    messages
}

#[test]
fn a_message_has_a_token_for_four_characters() {
    let user = |content| Message::User(UserMessage { content, timestamp: 0 });
    let picture = Content::Image { data: vec![1], mime_type: "image/png".to_owned() };
    for (message, expected) in [
        (user(vec![]), 0),
        (user(vec![Content::text("a")]), 1),
        (user(vec![Content::text("abcd"), Content::text("e")]), 2),
        // Four characters of UTF-16 each, not of UTF-8.
        (user(vec![Content::text("ääää")]), 1),
        (user(vec![Content::text("😀😀")]), 1),
        (user(vec![picture]), 1_200),
        (result("abcde".to_owned()), 2),
    ] {
        assert_eq!(tokens(&message), expected, "{message:?}");
    }
    let thinking =
        AssistantBlock::Thinking { thinking: "abcd".to_owned(), signature: Some("long".repeat(9)), redacted: false };
    let said = vec![thinking, AssistantBlock::Text { text: "efgh".to_owned() }, call("c1", "read", json!({"a": 1}))];
    // `read` and `{"a":1}`.
    assert_eq!(tokens(&Message::Assistant(answer(said))), (4 + 4 + 4 + 7_u64).div_ceil(4));
}

#[test]
fn a_conversation_has_what_was_counted_last_and_a_guess_for_the_rest() {
    let counted = |usage: Usage, stop_reason| {
        Arc::new(Message::Assistant(AssistantMessage { usage, stop_reason, ..answer(Vec::new()) }))
    };
    let usage = Usage { input: 1, output: 20, cache_read: 300, cache_write: 4_000, cost: 0.0 };
    let mut meter = Meter::default();
    meter.take(&talk("ua"));
    assert_eq!((meter.tokens(), meter.seen()), (200, 2));
    meter.take(&[counted(usage, StopReason::Stop)]);
    meter.take(&talk("u"));
    assert_eq!((meter.tokens(), meter.seen()), (4_421, 4));
    // One that failed, and one that counted nothing, do not count.
    for stop_reason in [StopReason::Error, StopReason::Aborted] {
        meter.take(&[counted(Usage { input: 9, ..Usage::default() }, stop_reason)]);
    }
    meter.take(&[counted(Usage::default(), StopReason::Stop)]);
    assert_eq!(meter.tokens(), 4_421);
    // Nor does one that cannot be.
    meter.take(&[counted(Usage { input: 4_000_000_000, ..Usage::default() }, StopReason::Stop)]);
    assert_eq!(meter.tokens(), 4_421);
    // What was counted of a longer conversation does not count for a shorter one.
    let mut after = Meter::default();
    after.take_old(&[counted(usage, StopReason::Stop)]);
    after.take_old(&talk("ua"));
    assert_eq!((after.tokens(), after.seen()), (200, 3));
}

type Parts = (std::ops::Range<usize>, std::ops::Range<usize>, usize);

fn cut(outline: &str, start: usize, keep: u64) -> Option<Parts> {
    let cut = Cut::of(&talk(outline), start, Room { keep, most: 10_000 }, |_| true)?;
    Some((cut.history, cut.turn, cut.first_kept))
}

fn cut_in(outline: &str, room: Room) -> Option<Parts> {
    let cut = Cut::of(&talk(outline), 0, room, |_| true)?;
    Some((cut.history, cut.turn, cut.first_kept))
}

#[test]
fn what_is_recent_is_kept_from_a_message_on_that_is_no_result() {
    // Whole turns.
    assert_eq!(cut("uauaua", 0, 200), Some((0..4, 4..4, 4)));
    // Not whole: the turn is split.
    assert_eq!(cut("uauaua", 0, 300), Some((0..2, 2..3, 3)));
    assert_eq!(cut("ua1r1rua", 0, 350), Some((0..0, 0..4, 4)));
    // In a batch (bug log 89): it goes with its results.
    assert_eq!(cut("uau3rrra", 0, 250), Some((0..2, 2..7, 7)));
    assert_eq!(cut("uau3rrr1ra", 0, 450), Some((0..2, 2..7, 7)));
    // A plugin's message begins a turn too, and an answer that failed is none.
    assert_eq!(cut("uaca", 0, 100), Some((0..2, 2..3, 3)));
    assert_eq!(cut("uacaa", 0, 300), Some((0..0, 0..2, 2)));
    assert_eq!(cut("u2rrf", 0, 150), Some((0..0, 0..1, 1)));
    // The summary of the compaction before is no part of it.
    assert_eq!(cut("uuaua", 1, 200), Some((1..3, 3..3, 3)));
}

#[test]
fn where_everything_is_recent_nothing_is_cut() {
    for (outline, start, keep) in [("", 0, 100), ("ua", 0, 201), ("ua", 0, 200), ("uua", 1, 150), ("rra", 2, 50)] {
        assert_eq!(cut(outline, start, keep), None, "{outline}");
    }
}

/// Bug log 88.
#[test]
fn results_that_are_too_long_alone_are_kept_as_long_as_there_is_room() {
    let messages = talk("uaua4rrrr");
    let of = |most| Cut::of(&messages, 0, Room { keep: 50, most }, |_| true).unwrap();
    assert_eq!(of(500), Cut { history: 0..2, turn: 2..4, first_kept: 4 });
    assert_eq!(of(499), Cut { history: 0..9, turn: 9..9, first_kept: 9 });
    // Also behind them an answer that failed.
    let cut = Cut::of(&talk("u4rrrrf"), 0, Room { keep: 50, most: 100 }, |_| true).unwrap();
    assert_eq!(cut.first_kept, 7);
    // A call that waits for its result is kept (bug log 91), and so is what the user has just said.
    assert_eq!(Cut::of(&talk("ua2r"), 0, Room { keep: 50, most: 1 }, |_| true).unwrap().first_kept, 2);
    assert_eq!(Cut::of(&talk("uau"), 0, Room { keep: 50, most: 1 }, |_| true).unwrap().first_kept, 2);
}

#[test]
fn a_message_that_is_much_longer_than_what_is_to_be_kept_is_not_recent() {
    let of = |outline, place, tokens, keep, most| {
        let cut = Cut::of(&talk_with(outline, place, tokens), 0, Room { keep, most }, |_| true)?;
        Some((cut.history, cut.turn, cut.first_kept))
    };
    // Twice as much as is to be kept, and a little more.
    assert_eq!(of("auaua", 3, 500, 300, 10_000), Some((0..3, 3..3, 3)));
    assert_eq!(of("auaua", 3, 500, 299, 10_000), Some((0..3, 3..4, 4)));
    // As much as there is room for, and a little more.
    assert_eq!(of("auaua", 3, 500, 550, 600), Some((0..3, 3..3, 3)));
    assert_eq!(of("auaua", 3, 500, 550, 599), Some((0..3, 3..4, 4)));
    // Also when it is the first.
    assert_eq!(of("uaua", 0, 2_000, 500, 2_200), Some((0..0, 0..1, 1)));
    assert_eq!(of("uaua", 0, 2_000, 2_200, 2_300), None);
    // Where somebody waits for an answer to it, it is kept.
    assert_eq!(of("uau", 2, 5_000, 100, 100), Some((0..2, 2..2, 2)));
    assert_eq!(of("u", 0, 5_000, 100, 100), None);
    // What is recent is kept from where there is room for it.
    assert_eq!(cut_in("uauaua", Room { keep: 350, most: 200 }), Some((0..4, 4..4, 4)));
}

#[test]
fn an_answer_that_alone_is_too_long_is_summarised_too() {
    assert_eq!(cut_in("ua", Room { keep: 50, most: 100 }), Some((0..0, 0..1, 1)));
    for outline in ["ua", "uaf", "ua1r"] {
        let end = outline.len();
        assert_eq!(cut_in(outline, Room { keep: 50, most: 99 }), Some((0..end, end..end, end)), "{outline}");
    }
}

#[test]
fn it_is_cut_only_where_the_file_can_be_cut_too() {
    let of = |refused: &[usize]| {
        let cut = Cut::of(&talk("uauaua"), 0, Room { keep: 150, most: 1_000 }, |place| !refused.contains(&place));
        cut.map(|cut| cut.first_kept)
    };
    assert_eq!((of(&[]), of(&[4]), of(&[4, 5]), of(&[1, 2, 3, 4, 5])), (Some(4), Some(5), Some(3), None));
}

#[test]
fn files_are_listed_once_and_those_that_changed_are_not_among_those_that_were_read() {
    let before = json!({ "readFiles": ["b", "z"], "modifiedFiles": ["m"] });
    let calls = vec![
        call("1", "read", json!({ "path": "a" })),
        call("2", "read", json!({ "path": "m" })),
        call("3", "edit", json!({ "path": "z" })),
        call("4", "write", json!({ "path": "n" })),
        call("5", "grep", json!({ "path": "g" })),
        call("6", "read", json!({ "path": 1 })),
    ];
    let files = Files::of_details(Some(&before)).with(&[Arc::new(Message::Assistant(answer(calls)))]);
    assert_eq!(files.details(), json!({ "readFiles": ["a", "b"], "modifiedFiles": ["m", "n", "z"] }));
    let text = files.added_to("done");
    assert_eq!(text, "done\n\n<read-files>\na\nb\n</read-files>\n\n<modified-files>\nm\nn\nz\n</modified-files>");
    assert_eq!(files::removed(&text), "done");
    assert_eq!(Files::default().added_to("done"), "done");
    for other in ["done", "done\n\n<read-files>\na", "x\n</modified-files>"] {
        assert_eq!(files::removed(other), other);
    }
    assert_eq!(Files::of_details(Some(&json!("odd"))), Files::default());
}

#[test]
fn a_conversation_is_one_text() {
    let long = format!("{}ä{}", "r".repeat(1_999), "é".repeat(5));
    let said = vec![
        AssistantBlock::Thinking { thinking: "hm".to_owned(), signature: None, redacted: false },
        AssistantBlock::Text { text: "I look.".to_owned() },
        call("1", "read", json!({ "path": "a b", "n": 1 })),
        call("2", "odd", json!([1])),
    ];
    let picture = Content::Image { data: vec![1], mime_type: "image/png".to_owned() };
    let mut messages: Vec<Message> = vec![
        Message::User(UserMessage { content: vec![Content::text("hi"), picture], timestamp: 0 }),
        Message::Assistant(answer(said)),
        result(long),
        Message::Assistant(answer(vec![AssistantBlock::Text { text: String::new() }])),
    ];
    let failed = AssistantMessage { stop_reason: StopReason::Aborted, ..answer(vec![call("3", "x", json!({}))]) };
    messages.push(Message::Assistant(failed));
    let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
    let expected = [
        "[User]: hi",
        "[Assistant thinking]: hm",
        "[Assistant]: I look.",
        r#"[Assistant tool calls]: read(path="a b", n=1); odd([1])"#,
        &format!("[Tool result]: {}ä\n\n[5 more characters are not shown]", "r".repeat(1_999)),
    ];
    assert_eq!(conversation(&messages), expected.join("\n\n"));
}

#[test]
fn a_text_cannot_close_the_tags_around_it() {
    let asked =
        history("a </conversation> b", Some("c </previous-summary> d\n\n<read-files>\nx\n</read-files>"), Focus(None));
    assert_eq!((asked.matches("</conversation>").count(), asked.matches("</previous-summary>").count()), (1, 1));
    assert!(asked.contains("<previous-summary>\nc &lt;/previous-summary> d\n</previous-summary>"), "{asked}");
    let asked = turn("a", Focus(Some(" the tests ")));
    assert!(asked.ends_with("\n\nAdditional focus: the tests"), "{asked}");
    assert!(!branch("a", Focus(Some(" "))).contains("focus:"));
}

#[test]
fn every_section_is_asked_for() {
    for asked in [history("a", None, Focus(None)), history("a", Some("b"), Focus(None)), branch("a", Focus(None))] {
        for section in [
            "## Goal",
            "## Constraints & Preferences",
            "## Progress\n### Done",
            "### In Progress",
            "### Blocked",
            "## Key Decisions",
            "## Next Steps",
            "## Critical Context",
        ] {
            assert!(asked.contains(&format!("\n{section}\n")), "{section}: {asked}");
        }
    }
}

#[test]
fn both_parts_of_a_split_turn_are_one_summary() {
    assert_eq!(joined(Some(" a "), None), "a");
    assert_eq!(joined(Some("a"), Some("b")), "a\n\n---\n\n# The Turn Under Way\n\nb");
    let earlier = "a\n\n<modified-files>\nx\n</modified-files>";
    assert_eq!(joined(Some(earlier), Some("b")), "a\n\n---\n\n# The Turn Under Way\n\nb");
    assert!(joined(None, Some("b")).starts_with("Nothing was said before this turn.\n\n---"));
}

proptest! {
    /// Whatever is said: nothing is lost or doubled, no result is parted from its call, about as much is kept as is wanted,
    /// and no more than there is room for.
    #[test]
    fn a_cut_parts_a_conversation_between_turns_or_answers(
        turns in vec((any::<bool>(), 0..4_u32, any::<bool>(), 0..2_000_usize), 0..12),
        is_asked in any::<bool>(),
        keep in 1..2_000_u64,
        most in 100..2_000_u64,
        start in 0..2_usize,
    ) {
        let mut outline: String = turns.iter().map(|(user, calls, failed, _)| {
            let calls = if *calls == 0 { "a".to_owned() } else { format!("{calls}{}", "r".repeat(*calls as usize)) };
            format!("{}{calls}{}", if *user { "u" } else { "" }, if *failed { "f" } else { "" })
        }).collect();
        if is_asked {
            outline.push('u');
        }
        let mut messages = talk(&outline);
        let users = outline.char_indices().filter(|(_, kind)| *kind == 'u');
        for ((place, _), (.., tokens)) in users.zip(&turns) {
            messages[place] = Arc::new(Message::user("x".repeat(4 * tokens)));
        }
        let tokens_from = |place: usize| messages.iter().skip(place).map(|message| tokens(message)).sum::<u64>();
        let is_much = |place: usize| tokens_from(place) > most.min(2 * keep);
        let points: Vec<usize> = outline.char_indices().skip(start).filter(|(_, kind)| !"rf".contains(*kind))
            .map(|(place, _)| place).collect();
        let cut = Cut::of(&messages, start, Room { keep, most }, |_| true);
        if cut.is_none() && tokens_from(start) >= keep {
            // It would be cut at its very beginning, and from there on it is recent, or one message.
            let is_recent = |second: &usize| tokens_from(*second) < keep && !is_much(start);
            prop_assert!(points.get(1).is_none_or(is_recent), "{}", outline);
        }
        let Some(Cut { history, turn, first_kept }) = cut else { return Ok(()) };
        prop_assert_eq!((history.start, history.end, turn.end), (start, turn.start, first_kept));
        prop_assert!(first_kept > start);
        match messages.get(first_kept) {
            Some(first) => prop_assert!(!matches!(**first, Message::ToolResult(_)) && !is_failed(first)),
            None => prop_assert!(!outline.ends_with('u') && tokens_from(*points.last().unwrap()) > most),
        }
        // There is room for it, unless it is what the user has just said.
        let is_just_said = outline.ends_with('u') && first_kept + 1 == messages.len();
        prop_assert!(tokens_from(first_kept) <= most || is_just_said, "{}", outline);
        // At the next place to cut, too little would be kept.
        if let Some(next) = points.iter().find(|point| **point > first_kept) {
            prop_assert!(tokens_from(*next) < keep && !is_much(first_kept), "{}", outline);
        }
        // And at the one before, more than is wanted.
        if let Some(before) = points.iter().rev().find(|point| **point < first_kept) {
            prop_assert!(tokens_from(before + 1) >= keep || is_much(*before), "{}", outline);
        }
    }
}
