//! Our turn: the loop, the dispatcher and its gates.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use seam_harness::seams::ToolCallGate;
use seam_harness::{Dispatcher, Hook, HookBus, HostRules, OnFailure, ToolSet};
use seam_loop::message::RequestedCall;
use seam_loop::provider::BlockKind;
use seam_loop::{
    AgentEvent, AssistantBlock, AssistantMessage, CancellationToken, Message, Model, NoHooks, Queue, RunConfig,
    StopReason, StreamEvent, ThinkingLevel, Tool, Transcript, Usage, prompt,
};
use seam_plugins::{Plugin, connect};

use crate::case::{Case, SAID, arguments};
use crate::median;
use crate::parts::{Check, Edit, Ready, name};

/// A case, ready to run.
pub(crate) struct Ours {
    case: Case,
    dispatcher: Dispatcher,
    transcript: Transcript,
}

impl Ours {
    pub(crate) async fn new(case: Case, plugin: &Plugin) -> Self {
        let tools = (0..case.tools).map(|number| Arc::new(Edit::new(number, case.small)) as Arc<dyn Tool>);
        let mut bus = HookBus::default();
        for number in 0..case.gates {
            bus.tool_call.push(gate(number, case.sandboxed.then_some(plugin)).await);
        }
        let dispatcher = Dispatcher::new(ToolSet::new(tools).unwrap(), bus, HostRules::default(), None);
        let said = |n: usize| if n.is_multiple_of(2) { Message::user(SAID) } else { answer(text(SAID)) };
        Self { case, dispatcher, transcript: (0..case.messages).map(said).collect() }
    }

    /// Microseconds of a turn: the median of one round. What it takes to set a run up does not count.
    pub(crate) async fn round(&self) -> f64 {
        self.run().await;
        let mut turns = Vec::new();
        for _ in 0..self.case.runs() {
            turns.extend(self.run().await.iter().map(|turn| turn.as_secs_f64() * 1e6));
        }
        median(turns).unwrap()
    }

    /// The turns of a run, each from its request to the next; without calls, to the end of the run.
    async fn run(&self) -> Vec<Duration> {
        let provider = Ready { responses: Mutex::new(self.responses()), asked: Mutex::default() };
        let abort = CancellationToken::new();
        let config = RunConfig {
            provider: &provider,
            dispatch: &self.dispatcher,
            hooks: &NoHooks,
            events: &|event: AgentEvent| drop(black_box(event)),
            steering: &Queue::default(),
            follow_up: &Queue::default(),
            model: &Model { provider: "ready".to_owned(), id: "m".to_owned() },
            thinking_level: ThinkingLevel::Off,
            sequential: false,
            system_prompt: "You are measured.",
            abort: &abort,
        };
        let mut transcript = self.transcript.clone();
        prompt(&config, &mut transcript, vec![Message::user("go")]).await;
        let end = Instant::now();
        self.check(&transcript);
        let mut asked = provider.asked.into_inner().unwrap();
        if self.case.calls == 0 {
            asked.push(end);
        }
        asked.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    fn responses(&self) -> VecDeque<Vec<StreamEvent>> {
        let Case { tools, calls, deltas, small, .. } = self.case;
        if calls == 0 {
            return [streamed(deltas)].into();
        }
        let arguments = arguments(small);
        let call = |turn: usize, index: usize| {
            AssistantBlock::ToolCall(RequestedCall {
                id: format!("call-{turn}-{index}"),
                name: name(tools - 1),
                arguments: arguments.clone(),
                arguments_error: None,
                signature: None,
            })
        };
        let turns = (0..self.case.turns()).map(|turn| (0..calls).map(|index| call(turn, index)).collect());
        turns.chain([text("done")]).map(|content| vec![StreamEvent::End(Box::new(assistant(content)))]).collect()
    }

    /// The work was done.
    fn check(&self, transcript: &Transcript) {
        let Case { messages, calls, .. } = self.case;
        let answers = if calls == 0 { 1 } else { self.case.turns() * (1 + calls) + 1 };
        assert_eq!(transcript.messages().len(), messages + 1 + answers);
        for message in &transcript.messages()[messages..] {
            let Message::ToolResult(result) = &**message else { continue };
            assert!(!result.is_error, "{result:?}");
        }
    }
}

async fn gate(number: usize, plugin: Option<&Plugin>) -> Hook<dyn ToolCallGate> {
    match plugin {
        Some(plugin) => {
            connect(std::slice::from_ref(plugin), Arc::default(), Vec::new(), None).await.bus.tool_call.remove(0)
        }
        None => Hook {
            plugin: format!("check{number}").into(),
            on_failure: OnFailure::Refuse,
            shadow: false,
            seam: Arc::new(Check::new(number)),
        },
    }
}

fn streamed(deltas: usize) -> Vec<StreamEvent> {
    let whole = "word ".repeat(deltas);
    let mut events = vec![StreamEvent::Start, StreamEvent::BlockStart { index: 0, kind: BlockKind::Text }];
    events.extend((0..deltas).map(|_| StreamEvent::BlockDelta { index: 0, delta: "word ".to_owned() }));
    events.push(StreamEvent::BlockEnd { index: 0, block: AssistantBlock::Text { text: whole.clone() } });
    events.push(StreamEvent::End(Box::new(assistant(text(&whole)))));
    events
}

fn text(text: &str) -> Vec<AssistantBlock> {
    vec![AssistantBlock::Text { text: text.to_owned() }]
}

fn answer(content: Vec<AssistantBlock>) -> Message {
    Message::Assistant(assistant(content))
}

fn assistant(content: Vec<AssistantBlock>) -> AssistantMessage {
    let calls = content.iter().any(|block| matches!(block, AssistantBlock::ToolCall(_)));
    AssistantMessage {
        content,
        provider: "ready".to_owned(),
        model: "m".to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason: if calls { StopReason::ToolUse } else { StopReason::Stop },
        error_message: None,
        error_kind: seam_loop::ErrorKind::Other,
        timestamp: 0,
    }
}
