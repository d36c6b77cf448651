//! What is written of every call of a plugin: complete, in the words of the contract, and before it counts.

mod bounds;
mod complete;
mod keys;
mod words;

use std::collections::BTreeMap;
use std::fs;

use seam_harness::Reason;
use seam_loop::CancellationToken;
use seam_plugins::{InstancePolicy, OnFailureRules, Word};
use seam_session::JournalBounds;
use seam_session::journal::Record;
use seam_tests::bed::{Bed, text};
use seam_tests::recording::{Recording, answer};
use serde_json::json;

use super::failures::asking::ask;
use super::failures::deciding;

/// A bed with the plugin `p`, which says at each call how often its instance was called, and a journal of this size.
fn counting(bounds: JournalBounds) -> (Bed, Recording) {
    let recording = Recording::bounded(bounds);
    let bed = Bed::new().stress("p", json!({ "gate": "count" })).journal(recording.journal.clone());
    (bed, recording)
}

/// Which instance served each call, and what it said.
fn served(recording: &Recording) -> Vec<(u64, String)> {
    let gates = recording.crossings().into_iter().filter(|crossing| crossing.seam == "tool-call");
    let reason = |answer: serde_json::Value| answer["block"]["reason"].as_str().unwrap_or_default().to_owned();
    gates.map(|crossing| (crossing.instance, reason(answer(&crossing)))).collect()
}

