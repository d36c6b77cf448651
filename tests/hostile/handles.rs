//! Handles of WASI and of its own: kept, forged, used after they were given back, lent on.

use seam_tests::bed::text;
use seam_tests::hostile::deed;

use super::assert_all_end;

/// 75 timers in each call, and the host keeps two things for each: the second call is too much. The next begins with
/// none, and nothing is switched off.
#[tokio::test]
async fn who_holds_too_many_begins_anew() {
    let session = deed("handles that it does not give back").bed().start().await;
    for _ in 0..4 {
        assert_eq!(text(&session.echo("x").await), "x");
        let told = text(&session.echo("x").await);
        assert!(
            told.starts_with("Not run: plugin `hostile` failed at `tool-call`: it held too many handles"),
            "{told}"
        );
    }
    assert_eq!(session.runs(), 4);
    assert_all_end(&["handles of its own without end"]).await;
}

#[tokio::test]
async fn one_it_does_not_have_is_of_no_use() {
    assert_all_end(&[
        "a forged handle",
        "a handle that it gave back",
        "a handle of another type",
        "a handle whose parent is gone",
    ])
    .await;
}

/// The contract lends nothing. Where one part of a plugin lends something to another, the loan ends with that call.
#[tokio::test]
async fn a_loan_ends_with_its_call() {
    assert_all_end(&["a loan that is kept"]).await;
}
