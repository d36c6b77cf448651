//! The hook bus: which plugins are asked at which seam, in which order, and how their verdicts combine.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::{Decider, Decision, Ruling, ToolCall};

use crate::dispatcher::FinalCall;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::seams::{RewriteToolCall, ToolCallGate, ToolResultPatch, Verdict};
use crate::texts;

/// What a failure of a plugin means at a seam that protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// What could not be checked is refused.
    #[default]
    Refuse,
    /// It goes on without this plugin, and says so.
    Skip,
}

/// One plugin's part in one seam.
pub struct Hook<S: ?Sized> {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// The plugin.
    pub seam: Arc<S>,
}

/// All hooks, each list in byte order of the plugins' file names. It is fixed for a session.
#[derive(Default)]
pub struct HookBus {
    /// Asked first, each after the other.
    pub rewrites: Vec<Hook<dyn RewriteToolCall>>,
    /// Asked when nothing changes any more.
    pub gates: Vec<Hook<dyn ToolCallGate>>,
    /// Asked when the tool is done, each after the other.
    pub patches: Vec<Hook<dyn ToolResultPatch>>,
}

/// Someone who can be asked whether a call may run.
#[async_trait]
pub trait User: Send + Sync {
    /// Whether the call may run, after these questions of plugins (name and question).
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool;
}

/// Proof that every gate was asked and none refused. Only [`HookBus::ask_gates`] makes one.
pub(crate) struct Approval(());

impl<S: ?Sized> Hook<S> {
    pub(crate) fn decision(&self, seam: &'static str, ruling: Ruling) -> Decision {
        Decision { by: Decider::Plugin(Arc::clone(&self.plugin)), seam, ruling }
    }

    pub(crate) fn refuses(&self) -> bool {
        self.on_failure == OnFailure::Refuse
    }

    /// Notes a failure, and whether it refuses.
    pub(crate) fn failed(&self, seam: &'static str, failure: &Failure, trail: &mut Vec<Decision>) -> bool {
        let refused = self.refuses();
        trail.push(self.decision(seam, Ruling::Failure { failure: failure.to_string(), refused }));
        refused
    }
}

impl HookBus {
    /// Asks every gate about the call. The first block stops; questions add up and go to the user once; without a user
    /// a question is a block.
    pub(crate) async fn ask_gates(
        &self,
        call: &FinalCall,
        user: Option<&dyn User>,
        trail: &mut Vec<Decision>,
    ) -> Result<Approval, Refusal> {
        const SEAM: &str = "tool-call";
        let mut questions = Vec::new();
        trail.reserve(self.gates.len());
        for gate in &self.gates {
            match gate.seam.decide(call).await {
                Ok(Verdict::Proceed) => trail.push(gate.decision(SEAM, Ruling::Proceed)),
                Ok(Verdict::Ask(question)) => {
                    let question = texts::clean(&question);
                    trail.push(gate.decision(SEAM, Ruling::Ask { question: question.clone() }));
                    questions.push((Arc::clone(&gate.plugin), question));
                }
                Ok(Verdict::Block { reason, terminate }) => {
                    let reason = texts::clean(&reason);
                    let text = texts::blocked(&gate.plugin, &reason);
                    trail.push(gate.decision(SEAM, Ruling::Block { reason }));
                    return Err(Refusal::new(text).terminating(terminate));
                }
                Err(failure) => {
                    if gate.failed(SEAM, &failure, trail) {
                        return Err(Refusal::new(texts::failed_before(&gate.plugin, SEAM, &failure)));
                    }
                }
            }
        }
        if questions.is_empty() {
            return Ok(Approval(()));
        }
        ask_user(call, &questions, user, trail).await
    }
}

async fn ask_user(
    call: &FinalCall,
    questions: &[(Arc<str>, String)],
    user: Option<&dyn User>,
    trail: &mut Vec<Decision>,
) -> Result<Approval, Refusal> {
    let (by, reason) = match user {
        None => (Decider::Host, texts::nobody_to_ask(questions)),
        Some(user) => {
            if user.allows(call, questions).await {
                trail.push(Decision { by: Decider::User, seam: "tool-call", ruling: Ruling::Proceed });
                return Ok(Approval(()));
            }
            (Decider::User, "Refused by the user.".to_owned())
        }
    };
    trail.push(Decision { by, seam: "tool-call", ruling: Ruling::Block { reason: reason.clone() } });
    Err(Refusal::new(reason))
}