#[tokio::test]
async fn a_call_is_written_with_the_plugin_the_tool_call_and_the_answer() {
    let (bed, recording) = counting(JournalBounds::default());
    let session = bed.start().await;
    session.echo("x").await;
    let plugin = &session.bed.load().await[0];
    let records = recording.records();
    let Record::Plugin(recorded) = &records[1].1 else { panic!("{records:?}") };
    let digest = plugin.digest().to_string();
    assert_eq!((&*recorded.name, &*recorded.digest, &*recorded.instance), ("p", &*digest, "session"));
    assert_eq!((&*recorded.settings, recorded.shadow, recorded.time_ms), (plugin.settings_digest(), false, 250));
    let crossings = recording.crossings();
    let [rewrite, gate] = &crossings[..] else { panic!("{crossings:?}") };
    assert_eq!((&*rewrite.seam, &*rewrite.function, answer(rewrite)), ("rewrite-tool-call", "rewrite", json!("keep")));
    assert_eq!((&*gate.seam, &*gate.function, gate.instance, gate.shadow), ("tool-call", "decide", 1, false));
    assert_eq!((&*gate.digest, gate.call.as_deref()), (&*digest, Some("call-1")));
    let call = &gate.input.value().unwrap()[0]["call"];
    assert_eq!(call["arguments"], json!(r#"{"text":"x"}"#));
    assert_eq!(call["targets"], json!([{ "other": "says x" }]));
    assert_eq!(answer(gate), json!({ "block": { "reason": "2", "terminate": false } }));
}

#[tokio::test]
async fn an_instance_has_its_number_for_life_and_a_failure_ends_it() {
    let recording = Recording::new();
    let gate = json!({ "gate": { "panic-on": "boom" }, "rewrite": "nothing" });
    let session = Bed::new().stress("p", gate).journal(recording.journal.clone()).start().await;
    for text in ["a", "boom", "b"] {
        session.echo(text).await;
    }
    let crossings = recording.crossings();
    let told: Vec<_> = crossings
        .iter()
        .filter(|crossing| crossing.seam == "tool-call")
        .map(|crossing| (crossing.instance, answer(crossing)))
        .collect();
    let crash = json!("crash: it crashed (a panic or an abort)");
    assert_eq!(told, [(1, json!("proceed")), (1, crash), (2, json!("proceed"))]);
}

#[tokio::test]
async fn where_each_call_has_its_own_instance_each_has_its_number() {
    let (bed, recording) = counting(JournalBounds::default());
    let session = bed.set("p", |settings| settings.instance = InstancePolicy::Call).start().await;
    session.echo("x").await;
    session.echo("y").await;
    assert_eq!(served(&recording), [(2, "1".to_owned()), (4, "1".to_owned())]);
}

/// What an instance remembers is from the segment it served in.
#[tokio::test]
async fn no_instance_outlives_its_segment() {
    let (bed, recording) = counting(JournalBounds { segment: 4096, total: 1 << 20 });
    let session = bed.start().await;
    for _ in 0..40 {
        session.echo("x").await;
    }
    let mut served: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (segment, record) in recording.records() {
        if let Record::Crossing(crossing) = record {
            served.entry(crossing.instance).or_default().push(segment);
        }
    }
    assert!(served.len() > 4, "{served:?}");
    for segments in served.values() {
        // The call under way when a segment is closed stands in the next one.
        let later = segments.iter().filter(|segment| **segment != segments[0]).count();
        assert!(later <= 1, "{served:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_is_written_too() {
    let recording = Recording::new();
    let settings = json!({ "tools": [{ "name": "slow", "do": "loop" }], "observe": "quiet" });
    let session = Bed::new().everything("p", settings).journal(recording.journal.clone()).start().await;
    let abort = CancellationToken::new();
    let stop = async {
        seam_tests::bed::wait(50).await;
        abort.cancel();
    };
    let (settled, ()) = tokio::join!(session.call_until("slow", json!({ "text": "x" }), &abort), stop);
    assert!(settled.output.is_error);
    let told: Vec<_> = recording.crossings().iter().map(|at| (at.function.to_string(), answer(at))).collect();
    let given_up = json!("given-up: it was not waited for");
    assert!(told.contains(&("execute".to_owned(), given_up)), "{told:?}");
}

/// Settings may hold what is nobody else's business.
#[tokio::test]
async fn of_settings_the_digest_is_written() {
    let recording = Recording::new();
    let settings = json!({ "gate": "settings", "rewrite": { "say-once": "{\"text\":\"the-only-one\"}" } });
    let bed = Bed::new().stress("p", settings).journal(recording.journal.clone());
    let plugins = bed.load().await;
    assert_eq!(text(&bed.start().await.echo("x").await), "Blocked by plugin `p`: 2");
    let crossings = recording.crossings();
    let [_, gate] = &crossings[..] else { panic!("{crossings:?}") };
    let [read] = &gate.host[..] else { panic!("{gate:?}") };
    let digest = format!("sha256:{}", plugins[0].settings_digest());
    assert_eq!(
        (&*read.import, read.arguments.text(), read.answer.value().unwrap()),
        ("config.get", "[]", json!(digest))
    );
    recording.assert_same(&plugins).await;
}

/// Whatever the user said of failures. A gate that nobody can look up later is none.
#[tokio::test]
async fn what_cannot_be_written_is_refused_at_every_seam() {
    for seam in deciding() {
        let recording = Recording::new();
        let bed = Bed::new().everything("p", json!({ "observe": "quiet" })).journal(recording.journal.clone());
        let skip = OnFailureRules::Everywhere(Word::Skip);
        let session = bed.set("p", |settings| settings.on_failure = skip).start().await;
        fs::remove_file(recording.folder().join("s.journal")).unwrap();
        recording.journal.save_point().unwrap_err();
        let asked = ask(&session, seam.name).await;
        let refused = asked.refused.unwrap_or_default();
        assert!(refused.contains("what is not recorded is not decided"), "{}: {refused}", seam.name);
    }
}

#[tokio::test]
async fn without_a_journal_everything_is_as_it_was() {
    let session = Bed::new().stress("p", json!({ "gate": "count" })).start().await;
    assert_eq!(text(&session.echo("x").await), "Blocked by plugin `p`: 2");
    assert!(ask(&session, "tool-call").await.refused.is_some());
    let bus = session.dispatcher.bus();
    assert!(bus.resources_discover(Reason::Startup, &bus.conversation.moment(), &mut Vec::new()).await.is_ok());
}
