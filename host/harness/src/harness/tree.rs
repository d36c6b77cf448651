//! Moves in the tree of a session: back to an earlier place, or over to another branch.

mod step;

use std::sync::Arc;

use seam_loop::{CancellationToken, Message};
use seam_session::{BranchSummary, Session, SessionError};

use crate::bus::Trail;
use crate::compaction::{self, Files, Focus, left_branch};
use crate::event::SessionEvent;
use crate::failure::Stopped;
use crate::harness::Harness;
use crate::harness::summary::{NoSummary, Writer};
use crate::phase::{InPhase, Phase};
use crate::record::Record;
use crate::seams::{TreeChanges, TreeMove};
use crate::texts;
use step::{Step, newest};

/// How long the summary of a branch may get, in tokens.
const SUMMARY: u32 = 2_048;

/// Where to go in the tree, and what to keep of the branch that is left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Move {
    /// The id of the entry. At a message of the user's it goes to the place before, to say something else there.
    pub target: String,
    /// What is kept of what is left.
    pub left: Left,
    /// A label: of the summary, or of the target when there is none.
    pub label: Option<String>,
}

/// What is kept of a branch that is left, beside the branch itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Left {
    /// Nothing that the model sees.
    #[default]
    Nothing,
    /// A summary, and what it should hold.
    Summary(Option<String>),
}

/// What came of a move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    /// What the user said at the target: it is no longer part of the conversation, and may be said otherwise.
    pub text: Option<String>,
    /// What is kept of the branch that was left.
    pub summary: Option<String>,
    /// Whether anything was stored. Nothing is when it is at the target already.
    pub moved: bool,
}

/// Why nobody moved. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum NotMoved {
    /// There is no file in which the branches are.
    #[error("There is nowhere to go: the conversation is not kept in a session")]
    NotKept,
    /// A plugin did not want it, or failed.
    #[error("Not moved: {0}")]
    Stopped(#[from] Stopped),
    /// The user aborted it.
    #[error("Not moved: it was aborted")]
    Aborted,
    /// There is no summary of the branch.
    #[error("Not moved: there is no summary of the branch, since {0}")]
    NoSummary(NoSummary),
    /// There is no such entry, or something cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Something was not stored, and the conversation cannot go on.
    #[error("{0}")]
    NotStored(String),
}

impl From<NoSummary> for NotMoved {
    fn from(why: NoSummary) -> Self {
        match why {
            NoSummary::Aborted => Self::Aborted,
            NoSummary::Refused(refused) => Self::Stopped(refused.into()),
            why => Self::NoSummary(why),
        }
    }
}

impl Harness {
    /// Goes to another place of the session's tree. Plugins may cancel that, and supply the summary of the branch that is
    /// left; else the model writes it, if one is wanted.
    ///
    /// # Errors
    /// When nobody moved. Nothing has changed then.
    pub async fn navigate(&mut self, to: &Move, abort: &CancellationToken) -> Result<Moved, NotMoved> {
        let phase = InPhase::enter(&self.tell.settings, Phase::BranchSummary);
        let tell = Arc::clone(&self.tell);
        let moved = tell.heeding(abort, self.move_to(to, abort)).await;
        if matches!(&moved, Ok(Moved { moved: true, .. })) {
            self.tell.save_point();
        }
        drop(phase);
        self.tell.flush();
        self.sync();
        moved
    }

    async fn move_to(&mut self, to: &Move, abort: &CancellationToken) -> Result<Moved, NotMoved> {
        let record = self.tell.record.as_ref().ok_or(NotMoved::NotKept)?;
        if let Some(failure) = self.tell.failure() {
            return Err(NotMoved::NotStored(failure.to_owned()));
        }
        let step = record.read(|session| Step::of(session, &to.target))?;
        if step.old_leaf == step.to || step.old_leaf.as_deref() == Some(&*to.target) {
            return Ok(Moved { text: step.text, ..Moved::default() });
        }
        let changes = self.ask_about(to, &step, abort).await?;
        let (summary, from_plugin) = self.kept(to, &step, &changes, abort).await?;
        if abort.is_cancelled() {
            return Err(NotMoved::Aborted);
        }
        let told = summary.as_ref().map(|summary| summary.summary.clone());
        let label = changes.label.or_else(|| to.label.clone()).map(|label| texts::clean(&label));
        let label = label.filter(|label| !label.trim().is_empty());
        let new_leaf = store(record, to, &step, summary, label.as_deref());
        let Some(new_leaf) = new_leaf else {
            return Err(NotMoved::NotStored(self.tell.failure().unwrap_or_default().to_owned()));
        };
        self.reload()?;
        let Step { old_leaf, text, .. } = step;
        self.tell.tell(SessionEvent::SessionTree { new_leaf, old_leaf, from_plugin });
        Ok(Moved { text, summary: told, moved: true })
    }

