//! Making a conversation shorter: a summary takes the place of what was said first.

mod steps;

use std::sync::Arc;

use seam_loop::{CancellationToken, Message, Provider};
use seam_session::SessionError;

use crate::bus::HookBus;
use crate::compaction::Length;
use crate::event::SessionEvent;
use crate::failure::Stopped;
use crate::harness::Harness;
use crate::harness::summary::NoSummary;
use crate::phase::{InPhase, Phase};
use crate::seams::{CompactReason, Summary};
use crate::tell::Tell;
use crate::upkeep::{Space, Upkeep};

/// Why a conversation was not made shorter. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum NotCompacted {
    /// All of it is recent.
    #[error("Nothing to compact: everything that was said is recent, and is kept as it is")]
    Nothing,
    /// It was made shorter before.
    #[error("Already compacted: nothing was said since")]
    Already,
    /// A plugin did not want it, or failed.
    #[error("Compaction cancelled: {0}")]
    Stopped(#[from] Stopped),
    /// The user aborted it.
    #[error("Compaction aborted")]
    Aborted,
    /// There is no summary.
    #[error("Not compacted: there is no summary, since {0}")]
    NoSummary(NoSummary),
    /// It would not have become shorter.
    #[error("Not compacted: the model's summary is as long as what it was to stand for")]
    NotShorter,
    /// It is not made shorter by itself.
    #[error("compaction is switched off in the settings")]
    Disabled,
    /// It cannot be read or stored.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Something was not stored, and the conversation cannot go on.
    #[error("{0}")]
    NotStored(String),
}

impl From<NoSummary> for NotCompacted {
    fn from(why: NoSummary) -> Self {
        match why {
            NoSummary::Aborted => Self::Aborted,
            NoSummary::Refused(refused) => Self::Stopped(refused.into()),
            why => Self::NoSummary(why),
        }
    }
}

/// What came of a compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Compacted {
    /// What stands for the messages that are not kept.
    pub summary: String,
    /// The plugin that supplied it.
    pub from_plugin: Option<Arc<str>>,
    /// How many tokens the conversation had before.
    pub tokens_before: u64,
    /// And how many it has now.
    pub tokens_after: u64,
    /// The conversation as it is now.
    pub(super) messages: Vec<Arc<Message>>,
}

impl Harness {
    /// Makes the conversation shorter: a summary takes the place of everything that is not recent. Plugins may cancel it or
    /// supply the summary; else the model writes it. `instructions` say what it should hold.
    ///
    /// # Errors
    /// When it was not made shorter. Nothing has changed then.
    pub async fn compact(
        &mut self,
        instructions: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<Compacted, NotCompacted> {
        let phase = InPhase::enter(&self.tell.settings, Phase::Compaction);
        let compactor = self.compactor();
        let compacting = compactor.compact(CompactReason::Manual, instructions, abort);
        let compacted = self.tell.heeding(abort, compacting).await;
        if let Ok(compacted) = &compacted {
            self.transcript = compacted.messages.iter().cloned().collect();
            self.tell.save_point();
        }
        drop(phase);
        self.tell.flush();
        self.sync();
        compacted
    }

    pub(super) fn compactor(&self) -> Compactor<'_> {
        Compactor {
            provider: &*self.provider,
            bus: self.dispatcher.bus(),
            tell: &self.tell,
            upkeep: &self.upkeep,
            length: &self.length,
        }
    }
}

/// Makes a conversation shorter, also while a run holds its transcript.
pub(crate) struct Compactor<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) bus: &'a HookBus,
    pub(crate) tell: &'a Tell,
    pub(crate) upkeep: &'a Upkeep,
    pub(crate) length: &'a Length,
}

impl Compactor<'_> {
    /// The space there is with the model that is chosen.
    pub(crate) fn space(&self) -> Space {
        self.upkeep.space(self.provider, &self.tell.settings.chosen().model)
    }

    /// Makes the conversation shorter if it is too full together with `more` tokens. Gives the messages that are left.
    /// What goes wrong is told, and the conversation goes on as it is.
    pub(crate) async fn if_too_full(&self, more: u64, abort: &CancellationToken) -> Option<Vec<Arc<Message>>> {
        let space = self.space();
        let most = space.most();
        let before = self.length.tokens(&self.tell.conversation) + more;
        let step = u64::from(space.compaction.reserve_tokens / 2);
        if !self.upkeep.compaction.enabled || before <= most || !self.length.has_grown(before, step) {
            return None;
        }
        match self.compact(CompactReason::Threshold, None, abort).await {
            Ok(Compacted { messages, tokens_after, .. }) => {
                let after = tokens_after + more;
                if after > most {
                    self.in_vain(after, &format!("after its compaction the conversation still has {after} tokens"));
                }
                Some(messages)
            }
            Err(NotCompacted::Aborted | NotCompacted::NotStored(_)) => None,
            Err(why) => {
                self.in_vain(before, &format!("the conversation has {before} tokens. {why}"));
                None
            }
        }
    }

    fn in_vain(&self, tokens: u64, told: &str) {
        self.length.was_in_vain(tokens);
        let space = self.space();
        let (window, most) = (space.window, space.most());
        let text = format!(
            "{told}; more than {most} of the {window} that the model can read are too many. It goes on as it is, and is \
             compacted again when it has become longer"
        );
        self.tell.tell(SessionEvent::Notice { text });
    }

    /// Makes the conversation shorter.
    pub(crate) async fn compact(
        &self,
        reason: CompactReason,
        instructions: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<Compacted, NotCompacted> {
        let _phase = InPhase::enter(&self.tell.settings, Phase::Compaction);
        let parted = self.part(reason)?;
        let supplied = self.ask(&parted, reason, instructions, abort).await?;
        let (from_plugin, summary, details) = match supplied {
            Some((plugin, Summary { text, details })) => (Some(plugin), text, details),
            None => {
                let (summary, files) = self.summarise(&parted, instructions, abort).await?;
                (None, files.added_to(&summary), Some(files.details()))
            }
        };
        if abort.is_cancelled() {
            return Err(NotCompacted::Aborted);
        }
        self.finish(parted, summary, details, from_plugin)
    }
}
