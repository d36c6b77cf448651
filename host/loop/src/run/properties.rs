//! What holds for every run, whatever the model says, whichever hook fails, wherever the user aborts.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::StreamExt as _;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::arguments::ArgumentSchema;
use crate::call::{BatchPosition, Origin, ToolCall};
use crate::dispatch::{CallRequest, Preflight, ReadyCall, RunScope, Settled};
use crate::hooks::{Before, HookError, RequestChange, RequestView, View};
use crate::message::{AssistantBlock, RequestedCall, Usage};
use crate::provider::{BlockKind, Request, ResponseStream, StreamEvent};
use crate::queue::QueueMode;
use crate::tool::{Change, ExecutionMode, ToolDefinition, ToolOutput};

/// What happens in one run.
#[derive(Debug, Clone)]
struct Plan {
    turns: Vec<Response>,
    /// At this await point the user aborts.
    abort_at: Option<usize>,
    /// The hook with this number fails.
    fail_at: Option<usize>,
    steering: usize,
    follow_up: usize,
    all_at_once: bool,
    sequential: bool,
}

#[derive(Debug, Clone)]
struct Response {
    calls: Vec<Call>,
    stop_reason: StopReason,
    /// The stream breaks off without its final event.
    broken: bool,
    next: Next,
}

#[derive(Debug, Clone, Copy)]
enum Call {
    Runs,
    Refused,
    BlockedByHook,
    Terminates,
    Sequential,
}

/// The world of a run: everything the loop talks to.
struct World {
    plan: Plan,
    abort: CancellationToken,
    points: Arc<Points>,
    hooks: AtomicUsize,
    requests: AtomicUsize,
    finished: AtomicUsize,
    steering: Queue,
    follow_up: Queue,
    events: Mutex<Vec<AgentEvent>>,
    ran: Mutex<Vec<String>>,
    faults: Mutex<Vec<String>>,
}

/// The await points of a run, counted. At one of them the user aborts.
struct Points {
    passed: AtomicUsize,
    abort_at: Option<usize>,
    abort: CancellationToken,
}

impl Points {
    async fn point(&self) {
        if self.abort_at == Some(self.passed.fetch_add(1, Ordering::Relaxed)) {
            self.abort.cancel();
        }
        tokio::task::yield_now().await;
    }
}

impl World {
    fn new(plan: Plan) -> Self {
        let mode = if plan.all_at_once { QueueMode::All } else { QueueMode::OneAtATime };
        let (steering, follow_up) = (Queue::new(mode), Queue::new(mode));
        (0..plan.steering).for_each(|n| steering.push(Message::user(format!("steering {n}"))));
        (0..plan.follow_up).for_each(|n| follow_up.push(Message::user(format!("follow-up {n}"))));
        let abort = CancellationToken::new();
        let points = Points { passed: AtomicUsize::new(0), abort_at: plan.abort_at, abort: abort.clone() };
        Self {
            plan,
            abort,
            points: Arc::new(points),
            hooks: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            steering,
            follow_up,
            events: Mutex::default(),
            ran: Mutex::default(),
            faults: Mutex::default(),
        }
    }

    /// An await point in a hook, which may fail there.
    async fn hook(&self) -> Result<(), HookError> {
        self.points.point().await;
        let hook = self.hooks.fetch_add(1, Ordering::Relaxed);
        if self.plan.fail_at == Some(hook) { Err(HookError("a hook failed".to_owned())) } else { Ok(()) }
    }

    fn fault(&self, what: impl Into<String>) {
        self.faults.lock().unwrap().push(what.into());
    }

    fn not_after_abort(&self, what: &str) {
        if self.abort.is_cancelled() {
            self.fault(format!("{what} after an abort"));
        }
    }
}

#[async_trait]
impl Provider for World {
    fn names(&self) -> Vec<&str> {
        vec!["world"]
    }

    async fn stream(&self, _request: Request<'_>, abort: &CancellationToken) -> Result<ResponseStream, ProviderError> {
        self.not_after_abort("a request");
        self.points.point().await;
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        let Some(response) = self.plan.turns.get(request) else { return Err(ProviderError::new("no more")) };
        let mut content = vec![AssistantBlock::Text { text: format!("turn {request}") }];
        content.extend(response.calls.iter().enumerate().map(|(index, call)| {
            AssistantBlock::ToolCall(RequestedCall {
                id: format!("{request}.{index}"),
                name: format!("{call:?}"),
                arguments: json!({}),
                arguments_error: None,
                signature: None,
            })
        }));
        let mut events = vec![
            StreamEvent::Start,
            StreamEvent::BlockStart { index: 0, kind: BlockKind::Text },
            StreamEvent::BlockDelta { index: 0, delta: "turn".to_owned() },
        ];
        if !response.broken {
            let stop_reason = if abort.is_cancelled() { StopReason::Aborted } else { response.stop_reason };
            events.push(StreamEvent::End(Box::new(AssistantMessage {
                content,
                provider: "world".to_owned(),
                model: "m".to_owned(),
                usage: Usage::default(),
                thinking_level: None,
                stop_reason,
                error_message: None,
                error_kind: crate::ErrorKind::Other,
                timestamp: 0,
            })));
        }
        Ok(futures_util::stream::iter(events).boxed())
    }
}

