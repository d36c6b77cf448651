//! What plugins have to say about it.

use std::fs;

use seam_harness::seams::CompactReason;
use seam_tests::bed::{Bed, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

use super::{SUMMARISED, asked, compact, compactions, long, place, ran, resumed, short, small, two_turns};
use seam_tests::talk::says;

#[tokio::test]
async fn a_plugin_cancels_it_and_nothing_is_written() {
    let plugins = [
        json!({ "session-before-compact": { "do": "cancel", "text": "not now" } }),
        json!({}),
        json!({ "session-before-compact": { "do": "summary", "text": "mine" } }),
    ];
    for (order, bed) in in_every_order(plugins) {
        let (_folder, file) = place();
        let mut talk = two_turns(&file, bed, &[]).await;
        let before = fs::read(&file).unwrap();
        let said = compact(&mut talk, None).await.unwrap_err().to_string();
        let who = name(order, 'a');
        assert_eq!(said, format!("Compaction cancelled: plugin `{who}` cancelled it: not now"), "{order}");
        assert_eq!((fs::read(&file).unwrap(), talk.asked()), (before, 2));
        let decided = trail(&talk.decided());
        assert!(decided.contains(&format!("{who} session-before-compact block")), "{order}: {decided:?}");
    }
}

#[tokio::test]
async fn a_plugin_supplies_the_summary_and_no_model_is_asked() {
    let settings = json!({
        "session-before-compact": { "do": "summary", "text": "mine", "details": { "n": 1, "readFiles": ["x"] } },
        "observe": "quiet", "tell": ["session-before-compact"], "observe-at": { "session-compact": "note" }
    });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("supplies", settings), &[says("third")]).await;
    assert_eq!(compact(&mut talk, Some("short")).await.unwrap(), "mine");
    assert_eq!(talk.asked(), 2);
    assert_eq!(short(&talk.transcript())[0], SUMMARISED);
    let written = compactions(&file).remove(0);
    let fields = ["summary", "details", "fromHook"].map(|name| written[name].clone());
    assert_eq!(fields, [json!("mine"), json!({ "n": 1, "readFiles": ["x"] }), json!(true)]);
    ran(talk.say("three").await);
    assert_eq!(asked(&talk).len(), 4);
    talk.close().await;
    let notes = told("supplies");
    let event = format!(
        "session-before-compact: Event {{ session: _, reason: Reason::{:?}, tokens: 400, first-kept: 2, \
         previous-summary: None, instructions: Some(\"short\") }}",
        CompactReason::Manual
    );
    assert_eq!(notes[0], event);
    let seen = format!(" {} \"mine\" supplies", written["id"].as_str().unwrap());
    assert!(notes[1].starts_with("session-compact: ") && notes[1].ends_with(&seen), "{notes:?}");
    assert_eq!(resumed(&file).await.len(), 6);
}

#[tokio::test]
async fn a_plugin_that_fails_cancels_it_unless_it_is_skipped() {
    let settings = json!({ "session-before-compact": { "do": "trap" }, "observe": "quiet" });
    let bed = || Bed::new().everything("p", settings.clone());
    let (_folder, file) = place();
    let mut talk = two_turns(&file, bed(), &[]).await;
    let before = fs::read(&file).unwrap();
    let said = compact(&mut talk, None).await.unwrap_err().to_string();
    assert!(
        said.starts_with("Compaction cancelled: plugin `p` failed at `session-before-compact`: it crashed"),
        "{said}"
    );
    assert_eq!((fs::read(&file).unwrap(), talk.asked()), (before, 2));
    let (_folder, file) = place();
    let mut talk = two_turns(&file, bed().skip_failures("p"), &[says("A")]).await;
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
}

#[tokio::test]
async fn an_empty_summary_is_a_failure_of_its_plugin() {
    let settings = json!({ "session-before-compact": { "do": "summary", "text": " " }, "observe": "quiet" });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("p", settings), &[]).await;
    let said = compact(&mut talk, None).await.unwrap_err().to_string();
    let expected = "Compaction cancelled: plugin `p` failed at `session-before-compact`: its answer is not usable: its \
                    summary is empty.";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(compactions(&file).len(), 0);
}

/// What plugins keep from the model in every request, a summary does not tell it.
#[tokio::test]
async fn the_request_for_a_summary_shows_what_plugins_leave_in_the_context_and_has_their_key() {
    let settings = json!({
        "get-api-key": { "do": "key", "text": "k-123" },
        "before-agent-start": { "message": "note for the model", "kind": "note" },
        "convert-to-llm": { "do": "content", "text": "shown instead" },
        "transform-context": { "drop": [[0, 1]] },
        "observe": "quiet"
    });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("p", settings), &[says("A")]).await;
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
    let request = talk.last_request();
    assert_eq!(request.api_key.as_deref(), Some("k-123"));
    let prompt = &request.messages[0];
    assert!(prompt.contains(&long("first", 100)) && prompt.contains("[User]: shown instead"), "{prompt}");
    assert!(!prompt.contains(&long("one", 100)) && !prompt.contains("note for the model"), "{prompt}");
}

/// Two turns that no plugin saw, and what compacting them says when one is there that edits the context so.
async fn compacted_with(edit: Value) -> String {
    let (_folder, file) = place();
    two_turns(&file, Bed::new(), &[]).await.close().await;
    let settings = json!({ "transform-context": edit, "observe": "quiet" });
    let mut talk = Bed::new().everything("p", settings).upkeep(small()).talk_in(&file, json!([])).await;
    let said = compact(&mut talk, None).await.unwrap_err().to_string();
    assert_eq!((talk.asked(), compactions(&file).len()), (0, 0));
    said
}

#[tokio::test]
async fn a_plugin_that_fails_to_edit_the_context_cancels_it() {
    let said = compacted_with(json!({ "do": "trap" })).await;
    assert!(said.starts_with("Compaction cancelled: plugin `p` failed at `transform-context`: it crashed"), "{said}");
}

#[tokio::test]
async fn nothing_is_summarised_of_what_plugins_leave_out() {
    let said = compacted_with(json!({ "drop": [[0, 2]] })).await;
    assert_eq!(
        said,
        "Not compacted: there is no summary, since plugins leave nothing of it that the model could be shown"
    );
}

#[tokio::test]
async fn a_plugin_that_fails_to_give_the_key_cancels_it_when_it_refuses() {
    let settings = json!({ "get-api-key": { "do": "trap" }, "observe": "quiet" });
    let (_folder, file) = place();
    let bed = Bed::new().everything("p", settings);
    let mut talk = two_turns(&file, bed.skip_failures("p"), &[says("A")]).await;
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
}
