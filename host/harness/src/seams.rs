//! The seams as the harness sees them: a trait each, which a plugin engine implements, and how the answers of several
//! plugins combine.

mod before_agent_start;
mod before_provider_payload;
mod before_provider_request;
mod commands;
mod convert_to_llm;
mod finish_turn;
mod get_api_key;
mod input;
mod observe;
mod prepare_next_turn;
mod prepare_request;
mod resources_discover;
mod rewrite_tool_call;
mod session_before_compact;
mod session_before_fork;
mod session_before_switch;
mod session_before_tree;
mod tool_call;
mod tool_result;
mod transform_context;

use std::ops::Range;
use std::sync::Arc;

use seam_loop::message::{CustomMessage, now};
use seam_loop::{Content, Message, Ruling};
use serde_json::Value;

use crate::bus::{Hook, Trail};
use crate::failure::{Failure, Stopped};
use crate::journal::Asked;
use crate::texts;

pub use before_agent_start::{BeforeAgentStart, Prompt, PromptChange};
pub use before_provider_payload::{BeforeProviderPayload, PayloadReview};
pub use before_provider_request::{BeforeProviderRequest, ProviderRequest, ProviderRequestChange};
pub use commands::{Command, CommandOutcome, Commands};
pub use convert_to_llm::{Conversion, ConvertToLlm};
pub use finish_turn::FinishTurn;
pub use get_api_key::GetApiKey;
pub use input::{Input, Received, Said, Source};
pub use observe::Observer;
pub use prepare_next_turn::{NextTurnChange, PrepareNextTurn, TurnPlan};
pub use prepare_request::{PlanChange, PrepareRequest, RequestPlan, Scope};
pub use resources_discover::{Resource, ResourceKind, ResourcesDiscover};
pub use rewrite_tool_call::RewriteToolCall;
pub use seam_loop::Change;
pub use session_before_compact::{CompactOutcome, CompactReason, Compaction, SessionBeforeCompact, Summary};
pub use session_before_fork::{Fork, SessionBeforeFork};
pub use session_before_switch::SessionBeforeSwitch;
pub use session_before_tree::{SessionBeforeTree, TreeChange, TreeChanges, TreeMove, TreeOutcome};
pub(crate) use tool_call::Approval;
pub use tool_call::{ToolCallGate, User, Verdict};
pub(crate) use tool_result::LiveUpdates;
pub use tool_result::{Outcome, ToolResultPatch};
pub use transform_context::TransformContext;

/// How many messages a plugin may add in one answer.
const MESSAGES: usize = 64;

/// A message that a plugin adds.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// What kind of message it is, in the plugin's own words.
    pub kind: String,
    /// What it says.
    pub content: Vec<Content>,
    /// Whether the user sees it.
    pub display: bool,
    /// What it adds for programs.
    pub details: Option<Value>,
}

impl NewMessage {
    /// The message as it is stored: its kind says whose it is.
    pub(crate) fn from(self, plugin: &str) -> Message {
        Message::Custom(CustomMessage {
            custom_type: format!("{plugin}/{}", self.kind),
            content: self.content,
            display: self.display,
            details: self.details,
            timestamp: now(),
        })
    }
}

/// Changes among which are no more messages than a plugin may add.
fn few_messages<C>(changes: Vec<C>, is_message: impl Fn(&C) -> bool) -> Result<Vec<C>, Failure> {
    match changes.iter().filter(|change| is_message(change)).count() > MESSAGES {
        true => Err(Failure::InvalidAnswer(format!("it adds more than {MESSAGES} messages"))),
        false => Ok(changes),
    }
}

/// Where the messages of a turn are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnPlaces {
    /// Its number in the run, from 1.
    pub turn: u32,
    /// The place of the model's message.
    pub message: usize,
    /// The places of the results of its calls.
    pub results: Range<usize>,
}

/// Whether something may be done to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It is not done, for this reason.
    Cancel(String),
    /// Nothing against it.
    Proceed,
}

/// Notes a plugin's permission; an error when it cancels or fails.
fn permission<S: ?Sized>(
    hook: &Hook<S>,
    at: Asked<'_>,
    answer: Result<Permission, Failure>,
    trail: &mut Trail,
) -> Result<(), Stopped> {
    let seam = at.seam;
    match hook.answer(at, answer, trail)? {
        Some(Permission::Cancel(reason)) => {
            let reason = texts::clean(&reason);
            hook.rules(seam, Ruling::Block { reason: reason.clone() }, trail);
            Err(Stopped::Cancelled { plugin: Arc::clone(&hook.plugin), reason })
        }
        Some(Permission::Proceed) => {
            hook.passes(seam, trail);
            Ok(())
        }
        None => Ok(()),
    }
}
