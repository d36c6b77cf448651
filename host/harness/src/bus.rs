//! The hook bus: which plugins are asked at which seam, in which order. How their answers combine stands with each
//! seam, in `seams`.

use std::sync::Arc;

use seam_loop::{Decider, Decision, Ruling};
use seam_session::Journal;

use crate::failure::{Failure, Refused};
use crate::journal::Asked;
use crate::moment::Conversation;
use crate::seams;

/// What a failure of a plugin means.
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
    /// It is asked and recorded, and changes nothing: neither what it says nor that it fails counts.
    pub shadow: bool,
    /// The plugin.
    pub seam: Arc<S>,
}

/// The hooks of one seam, in byte order of the plugins' file names.
pub type Hooks<S> = Vec<Hook<S>>;

/// All hooks. They are fixed until others take the place of all of them. A field is a seam, by its name in the contract.
#[derive(Default)]
#[allow(missing_docs, reason = "each is the seam of its name")]
pub struct HookBus {
    pub input: Hooks<dyn seams::Input>,
    pub before_agent_start: Hooks<dyn seams::BeforeAgentStart>,
    pub prepare_request: Hooks<dyn seams::PrepareRequest>,
    pub transform_context: Hooks<dyn seams::TransformContext>,
    pub convert_to_llm: Hooks<dyn seams::ConvertToLlm>,
    pub get_api_key: Hooks<dyn seams::GetApiKey>,
    pub before_provider_request: Hooks<dyn seams::BeforeProviderRequest>,
    pub before_provider_payload: Hooks<dyn seams::BeforeProviderPayload>,
    pub rewrite_tool_call: Hooks<dyn seams::RewriteToolCall>,
    pub tool_call: Hooks<dyn seams::ToolCallGate>,
    pub tool_result: Hooks<dyn seams::ToolResultPatch>,
    pub finish_turn: Hooks<dyn seams::FinishTurn>,
    pub prepare_next_turn: Hooks<dyn seams::PrepareNextTurn>,
    pub session_before_switch: Hooks<dyn seams::SessionBeforeSwitch>,
    pub session_before_fork: Hooks<dyn seams::SessionBeforeFork>,
    pub session_before_compact: Hooks<dyn seams::SessionBeforeCompact>,
    pub session_before_tree: Hooks<dyn seams::SessionBeforeTree>,
    pub resources_discover: Hooks<dyn seams::ResourcesDiscover>,
    /// The session they are in. Whoever stores a message puts it in here: it is what hooks may read.
    pub conversation: Arc<Conversation>,
    /// Where it is written who decided what, if it is. What cannot be written there is not done.
    pub journal: Option<Arc<Journal>>,
    /// One for each plugin that watches anything.
    pub observers: Vec<(Arc<str>, Arc<dyn seams::Observer>)>,
}

/// Who was asked and what they said, in order.
pub type Trail = Vec<Decision>;

impl<S: ?Sized> Hook<S> {
    /// Notes what this plugin decided.
    pub(crate) fn rules(&self, seam: &'static str, ruling: Ruling, trail: &mut Trail) {
        trail.push(Decision { by: Decider::Plugin(Arc::clone(&self.plugin)), seam, ruling });
    }

    /// Notes that it had nothing to say.
    pub(crate) fn passes(&self, seam: &'static str, trail: &mut Trail) {
        self.rules(seam, Ruling::Proceed, trail);
    }

    /// Notes that it changed these parts.
    pub(crate) fn changes(&self, seam: &'static str, mut fields: Vec<&'static str>, trail: &mut Trail) {
        fields.sort_unstable();
        fields.dedup();
        self.rules(seam, Ruling::Change { fields }, trail);
    }

    /// Whether this failure of it refuses. One to record does, whatever the user said.
    pub(crate) fn refuses(&self, failure: &Failure) -> bool {
        *failure == Failure::NotRecorded || (!self.shadow && self.on_failure == OnFailure::Refuse)
    }

    /// The failure, once it is written down if it is the host's word about an answer.
    pub(crate) fn recorded(&self, at: Asked<'_>, failure: Failure) -> Failure {
        let refused = self.refuses(&failure);
        if failure.is_the_hosts() { at.rejected(&self.plugin, failure, refused) } else { failure }
    }

    /// Its answer; none when it failed and is skipped, and none of a shadow. A failure is noted, but not that of a shadow.
    pub(crate) fn answer<T>(
        &self,
        at: Asked<'_>,
        answer: Result<T, Failure>,
        trail: &mut Trail,
    ) -> Result<Option<T>, Refused> {
        let failure = match answer {
            Ok(answer) => return Ok((!self.shadow).then_some(answer)),
            Err(failure) => self.recorded(at, failure),
        };
        let seam = at.seam;
        let refused = self.refuses(&failure);
        if self.shadow && !refused {
            return Ok(None);
        }
        self.rules(seam, Ruling::Failure { failure: failure.to_string(), refused }, trail);
        if refused { Err(Refused { plugin: Arc::clone(&self.plugin), seam, failure }) } else { Ok(None) }
    }
}
