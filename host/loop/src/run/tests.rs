//! Runs against a model that says what it is told and a dispatcher that refuses one tool.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::sync::Mutex;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use serde_json::json;

use super::*;
use crate::arguments::ArgumentSchema;
use crate::call::{BatchPosition, Origin, ToolCall};
use crate::decision::{Decider, Decision, Ruling};
use crate::dispatch::{CallRequest, Preflight, ReadyCall, RunScope, Settled};
use crate::hooks::{Before, Choice, NoHooks, RequestChange, RequestView, View};
use crate::message::{AssistantBlock, RequestedCall, Usage};
use crate::provider::{BlockKind, Request, ResponseStream, StreamEvent};
use crate::tool::{ExecutionMode, ToolDefinition, ToolOutput};

/// A model that gives these messages, one a request.
pub(super) struct Speaker(pub(super) Mutex<Vec<AssistantMessage>>, pub(super) Mutex<Vec<String>>);

#[async_trait]
impl Provider for Speaker {
    fn names(&self) -> Vec<&str> {
        vec!["fake"]
    }

    async fn stream(&self, request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        assert!(!abort.is_cancelled(), "no request after an abort");
        let Request { model, thinking_level, messages, system_prompt, .. } = request;
        let asked = format!("{} {thinking_level:?} {} {system_prompt}", model.id, messages.len());
        self.1.lock().unwrap().push(asked.trim_end().to_owned());
        let mut messages = self.0.lock().unwrap();
        if messages.is_empty() {
            return Err(ProviderError::new("nothing to say"));
        }
        let message = messages.remove(0);
        let mut events = vec![StreamEvent::Start];
        for (index, block) in message.content.iter().enumerate() {
            if let AssistantBlock::Text { text } = block {
                events.push(StreamEvent::BlockStart { index, kind: BlockKind::Text });
                events.push(StreamEvent::BlockDelta { index, delta: text.clone() });
            }
        }
        if message.stop_reason != StopReason::Deferred {
            events.push(StreamEvent::End(Box::new(message)));
        }
        Ok(futures_util::stream::iter(events).boxed())
    }
}

/// Tools by name: `no` is refused, `slow` waits, `stop` aborts, `last` asks to end, `one` is sequential.
#[derive(Default)]
pub(super) struct Tools {
    asked: Mutex<Vec<String>>,
    ran: Mutex<Vec<String>>,
}

#[async_trait]
impl Dispatch for Tools {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        Arc::default()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        if tool == "one" { ExecutionMode::Sequential } else { ExecutionMode::Parallel }
    }

    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight {
        self.asked.lock().unwrap().push(request.call.id.clone());
        match request.call.name.as_str() {
            "no" => Preflight::Settled(Settled { output: ToolOutput::error("no"), decisions: vec![] }),
            "stop" => {
                abort.cancel();
                Preflight::Settled(Settled { output: ToolOutput::error("Operation aborted"), decisions: vec![] })
            }
            name => {
                self.ran.lock().unwrap().push(request.call.id);
                Preflight::Ready(Box::new(Body(approved(name), [decision()])))
            }
        }
    }
}

struct Body(ToolCall, [Decision; 1]);

#[async_trait]
impl ReadyCall for Body {
    fn call(&self) -> &ToolCall {
        &self.0
    }

    fn decisions(&self) -> &[Decision] {
        &self.1
    }

    async fn run(self: Box<Self>, scope: RunScope<'_>) -> Settled {
        let name = &*self.0.tool;
        if name == "nest" || name == "nest and stop" {
            if name == "nest and stop" {
                scope.abort.cancel();
            }
            let call = RequestedCall {
                id: "inner".to_owned(),
                name: "nest".to_owned(),
                arguments: json!({}),
                arguments_error: None,
                signature: None,
            };
            return scope.caller.call(call).await;
        }
        if name == "slow" {
            (scope.updates)(ToolOutput::text("half"));
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        }
        let output = ToolOutput { terminate: name == "last", ..ToolOutput::text(name) };
        Settled { output, decisions: vec![] }
    }
}

/// What the gate of every call that may run said.
pub(super) fn decision() -> Decision {
    Decision { by: Decider::Plugin("gate".into()), seam: "tool-call", ruling: Ruling::Proceed }
}

fn approved(name: &str) -> ToolCall {
    ToolCall {
        id: String::new(),
        tool: name.into(),
        arguments: ArgumentSchema::compile(&json!({})).unwrap().validate(json!({})).unwrap(),
        model_arguments: None,
        origin: Origin::Model,
        targets: vec![],
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    }
}

