//! The one way from a tool call to its effect.

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use seam_loop::message::RequestedCall;
use seam_loop::tool::Updates;
use seam_loop::{
    CallRequest, CancellationToken, Content, Decider, Decision, Dispatch, ExecutionMode, Origin, Preflight, ReadyCall,
    ResolvedTool, Ruling, RunScope, Settled, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ValidArguments,
};
use seam_session::journal::{By, Verdict};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::bus::{Hook, HookBus, Trail};
use crate::failure::Failure;
use crate::moment::Moment;
use crate::reach;
use crate::refusal::Refusal;
use crate::rules::HostRules;
use crate::seams::{Approval, LiveUpdates, RewriteToolCall, User};
use crate::texts;
use crate::tools::{Entry, ToolSet};

/// How long a body may take to stop after an abort. Then it is dropped.
const ABORT_GRACE: Duration = Duration::from_secs(5);

/// How many live updates may wait for the patches. A tool that is faster waits.
const WAITING_UPDATES: usize = 16;

/// Every call of the model, of a tool, of a plugin, of the user or of a resumed session goes through here.
pub struct Dispatcher {
    tools: ToolSet,
    bus: Arc<HookBus>,
    rules: HostRules,
    user: Option<Arc<dyn User>>,
}

/// A call that nothing can change any more: the tool gets exactly these arguments and touches exactly these targets.
/// Only the dispatcher makes one, after the last rewrite.
#[derive(Debug)]
pub struct FinalCall(ToolCall);

impl Deref for FinalCall {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        &self.0
    }
}

impl Dispatcher {
    /// A dispatcher for these tools, hooks and rules. Without a `user`, a gate's question is a block.
    pub fn new(tools: ToolSet, bus: HookBus, rules: HostRules, user: Option<Arc<dyn User>>) -> Self {
        Self { tools, bus: Arc::new(bus), rules, user }
    }

    /// The hooks.
    pub fn bus(&self) -> &Arc<HookBus> {
        &self.bus
    }

    /// The user, if there is one to ask.
    pub(crate) fn user(&self) -> Option<&dyn User> {
        self.user.as_deref()
    }

    /// The tools.
    pub(crate) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The tool of a call. One that the model may not call now is there for the user alone.
    fn entry(&self, name: &str, origin: &Origin) -> Option<&Entry> {
        if *origin == Origin::User { self.tools.get(name) } else { self.tools.active(name) }
    }

    /// Decides about a call. `was_changed`: its arguments are already not those that the model asked for, and the model is
    /// told so.
    pub(crate) async fn decide(
        &self,
        request: &CallRequest,
        was_changed: bool,
        abort: &CancellationToken,
    ) -> Preflight {
        let mut trail = Vec::new();
        let outcome = tokio::select! {
            biased;
            () = abort.cancelled() => Err(ToolError::Aborted.into()),
            outcome = self.approve(request, &mut trail) => outcome,
        };
        match outcome {
            Ok(approved) => {
                let is_changed = was_changed || !approved.rewriters.is_empty();
                Preflight::Ready(Box::new(Approved { trail, is_changed, ..approved }))
            }
            Err(refusal) => Preflight::Settled(Settled { output: refusal.into(), decisions: trail }),
        }
    }

    /// What a call comes to before anyone is asked about it. A refusal is the host's own, and recorded.
    async fn candidate(&self, request: &CallRequest) -> Result<(&Entry, Candidate), Refusal> {
        let RequestedCall { name, .. } = &request.call;
        let candidate = async {
            let found = self.entry(name, &request.origin);
            let entry = found.ok_or_else(|| Refusal::new(format!("Tool {name} not found")))?;
            let arguments = prepare(entry, request)?;
            Ok((entry, Candidate::resolve(entry, request, arguments).await?))
        };
        let candidate: Result<_, Refusal> = candidate.await;
        if let Err(refusal) = &candidate {
            self.bus.turned_away(&request.call, refusal)?;
        }
        candidate
    }

