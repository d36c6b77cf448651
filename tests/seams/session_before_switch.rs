//! `session-before-switch`: whether the user leaves this session for another.

use seam_harness::Stopped;
use seam_tests::bed::{Bed, Session, trail};
use seam_tests::three::{in_every_order, name, told};
use serde_json::{Value, json};

async fn switch(bed: Bed, to: Option<&str>) -> (Result<(), Stopped>, Vec<String>) {
    let session: Session = bed.start().await;
    let bus = session.dispatcher.bus();
    let mut decisions = Vec::new();
    let outcome = bus.session_before_switch(to, &bus.conversation.moment(), &mut decisions).await;
    (outcome, trail(&decisions))
}

fn cancels(reason: &str) -> Value {
    json!({ "session-before-switch": { "do": "cancel", "text": reason }, "observe": "quiet" })
}

#[tokio::test]
async fn it_is_cancelled_and_the_user_reads_why() {
    let (outcome, said) = switch(Bed::new().everything("p", cancels("a job runs")), None).await;
    let stopped = outcome.unwrap_err();
    assert_eq!(stopped, Stopped::Cancelled { plugin: "p".into(), reason: "a job runs".to_owned() });
    assert_eq!(stopped.to_string(), "plugin `p` cancelled it: a job runs");
    assert_eq!(said, ["p session-before-switch block"]);
}

#[tokio::test]
async fn the_first_cancel_stops_in_every_order() {
    for (order, bed) in in_every_order([cancels("a"), json!({}), cancels("c")]) {
        let first = order.replace('b', "").chars().next().unwrap();
        let (outcome, said) = switch(bed, None).await;
        let stopped = Stopped::Cancelled { plugin: name(order, first).into(), reason: first.to_string() };
        assert_eq!(outcome.unwrap_err(), stopped, "{order}");
        assert_eq!(said.last().unwrap(), &format!("{} session-before-switch block", name(order, first)), "{order}");
        assert_eq!(said.len(), order.find(first).unwrap() + 1, "{order}: nobody is asked after it");
    }
}

#[tokio::test]
async fn it_sees_which_session_is_left_and_which_is_opened() {
    let settings = json!({ "tell": ["session-before-switch"], "observe": "quiet" });
    for (to, seen) in [(None, "None"), (Some("other"), "Some(\"other\")")] {
        let plugin = if to.is_some() { "switch-sees-other" } else { "switch-sees-new" };
        let (outcome, said) = switch(Bed::new().everything(plugin, settings.clone()), to).await;
        assert_eq!((outcome, said), (Ok(()), vec![format!("{plugin} session-before-switch proceed")]));
        assert_eq!(told(plugin), [format!("session-before-switch: Event {{ session: _, to: {seen} }}")]);
    }
}
