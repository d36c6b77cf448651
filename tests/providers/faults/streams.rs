//! Faults in the middle of a stream, with a harness: what is asked again, what is stored, and that nothing is run.

use seam_tests::models::{Frames, Mark, Place, Plan, Said, Stop, Trouble, chat};
use serde_json::Value;

use super::super::run;
use super::*;

/// A text and a call.
fn said() -> Said {
    Said::new(vec![Block::text("I begin."), echo("call_1", "begun")])
}

/// The run is asked again once, for this reason; nothing was run, and what was half said is no part of the
/// conversation.
async fn is_asked_again(protocol: Protocol, plan: Plan, why: &str) {
    let (server, mut talk) = with(protocol, 3).await;
    server.push(plan);
    server.say(protocol, &Said::new(vec![echo("call_1", "done")]));
    server.say(protocol, &Said::text("Well."));
    let outcome = run(&mut talk, "go").await;
    let told = format!("{protocol:?}: {outcome:?} {:?}", retries(&talk));
    assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{told}");
    let [(1, error)] = &retries(&talk)[..] else { panic!("{told}") };
    assert!(error.starts_with(&format!("{}: ", protocol.name())) && error.contains(why), "{told}");
    assert_eq!(echoed(&talk), ["done"], "{told}");
    assert_eq!(stops(&talk), [StopReason::Error, StopReason::ToolUse, StopReason::Stop], "{told}");
    let last = talk.last_request().messages;
    assert_eq!(last, ["user: go", r#"assistant: [echo {"text":"done"}]"#, "tool: done"]);
    assert_eq!(server.body(1), server.body(0));
    assert!(!server.body(2).to_string().contains("begun"));
}

const PLACES: [Place; 3] = [Place::Start, Place::Text, Place::HalfCall];

/// Bug log 145.
#[tokio::test]
async fn an_overload_within_a_stream_is_asked_again_wherever_it_comes() {
    for protocol in Protocol::ALL {
        for place in PLACES {
            let plan = Frames::of(protocol, &said()).error(place, Trouble::Overloaded).plan();
            is_asked_again(protocol, plan, "verloaded").await;
        }
    }
}

#[tokio::test]
async fn a_failure_within_a_stream_is_asked_again_and_a_limit_too() {
    for protocol in Protocol::ALL {
        for (trouble, why) in [(Trouble::Internal, "err"), (Trouble::RateLimited, "")] {
            let mut frames = Frames::of(protocol, &said()).error(Place::HalfCall, trouble);
            // Gemini says in the body to wait 2.5 s.
            frames = frames.replace("2.5s", "0.001s");
            is_asked_again(protocol, frames.plan(), why).await;
        }
    }
}

/// OpenRouter says so in the choice, with a reason of its own for the end.
#[tokio::test]
async fn an_answer_that_a_service_behind_the_service_broke_off_is_asked_again() {
    for place in PLACES {
        let mut frames = Frames::of(Protocol::Chat, &said()).until(place);
        frames.events.push(chat::broken_off(502, "Provider disconnected unexpectedly"));
        is_asked_again(Protocol::Chat, frames.plan(), "Provider disconnected unexpectedly").await;
    }
}

/// It would refuse again. A harness that asks again gets the user into trouble.
#[tokio::test]
async fn a_model_that_refuses_is_not_asked_again_and_nothing_is_run() {
    let mut told = Vec::new();
    for protocol in Protocol::ALL {
        let (server, mut talk) = with(protocol, 3).await;
        server.say(protocol, &said().stopping(Stop::Refusal));
        told.push(run(&mut talk, "go").await.error.unwrap());
        assert_eq!((server.requests().len(), echoed(&talk).len()), (1, 0), "{protocol:?}");
        server.say(protocol, &Said::text("Here."));
        assert_eq!(run(&mut talk, "something else").await.error, None);
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    anthropic-messages: the model refuses to answer. Ask otherwise, take back what it refuses, or choose another model
    openai-chat: the model refuses to answer: the service's filter does not let its answer through. Ask otherwise, take back what it refuses, or choose another model
    openai-responses: the model refuses to answer: its service's content filter stopped the answer. Ask otherwise, take back what it refuses, or choose another model
    gemini: the model refuses to answer (SAFETY). Ask otherwise, take back what it refuses, or choose another model
    "#);
}

/// Bug log 147.
#[tokio::test]
async fn an_error_frame_that_does_not_say_which_is_asked_again() {
    for protocol in Protocol::ALL {
        for place in PLACES {
            let plan = Frames::of(protocol, &said()).bare_error(place).plan();
            is_asked_again(protocol, plan, "it reports an error and does not say which").await;
        }
    }
}

/// Bug log 143.
#[tokio::test]
async fn a_stream_without_its_end_is_asked_again() {
    let truncated = "the response ended before the answer was complete";
    for protocol in Protocol::ALL {
        for plan in [
            Frames::of(protocol, &said()).until(Place::End).plan(),
            Frames::of(protocol, &said()).until(Place::HalfCall).plan(),
            Frames::of(protocol, &said()).until(Place::Start).plan(),
            Frames::of(protocol, &said()).without(Mark::End).plan(),
        ] {
            is_asked_again(protocol, plan, truncated).await;
        }
    }
    // No end of the call, and then that of the answer.
    let no_end = Frames::of(Protocol::Responses, &said()).without(Mark::BlockEnd).plan();
    is_asked_again(Protocol::Responses, no_end, "the answer ended before a call in it was complete").await;
}

/// What would be the same again is not asked again.
#[tokio::test]
async fn a_wrong_key_within_a_stream_ends_the_run() {
    for protocol in Protocol::ALL {
        let (server, mut talk) = with(protocol, 3).await;
        server.push(Frames::of(protocol, &said()).error(Place::HalfCall, Trouble::WrongKey).plan());
        let error = run(&mut talk, "go").await.error.unwrap();
        assert!(error.contains(". It wants a key: set `key-env`"), "{error}");
        assert_eq!((server.requests().len(), retries(&talk).len(), echoed(&talk).len()), (1, 0, 0), "{protocol:?}");
    }
}

/// Bug log 150.
#[tokio::test]
async fn an_event_without_an_end_is_cut_off() {
    for protocol in Protocol::ALL {
        for endless in [Plan::endless_line, Plan::endless_event, Plan::endless_comments] {
            let (server, mut talk) = with(protocol, 0).await;
            server.push(endless(Frames::of(protocol, &said()).until(Place::Text).plan()));
            let error = run(&mut talk, "go").await.error.unwrap();
            assert_eq!(error, format!("{}: it sent more than 16 MiB that are no event", protocol.name()));
            server.gone(0).await;
            assert!(server.requests()[0].sent < 64 << 20, "{}", server.requests()[0].sent);
        }
    }
}

/// Whether there is an empty text or list in what is sent: most services refuse it.
fn has_nothing_in_it(body: &Value) -> bool {
    let body = body.to_string();
    [r#""content":"""#, r#""content":[]"#, r#""text":"""#, r#""parts":[]"#].iter().any(|empty| body.contains(empty))
}

/// Bug log 151.
#[tokio::test]
async fn an_empty_answer_behind_a_result_ends_the_turn_and_is_not_sent_again() {
    for protocol in Protocol::ALL {
        for empty in [vec![], vec![Block::text("\n\n")]] {
            let (server, mut talk) = with(protocol, 0).await;
            server.say(protocol, &Said::new(vec![echo("call_1", "x")]));
            server.say(protocol, &Said::new(empty));
            server.say(protocol, &Said::text("Hello."));
            let outcome = run(&mut talk, "go").await;
            assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{protocol:?}");
            let outcome = run(&mut talk, "and?").await;
            assert_eq!((outcome.stop_reason, outcome.error), (StopReason::Stop, None), "{protocol:?}");
            let body = server.body(2);
            assert!(!has_nothing_in_it(&body), "{protocol:?}: {body:#}");
            assert_eq!((server.requests().len(), echoed(&talk).len()), (3, 1));
        }
    }
}

/// Bug log 96.
#[tokio::test]
async fn half_a_surrogate_pair_in_text_and_arguments_becomes_a_character_that_can_be_sent() {
    for protocol in Protocol::ALL {
        let (server, mut talk) = with(protocol, 0).await;
        let said = Said::new(vec![Block::text("say HALF"), echo("call_1", "xHALFy")]).in_pieces(1);
        server.push(Frames::of(protocol, &said).replace("HALF", "\\ud83d").plan());
        // Within the arguments, which are JSON in a string.
        let within = Said::new(vec![echo("call_2", "pHALFq")]).in_pieces(1);
        let escape = if protocol == Protocol::Gemini { "\\ud83d" } else { "\\\\ud83d" };
        server.push(Frames::of(protocol, &within).replace("HALF", escape).plan());
        server.say(protocol, &Said::text("Well."));
        assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
        assert_eq!(echoed(&talk), ["x\u{fffd}y", "p\u{fffd}q"], "{protocol:?}");
        assert!(server.body(2).to_string().contains("say \u{fffd}"));
    }
}
