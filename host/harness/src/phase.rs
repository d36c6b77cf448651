//! What a conversation is doing.

use std::sync::Arc;

use crate::settings::Settings;

/// What a conversation is doing. The one who owns it starts one thing at a time; others look at it through a
/// [`Handle`](crate::Handle).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing: it waits for the user.
    #[default]
    Idle,
    /// A run.
    Turn,
    /// What was said is made shorter.
    Compaction,
    /// A branch that is left is summarised.
    BranchSummary,
    /// It waits, to ask the provider once more.
    Retry,
}

/// Something needs a run, and there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRun {
    /// A message was to join it.
    #[error("Cannot steer while idle: there is no run that the message could join. Say it instead")]
    Steer,
    /// A message was to keep it going.
    #[error("Cannot follow up while idle: there is no run that the message could keep going. Say it instead")]
    FollowUp,
}

/// As long as it is there, the conversation is in a phase. Then it is in the one from before again.
pub(crate) struct InPhase {
    settings: Arc<Settings>,
    before: Phase,
}

impl InPhase {
    pub(crate) fn enter(settings: &Arc<Settings>, phase: Phase) -> Self {
        let before = settings.set_phase(phase);
        Self { settings: Arc::clone(settings), before }
    }
}

impl Drop for InPhase {
    fn drop(&mut self) {
        self.settings.set_phase(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tests::settings;

    #[test]
    fn a_phase_within_another_leads_back_to_it() {
        let settings = Arc::new(settings());
        let turn = InPhase::enter(&settings, Phase::Turn);
        let within = InPhase::enter(&settings, Phase::Compaction);
        assert_eq!(settings.phase(), Phase::Compaction);
        drop(within);
        assert_eq!(settings.phase(), Phase::Turn);
        drop(turn);
        assert_eq!(settings.phase(), Phase::Idle);
    }
}
