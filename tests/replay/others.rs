//! Another version of a plugin, other settings, none at all: exactly what they change is told.

use seam_plugins::replay::{Counts, Kind};
use seam_session::journal::{Crossing, Json, Outcome, Record};
use seam_tests::bed::Bed;
use seam_tests::files;
use seam_tests::recording::{Recording, Replayed};
use serde_json::{Value, json};

use super::{line, loaded};

/// A session with the misbehaving plugin as `p`, and what differs when `p` has other settings.
async fn told(then: Value, now: Value) -> Vec<String> {
    let recording = Recording::new();
    let session = Bed::new().stress("p", then).time_limit("p", 50).journal(recording.journal.clone()).start().await;
    session.echo("x").await;
    let now = loaded(Bed::new().stress("p", now).time_limit("p", 50)).await;
    recording.replay(&now).await.differences.iter().map(line).collect()
}

#[tokio::test]
async fn each_way_to_decide_otherwise_is_told_by_its_kind() {
    let block = r#"{"block":{"reason":"no","terminate":false}}"#;
    for (then, now, expected) in [
        (json!({}), json!({ "gate": { "say": "no" } }), format!(r#"NowRefused p tool-call: "proceed" -> {block}"#)),
        (json!({ "gate": { "say": "no" } }), json!({}), format!(r#"NowAllowed p tool-call: {block} -> "proceed""#)),
        (
            json!({ "gate": { "say": "no" } }),
            json!({ "gate": { "say": "never" } }),
            format!(r#"Changed p tool-call: {block} -> {{"block":{{"reason":"never","terminate":false}}}}"#),
        ),
        (json!({ "gate": { "say": "no" } }), json!({ "gate": { "ask": "may it?" } }), format!(r#"Changed p tool-call: {block} -> {{"ask":"may it?"}}"#)),
        (
            json!({ "rewrite": { "append": "1" } }),
            json!({ "rewrite": { "append": "2" } }),
            r#"Changed p rewrite-tool-call: {"arguments":"{\"text\":\"x1\"}"} -> {"arguments":"{\"text\":\"x2\"}"}"#.to_owned(),
        ),
        (
            json!({}),
            json!({ "gate": "panic" }),
            r#"FailedNow p tool-call: "proceed" -> crash: it crashed (a panic or an abort)"#.to_owned(),
        ),
        (
            json!({ "gate": "loop" }),
            json!({}),
            r#"FailedThen p tool-call: time-limit: it reached its time limit of 50 ms -> "proceed""#.to_owned(),
        ),
        (
            json!({ "gate": "loop" }),
            json!({ "gate": "panic" }),
            "Changed p tool-call: time-limit: it reached its time limit of 50 ms -> crash: it crashed (a panic or an abort)".to_owned(),
        ),
    ] {
        assert_eq!(told(then, now).await, [expected]);
    }
}

/// Two guests under one name: only the calls on which they disagree are told.
#[tokio::test]
async fn another_file_is_told_and_where_it_decides_otherwise() {
    let recording = Recording::new();
    let gate = |guest: &str| Bed::new().plugin("p", &files::guest(guest), json!({}));
    let session = gate("polyglot").journal(recording.journal.clone()).start().await;
    for text in ["hello", "forbidden", "SECRET"] {
        session.echo(text).await;
    }
    let now = loaded(gate("c")).await;
    let Replayed { differences, counts, recorded } = recording.replay(&now).await;
    let told: Vec<String> = differences.iter().map(line).collect();
    let blocks = |language: &str| format!(r#"{{"block":{{"reason":"{language} says no","terminate":false}}}}"#);
    let hides = |language: &str| format!(r#"{{"change":[{{"content":[{{"text":"[hidden by {language}]"}}]}}]}}"#);
    assert_eq!(
        told,
        [
            format!("Changed p tool-call: {} -> {}", blocks("rust"), blocks("c")),
            format!("Changed p tool-result: {} -> {}", hides("rust"), hides("c")),
        ]
    );
    assert_eq!(counts, Counts { calls: 5, same: 3, different: 2, given_up: 0, keys: 0, absent: 0 });
    assert_ne!(recorded[0].1.digests, [now[0].digest().to_string()]);
    assert_eq!(recorded[0].1.settings, [now[0].settings_digest()]);
}

/// What had a part in a seam and has none now.
#[tokio::test]
async fn a_seam_that_is_no_longer_exported() {
    let recording = Recording::new();
    let session =
        Bed::new().plugin("p", &files::guest("polyglot"), json!({})).journal(recording.journal.clone()).start().await;
    for text in ["hello", "SECRET"] {
        session.echo(text).await;
    }
    let now = loaded(Bed::new().plugin("p", &files::guest("gate"), json!({}))).await;
    let told: Vec<String> = recording.replay(&now).await.differences.iter().map(line).collect();
    let hides = r#"{"change":[{"content":[{"text":"[hidden by rust]"}]}]}"#;
    assert_eq!(told, [format!("Changed p tool-result: {hides} -> not asked")]);
}

#[tokio::test]
async fn what_is_not_there_is_not_asked() {
    let recording = Recording::new();
    let bed = Bed::new().stress("p", json!({})).stress("q", json!({ "gate": { "say": "no" } }));
    bed.journal(recording.journal.clone()).start().await.echo("x").await;
    let Replayed { differences, counts, recorded } =
        recording.replay(&loaded(Bed::new().stress("p", json!({}))).await).await;
    assert_eq!(differences, []);
    assert_eq!(counts, Counts { calls: 4, same: 2, different: 0, given_up: 0, keys: 0, absent: 2 });
    assert_eq!(recorded.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["p", "q"]);
}

/// A key is compared by whether there is one.
#[tokio::test]
async fn a_key_is_told_without_it() {
    let recording = Recording::new();
    let key = |deed: Value| json!({ "observe": "quiet", "get-api-key": deed });
    let session = Bed::new()
        .everything("p", key(json!({ "do": "key", "text": "sk-0123456789" })))
        .journal(recording.journal.clone())
        .start()
        .await;
    let bus = session.dispatcher.bus();
    bus.get_api_key("x", &bus.conversation.moment(), &mut Vec::new()).await.unwrap();
    let another = loaded(Bed::new().everything("p", key(json!({ "do": "key", "text": "sk-other-key" })))).await;
    recording.assert_same(&another).await;
    let none = loaded(Bed::new().everything("p", key(json!({})))).await;
    let told: Vec<String> = recording.replay(&none).await.differences.iter().map(line).collect();
    assert_eq!(told, ["Changed p get-api-key: key: true -> key: false"]);
}

/// A recording that begins with a key of some plugin.
fn with_a_key(key: &str) -> Recording {
    let recording = Recording::new();
    let crossing = Crossing {
        plugin: "k".into(),
        digest: "d".into(),
        seam: "get-api-key".into(),
        function: "get".into(),
        instance: 1,
        shadow: false,
        call: None,
        took_us: 1,
        input: Json::new(r#"[{"provider":"x"}]"#),
        host: Vec::new(),
        outcome: Outcome::Withheld(true),
    };
    recording.journal.write(&Record::Crossing(crossing)).unwrap();
    recording.journal.hide(key);
    recording
}

/// What a model or a tool says of secrets is a text like any other.
#[tokio::test]
async fn without_a_key_the_word_for_a_secret_hides_no_difference() {
    let recording = Recording::new();
    let bed = |word: &str| Bed::new().stress("p", json!({ "gate": { "say": word } }));
    let session = bed("no").journal(recording.journal.clone()).start().await;
    session.echo("[secret]").await;
    session.echo("x").await;
    let differences = recording.replay(&loaded(bed("never")).await).await.differences;
    assert_eq!(
        differences.iter().map(|found| (found.kind, found.sure)).collect::<Vec<_>>(),
        [(Kind::Changed, true); 2]
    );
}

/// What the host answers about a key is not recorded: it is neither the same nor different.
#[tokio::test]
async fn a_key_for_which_the_host_was_asked_is_counted_apart() {
    let recording = Recording::new();
    let settings =
        json!({ "get-api-key": { "do": "key", "text": "sk-a-long-key" }, "sees": ["get-api-key"], "observe": "quiet" });
    let bed = || Bed::new().everything("asks-for-its-key", settings.clone());
    let session = bed().journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    bus.get_api_key("x", &bus.conversation.moment(), &mut Vec::new()).await.unwrap();
    let Replayed { differences, counts, .. } = recording.replay(&loaded(bed()).await).await;
    assert!(differences.is_empty(), "{differences:?}");
    assert_eq!((counts.keys, counts.same + counts.keys), (1, counts.calls));
}

/// The journal holds `[secret]` where the plugin was shown, or said, the secret itself.
#[tokio::test]
async fn what_differs_for_want_of_a_secret_cannot_be_compared() {
    let asked = "unknown: what it was asked held a secret, which is not recorded";
    let said = "unknown: what it said then held a secret, which is not recorded";
    for (settings, expected) in [
        (
            json!({ "gate": { "panic-on": "boom-1234" } }),
            Some(format!("NotComparable p tool-call: crash: it crashed (a panic or an abort) -> {asked}")),
        ),
        (
            json!({ "gate": { "say": "boom-1234" } }),
            Some(format!(
                r#"NotComparable p tool-call: {{"block":{{"reason":"[secret]","terminate":false}}}} -> {said}"#
            )),
        ),
        (json!({ "gate": { "say": "no" } }), None),
    ] {
        let recording = with_a_key("boom-1234");
        let bed = || Bed::new().stress("p", settings.clone());
        let session = bed().journal(recording.journal.clone()).start().await;
        let text = if settings["gate"]["say"] == "boom-1234" { "x" } else { "boom-1234" };
        session.echo(text).await;
        let differences = recording.replay(&loaded(bed()).await).await.differences;
        assert_eq!(differences.iter().map(line).collect::<Vec<_>>(), Vec::from_iter(expected));
    }
}

/// What an instance remembers of a secret is not what it remembered then.
#[tokio::test]
async fn after_a_secret_a_difference_is_not_sure() {
    let recording = with_a_key("boom-1234");
    let bed = |word: &str| Bed::new().stress("p", json!({ "gate": { "say": word } }));
    let session = bed("no").journal(recording.journal.clone()).start().await;
    for text in ["x", "boom-1234", "x"] {
        session.echo(text).await;
    }
    // The rewrite of the same call was shown the secret before the gate.
    let differences = recording.replay(&loaded(bed("never")).await).await.differences;
    let found: Vec<_> = differences.iter().map(|found| (found.kind, found.sure)).collect();
    let (changed, not) = (seam_plugins::replay::Kind::Changed, seam_plugins::replay::Kind::NotComparable);
    assert_eq!(found, [(changed, true), (not, false), (changed, false)]);
}
