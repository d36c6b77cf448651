//! What comes after a run that failed: it is asked again, or after the conversation was made shorter, or it is over.

use std::ops::ControlFlow;
use std::time::Duration;

use seam_loop::{CancellationToken, ErrorKind, Message, RunOutcome};

use crate::compaction::{is_failed, tokens};
use crate::event::SessionEvent;
use crate::harness::Harness;
use crate::harness::compact::NotCompacted;
use crate::phase::{InPhase, Phase};
use crate::seams::CompactReason;
use crate::tell::Tell;

/// Another attempt that is to be made.
pub(crate) struct Again {
    /// Its number, from 1.
    pub(crate) attempt: u32,
    /// How many there may be.
    pub(crate) of: u32,
    pub(crate) wait: Duration,
    /// Why the one before failed.
    pub(crate) error: String,
}

impl Again {
    /// Says so, and waits. Gives whether nobody aborted it.
    pub(crate) async fn after_a_while(self, tell: &Tell, abort: &CancellationToken) -> bool {
        let _phase = InPhase::enter(&tell.settings, Phase::Retry);
        self.meanwhile(tell, abort).await
    }

    /// The same, of a conversation that does something else meanwhile.
    pub(crate) async fn meanwhile(self, tell: &Tell, abort: &CancellationToken) -> bool {
        let Self { attempt, of, wait, error } = self;
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        tell.tell(SessionEvent::RetryScheduled { attempt, of, wait_ms, error });
        tokio::select! {
            biased;
            () = abort.cancelled() => false,
            () = tokio::time::sleep(wait) => true,
        }
    }
}

/// What was tried for one prompt.
#[derive(Default)]
struct Tried {
    /// How often the provider was asked again since it last answered.
    attempts: u32,
    /// The conversation was too long for the model, and was made shorter.
    overflowed: bool,
}

impl Harness {
    /// What one prompt leads to: runs, until one does not fail, or cannot be helped. A call that was made is not made
    /// again: each run goes on from what is there, and the answer that failed is not shown to the model.
    pub(super) async fn play(
        &mut self,
        messages: Vec<Message>,
        system_prompt: &str,
        abort: &CancellationToken,
    ) -> RunOutcome {
        let more = messages.iter().map(tokens).sum();
        if let Some(shorter) = self.compactor().if_too_full(more, abort).await {
            self.transcript = shorter.into_iter().collect();
        }
        let (mut tried, mut messages) = (Tried::default(), messages);
        loop {
            let before = self.transcript.messages().len();
            let outcome = self.run(std::mem::take(&mut messages), system_prompt, abort).await;
            if self.has_answered_since(before) {
                tried.attempts = 0;
            }
            if let ControlFlow::Break(outcome) = self.help(outcome, &mut tried, abort).await {
                return outcome;
            }
        }
    }

    /// Whether the model has said anything to the end since there were so many messages. In a run within which the
    /// conversation was made shorter, it has.
    fn has_answered_since(&self, before: usize) -> bool {
        let new = self.transcript.messages().get(before..);
        new.is_none_or(|new| {
            new.iter().any(|message| matches!(**message, Message::Assistant(_)) && !is_failed(message))
        })
    }

    /// Does what can be done about a failure. Breaks when nothing can, or nothing has to be.
    async fn help(
        &mut self,
        outcome: RunOutcome,
        tried: &mut Tried,
        abort: &CancellationToken,
    ) -> ControlFlow<RunOutcome> {
        let error = outcome.error.clone().unwrap_or_default();
        match outcome.kind {
            ErrorKind::Other => ControlFlow::Break(outcome),
            ErrorKind::Overflow => self.after_overflow(outcome, &error, tried, abort).await,
            ErrorKind::Transient { retry_after } => {
                tried.attempts += 1;
                let (attempt, of) = (tried.attempts, self.upkeep.retry.max);
                let Some(wait) = self.upkeep.retry.wait(attempt, retry_after) else {
                    let error = Some(given_up(error, retry_after));
                    return ControlFlow::Break(RunOutcome { error, ..outcome });
                };
                match (Again { attempt, of, wait, error }).after_a_while(&self.tell, abort).await {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(RunOutcome::aborted()),
                }
            }
        }
    }

    /// Makes the conversation shorter, once for each prompt.
    async fn after_overflow(
        &mut self,
        outcome: RunOutcome,
        error: &str,
        tried: &mut Tried,
        abort: &CancellationToken,
    ) -> ControlFlow<RunOutcome> {
        let why = match std::mem::replace(&mut tried.overflowed, true) {
            true => "It is too long also after it was compacted".to_owned(),
            false => match self.make_room(abort).await {
                Ok(()) => return ControlFlow::Continue(()),
                Err(NotCompacted::Aborted) => return ControlFlow::Break(RunOutcome::aborted()),
                Err(why) => format!("The conversation was not made shorter: {why}"),
            },
        };
        let todo = "Begin a new session, choose a model that can read more, or say less at once";
        let error = Some(format!("{}. {}. {todo}", bare(error), bare(&why)));
        ControlFlow::Break(RunOutcome { error, ..outcome })
    }

    async fn make_room(&mut self, abort: &CancellationToken) -> Result<(), NotCompacted> {
        if !self.upkeep.compaction.enabled {
            return Err(NotCompacted::Disabled);
        }
        let shorter = self.compactor().compact(CompactReason::Overflow, None, abort).await?;
        self.transcript = shorter.messages.into_iter().collect();
        Ok(())
    }
}

/// The last error of a provider that is not asked again.
fn given_up(error: String, retry_after: Option<Duration>) -> String {
    match retry_after.map(|after| after.as_secs()).filter(|seconds| *seconds > 0) {
        Some(seconds) => format!("{}. The provider asks to wait {seconds} s: try again then", bare(&error)),
        None => error,
    }
}

/// What a provider says, without the end of its sentence.
fn bare(error: &str) -> &str {
    error.trim_end().trim_end_matches('.')
}
