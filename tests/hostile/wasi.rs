//! WASI without a grant: imported, and of no use.

use seam_tests::bed::{Bed, text};
use seam_tests::files;
use serde_json::json;

/// A guest that imports WASI loads, and gets no variable, argument, file, connection or time by it.
#[tokio::test]
async fn wasi_gives_nothing() {
    let session = Bed::new().plugin("wasi", &files::wasi(), json!({})).start().await;
    assert_eq!(text(&session.echo("x").await), "Blocked by plugin `wasi`: 0 0 false false Ok(0)");
}

#[tokio::test]
async fn a_guest_that_sleeps_in_wasi_ends_at_the_time_limit() {
    let session = Bed::new().plugin("wasi", &files::wasi(), json!({})).start().await;
    let told = text(&session.echo("sleep").await);
    assert!(told.contains("it reached its time limit of 250 ms"), "{told}");
    assert_eq!(session.runs(), 0);
}
