//! What is written of answers that do not count, and of calls that nobody is asked about.

use super::journalled::{broken, journal, written};
use super::*;
use crate::bus::OnFailure;

/// Rewrites a call into what no tool takes.
struct Nonsense;

#[async_trait]
impl RewriteToolCall for Nonsense {
    async fn rewrite(&self, _: &ToolCall, _: &Moment) -> Result<Option<String>, Failure> {
        Ok(Some(r#"{"n":"many"}"#.to_owned()))
    }
}

/// A dispatcher with the tool `count` that writes into this journal.
fn counting(journal: Arc<Journal>, rewriters: Vec<Hook<dyn RewriteToolCall>>) -> Dispatcher {
    let parameters = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let (name, description, mode) = ("count".into(), String::new(), ExecutionMode::Parallel);
    let definition = ToolDefinition { name, description, parameters, mode, replay: Replay::Never };
    let tools = ToolSet::new([Arc::new(Count(definition, Log::default())) as Arc<dyn Tool>]).unwrap();
    let bus = HookBus { journal: Some(journal), rewrite_tool_call: rewriters, ..HookBus::default() };
    Dispatcher::new(tools, bus, HostRules::default(), None)
}

fn request(name: &str, arguments: Value, error: Option<&str>) -> CallRequest {
    let (id, name, arguments_error) = ("c".to_owned(), name.to_owned(), error.map(str::to_owned));
    let call = RequestedCall { id, name, arguments, arguments_error, signature: None };
    let batch = BatchPosition { index: 0, size: 1 };
    CallRequest { call, origin: Origin::Model, turn: 1, batch }
}

/// What the model reads of a call that does not run.
async fn refused(dispatcher: &Dispatcher, name: &str, arguments: Value, error: Option<&str>) -> ToolOutput {
    match dispatcher.preflight(request(name, arguments, error), &CancellationToken::new()).await {
        Preflight::Settled(settled) => settled.output,
        Preflight::Ready(_) => panic!("it is ready"),
    }
}

#[tokio::test]
async fn what_the_host_refuses_before_anyone_is_asked_is_written_down() {
    let (folder, journal) = journal();
    let dispatcher = counting(journal, Vec::new());
    refused(&dispatcher, "nosuch", json!({ "a": 1 }), None).await;
    refused(&dispatcher, "count", json!({ "n": "many" }), None).await;
    refused(&dispatcher, "count", Value::Null, Some("it ends early")).await;
    let written = written(&folder);
    assert_eq!(written[..2], ["open", r#"Host c nosuch {"a":1} Block("Tool nosuch not found") []"#]);
    assert!(written[2].starts_with(r#"Host c count {"n":"many"} Block("Validation failed for tool"#), "{written:?}");
    let unread = r#"Host c count null Block("Invalid arguments for tool \"count\": it ends early") []"#;
    assert_eq!(written[3..], [unread]);
}

#[tokio::test]
async fn an_answer_that_the_host_has_no_use_for_is_written_down() {
    for (on_failure, refuses) in [(OnFailure::Refuse, true), (OnFailure::Skip, false)] {
        let (folder, journal) = journal();
        let rewriter: Arc<dyn RewriteToolCall> = Arc::new(Nonsense);
        let dispatcher = counting(journal, vec![Hook { on_failure, ..hook("r", rewriter) }]);
        let preflight =
            dispatcher.preflight(request("count", json!({ "n": 1 }), None), &CancellationToken::new()).await;
        assert_eq!(matches!(preflight, Preflight::Settled(_)), refuses);
        let written = written(&folder);
        let start =
            r#"r rewrite-tool-call Some("c") invalid-answer: its answer is not usable: the new arguments do not fit"#;
        assert!(written[1].starts_with(start) && written[1].ends_with(&format!(" {refuses}")), "{written:?}");
    }
}

/// A plugin whose call itself failed is written down where it is called.
#[test]
fn what_failed_on_the_way_is_not_written_down_twice() {
    let (folder, journal) = journal();
    let bus = HookBus { journal: Some(journal), ..HookBus::default() };
    let hook = hook("g", Arc::new(()));
    for failure in [Failure::CouldNotStart, Failure::NotOfType, Failure::Crash("x".to_owned())] {
        assert!(hook.answer(bus.at("input"), Err::<(), _>(failure), &mut Trail::new()).is_err());
    }
    assert_eq!(written(&folder), ["open"]);
    let failure = Failure::InvalidAnswer("x".to_owned());
    assert!(hook.answer(bus.at("input"), Err::<(), _>(failure), &mut Trail::new()).is_err());
    assert_eq!(written(&folder)[1..], ["g input None invalid-answer: its answer is not usable: x true"]);
}

/// Even of a plugin whose failures are skipped.
#[tokio::test]
async fn a_rejection_or_a_refusal_that_is_not_recorded_ends_the_run() {
    let (_folder, journal) = broken();
    let rewriter: Arc<dyn RewriteToolCall> = Arc::new(Nonsense);
    let skipped = Hook { on_failure: OnFailure::Skip, ..hook("r", rewriter) };
    let dispatcher = counting(journal, vec![skipped]);
    let output = refused(&dispatcher, "count", json!({ "n": 1 }), None).await;
    let told = output.content.first().and_then(Content::as_text).unwrap_or_default();
    assert!(told.contains("could not be recorded"), "{told}");
    assert!(refused(&dispatcher, "nosuch", json!({}), None).await.terminate);
}

/// A patch that fails on live updates, and notes how often it is asked.
struct Failing(Log, Failure);

#[async_trait]
impl ToolResultPatch for Failing {
    async fn review(&self, _: &FinalCall, _: &ToolOutput, partial: bool, _: &Moment) -> Result<Outcome, Failure> {
        self.0.lock().unwrap().push(format!("asked {partial}"));
        Err(self.1.clone())
    }
}

/// The call that was made, by hand.
fn made() -> FinalCall {
    let schema = seam_loop::arguments::ArgumentSchema::compile(&json!({ "type": "object" })).unwrap();
    FinalCall(ToolCall {
        id: "c".to_owned(),
        tool: "count".into(),
        model_arguments: None,
        arguments: schema.validate(json!({})).unwrap(),
        origin: Origin::Model,
        targets: Vec::new(),
        turn: 1,
        batch: BatchPosition { index: 0, size: 1 },
    })
}

#[tokio::test]
async fn a_shadow_that_failed_on_a_live_update_is_not_asked_about_more_of_them() {
    let (skip, refuse) = (OnFailure::Skip, OnFailure::Refuse);
    // A patch that is skipped when it fails is asked again: it may work on the next one.
    for (on_failure, shadow, asked, shown, told) in
        [(skip, false, 3, 3, 1), (refuse, true, 1, 3, 0), (refuse, false, 1, 0, 1)]
    {
        let ((folder, journal), log) = (journal(), Log::default());
        let failing = Failing(Arc::clone(&log), Failure::InvalidAnswer("x".to_owned()));
        let patch: Arc<dyn ToolResultPatch> = Arc::new(failing);
        let mut bus = HookBus { journal: Some(journal), ..HookBus::default() };
        bus.tool_result.push(Hook { on_failure, shadow, ..hook("p", patch) });
        let (call, at, seen, mut trail) = (made(), bus.conversation.moment(), Mutex::new(0), Trail::new());
        let mut live = LiveUpdates::default();
        for _ in 0..3 {
            live.pass(&bus, &call, ToolOutput::text("half"), &at, &|_| *seen.lock().unwrap() += 1).await;
        }
        live.end(&mut trail);
        assert_eq!((log.lock().unwrap().len(), *seen.lock().unwrap(), trail.len()), (asked, shown, told));
        let refused = shown == 0;
        let rejected = format!(r#"p tool-result Some("c") invalid-answer: its answer is not usable: x {refused}"#);
        assert_eq!(written(&folder)[1..], vec![rejected; asked]);
    }
}
