//! `wasi:cli/environment`: the variables that are granted, by their names.

use seam_plugins::replay::Kind;
use seam_tests::bed::{Bed, Session, text};
use seam_tests::files;
use seam_tests::recording::Recording;
use serde_json::json;

/// A gate that does with WASI what it is told, with these variables granted.
async fn session(names: &[&str]) -> Session {
    bed(names).start().await
}

fn bed(names: &[&str]) -> Bed {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    let bed = Bed::new().plugin("w", &files::guest("reach-w"), json!({}));
    bed.set("w", |settings| settings.grants.env = names)
}

async fn told(session: &Session, order: &str) -> String {
    text(&session.echo(order).await).trim_start_matches("Blocked by plugin `w`: ").to_owned()
}

/// These are there whenever tests run.
const THERE: [&str; 2] = ["CARGO_PKG_NAME", "PATH"];

#[tokio::test]
async fn the_granted_variables_are_there_and_no_others() {
    let value = |name: &str| std::env::var(name).unwrap();
    let session = session(&[THERE[0], "SEAM_TESTS_HAVE_NONE_OF_THIS_NAME"]).await;
    assert_eq!(told(&session, "env").await, format!("{}={}", THERE[0], value(THERE[0])));
    let orders = format!("env {}; env {}; env SEAM_TESTS_HAVE_NONE_OF_THIS_NAME; arguments", THERE[0], THERE[1]);
    assert_eq!(told(&session, &orders).await, format!("{}; none; none; 0", value(THERE[0])));
}

#[tokio::test]
async fn without_the_grant_there_are_none() {
    assert_eq!(told(&session(&[]).await, "env; env PATH").await, "; none");
}

/// What a variable was then does not stand in the journal: it may be a secret.
#[tokio::test]
async fn a_replay_does_not_know_what_a_variable_was() {
    let recording = Recording::new();
    let session = bed(&THERE).journal(recording.journal.clone()).start().await;
    for order in ["nothing", "env PATH", "nothing"] {
        told(&session, order).await;
    }
    drop(session);
    let gates = |import: &str| {
        recording.crossings().iter().filter(|crossing| crossing.host.iter().any(|call| call.import == import)).count()
    };
    assert_eq!(gates("wasi:cli/environment"), 1);
    let replayed = recording.replay(&bed(&THERE).load().await).await;
    let kinds: Vec<Kind> = replayed.differences.iter().map(|difference| difference.kind).collect();
    assert_eq!((kinds, replayed.counts.same), (vec![Kind::NotComparable], 2));
}