fn call(id: &str, name: &str) -> AssistantBlock {
    AssistantBlock::ToolCall(RequestedCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: json!({}),
        arguments_error: None,
        signature: None,
    })
}

fn says(content: Vec<AssistantBlock>, stop_reason: StopReason) -> AssistantMessage {
    AssistantMessage {
        content,
        provider: "fake".to_owned(),
        model: "m".to_owned(),
        usage: Usage::default(),
        thinking_level: None,
        stop_reason,
        error_message: (stop_reason == StopReason::Error).then(|| "overloaded".to_owned()),
        error_kind: ErrorKind::Other,
        timestamp: 0,
    }
}

fn text(text: &str) -> AssistantMessage {
    says(vec![AssistantBlock::Text { text: text.to_owned() }], StopReason::Stop)
}

pub(super) fn calls(calls: &[(&str, &str)]) -> AssistantMessage {
    says(calls.iter().map(|(id, name)| call(id, name)).collect(), StopReason::ToolUse)
}

/// What happened, in short words.
struct Seen {
    events: Vec<String>,
    outcome: RunOutcome,
    transcript: Transcript,
    tools: Tools,
    /// Model, thinking level, number of messages and system prompt of each request.
    requests: Vec<String>,
}

impl Seen {
    /// The ids of the results in the transcript, with `!` for errors.
    fn results(&self) -> Vec<String> {
        let messages = self.transcript.messages().iter();
        messages
            .filter_map(|message| match &**message {
                Message::ToolResult(result) if result.is_error => Some(format!("{}!", result.tool_call_id)),
                Message::ToolResult(result) => Some(result.tool_call_id.clone()),
                _ => None,
            })
            .collect()
    }
}

async fn go(messages: Vec<AssistantMessage>) -> Seen {
    go_with(&NoHooks, messages).await
}

async fn go_with(hooks: &dyn Hooks, messages: Vec<AssistantMessage>) -> Seen {
    let (model, tools, abort) =
        (Speaker(Mutex::new(messages), Mutex::default()), Tools::default(), CancellationToken::new());
    let events = Mutex::new(Vec::new());
    let sink = |event: AgentEvent| events.lock().unwrap().push(short(&event));
    let config = RunConfig {
        provider: &model,
        dispatch: &tools,
        hooks,
        events: &sink,
        steering: &Queue::default(),
        follow_up: &Queue::default(),
        model: &Model { provider: "fake".to_owned(), id: "m".to_owned() },
        thinking_level: ThinkingLevel::Off,
        system_prompt: "be kind",
        sequential: false,
        abort: &abort,
    };
    let mut transcript = Transcript::new();
    let outcome = prompt(&config, &mut transcript, vec![Message::user("go")]).await;
    let requests = model.1.into_inner().unwrap();
    Seen { events: events.into_inner().unwrap(), outcome, transcript, tools, requests }
}

fn short(event: &AgentEvent) -> String {
    let json = serde_json::to_value(event).unwrap();
    let id = json.get("toolCallId").and_then(|id| id.as_str()).map(|id| format!(" {id}")).unwrap_or_default();
    format!("{}{id}", json["type"].as_str().unwrap())
}

/// Each start has its end.
fn assert_balanced(events: &[String]) {
    for (start, end) in [
        ("agent_start", "agent_end"),
        ("turn_start", "turn_end"),
        ("message_start", "message_end"),
        ("tool_execution_start", "tool_execution_end"),
    ] {
        let count = |what: &str| events.iter().filter(|event| event.split(' ').next() == Some(what)).count();
        assert_eq!(count(start), count(end), "{start} in {events:#?}");
    }
}

#[tokio::test]
async fn the_order_of_a_run() {
    let seen = go(vec![calls(&[("c1", "read")]), text("done")]).await;
    assert_eq!(
        seen.events,
        [
            "agent_start",
            "turn_start",
            "message_start",
            "message_end",
            "message_start",
            "message_end",
            "tool_execution_start c1",
            "tool_execution_end c1",
            "message_start c1",
            "message_end",
            "turn_end",
            "turn_start",
            "message_start",
            "message_update",
            "message_update",
            "message_end",
            "turn_end",
            "agent_end",
        ]
    );
    assert_eq!(seen.outcome, RunOutcome { stop_reason: StopReason::Stop, error: None, kind: ErrorKind::Other });
}

