//! Services that fail, lie, stop or say nothing, and networks that do: the run ends with the whole answer, is asked
//! again, or ends with an error that says what to do. Nothing is run of an answer that is not whole.

mod boundaries;
mod calls;
mod certificates;
mod limits;
mod overflow;
mod proxies;
mod refusals;
mod streams;

use seam_harness::{Event, SessionEvent};
use seam_loop::{Message, StopReason};
use seam_tests::bed::Bed;
use seam_tests::models::{Block, Protocol, Server};
use seam_tests::talk::Talk;
use serde_json::json;

use super::{again, services, talk};

/// A server, and a conversation that asks it again up to so many times.
async fn with(protocol: Protocol, max: u32) -> (Server, Talk) {
    let server = Server::start();
    let talk = talk(Bed::new().upkeep(again(max)), &services(&server), protocol).await;
    (server, talk)
}

/// A call of the tool that says what it was told.
fn echo(id: &str, text: &str) -> Block {
    Block::call(id, "echo", json!({ "text": text }))
}

/// What the tool was told.
fn echoed(talk: &Talk) -> Vec<String> {
    talk.bed.echoed.lock().unwrap().clone()
}

/// When it was asked again: after how many milliseconds, and why.
fn retries(talk: &Talk) -> Vec<(u64, String)> {
    let events = talk.events.lock().unwrap();
    let retries = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::RetryScheduled { wait_ms, error, .. }) => Some((*wait_ms, error.clone())),
        _ => None,
    });
    retries.collect()
}

/// Why the answers ended that are stored.
fn stops(talk: &Talk) -> Vec<StopReason> {
    let messages = talk.harness.transcript().messages().iter();
    let stops = messages.filter_map(|message| match &**message {
        Message::Assistant(said) => Some(said.stop_reason),
        _ => None,
    });
    stops.collect()
}
