//! What is kept of a branch that is left.

use std::fs;

use seam_harness::{Left, Move, Phase};
use seam_loop::CancellationToken;
use seam_session::Session;
use seam_tests::bed::{Bed, wait};
use seam_tests::talk::{entries, says};
use serde_json::{Value, json};

use super::{entry, go, moves, place, ran, to, two_turns};

fn with_summary(target: String, focus: Option<&str>) -> Move {
    Move { left: Left::Summary(focus.map(str::to_owned)), ..to(target) }
}

fn summary(file: &std::path::Path) -> Value {
    let session = Session::read(file).unwrap();
    let entry = session.entries().iter().find(|entry| entry.kind().name() == "branch_summary").unwrap();
    session.json(entry.id()).unwrap()
}

#[tokio::test]
async fn the_model_summarises_what_is_left() {
    let (_folder, file) = place();
    let call = json!({ "toolCall": { "id": "c1", "name": "write", "args": { "path": "b", "content": "x" } } });
    let turns = [json!({ "content": [{ "text": "I write." }, call] }), says("third"), says("## Goal"), says("fourth")];
    let mut talk = two_turns(&file, Bed::new(), &turns).await;
    ran(talk.say("three").await);
    let first = entry(&file, "first");
    let step = Move { label: Some("tried".to_owned()), ..with_summary(first.clone(), Some("files")) };
    let moved = go(&mut talk, &step).await.unwrap();
    let request = talk.last_request();
    let prompt = &request.messages[0];
    assert!(request.tools.is_empty() && prompt.ends_with("Additional focus: files"), "{prompt}");
    let conversation = [
        "user: <conversation>",
        "[User]: two\n",
        "[Assistant]: second\n",
        "[User]: three\n",
        "[Assistant]: I write.\n",
        "[Assistant tool calls]: write(path=\"b\", content=\"x\")\n",
        "[Assistant]: third",
        "</conversation>",
    ];
    assert!(prompt.starts_with(&conversation.join("\n")), "{prompt}");
    let expected = "The user tried another way from here on and then left it. What happened there:\n\n## Goal\n\n\
                    <modified-files>\nb\n</modified-files>";
    assert_eq!(moved.summary.as_deref(), Some(expected));
    let written = summary(&file);
    assert_eq!((&written["summary"], &written["fromId"]), (&json!(expected), &json!(first)));
    assert_eq!(written["details"], json!({ "readFiles": [], "modifiedFiles": ["b"] }));
    let session = Session::read(&file).unwrap();
    assert_eq!(session.labels().collect::<Vec<_>>(), [(written["id"].as_str().unwrap(), "tried")]);
    ran(talk.say("four").await);
    let shown = talk.last_request().messages;
    assert!(shown[2].starts_with("user: Another way was tried here and left.") && shown.len() == 4, "{shown:?}");
    let written = entries(&file);
    assert_eq!(written[written.len() - 5..], ["leaf", "branch_summary", "label", "user", "assistant"]);
}

#[tokio::test]
async fn a_plugin_supplies_the_summary_when_one_is_wanted() {
    let settings = json!({
        "session-before-tree": { "do": "change", "summary": "mine", "instructions": "i", "label": "theirs" },
        "observe": "quiet"
    });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("p", settings), &[]).await;
    let (first, second) = (entry(&file, "first"), entry(&file, "second"));
    let moved =
        go(&mut talk, &Move { label: Some("ours".to_owned()), ..with_summary(first.clone(), None) }).await.unwrap();
    assert_eq!((moved.summary.as_deref(), talk.asked()), (Some("mine"), 2));
    let written = summary(&file);
    assert_eq!(written["fromHook"], true);
    let labels =
        |file| Session::read(file).unwrap().labels().map(|(id, label)| format!("{id} {label}")).collect::<Vec<_>>();
    assert_eq!(labels(&file), [format!("{} theirs", written["id"].as_str().unwrap())]);
    // Nobody wants one on the way back.
    let moved = go(&mut talk, &to(second.clone())).await.unwrap();
    assert_eq!((moved.summary, moves(&talk)), (None, 2));
    assert!(labels(&file).contains(&format!("{second} theirs")));
    assert_eq!(entries(&file).iter().filter(|entry| *entry == "branch_summary").count(), 1);
}

#[tokio::test]
async fn a_plugin_says_what_the_summary_should_hold() {
    let settings = json!({ "session-before-tree": { "do": "change", "instructions": "theirs" }, "observe": "quiet" });
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new().everything("p", settings), &[says("A")]).await;
    let first = entry(&file, "first");
    go(&mut talk, &with_summary(first, Some("ours"))).await.unwrap();
    assert!(talk.last_request().messages[0].ends_with("Additional focus: theirs"));
}

/// Bug log 93: also while a branch is summarised.
#[tokio::test]
async fn an_abort_or_an_error_leaves_everything_as_it_was() {
    let slow = json!({ "content": [{ "text": "A" }], "delay": 600_000 });
    let cut = json!({ "content": [{ "text": "A" }], "stopReason": "length" });
    for (turn, told) in [
        (slow, "Not moved: it was aborted"),
        (
            cut,
            "Not moved: there is no summary of the branch, since the model's summary was cut off because it became too long",
        ),
        (
            json!({ "error": "no" }),
            "Not moved: there is no summary of the branch, since the model could not be asked for it: no",
        ),
    ] {
        let (_folder, file) = place();
        let mut talk = two_turns(&file, Bed::new(), &[turn, says("third")]).await;
        let (before, first) = (fs::read(&file).unwrap(), entry(&file, "first"));
        let (abort, handle) = (CancellationToken::new(), talk.harness.handle());
        let (stop, watched) = (abort.clone(), handle.clone());
        tokio::spawn(async move {
            while watched.phase() != Phase::BranchSummary {
                wait(1).await;
            }
            wait(50).await;
            stop.cancel();
        });
        let error = talk.harness.navigate(&with_summary(first, None), &abort).await.unwrap_err();
        assert_eq!(error.to_string(), told);
        assert_eq!((fs::read(&file).unwrap(), moves(&talk), talk.transcript().len()), (before, 0, 4));
        assert_eq!(handle.phase(), Phase::Idle);
        ran(talk.say("three").await);
    }
}

#[tokio::test]
async fn the_newest_of_a_branch_that_is_too_long_is_summarised() {
    let upkeep = seam_harness::Upkeep {
        context_window: Some(400),
        compaction: seam_harness::CompactionSettings { enabled: false, reserve_tokens: 100, keep_recent_tokens: 10 },
        ..seam_harness::Upkeep::default()
    };
    let (_folder, file) = place();
    let turns = [says("third"), says("fourth"), says("A")];
    let mut talk = two_turns(&file, Bed::new().upkeep(upkeep), &turns).await;
    ran(talk.say(&"old ".repeat(280)).await);
    ran(talk.say(&"new ".repeat(100)).await);
    let first = entry(&file, "first");
    go(&mut talk, &with_summary(first, None)).await.unwrap();
    let prompt = talk.last_request().messages[0].clone();
    assert!(prompt.contains("new new") && prompt.contains("third") && !prompt.contains("old old"), "{prompt}");
}
