//! Edits of the conversation: too many, too long, where nothing is.

use std::time::{Duration, Instant};

use seam_plugins::Limits;
use seam_tests::hostile::deed;
use seam_tests::talk::says;
use serde_json::json;

use super::assert_all_end;

/// An answer is bounded, so ten thousand are too many. As many as fit are no trouble, and what is stored stays as it
/// is.
#[tokio::test]
async fn as_many_as_fit_are_made_in_no_time() {
    assert_all_end(&["10,000 edits"]).await;
    for (count, limits) in [(2000, Limits::default()), (10_000, Limits { returned_kib: 8192, ..Limits::default() })] {
        let bed = deed("an edit of 4 MiB").bed().set("hostile", |settings| {
            settings.config = json!({ "edits": { "many": count } }).as_object().unwrap().clone();
            settings.limits = limits;
        });
        let mut talk = bed.talk(json!([says("done")])).await;
        let began = Instant::now();
        talk.say("go").await;
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert_eq!(talk.last_request().messages.len(), count + 1);
        assert_eq!(talk.transcript(), ["user: go", "assistant: done"]);
    }
}

#[tokio::test]
async fn those_that_do_not_fit_stop_the_request() {
    let misfits =
        ["an edit of 4 MiB", "an edit out of range", "edits that overlap", "a range that ends before it starts"];
    assert_all_end(&misfits).await;
    for name in misfits {
        let mut talk = deed(name).bed().talk(json!([says("done")])).await;
        talk.say("go").await;
        assert_eq!(talk.asked(), 0, "{name}");
    }
}