/// A model can ask for thousands of processes at once.
#[tokio::test(start_paused = true)]
async fn not_all_calls_of_a_message_run_at_the_same_time() {
    let begun = tokio::time::Instant::now();
    let names: Vec<String> = (0..65).map(|number| format!("c{number}")).collect();
    let all: Vec<(&str, &str)> = names.iter().map(|id| (&**id, "slow")).collect();
    let seen = go(vec![calls(&all), text("done")]).await;
    assert_eq!(seen.results().len(), 65);
    // Three times a minute: 32, 32 and 1.
    assert_eq!(begun.elapsed().as_secs(), 180);
}

#[tokio::test(start_paused = true)]
async fn calls_are_decided_in_order_end_as_they_end_and_are_stored_in_order() {
    let seen = go(vec![calls(&[("c1", "slow"), ("c2", "no"), ("c3", "read")]), text("done")]).await;
    assert_eq!(*seen.tools.asked.lock().unwrap(), ["c1", "c2", "c3"]);
    let of_calls: Vec<&str> = seen.events.iter().filter_map(|event| event.strip_prefix("tool_execution_")).collect();
    assert_eq!(
        of_calls,
        ["start c1", "start c2", "end c2", "start c3", "update c1", "end c3", "end c1"],
        "{:#?}",
        seen.events
    );
    assert_eq!(seen.results(), ["c1", "c2!", "c3"]);
    assert_balanced(&seen.events);
}

#[tokio::test(start_paused = true)]
async fn one_sequential_tool_makes_the_batch_sequential() {
    let seen = go(vec![calls(&[("c1", "slow"), ("c2", "one")]), text("done")]).await;
    let ends = seen.events.iter().position(|event| event == "tool_execution_end c1").unwrap();
    let starts = seen.events.iter().position(|event| event == "tool_execution_start c2").unwrap();
    assert!(ends < starts, "{:#?}", seen.events);
    assert_eq!(seen.results(), ["c1", "c2"]);
}

#[tokio::test]
async fn an_abort_asks_nobody_else_and_leaves_no_call_without_its_result() {
    let seen = go(vec![calls(&[("c1", "read"), ("c2", "stop"), ("c3", "read")])]).await;
    assert_eq!(*seen.tools.asked.lock().unwrap(), ["c1", "c2"]);
    assert_eq!(seen.results(), ["c1!", "c2!", "c3!"]);
    assert_eq!(seen.outcome.stop_reason, StopReason::Aborted);
    assert_balanced(&seen.events);
}

#[tokio::test]
async fn a_response_that_hit_the_output_limit_runs_nothing() {
    let cut = says(vec![call("c1", "read"), call("c2", "last")], StopReason::Length);
    let seen = go(vec![cut, text("done")]).await;
    assert!(seen.tools.asked.lock().unwrap().is_empty());
    assert_eq!(seen.results(), ["c1!", "c2!"]);
    assert_eq!(seen.outcome.stop_reason, StopReason::Stop);
    assert_balanced(&seen.events);
}

#[tokio::test]
async fn a_batch_ends_the_run_when_all_of_it_asks_to() {
    let seen = go(vec![calls(&[("c1", "last"), ("c2", "last")])]).await;
    assert_eq!(seen.outcome, RunOutcome { stop_reason: StopReason::ToolUse, error: None, kind: ErrorKind::Other });
    let seen = go(vec![calls(&[("c1", "last"), ("c2", "read")]), text("done")]).await;
    assert_eq!(seen.outcome.stop_reason, StopReason::Stop);
}

#[tokio::test]
async fn a_failure_is_an_outcome_with_balanced_events() {
    for failing in [vec![says(vec![call("c1", "read")], StopReason::Error)], vec![]] {
        let seen = go(failing).await;
        assert_eq!(seen.outcome.stop_reason, StopReason::Error);
        assert!(seen.tools.asked.lock().unwrap().is_empty());
        assert_balanced(&seen.events);
    }
}

#[tokio::test]
async fn a_response_without_its_end_is_an_error_that_keeps_what_came() {
    let seen = go(vec![says(vec![AssistantBlock::Text { text: "half".to_owned() }], StopReason::Deferred)]).await;
    assert_eq!(seen.outcome.error.as_deref(), Some("the response ended without its final event"));
    let Message::Assistant(last) = &**seen.transcript.messages().last().unwrap() else { unreachable!() };
    assert_eq!(last.content, [AssistantBlock::Text { text: "half".to_owned() }]);
    assert_balanced(&seen.events);
}

/// Changes the first request as it is told to.
struct FirstRequest(Mutex<Option<RequestChange>>);

impl crate::ProviderHooks for FirstRequest {}

#[async_trait]
impl Hooks for FirstRequest {
    async fn prepare_request(&self, _: RequestView<'_>, _: &CancellationToken) -> Result<RequestChange, HookError> {
        Ok(self.0.lock().unwrap().take().unwrap_or_default())
    }
}

