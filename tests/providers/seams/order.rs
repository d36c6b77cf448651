//! All four in their order, for each request.

use seam_harness::RetrySettings;
use seam_loop::StopReason;
use seam_tests::bed::Bed;
use seam_tests::models::{Block, Plan, Protocol, Said, Server, Trouble};
use seam_tests::notes;
use seam_tests::recording::Recording;
use serde_json::{Value, json};

use super::super::{again, run, services, talk};
use super::{ASKED, with};

/// Settings of a plugin that takes part in everything and notes it.
fn takes_part() -> Value {
    json!({
        "get-api-key": { "do": "key", "text": "key-of-{}" },
        "before-provider-request": { "set-header": [["x-trace", "1"]] },
        "before-provider-payload": { "do": "patch", "text": r#"[{"op": "add", "path": "/seen", "value": true}]"# },
        "tell": ASKED
    })
}

/// What a plugin noted of the four, as their names.
fn noted(plugin: &str) -> Vec<String> {
    let names = notes::take(plugin).into_iter().filter_map(|note| Some(note.split_once(": ")?.0.to_owned()));
    names.filter(|name| ASKED.contains(&&**name) || name == "after-provider-response").collect()
}

const ALL: [&str; 4] = ["get-api-key", "before-provider-request", "before-provider-payload", "after-provider-response"];

#[tokio::test]
async fn three_are_asked_then_it_is_sent_and_then_one_is_told() {
    for protocol in Protocol::ALL {
        let name = format!("order-{}", protocol.name());
        let recording = Recording::new();
        let bed = Bed::new().everything(&name, takes_part()).journal(recording.journal.clone());
        let (server, mut talk) = with(bed, protocol).await;
        notes::take(&name);
        let outcome = run(&mut talk, "hi").await;
        assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None));
        talk.close().await;
        assert_eq!(noted(&name), ALL);
        let seams: Vec<_> = recording.crossings().iter().map(|crossing| crossing.seam.to_string()).collect();
        let ours: Vec<_> = seams.iter().filter(|seam| ALL.contains(&&***seam)).collect();
        // It is asked for a key when the session begins, so that the journal hides it from there on.
        assert_eq!(ours, [&["get-api-key"][..], &ALL].concat());
        let [sent] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
        assert_eq!((sent.header("x-trace"), &sent.body["seen"]), (Some("1"), &json!(true)));
        let key = format!("key-of-{}", protocol.name());
        assert!(sent.headers.iter().any(|(_, value)| value.trim_start_matches("Bearer ") == key), "{sent:?}");
    }
}

#[tokio::test]
async fn they_are_asked_again_for_every_request_of_a_run_and_for_each_attempt() {
    for protocol in Protocol::ALL {
        let name = format!("order-again-{}", protocol.name());
        let server = Server::start();
        server.push(Plan::trouble(protocol, Trouble::Overloaded));
        server.say(protocol, &Said::new(vec![Block::call("c1", "echo", json!({ "text": "x" }))]));
        server.push(Plan::trouble(protocol, Trouble::Internal));
        let bed = Bed::new().everything(&name, takes_part()).upkeep(again(2));
        let mut talk = talk(bed, &services(&server), protocol).await;
        let outcome = run(&mut talk, "hi").await;
        assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None));
        talk.close().await;
        let requests = server.requests();
        assert_eq!(requests.len(), 4);
        assert!(requests.iter().all(|sent| sent.header("x-trace") == Some("1") && sent.body["seen"] == true));
        // Those who are told are told beside the run.
        let asked: Vec<_> = noted(&name).into_iter().filter(|seam| ASKED.contains(&&**seam)).collect();
        assert_eq!(asked, ASKED.repeat(4));
    }
}

/// A plugin that refuses is no failure of the service: nobody is asked again.
#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    let settings = json!({ "before-provider-request": { "do": "trap" }, "tell": ASKED, "observe": "quiet" });
    let server = Server::start();
    let bed = Bed::new().everything("order-refuses", settings).upkeep(again(RetrySettings::default().max));
    let mut talk = talk(bed, &services(&server), Protocol::Chat).await;
    let error = super::super::failed(&mut talk, "hi").await;
    assert!(error.starts_with("No request was sent: plugin `order-refuses` failed at `before-prov"), "{error}");
    assert_eq!(noted("order-refuses"), ["get-api-key", "before-provider-request"]);
    assert!(server.requests().is_empty());
}
