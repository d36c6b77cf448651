//! A plugin that fills its share of the journal pushes out of it nothing that others decided.

use seam_plugins::replay::Kind;
use seam_session::JournalBounds;
use seam_session::journal::{Outcome, verify};
use seam_tests::bed::Bed;
use seam_tests::recording::{Recording, Replayed};
use serde_json::json;

use super::told;

const BOUNDS: JournalBounds = JournalBounds { segment: 128 << 10, total: 1 << 20 };

fn quiet(at: &str, deed: serde_json::Value) -> serde_json::Value {
    json!({ at: deed, "observe": "quiet" })
}

/// 60 answers of 50 KB each are three times what fits.
#[tokio::test]
async fn what_a_plugin_says_beyond_its_share_is_left_out_and_told_as_not_comparable() {
    let recording = Recording::bounded(BOUNDS);
    let long = json!({ "do": "change", "text": format!("{{}}{}", "x".repeat(50_000)) });
    let bed = Bed::new().stress("gate", json!({})).everything("talker", quiet("tool-result", long));
    let bed = bed.time_limit("talker", 60_000).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let session = bed.start().await;
    for n in 0..60 {
        session.echo(&n.to_string()).await;
    }
    let crossings = recording.crossings();
    let gates = crossings.iter().filter(|crossing| (&*crossing.plugin, &*crossing.seam) == ("gate", "tool-call"));
    assert_eq!(gates.count(), 60, "all that the gate decided is there");
    let said = crossings.iter().filter(|crossing| (&*crossing.plugin, &*crossing.seam) == ("talker", "tool-result"));
    let answers =
        said.filter_map(|crossing| if let Outcome::Answer(answer) = &crossing.outcome { Some(answer) } else { None });
    let answers: Vec<_> = answers.collect();
    let whole = answers.iter().take_while(|answer| !answer.is_left_out()).count();
    assert_eq!(answers.len(), 60, "{:?}", crossings.last().map(|crossing| &crossing.outcome));
    assert!((3..10).contains(&whole), "{whole} of {}", answers.len());
    assert!(answers[whole..].iter().all(|answer| answer.text().starts_with(r#"{"change":{"$left-out":{"sha256":""#)));
    assert_eq!(verify(&recording.session()).unwrap().faults, []);
    let Replayed { differences, counts, .. } = recording.replay(&plugins).await;
    assert_eq!((differences.len(), counts.same), (60 - whole, counts.calls - (60 - whole) as u64));
    let reason = "unknown: the plugin had filled its share of the journal, so this was left out of it";
    assert!(differences.iter().all(|found| found.kind == Kind::NotComparable && told(&found.then) == reason));
}

#[tokio::test]
async fn what_a_plugin_is_asked_beyond_its_share_is_left_out_and_is_not_asked_again() {
    let recording = Recording::bounded(BOUNDS);
    let bed = Bed::new().stress("gate", json!({ "gate": "count" })).time_limit("gate", 60_000);
    let bed = bed.journal(recording.journal.clone());
    let plugins = bed.load().await;
    let session = bed.start().await;
    for n in 0..20 {
        session.echo(&format!("{n}{}", "x".repeat(50_000))).await;
    }
    session.echo("short").await;
    let crossings = recording.crossings();
    let asked = crossings.iter().filter(|crossing| &*crossing.seam == "tool-call");
    let left_out: Vec<bool> = asked.map(|crossing| crossing.input.is_left_out()).collect();
    assert_eq!((left_out.first(), left_out[10..20].iter().all(|out| *out), left_out[20]), (Some(&false), true, false));
    let Replayed { differences, .. } = recording.replay(&plugins).await;
    let reason = "unknown: the plugin had filled its share of the journal, so this was left out of it";
    let unknown = differences.iter().filter(|found| told(&found.now) == reason).count();
    assert_eq!(unknown, crossings.iter().filter(|crossing| crossing.input.is_left_out()).count());
}

/// The patch of another is asked about each of them.
#[tokio::test]
async fn live_updates_of_a_plugins_tool_fill_its_own_share() {
    let recording = Recording::bounded(BOUNDS);
    let tools = json!([{ "name": "tell", "do": "updates", "updates": 40, "millions": 60 }]);
    let bed = Bed::new().stress("patch", json!({ "patch": "count" }));
    let bed = bed.everything("teller", json!({ "tools": tools, "observe": "quiet" }));
    let bed = bed.time_limit("patch", 60_000).set("teller", |settings| settings.limits.tool_time_ms = 120_000);
    let session = bed.journal(recording.journal.clone()).start().await;
    session.call("tell", json!({ "text": "x".repeat(20_000) })).await;
    session.echo(&"y".repeat(8_000)).await;
    let crossings = recording.crossings();
    let of = |plugin: &str| {
        let mine = crossings.iter().filter(|crossing| crossing.plugin == plugin && crossing.seam == "tool-result");
        mine.map(|crossing| crossing.input.is_left_out()).collect::<Vec<_>>()
    };
    let asked = of("patch");
    assert!(asked.len() > 12, "{}", asked.len());
    // The last are the results, of which the tool's says what an update said.
    let updates = &asked[..asked.len() - 2];
    assert_eq!((updates[0], updates[updates.len() - 1]), (false, true));
    assert_eq!(asked[asked.len() - 2..], [false, false]);
    assert_eq!(of("teller").last(), Some(&true));
}
