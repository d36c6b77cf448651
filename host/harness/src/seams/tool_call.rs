//! `tool-call`: the gates. The last place before an effect.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::{Decider, Decision, Ruling, ToolCall};
use seam_session::journal::{self, By};

use crate::bus::{HookBus, Trail};
use crate::dispatcher::FinalCall;
use crate::failure::Failure;
use crate::moment::Moment;
use crate::refusal::Refusal;
use crate::texts;

const SEAM: &str = "tool-call";

/// The decision of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Do not run it.
    Block {
        /// Why.
        reason: String,
        /// Whether the run should end after this batch.
        terminate: bool,
    },
    /// Ask the user this.
    Ask(String),
    /// Nothing against it.
    Proceed,
}

/// `tool-call`: may refuse the call. The last place before its effect.
#[async_trait]
pub trait ToolCallGate: Send + Sync {
    /// The verdict.
    ///
    /// # Errors
    /// When there is no decision.
    async fn decide(&self, call: &FinalCall, at: &Moment) -> Result<Verdict, Failure>;
}

/// Someone who can be asked whether a call may run, and what plugins want to know. Who does not answer says what does
/// nothing.
#[async_trait]
pub trait User: Send + Sync {
    /// Whether the call may run, after these questions of plugins (name and question).
    async fn allows(&self, call: &ToolCall, questions: &[(Arc<str>, String)]) -> bool;

    /// Whether it is a yes to this question of a plugin.
    async fn confirms(&self, _plugin: &str, _question: &str) -> bool {
        false
    }

    /// Which of these is chosen, by its place.
    async fn selects(&self, _plugin: &str, _question: &str, _options: &[String]) -> Option<usize> {
        None
    }

    /// What is answered, on one line.
    async fn inputs(&self, _plugin: &str, _question: &str) -> Option<String> {
        None
    }
}

/// Proof that every gate was asked and none refused. Only [`HookBus::ask_gates`] makes one.
pub(crate) struct Approval(());

impl HookBus {
    /// Asks every gate about the call. The first block stops; questions add up and go to the user once; without a user
    /// a question is a block.
    pub(crate) async fn ask_gates(
        &self,
        call: &FinalCall,
        at: &Moment,
        user: Option<&dyn User>,
        trail: &mut Trail,
    ) -> Result<Approval, Refusal> {
        let mut questions = Vec::new();
        trail.reserve(self.tool_call.len());
        for gate in &self.tool_call {
            match gate.answer(self.about(SEAM, &call.id), gate.seam.decide(call, at).await, trail) {
                Ok(Some(Verdict::Proceed)) => gate.passes(SEAM, trail),
                Ok(Some(Verdict::Ask(question))) => {
                    let question = texts::clean(&question);
                    gate.rules(SEAM, Ruling::Ask { question: question.clone() }, trail);
                    questions.push((Arc::clone(&gate.plugin), question));
                }
                Ok(Some(Verdict::Block { reason, terminate })) => {
                    let reason = texts::clean(&reason);
                    let text = texts::blocked(&gate.plugin, &reason);
                    gate.rules(SEAM, Ruling::Block { reason }, trail);
                    return Err(Refusal::new(text).terminating(terminate));
                }
                Ok(None) => {}
                Err(refused) => return Err(Refusal::new(texts::failed_before(&refused))),
            }
        }
        if questions.is_empty() {
            return Ok(Approval(()));
        }
        self.ask_user(call, &questions, user, trail).await
    }

    async fn ask_user(
        &self,
        call: &FinalCall,
        questions: &[(Arc<str>, String)],
        user: Option<&dyn User>,
        trail: &mut Trail,
    ) -> Result<Approval, Refusal> {
        let (by, reason) = match user {
            None => ((Decider::Host, By::Host), texts::nobody_to_ask(questions)),
            Some(user) => {
                if user.allows(call, questions).await {
                    trail.push(Decision { by: Decider::User, seam: SEAM, ruling: Ruling::Proceed });
                    self.ruled(By::User, call, journal::Verdict::Proceed, questions)?;
                    return Ok(Approval(()));
                }
                ((Decider::User, By::User), "Refused by the user.".to_owned())
            }
        };
        trail.push(Decision { by: by.0, seam: SEAM, ruling: Ruling::Block { reason: reason.clone() } });
        self.ruled(by.1, call, journal::Verdict::Block((&*reason).into()), questions)?;
        Err(Refusal::new(reason))
    }
}
