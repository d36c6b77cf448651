//! Where a conversation is cut: what is summarised, and what is kept.

use std::ops::Range;
use std::sync::Arc;

use seam_loop::Message;

use super::{estimate, is_failed};

/// How much there is room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// About so many tokens at the end are to be kept.
    pub(crate) keep: u64,
    /// What is kept may have no more than so many.
    pub(crate) most: u64,
}

/// A conversation in parts, by the places of its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Whole turns that are summarised.
    pub(crate) history: Range<usize>,
    /// The beginning of a turn whose end is kept. It is summarised for itself.
    pub(crate) turn: Range<usize>,
    /// The first message that is kept; the number of messages when none is.
    pub(crate) first_kept: usize,
}

impl Cut {
    /// Cuts the messages from `start` on so that about `room.keep` tokens are kept. None when everything would be.
    ///
    /// The cut is never before a result: results stay with their calls. A message that crosses the border is kept, unless
    /// that makes it more than twice as much as is to be kept, or more than there is room for: then it is cut behind it,
    /// if it can be. Where the last message alone, or the last results with their calls, have more tokens than there is
    /// room for, nothing is kept, unless somebody waits for an answer to them. The reference would cut at the very
    /// beginning there, and summarise nothing.
    ///
    /// `may_cut` says of a place whether everything before it in the list is before it in the file too.
    pub(crate) fn of(
        messages: &[Arc<Message>],
        start: usize,
        room: Room,
        may_cut: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let recent = recent(messages, start, room.keep)?;
        let points = (start..messages.len()).filter(|place| messages.get(*place).is_some_and(is_point));
        let points: Vec<usize> = points.filter(|place| may_cut(*place)).collect();
        let roomy = roomy(messages, start, room.most.min(room.keep.saturating_mul(2)));
        let cut = *points.iter().find(|point| **point >= recent.max(roomy)).or(points.last())?;
        let kept = messages.get(cut..).unwrap_or_default();
        if is_answered(kept) && kept.iter().map(|message| estimate::message(message)).sum::<u64>() > room.most {
            let end = messages.len();
            return Some(Self { history: start..end, turn: end..end, first_kept: end });
        }
        let begins_turn = |place: &usize| messages.get(*place).is_some_and(|message| begins_turn(message));
        let is_user = matches!(messages.get(cut).map(|message| &**message), Some(Message::User(_)));
        let turn = if is_user { None } else { (start..cut).rev().find(begins_turn) };
        let turn = turn.unwrap_or(cut);
        (cut > start).then_some(Self { history: start..turn, turn: turn..cut, first_kept: cut })
    }
}

/// The place from which on there are at least so many tokens. None when there are fewer in all.
fn recent(messages: &[Arc<Message>], start: usize, keep: u64) -> Option<usize> {
    let mut sum = 0;
    (start..messages.len()).rev().find(|place| {
        sum += messages.get(*place).map_or(0, |message| estimate::message(message));
        sum >= keep
    })
}

/// The first place from which on there are no more than so many tokens.
fn roomy(messages: &[Arc<Message>], start: usize, most: u64) -> usize {
    let mut sum = 0;
    let places = (start..messages.len()).rev().take_while(|place| {
        sum += messages.get(*place).map_or(0, |message| estimate::message(message));
        sum <= most
    });
    places.last().unwrap_or(messages.len())
}

fn is_point(message: &Arc<Message>) -> bool {
    !matches!(**message, Message::ToolResult(_)) && !is_failed(message)
}

fn begins_turn(message: &Message) -> bool {
    matches!(message, Message::User(_) | Message::Custom(_))
}

/// Whether it is one answer of the model, with the results of all its calls if it has any, and no more. An answer that
/// failed behind it does not count.
fn is_answered(messages: &[Arc<Message>]) -> bool {
    let Some((first, results)) = messages.split_first() else { return false };
    let Message::Assistant(said) = &**first else { return false };
    let results: Vec<&Arc<Message>> = results.iter().filter(|message| !is_failed(message)).collect();
    let is_whole = results.len() == said.tool_calls().count();
    is_whole && results.iter().all(|message| matches!(***message, Message::ToolResult(_)))
}
