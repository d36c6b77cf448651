//! `session-before-fork`: whether a session is forked.

use seam_harness::Stopped;
use seam_harness::seams::Fork;
use seam_tests::bed::{Bed, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

async fn fork(bed: Bed, holds_entry: bool) -> (Result<(), Stopped>, Vec<String>) {
    let session = bed.start().await;
    let bus = session.dispatcher.bus();
    let mut decisions = Vec::new();
    let fork = Fork { entry: "e1".to_owned(), holds_entry };
    let outcome = bus.session_before_fork(&fork, &bus.conversation.moment(), &mut decisions).await;
    (outcome, trail(&decisions))
}

fn cancels(reason: &str) -> Value {
    json!({ "session-before-fork": { "do": "cancel", "text": reason }, "observe": "quiet" })
}

#[tokio::test]
async fn it_is_cancelled_and_the_user_reads_why() {
    let (outcome, said) = fork(Bed::new().everything("p", cancels("")), true).await;
    let stopped = outcome.unwrap_err();
    assert_eq!(stopped, Stopped::Cancelled { plugin: "p".into(), reason: String::new() });
    assert_eq!(stopped.to_string(), "plugin `p` cancelled it");
    assert_eq!(said, ["p session-before-fork block"]);
}

#[tokio::test]
async fn the_first_cancel_stops_in_every_order() {
    for (order, bed) in in_every_order([cancels("a"), json!({}), cancels("c")]) {
        let first = order.replace('b', "").chars().next().unwrap();
        let (outcome, said) = fork(bed, true).await;
        let stopped = Stopped::Cancelled { plugin: name(order, first).into(), reason: first.to_string() };
        assert_eq!(outcome.unwrap_err(), stopped, "{order}");
        assert_eq!(said.len(), order.find(first).unwrap() + 1, "{order}: nobody is asked after it");
    }
}

#[tokio::test]
async fn it_sees_where_the_fork_begins() {
    let settings = json!({ "tell": ["session-before-fork"], "observe": "quiet" });
    for (holds, plugin, position) in [(true, "fork-sees-at", "At"), (false, "fork-sees-before", "Before")] {
        let (outcome, said) = fork(Bed::new().everything(plugin, settings.clone()), holds).await;
        assert_eq!((outcome, said), (Ok(()), vec![format!("{plugin} session-before-fork proceed")]));
        let event = format!("Event {{ session: _, entry: \"e1\", position: Position::{position} }}");
        assert_eq!(told(plugin), [format!("session-before-fork: {event}")]);
    }
}
