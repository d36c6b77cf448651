//! `after-provider-response`: the head of what comes back.

use seam_harness::{Event, SessionEvent};
use seam_tests::bed::Bed;
use seam_tests::models::{Plan, Protocol, Said, Server, Trouble};
use seam_tests::notes;
use serde_json::json;

use super::super::{again, run, services, talk};

/// What a plugin noted of heads: `MODEL STATUS HEADERS`.
fn heads(plugin: &str) -> Vec<String> {
    let notes = notes::take(plugin).into_iter();
    // The session's id is first.
    let heads = notes
        .filter_map(|note| note.strip_prefix("after-provider-response: ")?.split_once(' ').map(|it| it.1.to_owned()));
    heads.collect()
}

#[tokio::test]
async fn a_success_a_refusal_and_a_limit_are_seen_with_what_is_nobodys_secret() {
    let server = Server::start();
    let protocol = Protocol::Anthropic;
    let keyed = |plan: Plan| {
        let plan = plan.header("set-cookie", "session=sk-cookie").header("x-new-token", "sk-token");
        plan.header("x-seen", "yes").header("anthropic-ratelimit-tokens-remaining", "71")
    };
    server.push(keyed(Plan::whole(protocol, &Said::text("one"))));
    server.push(keyed(Plan::trouble(protocol, Trouble::RateLimited).header("retry-after-ms", "1")));
    server.push(keyed(Plan::trouble(protocol, Trouble::WrongKey)));
    let settings = json!({ "get-api-key": { "do": "key", "text": "sk-of-the-plugin" }, "observe": "quiet",
        "observe-at": { "after-provider-response": "note" } });
    let bed = Bed::new().everything("heads", settings).upkeep(again(1));
    let mut talk = talk(bed, &services(&server), protocol).await;
    assert_eq!(run(&mut talk, "one").await.error, None);
    let error = run(&mut talk, "two").await.error.unwrap();
    assert!(error.starts_with("anthropic-messages answered 401: invalid x-api-key"), "{error}");
    let events = talk.close().await;
    let heads = heads("heads");
    let statuses = ["200", "429", "401"].map(|status| format!("anthropic-messages/{} {status} ", protocol.model()));
    assert_eq!(heads.len(), 3, "{heads:?}");
    for (head, status) in heads.iter().zip(statuses) {
        assert!(head.starts_with(&status), "{head}");
        assert!(head.contains("x-seen=yes") && head.contains("anthropic-ratelimit-tokens-remaining=71"), "{head}");
        assert!(!head.contains("sk-"), "{head}");
    }
    let told = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::AfterProviderResponse { status, headers, .. }) => Some((*status, headers)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [200, 429, 401]);
    assert!(told.iter().all(|(_, headers)| !headers.iter().any(|header| header.value.contains("sk-"))));
}

/// It is told beside the run: one that never comes back holds up nothing.
#[tokio::test]
async fn a_slow_observer_holds_up_no_run() {
    let settings = json!({ "observe": "quiet", "observe-at": { "after-provider-response": "loop" } });
    let server = Server::start();
    let bed = Bed::new().everything("stuck", settings).time_limit("stuck", 60_000);
    let mut talk = talk(bed, &services(&server), Protocol::Gemini).await;
    let began = std::time::Instant::now();
    for _ in 0..3 {
        assert_eq!(run(&mut talk, "hi").await.error, None);
    }
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_service_that_was_not_reached_has_no_head() {
    let mut settings = services(&Server::start());
    settings.values_mut().for_each(|provider| provider.base_url = Some("http://127.0.0.1:9".to_owned()));
    let mut talk = talk(Bed::new().everything("headless", json!({})).upkeep(again(0)), &settings, Protocol::Chat).await;
    let error = run(&mut talk, "hi").await.error.unwrap();
    assert!(error.contains("Look whether http://127.0.0.1:9 can be reached"), "{error}");
    talk.close().await;
    assert_eq!(heads("headless"), Vec::<String>::new());
}
