//! What a hook between two turns makes of the transcript.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::sync::Mutex;

use async_trait::async_trait;

use super::tests::{Speaker, Tools, calls};
use super::*;
use crate::hooks::RequestChange;
use crate::hooks::{Choice, RequestView};

/// Shows nothing from the first request on, and changes what the second is made of.
struct Between(TurnChange);

impl crate::ProviderHooks for Between {}

#[async_trait]
impl Hooks for Between {
    async fn prepare_request(&self, view: RequestView<'_>, _: &CancellationToken) -> Result<RequestChange, HookError> {
        let messages = (view.turn == 1).then(Vec::new);
        Ok(RequestChange { run: Choice { messages, ..Choice::default() }, ..RequestChange::default() })
    }

    async fn prepare_next_turn(&self, _: &CancellationToken) -> Result<TurnChange, HookError> {
        Ok(self.0.clone())
    }
}

fn words(messages: &[Arc<Message>]) -> Vec<String> {
    let word = |message: &Arc<Message>| match &**message {
        Message::User(user) => user.content[0].as_text().unwrap().to_owned(),
        Message::Assistant(_) => "assistant".to_owned(),
        Message::ToolResult(_) => "result".to_owned(),
        Message::Custom(_) => "custom".to_owned(),
    };
    messages.iter().map(word).collect()
}

/// The transcript at the end, the numbers of messages that were sent, what the last event says was added, and how many
/// messages were told.
async fn go(change: TurnChange) -> (Vec<String>, Vec<usize>, Vec<String>, usize) {
    let done = AssistantMessage { stop_reason: StopReason::Stop, ..calls(&[]) };
    let speaker = Speaker(Mutex::new(vec![calls(&[("c1", "read")]), done]), Mutex::default());
    let events = Mutex::new(Vec::new());
    let config = RunConfig {
        provider: &speaker,
        dispatch: &Tools::default(),
        hooks: &Between(change),
        events: &|event: AgentEvent| events.lock().unwrap().push(event),
        steering: &Queue::default(),
        follow_up: &Queue::default(),
        model: &Model { provider: "fake".to_owned(), id: "m".to_owned() },
        thinking_level: ThinkingLevel::Off,
        system_prompt: "",
        sequential: false,
        abort: &CancellationToken::new(),
    };
    let mut transcript: Transcript = [Message::user("old")].into_iter().collect();
    prompt(&config, &mut transcript, vec![Message::user("go")]).await;
    let events = events.into_inner().unwrap();
    let Some(AgentEvent::AgentEnd { messages, added }) = events.last() else { panic!("{events:?}") };
    assert_eq!(messages.len(), *added);
    let told = events.iter().filter(|event| matches!(event, AgentEvent::MessageEnd { .. })).count();
    let sent = speaker.1.into_inner().unwrap();
    let sent = sent.iter().map(|request| request.split(' ').nth(2).unwrap().parse().unwrap()).collect();
    (words(transcript.messages()), sent, words(messages), told)
}

#[tokio::test]
async fn a_transcript_that_takes_the_place_of_another_is_shown_whole_and_what_was_added_stays_told() {
    let transcript = Some(vec![Arc::new(Message::user("in short"))]);
    let (transcript, sent, added, told) = go(TurnChange { transcript, ..TurnChange::default() }).await;
    assert_eq!(transcript, ["in short", "assistant"]);
    assert_eq!(sent, [0, 1]);
    assert_eq!(added, ["go", "assistant", "result", "assistant"]);
    assert_eq!(told, 4);
}

#[tokio::test]
async fn what_was_stored_between_turns_joins_without_being_told_again() {
    let stored = vec![Arc::new(Message::user("aside"))];
    let messages = vec![Message::user("more")];
    let (transcript, sent, added, told) = go(TurnChange { stored, messages, ..TurnChange::default() }).await;
    assert_eq!(transcript, ["old", "go", "assistant", "result", "aside", "more", "assistant"]);
    // What is shown began empty, and has grown since.
    assert_eq!(sent, [0, 4]);
    assert_eq!(added, ["go", "assistant", "result", "more", "assistant"]);
    assert_eq!(told, 5);
}