    /// Prepare, validate, rewrites (validated and resolved again after each), host rules, gates. What comes out is
    /// approved, and running it is all that can be done with it.
    async fn approve(&self, request: &CallRequest, trail: &mut Trail) -> Result<Approved, Refusal> {
        let (entry, mut candidate) = self.candidate(request).await?;
        let mut rewriters = Vec::new();
        let at = self.bus.conversation.moment();
        for hook in &self.bus.rewrite_tool_call {
            if let Some(rewritten) = rewrite(&self.bus, hook, entry, &candidate.call, request, &at, trail).await? {
                candidate = rewritten;
                rewriters.push(Arc::clone(&hook.plugin));
            }
        }
        let (call, body) = candidate.freeze();
        if let Some(reason) = self.rules.refusal(&call) {
            self.bus.ruled(By::Host, &call, Verdict::Block((&*reason).into()), &[])?;
            let ruling = Ruling::Block { reason: reason.clone() };
            trail.push(Decision { by: Decider::Host, seam: "tool-call", ruling });
            return Err(Refusal::new(reason));
        }
        let approval = self.bus.ask_gates(&call, &at, self.user.as_deref(), trail).await?;
        let (tool, bus) = (Arc::clone(&entry.tool), Arc::clone(&self.bus));
        Ok(Approved { call, tool, body, rewriters, is_changed: false, bus, at, trail: Vec::new(), _approval: approval })
    }
}

#[async_trait]
impl Dispatch for Dispatcher {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        self.tools.definitions()
    }

    fn mode(&self, tool: &str) -> ExecutionMode {
        self.tools.get(tool).map_or(ExecutionMode::Parallel, |entry| entry.tool.definition().mode)
    }

    async fn preflight(&self, request: CallRequest, abort: &CancellationToken) -> Preflight {
        self.decide(&request, false, abort).await
    }
}

/// The arguments in the schema's form, valid. Those of a resumed session were prepared when it made the call.
fn prepare(entry: &Entry, request: &CallRequest) -> Result<ValidArguments, Refusal> {
    let call = &request.call;
    if let Some(fault) = &call.arguments_error {
        return Err(Refusal::new(format!("Invalid arguments for tool \"{}\": {fault}", call.name)));
    }
    let prepare = || match request.origin {
        Origin::Resumed => Ok(call.arguments.clone()),
        _ => entry.tool.prepare_arguments(call.arguments.clone()),
    };
    let prepared = prepare()?;
    entry.schema.validate(prepared).or_else(|faults| {
        // Prepared again: only a refusal needs them a second time.
        let prepared = prepare()?;
        Err(Refusal::new(texts::invalid(&call.name, &faults, &prepared)))
    })
}

/// Asks one plugin for new arguments. New ones are validated and resolved again; what does not pass is its failure.
async fn rewrite(
    bus: &HookBus,
    hook: &Hook<dyn RewriteToolCall>,
    entry: &Entry,
    call: &ToolCall,
    request: &CallRequest,
    at: &Moment,
    trail: &mut Trail,
) -> Result<Option<Candidate>, Refusal> {
    const SEAM: &str = "rewrite-tool-call";
    let rewritten = match hook.seam.rewrite(call, at).await {
        Ok(Some(text)) if !hook.shadow => Candidate::rewritten(entry, request, &text).await.map(Some),
        Ok(_) => Ok(None),
        Err(failure) => Err(failure),
    };
    let answer = hook.answer(bus.about(SEAM, &call.id), rewritten, trail);
    match answer.map_err(|refused| Refusal::new(texts::failed_before(&refused)))? {
        Some(Some(candidate)) => {
            let arguments = Value::Object(candidate.call.arguments.value().clone());
            hook.rules(SEAM, Ruling::Rewrite { arguments }, trail);
            Ok(Some(candidate))
        }
        Some(None) => {
            hook.passes(SEAM, trail);
            Ok(None)
        }
        None => Ok(None),
    }
}

/// A call whose arguments are valid and may still change.
struct Candidate {
    call: ToolCall,
    body: Box<dyn ResolvedTool>,
}

impl Candidate {
    async fn resolve(entry: &Entry, request: &CallRequest, arguments: ValidArguments) -> Result<Self, ToolError> {
        let body = entry.tool.resolve(&arguments).await?;
        let model = &request.call.arguments;
        let differs = model.as_object() != Some(arguments.value());
        let call = ToolCall {
            id: request.call.id.clone(),
            tool: Arc::clone(&entry.tool.definition().name),
            model_arguments: differs.then(|| model.to_string()),
            arguments,
            origin: request.origin.clone(),
            targets: body.targets(),
            turn: request.turn,
            batch: request.batch,
        };
        Ok(Self { call, body })
    }

