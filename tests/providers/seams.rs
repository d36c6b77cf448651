//! The seams between a run and a provider's service: who is asked, in which order, and what reaches the service.

mod aborts;
mod elsewhere;
mod failures;
mod headers;
mod order;
mod payload;
mod responses;

use seam_tests::bed::Bed;
use seam_tests::models::{Protocol, Server};
use seam_tests::talk::Talk;
use serde_json::{Value, json};

use super::{again, services, talk};

/// The seams that decide about a request to a service, in their order.
const ASKED: [&str; 3] = ["get-api-key", "before-provider-request", "before-provider-payload"];

/// A server, and a conversation with the model of this protocol that it plays. Nothing is asked again.
async fn with(bed: Bed, protocol: Protocol) -> (Server, Talk) {
    let server = Server::start();
    let talk = talk(bed.upkeep(again(0)), &services(&server), protocol).await;
    (server, talk)
}

/// Settings of a plugin that does this at a seam and watches nothing.
fn does(seam: &str, deed: Value) -> Value {
    json!({ seam: deed, "observe": "quiet" })
}
