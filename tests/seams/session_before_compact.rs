//! `session-before-compact`: whether a session is compacted, and with which summary.

use std::sync::Arc;

use seam_harness::Stopped;
use seam_harness::seams::{CompactReason, Compaction, Summary};
use seam_loop::Message;
use seam_tests::bed::{Bed, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

/// The summary and who supplied it, or who stopped it.
type Answer = Result<Option<(Arc<str>, Summary)>, Stopped>;

fn compaction() -> Compaction {
    Compaction {
        reason: CompactReason::Manual,
        tokens: 1200,
        first_kept: 1,
        previous_summary: Some("before".to_owned()),
        instructions: None,
    }
}

async fn compact(bed: Bed, compaction: Compaction) -> (Answer, Vec<String>) {
    let session = bed.start().await;
    let bus = session.dispatcher.bus();
    for text in ["first", "second"] {
        bus.conversation.push(Arc::new(Message::user(text)));
    }
    let mut decisions = Vec::new();
    let outcome = bus.session_before_compact(&compaction, &bus.conversation.moment(), &mut decisions).await;
    (outcome, trail(&decisions))
}

fn does(what: &str, text: &str) -> Value {
    json!({ "session-before-compact": { "do": what, "text": text }, "observe": "quiet" })
}

fn summary(text: &str, details: Option<Value>) -> Summary {
    Summary { text: text.to_owned(), details }
}

#[tokio::test]
async fn it_is_cancelled_or_gets_a_summary_or_goes_on() {
    let (outcome, said) = compact(Bed::new().everything("p", does("cancel", "not now")), compaction()).await;
    assert_eq!(outcome, Err(Stopped::Cancelled { plugin: "p".into(), reason: "not now".to_owned() }));
    assert_eq!(said, ["p session-before-compact block"]);

    let mut settings = does("summary", "{} and after");
    settings["session-before-compact"]["details"] = json!({ "files": ["a"] });
    let (outcome, said) = compact(Bed::new().everything("p", settings), compaction()).await;
    let supplied = summary("before and after", Some(json!({ "files": ["a"] })));
    assert_eq!(outcome, Ok(Some(("p".into(), supplied))));
    assert_eq!(said, ["p session-before-compact change"]);

    let (outcome, said) = compact(Bed::new().everything("p", json!({})), compaction()).await;
    assert_eq!((outcome, said), (Ok(None), vec!["p session-before-compact proceed".to_owned()]));
}

/// Nothing to say does not undo a summary.
#[tokio::test]
async fn of_several_summaries_the_last_one_stands() {
    for (order, bed) in in_every_order([does("summary", "a"), json!({}), does("summary", "c")]) {
        let last = order.replace('b', "").chars().last().unwrap();
        let (outcome, said) = compact(bed, compaction()).await;
        assert_eq!(outcome, Ok(Some((name(order, last).into(), summary(&last.to_string(), None)))), "{order}");
        assert_eq!(said.len(), 3, "{order}: everyone is asked");
    }
}

#[tokio::test]
async fn a_cancel_beats_summaries_in_every_order() {
    for (order, bed) in in_every_order([does("summary", "a"), json!({}), does("cancel", "c")]) {
        let (outcome, said) = compact(bed, compaction()).await;
        let stopped = Stopped::Cancelled { plugin: name(order, 'c').into(), reason: "c".to_owned() };
        assert_eq!(outcome, Err(stopped), "{order}");
        assert_eq!(said.len(), order.find('c').unwrap() + 1, "{order}: nobody is asked after it");
    }
}

#[tokio::test]
async fn it_sees_what_is_compacted() {
    let seam = "session-before-compact";
    let settings = json!({ "tell": [seam], "sees": [seam], "observe": "quiet" });
    for reason in [CompactReason::Manual, CompactReason::Threshold, CompactReason::Overflow] {
        let plugin = format!("compact-sees-{reason:?}");
        let instructions = Some("be short".to_owned());
        let wanted = Compaction { reason, instructions, previous_summary: None, ..compaction() };
        compact(Bed::new().everything(&plugin, settings.clone()), wanted).await.0.unwrap();
        let event = format!(
            "Event {{ session: _, reason: Reason::{reason:?}, tokens: 1200, first-kept: 1, previous-summary: None, \
             instructions: Some(\"be short\") }}"
        );
        let seen = r#"user "first" | user "second""#;
        assert_eq!(told(&plugin), [format!("{seam}: {event}"), format!("{seam} sees: {seen}")]);
    }
}
