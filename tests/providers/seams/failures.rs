//! A plugin that fails at one of the seams: what is not decided is not sent.

use seam_loop::StopReason;
use seam_plugins::{Mode, OnFailureRules, Word};
use seam_tests::bed::{Bed, trail};
use seam_tests::models::Protocol;
use serde_json::json;

use super::super::{failed, run};
use super::{ASKED, does, with};

/// The ways a plugin fails, and what is said of them.
const WAYS: [(&str, &str); 2] = [("trap", "it trapped"), ("loop", "it reached its time")];

fn bed(seam: &str, way: &str) -> Bed {
    Bed::new().everything("broken", does(seam, json!({ "do": way }))).time_limit("broken", 50)
}

#[tokio::test]
async fn what_is_not_decided_is_not_sent() {
    for seam in &ASKED[1..] {
        for (way, _) in WAYS {
            let (server, mut talk) = with(bed(seam, way), Protocol::Responses).await;
            let error = failed(&mut talk, "hi").await;
            let words = format!("No request was sent: plugin `broken` failed at `{seam}`: ");
            assert!(error.starts_with(&words), "{error}");
            assert_eq!(trail(&talk.decided()), [format!("broken {seam} failure")]);
            assert!(server.requests().is_empty(), "{seam} {way}");
        }
    }
}

#[tokio::test]
async fn a_failure_that_is_skipped_is_told_and_the_request_is_sent() {
    for seam in &ASKED[1..] {
        for (way, _) in WAYS {
            let (server, mut talk) = with(bed(seam, way).skip_failures("broken"), Protocol::Responses).await;
            assert_eq!(run(&mut talk, "hi").await.stop_reason, StopReason::Stop);
            assert_eq!(trail(&talk.decided()), [format!("broken {seam} failure")]);
            assert_eq!(server.requests().len(), 1, "{seam} {way}");
        }
    }
}

/// Without a key of its own, the provider's own sources are next: a failure there is no reason to stop, unless the user
/// says so.
#[tokio::test]
async fn a_failure_about_a_key_is_skipped_unless_it_is_to_refuse() {
    for (way, _) in WAYS {
        let (server, mut talk) = with(bed("get-api-key", way), Protocol::Chat).await;
        assert_eq!(run(&mut talk, "hi").await.stop_reason, StopReason::Stop);
        assert_eq!(
            (trail(&talk.decided()), server.requests().len()),
            (vec!["broken get-api-key failure".to_owned()], 1)
        );

        let refuses = bed("get-api-key", way)
            .set("broken", |settings| settings.on_failure = OnFailureRules::Everywhere(Word::Refuse));
        let (server, mut talk) = with(refuses, Protocol::Chat).await;
        let error = failed(&mut talk, "hi").await;
        assert!(error.starts_with("No request was sent: plugin `broken` failed at `get-api-key`"), "{error}");
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn a_plugin_in_the_shadow_changes_nothing_of_a_request() {
    let settings = json!({
        "get-api-key": { "do": "key", "text": "key-of-the-shadow" },
        "before-provider-request": { "set-header": [["x-trace", "1"]] },
        "before-provider-payload": { "do": "replace", "text": "{}" },
        "observe": "quiet"
    });
    for protocol in Protocol::ALL {
        let bed =
            Bed::new().everything("shadow", settings.clone()).set("shadow", |settings| settings.mode = Mode::Shadow);
        let (server, mut talk) = with(bed, protocol).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let [sent] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
        assert!(!format!("{:?}", sent.headers).contains("shadow") && sent.header("x-trace").is_none(), "{sent:?}");
        assert!(sent.body.to_string().contains("hi"));
    }
}
