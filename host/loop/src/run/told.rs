//! What the last event of a run and the end of a call tell, when things go wrong.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::sync::Mutex;

use async_trait::async_trait;

use super::tests::{Speaker, Tools, calls, decision};
use super::*;
use crate::call::ToolCall;
use crate::hooks::{Before, View};

/// What happens before a call.
#[derive(Clone, Copy)]
enum Told {
    Block,
    Fail,
    Abort,
}

impl crate::ProviderHooks for Told {}

#[async_trait]
impl Hooks for Told {
    async fn before_tool_call(
        &self,
        _: &ToolCall,
        _: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Before, HookError> {
        match self {
            Self::Block => Ok(Before::Block { reason: "no".to_owned(), terminate: false }),
            Self::Fail => Err(HookError("cannot say".to_owned())),
            Self::Abort => {
                abort.cancel();
                Ok(Before::Proceed)
            }
        }
    }
}

/// The events of a run whose model makes one call and then fails, and how many messages there are.
async fn events(hooks: &dyn Hooks) -> (Vec<AgentEvent>, usize) {
    let speaker = Speaker(Mutex::new(vec![calls(&[("c1", "read")])]), Mutex::default());
    let events = Mutex::new(Vec::new());
    let config = RunConfig {
        provider: &speaker,
        dispatch: &Tools::default(),
        hooks,
        events: &|event: AgentEvent| events.lock().unwrap().push(event),
        steering: &Queue::default(),
        follow_up: &Queue::default(),
        model: &Model { provider: "fake".to_owned(), id: "m".to_owned() },
        thinking_level: ThinkingLevel::Off,
        system_prompt: "",
        sequential: false,
        abort: &CancellationToken::new(),
    };
    let mut transcript = Transcript::new();
    prompt(&config, &mut transcript, vec![Message::user("go")]).await;
    (events.into_inner().unwrap(), transcript.messages().len())
}

#[tokio::test]
async fn a_call_that_does_not_run_after_all_keeps_what_was_decided() {
    for told in [Told::Block, Told::Fail, Told::Abort] {
        let (events, _) = events(&told).await;
        let decisions = events.into_iter().find_map(|event| match event {
            AgentEvent::ToolExecutionEnd { decisions, is_error: true, .. } => Some(decisions),
            _ => None,
        });
        assert_eq!(decisions, Some(vec![decision()]));
    }
}

#[tokio::test]
async fn a_run_that_failed_tells_how_much_it_added() {
    let (events, length) = events(&Told::Block).await;
    let Some(AgentEvent::AgentEnd { messages, added }) = events.last() else { panic!("{events:?}") };
    // The prompt, the call, its result and the failure, of which only the failure is told.
    assert_eq!((messages.len(), *added, length), (1, 4, 4));
}