    /// The call with the arguments of a plugin.
    async fn rewritten(entry: &Entry, request: &CallRequest, arguments: &str) -> Result<Self, Failure> {
        let arguments =
            serde_json::from_str(arguments).map_err(|error| unusable("the new arguments are not JSON", &error))?;
        let arguments = entry
            .schema
            .validate(arguments)
            .map_err(|faults| unusable("the new arguments do not fit the tool", &faults))?;
        let resolved = Self::resolve(entry, request, arguments).await;
        resolved.map_err(|error| unusable("the tool cannot use the new arguments", &error))
    }

    fn freeze(self) -> (FinalCall, Box<dyn ResolvedTool>) {
        (FinalCall(self.call), self.body)
    }
}

/// What is wrong with a plugin's arguments. The detail may hold words of the plugin.
fn unusable(what: &str, detail: &dyn std::fmt::Display) -> Failure {
    Failure::InvalidAnswer(format!("{what} ({})", texts::short(&detail.to_string(), texts::DETAIL)))
}

/// A call that everyone agreed to. All one can do with it is run it.
struct Approved {
    call: FinalCall,
    tool: Arc<dyn Tool>,
    body: Box<dyn ResolvedTool>,
    rewriters: Vec<Arc<str>>,
    /// Whether the tool gets other arguments than the model asked for.
    is_changed: bool,
    bus: Arc<HookBus>,
    /// When it was approved. The patches see what the gates saw.
    at: Moment,
    trail: Trail,
    _approval: Approval,
}

#[async_trait]
impl ReadyCall for Approved {
    fn call(&self) -> &ToolCall {
        &self.call
    }

    fn decisions(&self) -> &[Decision] {
        &self.trail
    }

    async fn run(self: Box<Self>, scope: RunScope<'_>) -> Settled {
        let RunScope { abort, updates, caller } = scope;
        let Self { call, tool, body, rewriters, is_changed, bus, at, mut trail, _approval } = *self;
        let since = Instant::now();
        if let Err(refusal) = bus.begins(&call, tool.definition().replay) {
            return Settled { output: refusal.into(), decisions: trail };
        }
        let (sender, mut partials) = mpsc::channel(WAITING_UPDATES);
        let context = ToolContext { call_id: &call.id, abort: abort.clone(), updates: Updates::new(sender), caller };
        let over = CancellationToken::new();
        let body = async {
            let result = bounded(body.run(context), abort).await;
            over.cancel();
            result
        };
        let pump = async {
            let mut live = LiveUpdates::default();
            while let Some(partial) = next(&mut partials, &over).await {
                reach::until(abort, live.pass(&bus, &call, *partial, &at, updates)).await;
            }
            live
        };
        let (result, live) = tokio::join!(body, pump);
        live.end(&mut trail);
        let mut output = result.unwrap_or_else(|error| ToolOutput::error(error.to_string()));
        if is_changed {
            output.content.push(Content::text(texts::rewritten(&rewriters, call.arguments.text())));
        }
        let output = reach::until(abort, bus.patch_result(&call, output, &at, &mut trail)).await;
        if let Err(refusal) = bus.ends(&call, output.is_error, since) {
            return Settled { output: refusal.into(), decisions: trail };
        }
        // Only now is it cut: what the patches did not see is nowhere.
        Settled { output: tool.fit(output).await, decisions: trail }
    }
}

/// The body's result, or an abort when it does not stop in time.
async fn bounded(
    body: impl Future<Output = Result<ToolOutput, ToolError>>,
    abort: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let given_up = async {
        abort.cancelled().await;
        tokio::time::sleep(ABORT_GRACE).await;
    };
    tokio::select! {
        biased;
        result = body => result,
        () = given_up => Err(ToolError::Aborted),
    }
}

/// The next live update; none when the body is over and all were read.
async fn next(partials: &mut mpsc::Receiver<Box<ToolOutput>>, over: &CancellationToken) -> Option<Box<ToolOutput>> {
    tokio::select! {
        biased;
        partial = partials.recv() => partial,
        () = over.cancelled() => partials.try_recv().ok(),
    }
}

#[cfg(test)]
mod tests;
