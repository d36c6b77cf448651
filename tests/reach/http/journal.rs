//! What went out stands in the journal, and a replay sends nothing.

use seam_plugins::replay::{Kind, Said};
use seam_session::journal::Crossing;
use seam_tests::bed::Bed;
use seam_tests::recording::Recording;
use serde_json::{Value, json};

use super::server::Server;
use super::{bed, told};

/// Each request of a call: what was asked, and how it ended.
fn requests(crossing: &Crossing<'_>) -> Vec<Value> {
    let requests = crossing.host.iter().filter(|call| call.import == "wasi:http/outgoing-handler.handle");
    requests.map(|call| json!([call.arguments.value().unwrap(), call.answer.value().unwrap()])).collect()
}

async fn recorded(recording: &Recording, bed: Bed, orders: &[String]) -> Vec<Crossing<'static>> {
    let session = bed.journal(recording.journal.clone()).start().await;
    for order in orders {
        told(&session, order).await;
    }
    drop(session);
    recording.crossings()
}

#[tokio::test]
async fn each_request_stands_in_the_journal_with_its_outcome() {
    let (server, recording) = (Server::start(), Recording::new());
    let orders = [
        format!("GET {}; GET http://other.example/x", server.url("/hello?a=b")),
        format!("begin {}", server.url("/silent")),
        "nothing".to_owned(),
    ];
    let crossings = recorded(&recording, bed(&[&server.site()]), &orders).await;
    let here = format!("127.0.0.1:{}", server.port());
    let expected = [
        vec![
            json!([["GET", "http", here, "/hello?a=b"], { "ok": 200 }]),
            json!([["GET", "http", "other.example", "/x"], { "err": "HTTP request denied" }]),
        ],
        vec![json!([["GET", "http", here, "/silent"], null])],
        vec![],
    ];
    assert_eq!(crossings.iter().map(requests).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_call_that_fails_has_its_requests_in_the_journal_too() {
    let (server, recording) = (Server::start(), Recording::new());
    let order = format!("GET {}; spin", server.url("/hello"));
    let crossings = recorded(&recording, bed(&[&server.site()]), &[order]).await;
    assert_eq!(crossings.iter().map(|crossing| requests(crossing).len()).collect::<Vec<_>>(), [1]);
}

/// Such a call cannot be compared. Others of the plugin can.
#[tokio::test]
async fn a_replay_sends_nothing_and_says_what_it_cannot_compare() {
    let (server, recording) = (Server::start(), Recording::new());
    let orders = ["nothing".to_owned(), format!("GET {}", server.url("/hello")), "nothing".to_owned()];
    recorded(&recording, bed(&[&server.site()]), &orders).await;
    let sent = server.heads().len();
    let replayed = recording.replay(&bed(&[&server.site()]).load().await).await;
    assert_eq!((replayed.counts.calls, replayed.counts.same, replayed.counts.different), (3, 2, 1));
    let [difference] = &*replayed.differences else { panic!("{:?}", replayed.differences) };
    let unknown = "it reached `wasi:http/outgoing-handler.handle` then, and a replay reaches nothing";
    assert_eq!((difference.kind, &difference.now), (Kind::NotComparable, &Said::Unknown(unknown.to_owned())));
    assert_eq!((sent, server.heads().len()), (1, 1));
}
