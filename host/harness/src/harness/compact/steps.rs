//! The steps of a compaction: where it is cut, what stands for the first part, and how that is stored.

use std::sync::Arc;

use seam_loop::{CancellationToken, Message};
use seam_session::NewEntry;

use super::{Compacted, Compactor, NotCompacted};
use crate::bus::Trail;
use crate::compaction::{self, Cut, Files, Focus, Room, Shortening, joined, tokens};
use crate::edits;
use crate::event::SessionEvent;
use crate::failure::Refused;
use crate::harness::summary::{NoSummary, Writer};
use crate::seams::{CompactReason, Compaction, Summary};
use crate::stored::{self, Restored, Shortened, Sources};

/// A conversation that is to be made shorter.
struct Long {
    messages: Vec<Arc<Message>>,
    /// Where they are in the file, if there is one.
    sources: Option<Sources>,
    /// What it begins with, and how many messages were there then.
    shortened: Option<(Shortening, usize)>,
}

/// A conversation in parts, and a request for what stands for the first of them.
pub(super) struct Parted {
    long: Long,
    cut: Cut,
    tokens: u64,
}

impl Compactor<'_> {
    /// The conversation, and where it is cut.
    pub(super) fn part(&self, reason: CompactReason) -> Result<Parted, NotCompacted> {
        if let Some(failure) = self.tell.failure() {
            return Err(NotCompacted::NotStored(failure.to_owned()));
        }
        let tokens = self.length.tokens(&self.tell.conversation);
        let long = self.long()?;
        if long.shortened.as_ref().is_some_and(|(_, old)| *old >= long.messages.len()) {
            return Err(NotCompacted::Already);
        }
        let start = usize::from(long.shortened.is_some());
        let may_cut = |place: usize| long.sources.as_ref().is_none_or(|sources| sources.may_cut(place));
        let room = self.room(reason, &long.messages);
        let cut = Cut::of(&long.messages, start, room, may_cut).ok_or(NotCompacted::Nothing)?;
        Ok(Parted { long, cut, tokens })
    }

    fn long(&self) -> Result<Long, NotCompacted> {
        let Some(record) = &self.tell.record else {
            let (messages, shortened) = (self.tell.conversation.messages(), self.length.shortened());
            return Ok(Long { messages, sources: None, shortened });
        };
        let Restored { messages, sources, shortened, .. } = record.read(Restored::of)?;
        let messages = messages.into_iter().map(Arc::new).collect();
        let shortened = shortened.map(|Shortened { shortening, old }| (shortening, old));
        Ok(Long { messages, sources: Some(sources), shortened })
    }

    /// How much is kept. Of a conversation that the model could not read no more than half, whatever the guesses say.
    fn room(&self, reason: CompactReason, messages: &[Arc<Message>]) -> Room {
        let space = self.space();
        let compaction = &space.compaction;
        let keep = u64::from(compaction.keep_recent_tokens);
        let most = space.most().saturating_sub(u64::from(compaction.for_history()));
        match reason {
            CompactReason::Manual | CompactReason::Threshold => Room { keep, most },
            CompactReason::Overflow => {
                let half = messages.iter().map(|message| tokens(message)).sum::<u64>() / 2;
                Room { keep: keep.min(half), most: most.min(half) }
            }
        }
    }

    /// Asks plugins for it.
    pub(super) async fn ask(
        &self,
        parted: &Parted,
        reason: CompactReason,
        instructions: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<Option<(Arc<str>, Summary)>, NotCompacted> {
        let whole = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let compaction = Compaction {
            reason,
            tokens: whole(parted.tokens),
            first_kept: whole(parted.cut.first_kept as u64),
            previous_summary: parted.long.shortened.as_ref().map(|(shortening, _)| shortening.summary.clone()),
            instructions: instructions.map(str::to_owned),
        };
        let at = self.tell.conversation.moment().showing(parted.long.messages.clone().into());
        let mut trail = Trail::new();
        let answer = tokio::select! {
            biased;
            () = abort.cancelled() => Err(NotCompacted::Aborted),
            answer = self.bus.session_before_compact(&compaction, &at, &mut trail) => Ok(answer),
        };
        self.tell.decided(trail);
        Ok(answer??)
    }

    /// Lets the model write the summary. Gives the files that are named in what it stands for, too.
    pub(super) async fn summarise(
        &self,
        Parted { long, cut, .. }: &Parted,
        instructions: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<(String, Files), NotCompacted> {
        let writer =
            Writer { provider: self.provider, bus: self.bus, tell: self.tell, retry: self.upkeep.retry, abort };
        let (focus, settings) = (Focus(instructions), &self.space().compaction);
        let part = |range: &std::ops::Range<usize>| long.messages.get(range.clone()).unwrap_or_default();
        let seen = |part| self.seen(part, abort);
        let previous = long.shortened.as_ref().map(|(shortening, _)| &*shortening.summary);
        let history = compaction::conversation(&seen(part(&cut.history)).await?);
        let history = match history.is_empty() {
            true => previous.map(str::to_owned),
            false => {
                let prompt = compaction::history(&history, previous, focus);
                Some(writer.write(prompt, settings.for_history()).await?)
            }
        };
        let turn = compaction::conversation(&seen(part(&cut.turn)).await?);
        let turn = match turn.is_empty() {
            true => None,
            false => Some(writer.write(compaction::turn(&turn, focus), settings.for_turn()).await?),
        };
        if history.is_none() && turn.is_none() {
            return Err(NoSummary::NothingShown.into());
        }
        let summary = joined(history.as_deref(), turn.as_deref());
        let start = usize::from(previous.is_some());
        let replaced = long.messages.get(start..cut.first_kept).unwrap_or_default();
        let before: u64 = long.messages.iter().take(cut.first_kept).map(|message| tokens(message)).sum();
        if tokens(&Message::user(stored::compacted(&summary))) >= before {
            return Err(NotCompacted::NotShorter);
        }
        let files = long.shortened.as_ref().map(|(shortening, _)| shortening.files.clone()).unwrap_or_default();
        Ok((summary, files.with(replaced)))
    }

    /// What the model may be shown of these messages: plugins edit the context of this request as of every other, and
    /// say what is seen of their own messages.
    pub(in crate::harness) async fn seen(
        &self,
        messages: &[Arc<Message>],
        abort: &CancellationToken,
    ) -> Result<Vec<Arc<Message>>, NotCompacted> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let mut trail = Trail::new();
        let seen = tokio::select! {
            biased;
            () = abort.cancelled() => Err(NotCompacted::Aborted),
            seen = self.shown(messages, &mut trail) => Ok(seen),
        };
        self.tell.decided(trail);
        seen?.map_err(|refused| NotCompacted::Stopped(refused.into()))
    }

    async fn shown(&self, messages: &[Arc<Message>], trail: &mut Trail) -> Result<Vec<Arc<Message>>, Refused> {
        let at = self.tell.conversation.moment().showing(messages.into());
        let edited = self.bus.transform_context(&at, trail).await?;
        let shown = edited.map_or_else(|| messages.to_vec(), edits::paired);
        if !shown.iter().any(|message| matches!(**message, Message::Custom(_))) {
            return Ok(shown);
        }
        self.bus.convert_to_llm(&shown, &at, trail).await
    }

    /// Stores it, and puts what is left in the place of the conversation.
    pub(super) fn finish(
        &self,
        parted: Parted,
        summary: String,
        details: Option<serde_json::Value>,
        from_plugin: Option<Arc<str>>,
    ) -> Result<Compacted, NotCompacted> {
        let Parted { long, cut, tokens: tokens_before } = parted;
        let first_kept = long.sources.as_ref().and_then(|sources| sources.id(cut.first_kept)).map(|id| id.to_string());
        let kept = long.messages.get(cut.first_kept..).unwrap_or_default();
        let files = Files::of_details(details.as_ref().filter(|_| from_plugin.is_none()));
        let shortening = Shortening { summary: summary.clone(), files };
        let (entry, messages, shortened) = match &self.tell.record {
            None => {
                let first = Arc::new(Message::user(stored::compacted(&summary)));
                let messages: Vec<_> = std::iter::once(first).chain(kept.iter().cloned()).collect();
                let old = messages.len();
                (String::new(), messages, Some(Shortened { shortening, old }))
            }
            Some(record) => {
                let from_hook = from_plugin.is_some().then_some(true);
                let (summary, details) = (summary.clone(), details);
                let entry = seam_session::Compaction { summary, first_kept, tokens_before, details, from_hook };
                let entry = record.write(|log| log.append(NewEntry::Compaction(entry)));
                let failure = || NotCompacted::NotStored(self.tell.failure().unwrap_or_default().to_owned());
                let entry = entry.ok_or_else(failure)?;
                let Restored { messages, shortened, .. } = record.read(Restored::of)?;
                (entry, messages.into_iter().map(Arc::new).collect(), shortened)
            }
        };
        self.tell.conversation.replace(messages.iter().cloned());
        self.length.begin(&messages, shortened);
        let tokens_after = self.length.tokens(&self.tell.conversation);
        let told = from_plugin.clone();
        self.tell.tell(SessionEvent::SessionCompact { entry, summary: summary.clone(), from_plugin: told });
        Ok(Compacted { summary, from_plugin, tokens_before, tokens_after, messages })
    }
}
