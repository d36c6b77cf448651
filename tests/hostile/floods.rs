//! Floods: notes, output, host calls, state.

use seam_plugins::Limits;
use seam_tests::bed::Bed;
use seam_tests::hostile::deed;
use seam_tests::notes;
use seam_tests::talk::{calls, says};
use serde_json::json;

use super::assert_all_end;

#[tokio::test]
async fn each_ends_at_its_limit() {
    let floods = [
        "output without end",
        "60 MB of random bytes",
        "host calls without end",
        "state under keys that are none",
        "writes of state without end",
    ];
    assert_all_end(&floods).await;
}

/// It has all the time it wants, and still may not call more often than the user lets it.
#[tokio::test]
async fn host_calls_are_counted() {
    let flood = deed("host calls without end").bed().set("hostile", |settings| {
        settings.limits = Limits { time_ms: 60_000, host_calls: 500, ..Limits::default() };
    });
    let told = seam_tests::bed::text(&flood.start().await.echo("x").await);
    assert!(told.contains("it called the host more than 500 times"), "{told}");
}

#[tokio::test]
async fn notes_are_cut_off_in_number_and_length() {
    let bed = Bed::new().stress("hostile-notes", json!({ "gate": { "log": 20_000 } }));
    let session = bed.time_limit("hostile-notes", 60_000).start().await;
    assert!(!session.echo("x").await.output.is_error);
    let notes = notes::take("hostile-notes");
    let size: usize = notes.iter().map(String::len).sum();
    assert!(notes.len() <= 1001 && size <= 2 << 20, "{} notes, {size} bytes", notes.len());
}

/// 64 KiB hold 64 of these keys and texts. What was kept in a call that refuses is kept: a refusal is an answer.
#[tokio::test]
async fn state_ends_at_its_quota() {
    let bed = deed("state beyond its quota").bed().time_limit("hostile", 10_000);
    let mut talk = bed.talk(json!([calls("echo", "x"), calls("echo", "x"), says("done")])).await;
    talk.say("go").await;
    let told = talk.transcript();
    assert_eq!(told[2], "tool: Blocked by plugin `hostile`: kept 64, then too-large; 64 keys", "{told:?}");
}
