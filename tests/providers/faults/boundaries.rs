//! A stream that is split or cut off at every byte.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use seam_loop::{Content, ErrorKind, StopReason};
use seam_tests::models::{End, Frames, Mark, Plan, Said};

use super::super::model;
use super::super::wire::{Told, Wire, user, whole};
use super::*;

/// So many requests are under way at once.
const AT_ONCE: usize = 128;

fn said() -> Said {
    let call = Block::call("call_1", "look", json!({ "path": "日" }));
    Said::new(vec![Block::thinking("考", None), Block::text("é😀"), call]).in_pieces(2)
}

/// What came of a request: the answer, or nothing but an error.
#[derive(Debug, PartialEq)]
enum Came {
    Answer(Told),
    Error,
}

/// Plays all plans, and gives what came of each, in their order.
async fn played(protocol: Protocol, plans: impl Iterator<Item = Plan>) -> Vec<Came> {
    let wire = Arc::new(Wire::new());
    let mut count = 0;
    for plan in plans {
        wire.server.push(plan);
        count += 1;
    }
    let ask = |number: usize| {
        let wire = Arc::clone(&wire);
        tokio::spawn(async move {
            let messages = [user(vec![Content::text(format!("number {number}."))])];
            let events = wire.ask(&model(protocol), &messages, &[]).await.unwrap();
            (number, came(whole(&events)))
        })
    };
    let asked = stream::iter((0..count).map(ask)).buffer_unordered(AT_ONCE);
    let mut by_number: BTreeMap<usize, Came> = asked.map(Result::unwrap).collect().await;
    // The plans are played in the order in which the requests came.
    let requests = wire.server.requests();
    let number = |body: String| {
        let (_, behind) = body.split_once("number ").unwrap();
        behind.split_once('.').unwrap().0.parse::<usize>().unwrap()
    };
    requests.into_iter().map(|request| by_number.remove(&number(request.body.to_string())).unwrap()).collect()
}

fn came(message: &seam_loop::AssistantMessage) -> Came {
    match (message.stop_reason, message.error_kind) {
        (StopReason::Error, ErrorKind::Transient { retry_after: None }) => Came::Error,
        (StopReason::Error, other) => panic!("{other:?}: {:?}", message.error_message),
        _ => Came::Answer(Told::of(message)),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_at_any_byte_changes_nothing() {
    for protocol in Protocol::ALL {
        let plan = Plan::whole(protocol, &said());
        let expected = Came::Answer(Told::expected(protocol, &said()));
        let splits = (1..plan.body().len()).map(|at| plan.clone().split_at(at));
        for (at, came) in played(protocol, splits).await.iter().enumerate() {
            assert_eq!(came, &expected, "{protocol:?} at {}", at + 1);
        }
    }
}

/// Bug log 143: whatever is missing, it is an error and never a shorter answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_at_any_byte_is_an_error_or_comes_behind_the_whole_answer() {
    for protocol in Protocol::ALL {
        let frames = Frames::of(protocol, &said());
        let plan = frames.plan();
        let length = plan.body().len();
        let end = frames.events.iter().position(|event| event.mark == Mark::End).unwrap();
        // A line that ends with a carriage return and a line feed ends with the first of them.
        let whole_from = frames.ends()[end] - 1;
        let expected = Told::expected(protocol, &said());
        for how in [End::Clean, End::Cut] {
            let cuts = (0..=length).map(|at| plan.clone().truncated(at, how.clone()));
            let all = played(protocol, cuts).await;
            for (at, came) in all.iter().enumerate() {
                match came {
                    Came::Error => {}
                    Came::Answer(told) => {
                        assert!(at >= whole_from, "{protocol:?} {how:?} at {at} of {length}: {told:?}");
                        assert!(told.says_the_same(&expected), "{protocol:?} {how:?} at {at} of {length}: {told:?}");
                    }
                }
            }
            // The terminal event is enough: but where the end of the body is it, a connection that broke off has none.
            let is_last =
                how == End::Clean || matches!(protocol, Protocol::Anthropic | Protocol::Responses | Protocol::Chat);
            let last = Came::Answer(expected.clone());
            assert_eq!(all.last() == Some(&last), is_last, "{protocol:?} {how:?}: {:?}", all.last());
        }
    }
}
