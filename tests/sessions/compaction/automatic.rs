//! It happens by itself when the conversation is nearly too long.

use seam_harness::{CompactionSettings, Event, SessionEvent, Upkeep};
use seam_loop::AgentEvent;
use seam_tests::bed::Bed;
use seam_tests::talk::{entries, says};
use serde_json::{Value, json};

use super::{SUMMARISED, asked, compact, compactions, long, notices, place, ran, resumed, short, small, two_turns};

/// What was told of runs and compactions, in order.
fn told(talk: &seam_tests::talk::Talk) -> Vec<&'static str> {
    let events = talk.events.lock().unwrap();
    let words = events.iter().filter_map(|event| match event {
        Event::Agent(AgentEvent::AgentStart) => Some("run"),
        Event::Agent(AgentEvent::ToolExecutionEnd { .. }) => Some("call"),
        Event::Agent(AgentEvent::TurnStart { .. }) => Some("turn"),
        Event::Session(SessionEvent::SessionCompact { .. }) => Some("compaction"),
        _ => None,
    });
    words.collect()
}

/// A turn of so many calls of `echo`.
fn calls(texts: &[String]) -> Value {
    let call = |(number, text): (usize, &String)| json!({ "toolCall": { "id": format!("c{number}"), "name": "echo", "args": { "text": text } } });
    json!({ "content": texts.iter().enumerate().map(call).collect::<Vec<_>>() })
}

#[tokio::test]
async fn before_a_prompt_that_would_make_it_too_long() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[says("A"), says("third")]).await;
    ran(talk.say(&long("three", 401)).await);
    assert_eq!(told(&talk), ["run", "turn", "run", "turn", "compaction", "run", "turn"]);
    assert_eq!(asked(&talk), [SUMMARISED, "user: two           ", "assistant: second   ", "user: three         "]);
    assert_eq!(notices(&talk), Vec::<String>::new());
    talk.close().await;
    assert_eq!(resumed(&file).await.len(), 6);
    // Not before it would.
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[says("third")]).await;
    ran(talk.say(&long("three", 400)).await);
    assert_eq!(compactions(&file).len(), 0);
}

/// Bug log 89 and 91: the batch is whole, before and after.
#[tokio::test]
async fn between_two_turns_of_a_run_with_every_call_and_its_result() {
    let texts = ["a", "b", "c"].map(|word| long(word, 85));
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[calls(&texts), says("A"), says("B"), says("third")]).await;
    ran(talk.say("three").await);
    assert_eq!(
        told(&talk),
        ["run", "turn", "run", "turn", "run", "turn", "call", "call", "call", "compaction", "turn"]
    );
    let shown = asked(&talk);
    assert_eq!(shown[0], SUMMARISED);
    assert!(shown[1].starts_with("assistant: [echo") && shown.len() == 5, "{shown:?}");
    assert_eq!(shown[2..], ["tool: a             ", "tool: b             ", "tool: c             "]);
    assert_eq!(short(&talk.transcript()).len(), 6);
    assert_eq!(talk.bed.echoed.lock().unwrap().len(), 3);
    let written = entries(&file);
    let compaction = written.iter().position(|entry| entry == "compaction").unwrap();
    assert_eq!(written[compaction - 3..], ["toolResult", "toolResult", "toolResult", "compaction", "assistant"]);
    talk.close().await;
    let again = resumed(&file).await;
    assert_eq!((&again[..5], again.len()), (&shown[..], 7));
}

/// Bug log 88.
#[tokio::test]
async fn results_that_alone_are_too_long_are_summarised_with_their_calls() {
    let texts = ["a", "b", "c", "d"].map(|word| long(word, 220));
    let (_folder, file) = place();
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, json!([calls(&texts), says("A"), says("done")])).await;
    ran(talk.say("one").await);
    assert_eq!(told(&talk), ["run", "turn", "call", "call", "call", "call", "compaction", "turn"]);
    assert_eq!((asked(&talk), notices(&talk)), (vec![SUMMARISED.to_owned()], vec![]));
    let written = compactions(&file).remove(0);
    assert_eq!(written["firstKeptEntryId"], written["id"]);
    talk.close().await;
    assert_eq!(short(&resumed(&file).await), [SUMMARISED, "assistant: done", "user: on"]);
}

#[tokio::test]
async fn a_message_that_is_much_longer_than_what_is_to_be_kept_is_summarised_too() {
    let (_folder, file) = place();
    let turns = [says(&long("first", 60)), says("second"), says("A"), says("third")];
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, json!(turns)).await;
    ran(talk.say(&long("one", 580)).await);
    ran(talk.say("two").await);
    ran(talk.say(&long("three", 200)).await);
    let shown = ["assistant: first    ", "user: two", "assistant: second", "user: three         "];
    assert_eq!((&asked(&talk)[1..], notices(&talk)), (&shown.map(str::to_owned)[..], vec![]));
    assert_eq!(talk.asked(), 4);
    talk.close().await;
    assert_eq!(resumed(&file).await.len(), 7);
}

#[tokio::test]
async fn an_answer_that_alone_is_too_long_is_summarised_too() {
    let (_folder, file) = place();
    let turns = [says(&long("first", 790)), says("A"), says("second")];
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, json!(turns)).await;
    ran(talk.say("one").await);
    ran(talk.say(&long("two", 100)).await);
    assert_eq!(
        (asked(&talk), notices(&talk)),
        (vec![SUMMARISED.to_owned(), "user: two           ".to_owned()], vec![])
    );
}