#[async_trait]
impl Dispatch for World {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        Arc::default()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        if tool == "Sequential" { ExecutionMode::Sequential } else { ExecutionMode::Parallel }
    }

    async fn preflight(&self, request: CallRequest, _abort: &CancellationToken) -> Preflight {
        self.not_after_abort("a gate");
        self.points.point().await;
        if request.call.name == "Refused" {
            return Preflight::Settled(Settled { output: ToolOutput::error("no"), decisions: vec![] });
        }
        let schema = ArgumentSchema::compile(&json!({})).unwrap();
        let call = ToolCall {
            id: request.call.id,
            tool: request.call.name.as_str().into(),
            arguments: schema.validate(json!({})).unwrap(),
            model_arguments: None,
            origin: Origin::Model,
            targets: vec![],
            turn: request.turn,
            batch: BatchPosition { index: 0, size: 1 },
        };
        Preflight::Ready(Box::new(Body(call, Arc::clone(&self.points))))
    }
}

struct Body(ToolCall, Arc<Points>);

#[async_trait]
impl ReadyCall for Body {
    fn call(&self) -> &ToolCall {
        &self.0
    }

    async fn run(self: Box<Self>, scope: RunScope<'_>) -> Settled {
        (scope.updates)(ToolOutput::text("half"));
        self.1.point().await;
        let output = ToolOutput { terminate: &*self.0.tool == "Terminates", ..ToolOutput::text("ran") };
        Settled { output, decisions: vec![] }
    }
}

impl crate::ProviderHooks for World {}

#[async_trait]
impl Hooks for World {
    async fn prepare_request(&self, _: RequestView<'_>, _: &CancellationToken) -> Result<RequestChange, HookError> {
        self.hook().await.map(|()| RequestChange::default())
    }

    async fn transform_context(
        &self,
        view: View<'_>,
        _: &CancellationToken,
    ) -> Result<Option<Vec<Arc<Message>>>, HookError> {
        self.hook().await?;
        Ok(Some(view.context.iter().rev().take(3).rev().cloned().collect()))
    }

    async fn before_tool_call(&self, call: &ToolCall, _: View<'_>, _: &CancellationToken) -> Result<Before, HookError> {
        self.not_after_abort("a hook before a call");
        self.hook().await?;
        if &*call.tool == "BlockedByHook" {
            return Ok(Before::Block { reason: "no".to_owned(), terminate: false });
        }
        self.ran.lock().unwrap().push(call.id.clone());
        Ok(Before::Proceed)
    }

    async fn after_tool_call(
        &self,
        call: &ToolCall,
        _: &ToolOutput,
        _: View<'_>,
        _: &CancellationToken,
    ) -> Result<Vec<Change>, HookError> {
        if !self.ran.lock().unwrap().contains(&call.id) {
            self.fault(format!("{} ran though it was not approved", call.id));
        }
        self.hook().await.map(|()| Vec::new())
    }

    async fn finish_turn(&self, _: TurnView<'_>, _: &CancellationToken) -> Result<Next, HookError> {
        self.hook().await?;
        let turn = self.finished.fetch_add(1, Ordering::Relaxed);
        Ok(self.plan.turns.get(turn).map_or(Next::None, |response| response.next))
    }

    async fn prepare_next_turn(&self, _: &CancellationToken) -> Result<TurnChange, HookError> {
        self.hook().await?;
        Ok(TurnChange { messages: vec![Message::user("prepared")], ..TurnChange::default() })
    }
}