    async fn ask_about(&self, to: &Move, step: &Step, abort: &CancellationToken) -> Result<TreeChanges, NotMoved> {
        let instructions = if let Left::Summary(focus) = &to.left { focus.clone() } else { None };
        let asked = TreeMove {
            target: to.target.clone(),
            old_leaf: step.old_leaf.clone(),
            entries: u32::try_from(step.left.len()).unwrap_or(u32::MAX),
            wants_summary: to.left != Left::Nothing,
            instructions,
        };
        let (bus, at) = (self.dispatcher.bus(), self.tell.conversation.moment());
        let mut trail = Trail::new();
        let changes = tokio::select! {
            biased;
            () = abort.cancelled() => Err(NotMoved::Aborted),
            changes = bus.session_before_tree(&asked, &at, &mut trail) => Ok(changes),
        };
        self.tell.decided(trail);
        Ok(changes??)
    }

    /// What is kept of the branch that is left, if anything is, and the plugin that supplied it.
    async fn kept(
        &self,
        to: &Move,
        step: &Step,
        changes: &TreeChanges,
        abort: &CancellationToken,
    ) -> Result<(Option<BranchSummary>, Option<Arc<str>>), NotMoved> {
        let Left::Summary(focus) = &to.left else { return Ok((None, None)) };
        if let Some((plugin, summary)) = &changes.summary {
            let summary = BranchSummary { summary: summary.clone(), details: None, from_hook: Some(true) };
            return Ok((Some(summary), Some(Arc::clone(plugin))));
        }
        let messages = self.shown(step, abort).await?;
        let said = compaction::conversation(&messages);
        if said.is_empty() {
            return Ok((None, None));
        }
        let focus = changes.instructions.as_ref().or(focus.as_ref());
        let prompt = compaction::branch(&said, Focus(focus.map(String::as_str)));
        let writer = Writer {
            provider: &*self.provider,
            bus: self.dispatcher.bus(),
            tell: &self.tell,
            retry: self.upkeep.retry,
            abort,
        };
        let summary = left_branch(&writer.write(prompt, SUMMARY).await?);
        let left: Vec<Arc<Message>> = step.left.iter().map(|(_, message)| Arc::new(message.clone())).collect();
        let files = Files::default().with(&left);
        let (summary, details) = (files.added_to(&summary), Some(files.details()));
        Ok((Some(BranchSummary { summary, details, from_hook: None }), None))
    }

    /// What the model is shown of the branch: without results, and no more of it than it can read.
    async fn shown(&self, step: &Step, abort: &CancellationToken) -> Result<Vec<Arc<Message>>, NotMoved> {
        let messages = newest(&step.left, self.compactor().space().most());
        self.compactor().seen(&messages, abort).await.map_err(|why| match why {
            super::NotCompacted::Stopped(stopped) => NotMoved::Stopped(stopped),
            _ => NotMoved::Aborted,
        })
    }
}

/// Writes the move. Gives the new leaf; nothing when it could not be written.
fn store(
    record: &Record,
    to: &Move,
    step: &Step,
    summary: Option<BranchSummary>,
    label: Option<&str>,
) -> Option<Option<String>> {
    let is_summed_up = summary.is_some();
    let leaf = |session: &Session| session.leaf().map(|leaf| leaf.id().to_owned());
    record.write(|log| {
        log.move_to(step.to.as_deref(), summary)?;
        if let Some(label) = label {
            let labelled = if is_summed_up { leaf(log.session()) } else { None };
            log.label(labelled.as_deref().unwrap_or(&to.target), Some(label))?;
        }
        Ok(leaf(log.session()))
    })
}
