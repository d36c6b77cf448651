//! A session that goes on with another provider.

use std::collections::BTreeSet;

use seam_harness::Heard;
use seam_harness::seams::{Said as Prompt, Source};
use seam_loop::{CancellationToken, Content, StopReason};
use seam_tests::bed::Bed;
use seam_tests::models::conversations::{PICTURE, SIGNATURE};
use seam_tests::models::{Block, Protocol, Said, Server};
use seam_tests::talk::Talk;
use serde_json::{Value, json};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{again, model, run, services, talk};

/// Ids as some services give them, which others refuse (bug log 109).
fn odd_id(protocol: Protocol) -> String {
    match protocol {
        Protocol::Anthropic => "toolu_01:x.y".to_owned(),
        Protocol::Chat => "ns.echo:0".to_owned(),
        Protocol::Responses => format!("call|{}", "x".repeat(400)),
        Protocol::Gemini => "echo é".to_owned(),
    }
}

/// Asks with a picture. The model thinks, calls a tool, and answers.
async fn turn(server: &Server, talk: &mut Talk, protocol: Protocol) {
    let thought = Block::thinking(&format!("thought of {protocol:?}"), Some(SIGNATURE));
    let call = Block::call(&odd_id(protocol), "echo", json!({ "text": format!("told by {protocol:?}") }));
    server.say(protocol, &Said::new(vec![thought, call]));
    server.say(protocol, &Said::text(&format!("answer of {protocol:?}")));
    let text = format!("prompt for {protocol:?}");
    let images = vec![Content::Image { data: PICTURE.to_vec(), mime_type: "image/png".to_owned() }];
    let said = Prompt { text, images, source: Source::User };
    match talk.harness.say(said, &CancellationToken::new()).await {
        Heard::Ran(outcome) => assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None)),
        other => panic!("{other:?}"),
    }
}

fn count(body: &Value, text: &str) -> usize {
    body.to_string().matches(text).count()
}

/// The ids of calls and those of results in a body.
fn ids(protocol: Protocol, body: &Value) -> (Vec<String>, Vec<String>) {
    let mut found = (Vec::new(), Vec::new());
    collect(protocol, body, &mut found);
    found
}

fn collect(protocol: Protocol, value: &Value, found: &mut (Vec<String>, Vec<String>)) {
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    match value {
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            match protocol {
                Protocol::Anthropic if kind == Some("tool_use") => found.0.push(id(&fields["id"])),
                Protocol::Anthropic if kind == Some("tool_result") => found.1.push(id(&fields["tool_use_id"])),
                Protocol::Chat if kind == Some("function") && fields.contains_key("id") => {
                    found.0.push(id(&fields["id"]))
                }
                Protocol::Chat if fields.contains_key("tool_call_id") => found.1.push(id(&fields["tool_call_id"])),
                Protocol::Responses if kind == Some("function_call") => found.0.push(id(&fields["call_id"])),
                Protocol::Responses if kind == Some("function_call_output") => found.1.push(id(&fields["call_id"])),
                Protocol::Gemini if fields.contains_key("functionCall") => {
                    found.0.push(id(&fields["functionCall"]["id"]))
                }
                Protocol::Gemini if fields.contains_key("functionResponse") => {
                    found.1.push(id(&fields["functionResponse"]["id"]));
                }
                _ => {}
            }
            fields.values().for_each(|value| collect(protocol, value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(protocol, value, found)),
        _ => {}
    }
}

/// What a service is told of turns of these: all of what was said, calls with their results, under ids that it takes,
/// and reasoning and its proof of nobody but itself.
fn is_told(protocol: Protocol, body: &Value, before: &[Protocol]) {
    let at = format!("{before:?} and then {protocol:?}: {body:#}");
    for other in before {
        assert_eq!(count(body, &format!("prompt for {other:?}")), 1, "{at}");
        assert_eq!(count(body, &format!("answer of {other:?}")), 1, "{at}");
        // In the call and in its result.
        assert_eq!(count(body, &format!("told by {other:?}")), 2, "{at}");
        if *other != protocol {
            assert_eq!(count(body, &format!("thought of {other:?}")), 0, "{at}");
        }
    }
    let own = before.iter().filter(|other| **other == protocol && protocol != Protocol::Chat).count();
    assert_eq!(count(body, SIGNATURE), own, "{at}");
    assert_eq!(count(body, &STANDARD.encode(PICTURE)), before.len() + 1, "{at}");
    let (calls, results) = ids(protocol, body);
    assert_eq!((calls.len(), &calls), (before.len(), &results), "{at}");
    assert_eq!(calls.iter().collect::<BTreeSet<_>>().len(), calls.len(), "{at}");
    for id in &calls {
        let fits = id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        assert!(fits, "{id}: {at}");
    }
}

/// Holds one session over these, a turn each, and looks at what each is told of the turns before.
async fn over(protocols: &[Protocol]) {
    let server = Server::start();
    let mut talk = talk(Bed::new().upkeep(again(0)), &services(&server), protocols[0]).await;
    for (number, protocol) in protocols.iter().enumerate() {
        talk.harness.set_model(model(*protocol));
        turn(&server, &mut talk, *protocol).await;
        let requests = server.requests();
        let first = &requests[2 * number];
        assert_eq!((requests.len(), first.protocol), (2 * number + 2, Some(*protocol)));
        is_told(*protocol, &first.body, &protocols[..number]);
    }
    assert_eq!(talk.bed.echoed.lock().unwrap().len(), protocols.len());
}

#[tokio::test]
async fn one_session_goes_on_over_any_two_providers_and_back() {
    for first in Protocol::ALL {
        for second in Protocol::ALL {
            if first != second {
                over(&[first, second]).await;
            }
        }
    }
}

#[tokio::test]
async fn one_session_goes_on_over_all_four() {
    over(&Protocol::ALL).await;
    let backwards: Vec<_> = Protocol::ALL.into_iter().rev().collect();
    over(&backwards).await;
}

/// A call that has no result, because the run ended before it, gets one.
#[tokio::test]
async fn a_call_that_was_aborted_is_answered_for_every_provider() {
    for first in Protocol::ALL {
        for second in Protocol::ALL {
            let server = Server::start();
            let mut talk = talk(Bed::new().upkeep(again(0)), &services(&server), first).await;
            let slow = Block::call("call_1", "bash", json!({ "command": "sleep 30" }));
            server.say(first, &Said::new(vec![slow, Block::call("call_2", "echo", json!({ "text": "x" }))]));
            let abort = CancellationToken::new();
            let aborting = async {
                server.asked(1).await;
                tokio::time::sleep(std::time::Duration::from_millis(150)).await;
                abort.cancel();
            };
            tokio::join!(talk.say_until("go", &abort), aborting);
            talk.harness.set_model(model(second));
            server.say(second, &Said::text("Well."));
            assert_eq!(run(&mut talk, "and?").await.error, None);
            let (calls, results) = ids(second, &server.body(1));
            assert_eq!((calls.len(), &calls), (2, &results), "{first:?} {second:?}: {:#}", server.body(1));
        }
    }
}
