//! Calls that come in pieces, by turns, broken, or without names.

use seam_tests::bed::wait;
use seam_tests::models::{Frames, Mark, Place, Plan, Said, Stop, Trouble};
use seam_tests::notes;
use serde_json::Value;

use super::super::run;
use super::*;

/// The results of calls in the conversation, each as its call's id and its text.
fn results(talk: &Talk) -> Vec<(String, String, bool)> {
    let messages = talk.harness.transcript().messages().iter();
    let results = messages.filter_map(|message| match &**message {
        Message::ToolResult(result) => {
            let text = result.content.iter().filter_map(|content| content.as_text()).collect();
            Some((result.tool_call_id.clone(), text, result.is_error))
        }
        _ => None,
    });
    results.collect()
}

/// Bug log 142.
#[tokio::test]
async fn no_call_of_an_answer_that_is_cut_off_runs_and_the_model_is_told() {
    for protocol in Protocol::ALL {
        let half = Block::raw_call("call_2", "echo", r#"{"text":"half"#);
        let said = Said::new(vec![Block::text("I say it."), echo("call_1", "whole"), half]).stopping(Stop::Length);
        let (server, mut talk) = with(protocol, 0).await;
        server.say(protocol, &said);
        server.say(protocol, &Said::new(vec![echo("call_3", "again")]));
        server.say(protocol, &Said::text("Well."));
        let outcome = run(&mut talk, "go").await;
        assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{protocol:?}");
        assert_eq!(echoed(&talk), ["again"], "{protocol:?}");
        let results = results(&talk);
        // In Gemini half a call does not come at all.
        let cut = if protocol == Protocol::Gemini { vec!["call_1"] } else { vec!["call_1", "call_2"] };
        let failed: Vec<&str> = results.iter().filter(|result| result.2).map(|result| &*result.0).collect();
        assert_eq!(failed, cut, "{protocol:?}: {results:?}");
        let body = server.body(1).to_string();
        for (id, text, _) in results.iter().filter(|result| result.2) {
            let quoted = json!(text).to_string();
            assert!(body.contains(id) && body.contains(quoted.trim_matches('"')), "{protocol:?}: {body}");
        }
        assert_eq!(stops(&talk), [StopReason::Length, StopReason::ToolUse, StopReason::Stop]);
    }
}

/// Bug log 148.
#[tokio::test]
async fn pieces_of_two_calls_by_turns_are_two_calls() {
    for protocol in Protocol::ALL {
        let said = Said::new(vec![echo("call_1", "alpha, the first"), echo("call_2", "beta")]).in_pieces(6).mixed();
        let (server, mut talk) = with(protocol, 0).await;
        server.say(protocol, &said);
        server.say(protocol, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None);
        let told = |id: &str, text: &str| (id.to_owned(), text.to_owned(), false);
        assert_eq!(results(&talk), [told("call_1", "alpha, the first"), told("call_2", "beta")], "{protocol:?}");
    }
}

/// The pieces of calls in chat, changed.
fn pieces(said: &Said, change: impl Fn(&mut Value)) -> Plan {
    let frames = Frames::of(Protocol::Chat, said).map(|data| match serde_json::from_str::<Value>(data) {
        Ok(mut value) => {
            if let Some(calls) = value.pointer_mut("/choices/0/delta/tool_calls").and_then(Value::as_array_mut) {
                calls.iter_mut().for_each(&change);
            }
            value.to_string()
        }
        Err(_) => data.to_owned(),
    });
    frames.plan()
}

/// Bug log 148, as services do that speak chat in a way of their own.
#[tokio::test]
async fn calls_without_an_index_or_with_the_same_one_are_two_calls() {
    let said = Said::new(vec![echo("call_1", "alpha"), echo("call_2", "beta")]).in_pieces(4);
    let no_index = pieces(&said, |call| drop(call.as_object_mut().unwrap().remove("index")));
    let same_index = pieces(&said, |call| call["index"] = json!(0));
    for plan in [no_index, same_index] {
        let (server, mut talk) = with(Protocol::Chat, 0).await;
        server.push(plan);
        server.say(Protocol::Chat, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None);
        let told = |id: &str, text: &str| (id.to_owned(), text.to_owned(), false);
        assert_eq!(results(&talk), [told("call_1", "alpha"), told("call_2", "beta")]);
    }
}

/// Bug log 149: nothing runs while the answer goes on, though a call is complete and another one has begun.
#[tokio::test]
async fn nothing_runs_before_the_answer_is_whole() {
    for protocol in Protocol::ALL {
        let said = Said::new(vec![echo("call_1", "alpha"), echo("call_2", "beta")]).in_pieces(4).mixed();
        let frames = Frames::of(protocol, &said);
        let last = frames.events.iter().rposition(|event| event.mark == Mark::Arguments).unwrap();
        let at = frames.ends()[last];
        let (server, mut talk) = with(protocol, 0).await;
        server.push(frames.plan().pause_at(at, std::time::Duration::from_millis(150)));
        let echoes = std::sync::Arc::clone(&talk.bed.echoed);
        let meanwhile = async {
            server.asked(1).await;
            server.sent(0, at as u64).await;
            wait(60).await;
            echoes.lock().unwrap().len()
        };
        let (outcome, ran) = tokio::join!(run(&mut talk, "go"), meanwhile);
        assert_eq!((outcome.error, ran), (None, 0), "{protocol:?}");
        assert_eq!(echoed(&talk), ["alpha", "beta"], "{protocol:?}");
    }
}

/// Bug log 112, 142, 143 and 145: of a call that is not whole no plugin is asked, whatever its arguments look like.
#[tokio::test]
async fn no_plugin_is_asked_about_a_call_that_is_not_whole() {
    for protocol in Protocol::ALL {
        let whole = || Said::new(vec![echo("call_1", "begun")]);
        let broken = Said::new(vec![Block::raw_call("call_1", "echo", r#"{"text":"half"#)]);
        for (number, plan) in [
            Frames::of(protocol, &whole()).error(Place::HalfCall, Trouble::Overloaded).plan(),
            Frames::of(protocol, &whole()).until(Place::End).plan(),
            Plan::whole(protocol, &whole().stopping(Stop::Length)),
            Plan::whole(protocol, &broken),
            Plan::whole(protocol, &whole()),
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("asked-{}-{number}", protocol.name());
            let tells = json!({ "tell": ["rewrite-tool-call", "tool-call"], "observe": "quiet" });
            let server = Server::start();
            let bed = Bed::new().everything(&name, tells).upkeep(again(1));
            let mut talk = talk(bed, &services(&server), protocol).await;
            server.push(plan);
            server.say(protocol, &Said::text("Well."));
            assert_eq!(run(&mut talk, "go").await.error, None, "{name}");
            // The last one is whole.
            let asked = if number == 4 { 2 } else { 0 };
            assert_eq!((notes::take(&name).len(), echoed(&talk).len()), (asked, asked / 2), "{name}");
        }
    }
}

/// Bug log 112. In Gemini arguments are JSON, or there is no call.
#[tokio::test]
async fn arguments_that_are_no_json_are_kept_and_the_model_is_told() {
    let broken = [r#"{"text":"half"#, "{'text': 'single'}", r#"{"text": "comma",}"#, r#"{"text":"one"}{"text":"two"}"#];
    for protocol in [Protocol::Anthropic, Protocol::Chat, Protocol::Responses] {
        for arguments in broken {
            let (server, mut talk) = with(protocol, 0).await;
            server.say(protocol, &Said::new(vec![Block::raw_call("call_1", "echo", arguments)]));
            server.say(protocol, &Said::text("Well."));
            assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
            assert!(echoed(&talk).is_empty(), "{protocol:?} {arguments}");
            let [(_, text, true)] = &results(&talk)[..] else { panic!("{:?}", results(&talk)) };
            assert!(text.contains("not valid JSON") && text.contains(arguments), "{text}");
            let sent = server.body(1).to_string();
            let quoted = json!(arguments).to_string();
            assert!(sent.contains(quoted.trim_matches('"')), "{protocol:?}: {sent}");
        }
    }
}

/// Bug log 110: no arguments at all are none, in every way to say so.
#[tokio::test]
async fn no_arguments_are_an_empty_object_and_a_list_is_a_fault() {
    for protocol in [Protocol::Anthropic, Protocol::Chat, Protocol::Responses] {
        for nothing in ["", "null", "{}"] {
            let (server, mut talk) = with(protocol, 0).await;
            server.say(protocol, &Said::new(vec![Block::raw_call("call_1", "ls", nothing)]));
            server.say(protocol, &Said::text("Well."));
            assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
            let [(_, text, false)] = &results(&talk)[..] else { panic!("{nothing}: {:?}", results(&talk)) };
            assert!(!text.is_empty());
        }
        let (server, mut talk) = with(protocol, 0).await;
        server.say(protocol, &Said::new(vec![Block::raw_call("call_1", "ls", "[]")]));
        server.say(protocol, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
        let [(_, text, true)] = &results(&talk)[..] else { panic!("{:?}", results(&talk)) };
        assert!(text.contains("object"), "{text}");
    }
}

/// Bug log 106: a call that names no tool runs nothing, and the conversation goes on.
#[tokio::test]
async fn a_call_without_a_name_runs_nothing_and_the_conversation_goes_on() {
    for protocol in Protocol::ALL {
        let (server, mut talk) = with(protocol, 1).await;
        server.say(protocol, &Said::new(vec![Block::call("", "", json!({ "text": "x" }))]));
        server.say(protocol, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
        assert!(echoed(&talk).is_empty());
        server.say(protocol, &Said::new(vec![echo("call_1", "y")]));
        assert_eq!(run(&mut talk, "and?").await.error, None, "{protocol:?}");
        assert_eq!(echoed(&talk), ["y"], "{protocol:?}");
        assert!(!server.requests().last().unwrap().body.to_string().contains(r#""name":"""#), "{protocol:?}");
    }
}

/// Bug log 107.
#[tokio::test]
async fn calls_without_ids_get_their_own() {
    for protocol in Protocol::ALL {
        let call = |text: &str| match echo("", text) {
            Block::Call { name, arguments, .. } => Block::Call { id: None, name, arguments },
            other => other,
        };
        let (server, mut talk) = with(protocol, 0).await;
        server.say(protocol, &Said::new(vec![call("alpha"), call("beta")]));
        server.say(protocol, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
        let results = results(&talk);
        let texts: Vec<&str> = results.iter().map(|result| &*result.1).collect();
        assert_eq!(texts, ["alpha", "beta"], "{protocol:?}");
        assert!(!results[0].0.is_empty() && results[0].0 != results[1].0, "{results:?}");
        for (id, _, _) in &results {
            assert_eq!(server.body(1).to_string().matches(&format!("\"{id}\"")).count(), 2, "{protocol:?} {id}");
        }
    }
}
