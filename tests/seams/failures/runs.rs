//! What a failure means in a conversation: what is sent, what is stored, what the user reads.

use std::sync::Arc;

use seam_harness::{Event, Harness, Heard, NotStarted, Parts, Restore, Upkeep};
use seam_loop::message::CustomMessage;
use seam_loop::{Content, Message, Model, Ruling, StopReason};
use seam_plugins::{OnFailureRules, Word};
use seam_providers::scripted::{Script, Scripted};
use seam_tests::bed::{Bed, trail};
use seam_tests::talk::{Talk, calls, says};
use serde_json::{Value, json};

/// The seams a run asks, in their order.
const SEAMS: [&str; 8] = [
    "input",
    "before-agent-start",
    "prepare-request",
    "transform-context",
    "convert-to-llm",
    "get-api-key",
    "finish-turn",
    "prepare-next-turn",
];

/// A conversation with the plugin `p`, which fails at these seams, and `q`, which has nothing to say.
async fn talk(failing: &[&str], rules: Value) -> Talk {
    let mut settings = json!({ "observe": "quiet" });
    for seam in failing {
        settings[seam] = json!({ "do": "trap" });
    }
    let rules: OnFailureRules = serde_json::from_value(rules).unwrap();
    let mut bed = Bed::new().everything("p", settings).set("p", |set| set.on_failure = rules);
    bed = bed.everything("q", json!({ "observe": "quiet" }));
    let turns = [calls("echo", "x"), says("done"), calls("echo", "x"), says("done")];
    let talk = bed.talk(json!(turns)).await;
    talk.harness.handle().next_turn(note());
    talk
}

/// A message of `p`, so that it is asked what the model sees of it.
fn note() -> Message {
    Message::Custom(CustomMessage {
        custom_type: "p/note".to_owned(),
        content: vec![Content::text("note")],
        display: true,
        details: None,
        timestamp: 0,
    })
}

const CALL: &str = "assistant: [echo {\"text\":\"x\"}]";

fn expected_words(seam: &str) -> String {
    let failed = format!("plugin `p` failed at `{seam}`: it crashed (a panic or an abort)");
    let refuses = "This plugin was set to refuse; this is a failure, not a decision.";
    match seam {
        "input" | "before-agent-start" => format!("Nothing was sent: {failed}. {refuses}"),
        "finish-turn" | "prepare-next-turn" => format!("The run ended: {failed}. {refuses}"),
        _ => format!(
            "No request was sent: {failed}. What a plugin could not check is refused; this is a failure, not a \
             decision. To go on without this plugin, set `on-failure = \"skip\"` for it."
        ),
    }
}

/// How often the model was asked and what is stored of what was said.
#[tokio::test]
async fn a_refusal_ends_what_was_about_to_happen() {
    for seam in SEAMS {
        let mut talk = talk(&[seam], json!("refuse")).await;
        let heard = talk.say("hi").await;
        let before_the_run = matches!(seam, "input" | "before-agent-start");
        let words = match heard {
            Heard::Failed(words) if before_the_run => words,
            Heard::Ran(outcome) if !before_the_run => {
                assert_eq!(outcome.stop_reason, StopReason::Error, "{seam}");
                outcome.error.unwrap()
            }
            other => panic!("{seam}: {other:?}"),
        };
        assert_eq!(words, expected_words(seam));
        let expected = match seam {
            "input" | "before-agent-start" => vec![],
            "finish-turn" | "prepare-next-turn" => {
                vec!["user: hi", "p/note: note", CALL, "tool: x", "assistant: "]
            }
            _ => vec!["user: hi", "p/note: note", "assistant: "],
        };
        assert_eq!(talk.transcript(), expected, "{seam}");
        assert_eq!(talk.asked(), usize::from(expected.len() > 3), "{seam}");
        assert_eq!(talk.bed.echoed.lock().unwrap().len(), talk.asked(), "{seam}");
        let decided = talk.decided();
        assert!(
            matches!(&decided.last().unwrap().ruling, Ruling::Failure { refused: true, .. }),
            "{seam}: {decided:?}"
        );
        // The conversation can go on: it is asked again, and refuses again.
        let again = talk.say("hi").await;
        assert!(matches!(again, Heard::Failed(_)) == before_the_run, "{seam}: {again:?}");
    }
}

#[tokio::test]
async fn what_is_skipped_is_reported_and_the_run_is_as_without_the_plugin() {
    let expected = ["user: hi", "p/note: note", CALL, "tool: x", "assistant: done"];
    for seam in SEAMS {
        let mut talk = talk(&[seam], json!({ seam: "skip" })).await;
        talk.say("hi").await;
        assert_eq!(talk.transcript(), expected, "{seam}");
        let decided = trail(&talk.decided());
        assert!(decided.contains(&format!("p {seam} failure")), "{seam}: {decided:?}");
    }
    let mut talk = talk(&SEAMS, json!("skip")).await;
    talk.say("hi").await;
    assert_eq!(talk.transcript(), expected);
    assert_eq!(talk.last_request().messages[..2], ["user: hi", "user: note"]);
    for seam in SEAMS {
        assert!(trail(&talk.decided()).contains(&format!("p {seam} failure")), "{seam}");
    }
}

/// A gate, a rewriter and a patch that fail concern the call alone: the model reads it and the run goes on.
#[tokio::test]
async fn a_failure_at_a_tool_call_is_its_result() {
    for (seam, ran, words) in [
        ("rewrite-tool-call", 0, "tool: Not run: plugin `p` failed at `rewrite-tool-call`"),
        ("tool-call", 0, "tool: Not run: plugin `p` failed at `tool-call`"),
        ("tool-result", 1, "tool: The tool ran, but its result is withheld: plugin `p` failed at `tool-result`"),
    ] {
        let mut talk = talk(&[seam], json!({})).await;
        let Heard::Ran(outcome) = talk.say("hi").await else { panic!("it was a run") };
        assert_eq!((outcome.stop_reason, talk.asked()), (StopReason::Stop, 2), "{seam}");
        let told = &talk.transcript()[3];
        assert!(told.starts_with(words), "{told}");
        assert_eq!(talk.bed.echoed.lock().unwrap().len(), ran, "{seam}");
    }
}

/// A session that wants all its resources does not start without them.
#[tokio::test]
async fn a_refusal_of_resources_keeps_the_session_from_starting() {
    for word in [Word::Refuse, Word::Skip] {
        let bed = Bed::new().everything("p", json!({ "resources-discover": { "do": "trap" }, "observe": "quiet" }));
        let bed = bed.set("p", |settings| settings.on_failure = OnFailureRules::Everywhere(word));
        let (session, commands) = bed.start_with(Vec::new()).await;
        let parts = Parts {
            provider: Arc::new(Scripted::new(Script::from_value(json!({ "turns": [] }), "the test").unwrap())),
            dispatcher: session.dispatcher,
            commands,
            model: Model { provider: "scripted".to_owned(), id: "m".to_owned() },
            system_prompt: String::new(),
            sink: Arc::new(|_: Event| {}),
            log: None,
            restore: Restore::default(),
            upkeep: Upkeep::default(),
        };
        let refused = Harness::start(parts).await.err().map(|error| match error {
            NotStarted::Refused(refused) => refused.seam,
            other => panic!("{other}"),
        });
        assert_eq!(refused, (word == Word::Refuse).then_some("resources-discover"));
    }
}