/// Bug log 88: never for ever.
#[tokio::test]
async fn what_stays_too_long_is_not_compacted_again_until_it_has_grown() {
    let (_folder, file) = place();
    let turns = [says("A"), says("third"), says("fourth"), says("B"), says("C"), says("fifth")];
    let mut talk = two_turns(&file, Bed::new(), &turns).await;
    // The summary makes room, but not enough for this.
    ran(talk.say(&long("three", 700)).await);
    let told_once = notices(&talk);
    assert_eq!(told_once.len(), 1, "{told_once:?}");
    let expected = "more than 800 of the 1000 that the model can read are too many. It goes on as it is, and is compacted \
                    again when it has become longer";
    assert!(told_once[0].starts_with("after its compaction the conversation still has 9"), "{told_once:?}");
    assert!(told_once[0].ends_with(expected), "{told_once:?}");
    // Nothing more happens for a little more.
    ran(talk.say("four").await);
    assert_eq!((notices(&talk).len(), compactions(&file).len()), (1, 1));
    // But for much more.
    ran(talk.say(&long("five", 780)).await);
    assert_eq!((notices(&talk).len(), compactions(&file).len()), (2, 2));
    assert_eq!(talk.asked(), 8);
}

#[tokio::test]
async fn what_goes_wrong_is_told_and_the_conversation_goes_on() {
    let (_folder, file) = place();
    let cancels = json!({ "session-before-compact": { "do": "cancel", "text": "no" }, "observe": "quiet" });
    let bed = Bed::new().everything("p", cancels);
    let mut talk = two_turns(&file, bed, &[says("third"), says("fourth")]).await;
    ran(talk.say(&long("three", 450)).await);
    ran(talk.say("four").await);
    assert_eq!(
        notices(&talk),
        [
            "the conversation has 850 tokens. Compaction cancelled: plugin `p` cancelled it: no; more than 800 of the 1000 \
          that the model can read are too many. It goes on as it is, and is compacted again when it has become longer"
        ]
    );
    assert_eq!(compactions(&file).len(), 0);
}

/// What a provider counted goes before guesses, and what it counted of the conversation before it was shortened does not
/// count.
#[tokio::test]
async fn what_the_provider_counted_is_what_counts() {
    let counted = |text: &str, input: u32| json!({ "content": [{ "text": text }], "usage": { "input": input } });
    let turns = [
        counted("first", 100),
        counted(&long("second", 10), 801),
        says("A"),
        counted("third", 300),
        counted("fourth", 300),
    ];
    let upkeep = Upkeep { compaction: CompactionSettings { keep_recent_tokens: 20, ..small().compaction }, ..small() };
    let (_folder, file) = place();
    let mut talk = Bed::new().upkeep(upkeep).talk_in(&file, json!(turns)).await;
    ran(talk.say(&long("one", 50)).await);
    ran(talk.say(&long("two", 10)).await);
    ran(talk.say("three").await);
    assert_eq!(compactions(&file).len(), 1);
    assert_eq!(compactions(&file)[0]["tokensBefore"], 801);
    // The second answer is kept, and 801 is not counted again: neither now nor in another process.
    ran(talk.say("four").await);
    assert_eq!(compactions(&file).len(), 1);
    talk.close().await;
    assert_eq!(resumed(&file).await.len(), 8);
    assert_eq!(compactions(&file).len(), 1);
}

#[tokio::test]
async fn when_it_is_switched_off_it_does_not_happen() {
    let off = Upkeep { compaction: CompactionSettings { enabled: false, ..small().compaction }, ..small() };
    let (_folder, file) = place();
    let too_long = json!({ "error": { "message": "It is too long.", "kind": "overflow" } });
    let mut talk = Bed::new()
        .upkeep(off)
        .talk_in(&file, json!([says("first"), says("second"), too_long, says("A"), says("B")]))
        .await;
    ran(talk.say(&long("one", 900)).await);
    ran(talk.say(&long("two", 900)).await);
    let heard = talk.say("three").await;
    let expected = "It is too long. The conversation was not made shorter: compaction is switched off in the settings. Begin \
                    a new session, choose a model that can read more, or say less at once";
    assert!(
        matches!(&heard, seam_harness::Heard::Ran(outcome) if outcome.error.as_deref() == Some(expected)),
        "{heard:?}"
    );
    assert_eq!((compactions(&file).len(), talk.asked()), (0, 3));
    // The user can ask for it.
    assert!(compact(&mut talk, None).await.unwrap().starts_with("A\n\n---\n\n"));
}

/// What a plugin has the model shown until the run ends is not shown again by a compaction within the run.
#[tokio::test]
async fn what_a_plugin_hides_until_the_run_ends_stays_hidden() {
    let settings = json!({
        "prepare-request": { "turn": 1, "drop": [[0, 1]], "scope": "run" }, "observe": "quiet"
    });
    let texts = ["a", "b"].map(|word| long(word, 400));
    let (_folder, file) = place();
    let bed = Bed::new().everything("p", settings).upkeep(small());
    let mut talk = bed.talk_in(&file, json!([calls(&texts), says("done")])).await;
    ran(talk.say("secret").await);
    assert_eq!((asked(&talk).len(), compactions(&file).len()), (3, 0));
    assert!(!asked(&talk).iter().any(|message| message.contains("secret")));
}
