//! What a guest remembers from call to call is the same again.

use std::sync::Arc;

use seam_plugins::InstancePolicy;
use seam_session::Journal;
use seam_session::journal::JournalBounds;
use seam_tests::bed::Bed;
use seam_tests::recording::{Recording, Replayed};
use seam_tests::talk::says;
use serde_json::{Value, json};

use super::{line, loaded};

fn counting() -> Bed {
    Bed::new().stress("p", json!({ "patch": "count" }))
}

/// How often an instance was called before is in each of its answers.
#[tokio::test]
async fn an_instance_remembers_what_it_did() {
    let recording = Recording::new();
    let session = counting().journal(recording.journal.clone()).start().await;
    for _ in 0..5 {
        session.echo("x").await;
    }
    recording.assert_same(&loaded(counting()).await).await;
}

/// Calls side by side are served by several instances, each with a memory of its own.
#[tokio::test(flavor = "multi_thread")]
async fn so_does_each_of_several() {
    let recording = Recording::new();
    let settings = json!({ "patch": "count", "gate": { "spin": 1 } });
    let bed = || Bed::new().stress("p", settings.clone());
    let call = |n: usize| json!({ "toolCall": { "id": format!("c{n}"), "name": "echo", "args": { "text": "x" } } });
    let batch: Value = json!({ "content": (0..8).map(call).collect::<Vec<_>>() });
    let mut talk = bed().journal(recording.journal.clone()).talk(json!([batch, batch, says("done")])).await;
    talk.say("hi").await;
    talk.close().await;
    recording.assert_same(&loaded(bed()).await).await;
}

#[tokio::test]
async fn after_a_failure_it_begins_anew() {
    let recording = Recording::new();
    let bed = || Bed::new().stress("p", json!({ "gate": { "panic-on": "boom" }, "patch": "count" }));
    let session = bed().journal(recording.journal.clone()).start().await;
    for text in ["a", "b", "boom", "c", "boom", "d", "e"] {
        session.echo(text).await;
    }
    recording.assert_same(&loaded(bed()).await).await;
}

#[tokio::test]
async fn where_each_call_has_its_own_instance_none_remembers() {
    let recording = Recording::new();
    let bed = || counting().set("p", |settings| settings.instance = InstancePolicy::Call);
    let session = bed().journal(recording.journal.clone()).start().await;
    for _ in 0..30 {
        session.echo("x").await;
    }
    recording.assert_same(&loaded(bed()).await).await;
}

/// Another process begins with new instances, and their numbers begin anew.
#[tokio::test]
async fn each_run_has_its_own() {
    let mut recording = Recording::new();
    for _ in 0..3 {
        let session = counting().journal(recording.journal.clone()).start().await;
        session.echo("x").await;
        session.echo("y").await;
        drop(session);
        let again = Journal::open(&recording.session(), "s", JournalBounds::default()).unwrap();
        recording.journal = Arc::new(again);
    }
    assert_eq!(recording.crossings().iter().filter(|crossing| crossing.instance == 1).count(), 18);
    recording.assert_same(&loaded(counting()).await).await;
}

/// What it would remember is not known, and that is said of what differs after that.
#[tokio::test]
async fn after_a_call_that_cannot_be_made_again_it_is_not_sure() {
    let recording = Recording::new();
    let quiet = |sees: &str| json!({ "observe": "quiet", "sees": [sees], "input": { "do": "replace", "text": "a" } });
    let session = Bed::new().everything("p", quiet("nothing")).journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    let at = bus.conversation.moment();
    let said = || seam_harness::seams::Said {
        text: "x".to_owned(),
        images: Vec::new(),
        source: seam_harness::seams::Source::User,
    };
    bus.transform_context(&at, &mut Vec::new()).await.unwrap();
    bus.receive(&mut said(), &at, &mut Vec::new()).await.unwrap();
    let mut other = quiet("transform-context");
    other["input"]["text"] = json!("b");
    let Replayed { differences, counts, .. } = recording.replay(&loaded(Bed::new().everything("p", other)).await).await;
    let told: Vec<_> = differences.iter().map(|difference| (line(difference), difference.sure)).collect();
    let asked = "unknown: it asked `conversation.length`, and what the host would answer is not recorded";
    let (before, after) = (r#"{"replace":{"text":"a","images":[]}}"#, r#"{"replace":{"text":"b","images":[]}}"#);
    assert_eq!(
        told,
        [
            (format!("NotComparable p transform-context: [] -> {asked}"), true),
            (format!("Changed p input: {before} -> {after}"), false),
        ]
    );
    assert_eq!((counts.different, counts.calls - counts.same), (2, 2));
}
