//! The order of a call's way, with hooks that note when they are asked.

#![allow(clippy::unwrap_used, reason = "tests")]

mod journalled;
mod rejected;

use std::sync::Mutex;

use seam_loop::{BatchPosition, NoCalls, Origin, Replay, Tool};
use seam_session::Journal;
use serde_json::json;

use super::*;
use crate::seams::{Outcome, ToolCallGate, ToolResultPatch, Verdict};

type Log = Arc<Mutex<Vec<String>>>;

/// Notes each thing that happens to a call.
struct Noting {
    log: Log,
    verdict: Verdict,
}

impl Noting {
    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

#[async_trait]
impl RewriteToolCall for Noting {
    async fn rewrite(&self, call: &ToolCall, _: &Moment) -> Result<Option<String>, Failure> {
        self.note(format!("rewrite {}", call.arguments.text()));
        Ok(Some(r#"{"n":2}"#.to_owned()))
    }
}

#[async_trait]
impl ToolCallGate for Noting {
    async fn decide(&self, call: &FinalCall, _: &Moment) -> Result<Verdict, Failure> {
        self.note(format!("gate {} {:?}", call.arguments.text(), call.targets));
        Ok(self.verdict.clone())
    }
}

#[async_trait]
impl ToolResultPatch for Noting {
    async fn review(
        &self,
        call: &FinalCall,
        output: &ToolOutput,
        partial: bool,
        _: &Moment,
    ) -> Result<Outcome, Failure> {
        let text = output.content.first().and_then(Content::as_text).unwrap_or_default();
        self.note(format!("patch {} {text} {partial}", call.arguments.text()));
        Ok(Outcome::Keep)
    }
}

#[async_trait]
impl User for Noting {
    async fn allows(&self, _call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool {
        self.note(format!("user {questions:?}"));
        self.verdict == Verdict::Proceed
    }
}

struct Count(ToolDefinition, Log);

#[async_trait]
impl Tool for Count {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        self.1.lock().unwrap().push(format!("resolve {}", arguments.text()));
        Ok(Box::new(Counted(arguments.clone(), Arc::clone(&self.1))))
    }
}

struct Counted(ValidArguments, Log);

#[async_trait]
impl ResolvedTool for Counted {
    fn targets(&self) -> Vec<seam_loop::Target> {
        vec![seam_loop::Target::Other(self.0.text().to_owned())]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        self.1.lock().unwrap().push(format!("body {}", self.0.text()));
        context.updates.send(ToolOutput::text("half")).await;
        Ok(ToolOutput::text("whole"))
    }
}

fn hook<S: ?Sized>(plugin: &str, seam: Arc<S>) -> Hook<S> {
    Hook { plugin: plugin.into(), on_failure: crate::bus::OnFailure::Refuse, shadow: false, seam }
}

/// Makes the call `count {"n": 1}` with these verdicts of gates, and this user.
async fn go(rewrites: bool, verdicts: &[Verdict], user: Option<Verdict>) -> (Vec<String>, Settled) {
    go_with(None, rewrites, verdicts, user).await
}

/// The same with a journal.
async fn go_with(
    journal: Option<Arc<Journal>>,
    rewrites: bool,
    verdicts: &[Verdict],
    user: Option<Verdict>,
) -> (Vec<String>, Settled) {
    let log = Log::default();
    let noting = |verdict: Verdict| Arc::new(Noting { log: Arc::clone(&log), verdict });
    let mut bus = HookBus { journal, ..HookBus::default() };
    if rewrites {
        bus.rewrite_tool_call.push(hook("r", noting(Verdict::Proceed)));
    }
    for (place, verdict) in verdicts.iter().enumerate() {
        bus.tool_call.push(hook(&format!("g{place}"), noting(verdict.clone())));
    }
    bus.tool_result.push(hook("p", noting(Verdict::Proceed)));
    let parameters = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let definition = ToolDefinition {
        name: "count".into(),
        description: String::new(),
        parameters,
        mode: ExecutionMode::Parallel,
        replay: Replay::Never,
    };
    let tools = ToolSet::new([Arc::new(Count(definition, Arc::clone(&log))) as Arc<dyn Tool>]).unwrap();
    let user = user.map(|verdict| noting(verdict) as Arc<dyn User>);
    let dispatcher = Dispatcher::new(tools, bus, HostRules::default(), user);
    let request = CallRequest {
        call: RequestedCall {
            id: "c".to_owned(),
            name: "count".to_owned(),
            arguments: json!({ "n": 1 }),
            arguments_error: None,
            signature: None,
        },
        origin: Origin::Model,
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    };
    let abort = CancellationToken::new();
    let settled = match dispatcher.preflight(request, &abort).await {
        Preflight::Ready(ready) => ready.run(RunScope { abort: &abort, updates: &|_| {}, caller: &NoCalls }).await,
        Preflight::Settled(settled) => settled,
    };
    let log = log.lock().unwrap().clone();
    (log, settled)
}

#[tokio::test]
async fn rewrite_then_gate_then_nothing() {
    let (log, _) = go(true, &[Verdict::Proceed], None).await;
    assert_eq!(
        log,
        [
            r#"resolve {"n":1}"#,
            r#"rewrite {"n":1}"#,
            r#"resolve {"n":2}"#,
            r#"gate {"n":2} [Other("{\"n\":2}")]"#,
            r#"body {"n":2}"#,
            r#"patch {"n":2} half true"#,
            r#"patch {"n":2} whole false"#,
        ]
    );
}

#[tokio::test]
async fn the_first_block_stops_and_no_patch_is_asked() {
    let no = Verdict::Block { reason: "no".to_owned(), terminate: true };
    let (log, settled) = go(false, &[Verdict::Proceed, no, Verdict::Proceed], Some(Verdict::Proceed)).await;
    assert_eq!(log.len(), 3, "{log:?}");
    assert!(settled.output.is_error && settled.output.terminate);
}

#[tokio::test]
async fn questions_add_up_and_go_to_the_user_once() {
    let ask = |question: &str| Verdict::Ask(question.to_owned());
    let (log, settled) = go(false, &[ask("a?"), Verdict::Proceed, ask("b?")], Some(Verdict::Proceed)).await;
    let asked: Vec<&String> = log.iter().filter(|entry| entry.starts_with("user")).collect();
    assert_eq!(asked, [r#"user [("g0", "a?"), ("g2", "b?")]"#]);
    assert!(!settled.output.is_error);

    let (log, settled) = go(false, &[ask("a?")], Some(ask("no"))).await;
    assert!(settled.output.is_error && !log.iter().any(|entry| entry.starts_with("body")), "{log:?}");
}

#[tokio::test]
async fn a_block_is_not_asked_about() {
    let no = Verdict::Block { reason: "no".to_owned(), terminate: false };
    let (log, _) = go(false, &[Verdict::Ask("a?".to_owned()), no], Some(Verdict::Proceed)).await;
    assert!(!log.iter().any(|entry| entry.starts_with("user") || entry.starts_with("body")), "{log:?}");
}
