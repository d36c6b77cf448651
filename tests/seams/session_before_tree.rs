//! `session-before-tree`: whether the user moves in the session's tree, and what is kept of the branch that is left.

use seam_harness::Stopped;
use seam_harness::seams::{TreeChanges, TreeMove};
use seam_tests::bed::{Bed, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

fn step() -> TreeMove {
    TreeMove {
        target: "e1".to_owned(),
        old_leaf: Some("e9".to_owned()),
        entries: 8,
        wants_summary: true,
        instructions: Some("be short".to_owned()),
    }
}

async fn go(bed: Bed, step: TreeMove) -> (Result<TreeChanges, Stopped>, Vec<String>) {
    let session = bed.start().await;
    let bus = session.dispatcher.bus();
    let mut decisions = Vec::new();
    let outcome = bus.session_before_tree(&step, &bus.conversation.moment(), &mut decisions).await;
    (outcome, trail(&decisions))
}

fn changes(fields: Value) -> Value {
    let mut settings = json!({ "session-before-tree": fields, "observe": "quiet" });
    settings["session-before-tree"]["do"] = json!("change");
    settings
}

fn cancels(reason: &str) -> Value {
    json!({ "session-before-tree": { "do": "cancel", "text": reason }, "observe": "quiet" })
}

#[tokio::test]
async fn it_is_cancelled_or_changed_or_goes_on() {
    let (outcome, said) = go(Bed::new().everything("p", cancels("stay")), step()).await;
    assert_eq!(outcome, Err(Stopped::Cancelled { plugin: "p".into(), reason: "stay".to_owned() }));
    assert_eq!(said, ["p session-before-tree block"]);

    let all = changes(json!({ "summary": "s", "instructions": "i", "label": "l" }));
    let (outcome, said) = go(Bed::new().everything("p", all), step()).await;
    let expected = TreeChanges {
        summary: Some(("p".into(), "s".to_owned())),
        instructions: Some("i".to_owned()),
        label: Some("l".to_owned()),
    };
    assert_eq!(outcome, Ok(expected));
    assert_eq!(said, ["p session-before-tree change"]);

    let (outcome, said) = go(Bed::new().everything("p", json!({})), step()).await;
    assert_eq!((outcome, said), (Ok(TreeChanges::default()), vec!["p session-before-tree proceed".to_owned()]));
}

#[tokio::test]
async fn changes_stand_field_by_field_and_the_last_of_each_counts() {
    let plugins = [changes(json!({ "summary": "a", "label": "a" })), json!({}), changes(json!({ "label": "c" }))];
    for (order, bed) in in_every_order(plugins) {
        let last = order.replace('b', "").chars().last().unwrap();
        let expected = TreeChanges {
            summary: Some((name(order, 'a').into(), "a".to_owned())),
            instructions: None,
            label: Some(last.to_string()),
        };
        assert_eq!(go(bed, step()).await.0, Ok(expected), "{order}");
    }
}

#[tokio::test]
async fn a_cancel_beats_changes_in_every_order() {
    for (order, bed) in in_every_order([changes(json!({ "label": "a" })), json!({}), cancels("c")]) {
        let (outcome, said) = go(bed, step()).await;
        let stopped = Stopped::Cancelled { plugin: name(order, 'c').into(), reason: "c".to_owned() };
        assert_eq!(outcome, Err(stopped), "{order}");
        assert_eq!(said.len(), order.find('c').unwrap() + 1, "{order}: nobody is asked after it");
    }
}

#[tokio::test]
async fn it_sees_the_move() {
    let settings = json!({ "tell": ["session-before-tree"], "observe": "quiet" });
    go(Bed::new().everything("tree-sees", settings.clone()), step()).await.0.unwrap();
    assert_eq!(
        told("tree-sees"),
        [
            r#"session-before-tree: Event { session: _, target: "e1", old-leaf: Some("e9"), entries: 8, wants-summary: true, instructions: Some("be short") }"#
        ]
    );
    let bare = TreeMove { old_leaf: None, entries: 0, wants_summary: false, instructions: None, ..step() };
    go(Bed::new().everything("tree-sees-bare", settings), bare).await.0.unwrap();
    assert_eq!(
        told("tree-sees-bare"),
        [
            r#"session-before-tree: Event { session: _, target: "e1", old-leaf: None, entries: 0, wants-summary: false, instructions: None }"#
        ]
    );
}
