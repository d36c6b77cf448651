//! `wasi:clocks` and `wasi:random`: real ones where they are granted, each by itself.

use std::time::{SystemTime, UNIX_EPOCH};

use seam_plugins::replay::{Kind, Said};
use seam_plugins::{Grants, InstancePolicy};
use seam_tests::bed::{Bed, Session, text};
use seam_tests::files;
use seam_tests::recording::Recording;
use serde_json::json;

/// A gate that does with WASI what it is told. Each call has an instance of its own.
fn bed(grants: &Grants) -> Bed {
    let bed = Bed::new().plugin("w", &files::guest("reach-w"), json!({}));
    bed.set("w", |settings| {
        settings.grants = grants.clone();
        settings.instance = InstancePolicy::Call;
    })
}

async fn told(session: &Session, order: &str) -> String {
    text(&session.echo(order).await).trim_start_matches("Blocked by plugin `w`: ").to_owned()
}

fn clock() -> Grants {
    Grants { clock: true, ..Grants::default() }
}

fn random() -> Grants {
    Grants { random: true, ..Grants::default() }
}

#[tokio::test]
async fn with_the_grant_a_clock_tells_the_time_and_how_it_passes() {
    let session = bed(&clock()).start().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let told_now: u64 = told(&session, "now").await.parse().unwrap();
    assert!((now..now + 60).contains(&told_now), "{told_now} {now}");
    let passed: u64 = told(&session, "passes 20").await.parse().unwrap();
    assert!((20..250).contains(&passed), "{passed}");
}

#[tokio::test]
async fn a_clock_gives_no_time_to_sleep() {
    let session = bed(&clock()).start().await;
    let said = told(&session, "passes 3600000").await;
    assert!(said.contains("it reached its time limit of 250 ms"), "{said}");
}

#[tokio::test]
async fn without_it_no_clock_tells_anything() {
    let session = bed(&random()).start().await;
    assert_eq!(told(&session, "now; passes 20").await, "0; 0");
}

#[tokio::test]
async fn with_the_grant_random_numbers_are_others_each_time() {
    let session = bed(&random()).start().await;
    assert_ne!(told(&session, "random").await, told(&session, "random").await);
}

#[tokio::test]
async fn without_it_they_are_the_same() {
    let session = bed(&clock()).start().await;
    assert_eq!(told(&session, "random").await, told(&session, "random").await);
}

/// A timer goes off in real time all the same, and a guest can count beside it until it does.
#[tokio::test]
async fn without_it_too_a_call_that_made_a_timer_cannot_be_made_again() {
    let recording = Recording::new();
    let session = bed(&Grants::default()).journal(recording.journal.clone()).start().await;
    for order in ["now", "passes 1", "random"] {
        told(&session, order).await;
    }
    drop(session);
    let replayed = recording.replay(&bed(&Grants::default()).load().await).await;
    assert_eq!((replayed.counts.calls, replayed.counts.same, replayed.counts.different), (3, 2, 1));
    assert_eq!(replayed.differences[0].kind, Kind::NotComparable);
}

/// The grant is for one file, by its digest; another one has nothing of it.
#[tokio::test]
async fn a_grant_for_another_file_is_none() {
    let grants = Grants { digest: Some("0".repeat(64)), ..clock() };
    let session = bed(&grants).start().await;
    assert_eq!(told(&session, "now").await, "0");
}

/// What a clock said then nobody can say again. A call that did not ask it is the same.
#[tokio::test]
async fn a_replay_tells_the_calls_that_asked_the_clock_from_those_that_did_not() {
    let recording = Recording::new();
    let grants = Grants { clock: true, random: true, ..Grants::default() };
    let session = bed(&grants).journal(recording.journal.clone()).start().await;
    for order in ["nothing", "now", "random", "nothing"] {
        told(&session, order).await;
    }
    drop(session);
    let replayed = recording.replay(&bed(&grants).load().await).await;
    assert_eq!((replayed.counts.calls, replayed.counts.same, replayed.counts.different), (4, 2, 2));
    let unknown = |import: &str| Said::Unknown(format!("it reached `{import}` then, and a replay reaches nothing"));
    let now: Vec<_> = replayed.differences.iter().map(|difference| (difference.kind, difference.now.clone())).collect();
    let expected = ["wasi:clocks", "wasi:random"].map(|import| (Kind::NotComparable, unknown(import)));
    assert_eq!(now, expected);
}
