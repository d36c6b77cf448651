//! What the journal says of plugins that were loaded again, and that all of it can be made again.

use std::collections::BTreeSet;
use std::sync::Arc;

use seam_session::JournalBounds;
use seam_session::journal::{Journal, Record};
use seam_tests::bed::Bed;
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::says;
use serde_json::json;

use super::{calls, replace};

/// A bed whose gate says how often its instance was called.
fn counting(name: &str, journal: &Arc<Journal>) -> Bed {
    Bed::new().stress(name, json!({ "gate": "count" })).journal(Arc::clone(journal))
}

/// An instance of before has another number and another memory than one of after.
#[tokio::test]
async fn the_same_plugin_loaded_again_begins_anew_and_so_does_its_replay() {
    let recording = Recording::new();
    let turns = json!([calls("a", "echo"), calls("b", "echo"), says("x"), calls("c", "echo"), says("y")]);
    let bed = counting("p", &recording.journal);
    let plugins = bed.load().await;
    let mut talk = bed.talk(turns).await;
    talk.say("1").await;
    let bed = replace(&mut talk, counting("p", &recording.journal)).await;
    talk.say("2").await;
    talk.close().await;
    let gates = recording.crossings().into_iter().filter(|crossing| crossing.seam == "tool-call");
    let served: Vec<_> = gates.map(|gate| (gate.instance, answer(&gate)["block"]["reason"].clone())).collect();
    assert_eq!(served, [(1, json!("2")), (1, json!("4")), (2, json!("2"))]);
    recording.assert_same(&plugins).await;
    drop(bed);
}

#[tokio::test]
async fn a_segment_begins_with_the_plugins_that_are_in_force() {
    let recording = Recording::bounded(JournalBounds { segment: 4096, total: 1 << 20 });
    let turns = |n: usize| (0..n).map(|n| calls(&format!("c{n}"), "echo")).chain([says("x")]);
    let mut talk = counting("before", &recording.journal).talk(turns(1).chain(turns(40)).collect()).await;
    talk.say("1").await;
    let bed = replace(&mut talk, counting("after", &recording.journal)).await;
    let since = recording.journal.segment();
    talk.say("2").await;
    talk.close().await;
    let named: BTreeSet<(bool, String)> = recording
        .records()
        .into_iter()
        .filter_map(|(segment, record)| match record {
            Record::Plugin(plugin) => Some((segment > since, plugin.name.into_owned())),
            _ => None,
        })
        .collect();
    let expected = [(false, "after"), (false, "before"), (true, "after")].map(|(new, name)| (new, name.to_owned()));
    assert_eq!(named, BTreeSet::from(expected));
    drop(bed);
}

/// Those that were to take their place said something, and did not.
#[tokio::test]
async fn plugins_that_stay_are_written_down_again() {
    let recording = Recording::new();
    let (stays, comes) = (counting("stays", &recording.journal), counting("comes", &recording.journal));
    let plugins = stays.load().await;
    let _sessions = (stays.start().await, comes.start().await);
    seam_plugins::announce(&plugins, &recording.journal);
    let names = recording.records().into_iter().filter_map(|(_, record)| match record {
        Record::Plugin(plugin) => Some(plugin.name.into_owned()),
        _ => None,
    });
    assert_eq!(names.collect::<Vec<_>>(), ["stays", "comes", "stays"]);
}