#[tokio::test]
async fn a_change_of_a_request_holds_as_long_as_it_says() {
    let other = || Model { provider: "fake".to_owned(), id: "other".to_owned() };
    let script = || vec![calls(&[("c1", "read")]), text("done")];
    let choice = |level| Choice { model: Some(other()), thinking_level: Some(level), messages: Some(vec![]) };
    let once = RequestChange { request: choice(ThinkingLevel::High), run: Choice::default() };
    let seen = go_with(&FirstRequest(Mutex::new(Some(once))), script()).await;
    assert_eq!(seen.requests, ["other High 0 be kind", "m Off 3 be kind"]);
    let from_now_on = RequestChange { run: choice(ThinkingLevel::Low), request: Choice::default() };
    let seen = go_with(&FirstRequest(Mutex::new(Some(from_now_on))), script()).await;
    assert_eq!(seen.requests, ["other Low 0 be kind", "other Low 2 be kind"]);
    assert_eq!(seen.transcript.messages().len(), 4);
    let both = RequestChange { run: choice(ThinkingLevel::Low), request: choice(ThinkingLevel::High) };
    let seen = go_with(&FirstRequest(Mutex::new(Some(both))), script()).await;
    assert_eq!(seen.requests, ["other High 0 be kind", "other Low 2 be kind"]);
}

/// Drops every message, and what it was given when asked again.
struct DropsAll;

impl crate::ProviderHooks for DropsAll {}

#[async_trait]
impl Hooks for DropsAll {
    async fn transform_context(
        &self,
        _: View<'_>,
        _: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        Ok(Some(Vec::new()))
    }

    async fn before_tool_call(&self, _: &ToolCall, _: View<'_>, _: &CancellationToken) -> Result<Before, HookError> {
        Err(HookError("cannot say".to_owned()))
    }
}

#[tokio::test]
async fn a_context_edit_drops_messages_and_never_the_prompt() {
    let seen = go_with(&DropsAll, vec![text("done")]).await;
    assert_eq!(seen.requests, ["m Off 0 be kind"]);
    assert_eq!(seen.transcript.messages().len(), 2);
}

#[tokio::test]
async fn a_hook_that_fails_before_a_call_refuses_it() {
    let seen = go_with(&DropsAll, vec![calls(&[("c1", "read")]), text("done")]).await;
    assert_eq!(seen.results(), ["c1!"]);
    assert_eq!(seen.outcome.stop_reason, StopReason::Stop);
}

#[tokio::test]
async fn nested_calls_pass_the_dispatcher_and_end_at_a_bound() {
    let seen = go(vec![calls(&[("c1", "nest")]), text("done")]).await;
    assert_eq!(seen.tools.asked.lock().unwrap().len(), 17);
    assert_eq!(seen.results(), ["c1!"]);
    assert_balanced(&seen.events);
}

#[tokio::test]
async fn after_an_abort_no_gate_is_asked_about_a_nested_call() {
    let seen = go(vec![calls(&[("c1", "nest and stop")])]).await;
    assert_eq!(*seen.tools.asked.lock().unwrap(), ["c1"]);
    assert_eq!(seen.results(), ["c1!"]);
}

#[tokio::test]
async fn a_run_goes_on_only_from_something() {
    let go_on = async |messages: Vec<Message>, follow_up: &Queue| {
        let (model, tools) = (Speaker(Mutex::new(vec![text("more")]), Mutex::default()), Tools::default());
        let config = RunConfig {
            provider: &model,
            dispatch: &tools,
            hooks: &NoHooks,
            events: &|_: AgentEvent| {},
            steering: &Queue::default(),
            follow_up,
            model: &Model { provider: "fake".to_owned(), id: "m".to_owned() },
            thinking_level: ThinkingLevel::Off,
            system_prompt: "",
            sequential: false,
            abort: &CancellationToken::new(),
        };
        continue_run(&config, &mut messages.into_iter().collect()).await
    };
    let done = Ok(RunOutcome { stop_reason: StopReason::Stop, error: None, kind: ErrorKind::Other });
    let answered = || vec![Message::user("go"), Message::Assistant(text("done"))];
    let empty = Queue::default();
    assert_eq!(go_on(vec![], &empty).await, Err(StartError::Empty));
    assert_eq!(go_on(answered(), &empty).await, Err(StartError::Answered));
    assert_eq!(go_on(vec![Message::user("go")], &empty).await, done);
    empty.push(Message::user("and?"));
    assert_eq!(go_on(answered(), &empty).await, done);
}