impl EventSink for World {
    fn emit(&self, event: AgentEvent) {
        self.events.lock().unwrap().push(event);
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    let call = prop_oneof![
        3 => Just(Call::Runs),
        1 => Just(Call::Refused),
        1 => Just(Call::BlockedByHook),
        1 => Just(Call::Terminates),
        1 => Just(Call::Sequential),
    ];
    let stop = prop_oneof![
        6 => Just(StopReason::ToolUse),
        1 => Just(StopReason::Stop),
        1 => Just(StopReason::Length),
        1 => Just(StopReason::Error),
    ];
    let next = prop_oneof![4 => Just(Next::None), 1 => Just(Next::Continue), 1 => Just(Next::End)];
    let response = (prop::collection::vec(call, 0..4), stop, prop::bool::weighted(0.1), next);
    let response =
        response.prop_map(|(calls, stop_reason, broken, next)| Response { calls, stop_reason, broken, next });
    (
        prop::collection::vec(response, 0..5),
        prop::option::of(0_usize..40),
        prop::option::of(0_usize..30),
        0_usize..3,
        0_usize..3,
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(turns, abort_at, fail_at, steering, follow_up, all_at_once, sequential)| Plan {
            turns,
            abort_at,
            fail_at,
            steering,
            follow_up,
            all_at_once,
            sequential,
        })
}

async fn go(world: &World) -> (RunOutcome, Transcript) {
    let config = RunConfig {
        provider: world,
        dispatch: world,
        hooks: world,
        events: world,
        steering: &world.steering,
        follow_up: &world.follow_up,
        model: &Model { provider: "world".to_owned(), id: "m".to_owned() },
        thinking_level: ThinkingLevel::Off,
        system_prompt: "",
        sequential: world.plan.sequential,
        abort: &world.abort,
    };
    let mut transcript = Transcript::new();
    let outcome = prompt(&config, &mut transcript, vec![Message::user("go")]).await;
    (outcome, transcript)
}

/// Starts and ends pair and nest: tool calls and messages in turns, turns in the run.
fn check_balance(events: &[AgentEvent]) {
    let (mut runs, mut turns, mut messages, mut ended) = (0, 0, 0, false);
    let mut calls = BTreeSet::new();
    for event in events {
        assert!(!ended, "{event:?} after the end");
        match event {
            AgentEvent::AgentStart => runs += 1,
            AgentEvent::AgentEnd { .. } => {
                runs -= 1;
                ended = true;
            }
            AgentEvent::TurnStart { .. } => turns += 1,
            AgentEvent::TurnEnd { .. } => {
                assert_eq!((messages, calls.len()), (0, 0), "a turn ended with something open");
                turns -= 1;
            }
            AgentEvent::MessageStart { .. } => messages += 1,
            AgentEvent::MessageEnd { .. } => messages -= 1,
            AgentEvent::MessageUpdate { .. } => assert_eq!(messages, 1),
            AgentEvent::ToolExecutionStart { tool_call_id, .. } => assert!(calls.insert(tool_call_id.clone())),
            AgentEvent::ToolExecutionUpdate { tool_call_id, .. } => assert!(calls.contains(tool_call_id)),
            AgentEvent::ToolExecutionEnd { tool_call_id, .. } => assert!(calls.remove(tool_call_id)),
        }
        assert!((0..=1).contains(&runs) && (0..=1).contains(&turns) && (0..=1).contains(&messages), "{event:?}");
        let in_turn =
            matches!(event, AgentEvent::AgentStart | AgentEvent::AgentEnd { .. } | AgentEvent::TurnEnd { .. });
        assert!(in_turn || turns == 1, "{event:?} outside a turn");
    }
    assert!(ended && turns == 0 && messages == 0 && calls.is_empty());
}

/// What was told as final is what is stored: the very same messages.
fn check_final(events: &[AgentEvent], transcript: &Transcript) {
    let told = events.iter().filter_map(|event| match event {
        AgentEvent::MessageEnd { message } => Some(message),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), transcript.messages().len());
    assert!(told.iter().zip(transcript.messages()).all(|(told, stored)| Arc::ptr_eq(told, stored)));
}

/// Each call of a response that came whole has one result, right after it, in its order; others have none.
fn check_results(transcript: &Transcript) {
    let mut open: Vec<String> = Vec::new();
    for message in transcript.messages() {
        match &**message {
            Message::ToolResult(result) => {
                assert!(!open.is_empty(), "a result without a call: {result:?}");
                assert_eq!(open.remove(0), result.tool_call_id);
            }
            Message::Assistant(message) => {
                assert!(open.is_empty(), "{open:?} have no result");
                let failed = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
                open = if failed { vec![] } else { message.tool_calls().map(|call| call.id.clone()).collect() };
            }
            Message::User(_) | Message::Custom(_) => assert!(open.is_empty(), "{open:?} have no result"),
        }
    }
    assert!(open.is_empty(), "{open:?} have no result");
}

/// What was queued is in the transcript or still waits, once and in order.
fn check_queues(world: &World, transcript: &Transcript) {
    for (queue, name, count) in
        [(&world.steering, "steering", world.plan.steering), (&world.follow_up, "follow-up", world.plan.follow_up)]
    {
        let stored = transcript.messages().iter().filter_map(|message| match &**message {
            Message::User(user) => user.content[0].as_text().filter(|text| text.starts_with(name)).map(str::to_owned),
            _ => None,
        });
        let waiting = queue.with_mode(QueueMode::All).poll().into_iter().filter_map(|message| match message {
            Message::User(user) => user.content[0].as_text().map(str::to_owned),
            _ => None,
        });
        let expected: Vec<String> = (0..count).map(|n| format!("{name} {n}")).collect();
        assert_eq!(stored.chain(waiting).collect::<Vec<_>>(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_keeps_the_rules(plan in plans()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let world = World::new(plan);
        let (_, transcript) = runtime.block_on(go(&world));
        let events = world.events.lock().unwrap();
        check_balance(&events);
        check_final(&events, &transcript);
        check_results(&transcript);
        check_queues(&world, &transcript);
        prop_assert_eq!(&*world.faults.lock().unwrap(), &Vec::<String>::new());
    }
}
