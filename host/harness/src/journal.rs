//! What the journal is told of tool calls: what the host and the user decide about them, that they begin, that they end.
//!
//! What plugins are asked and say is written where they are asked.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use seam_loop::{Replay, ToolCall};
use seam_session::journal::{By, Done, Json, Record, Ruling, Run, Verdict};

use crate::bus::HookBus;
use crate::refusal::Refusal;
use crate::texts;

impl HookBus {
    /// Writes down what the host or the user decided about a call, and what the user was asked by which plugins.
    pub(crate) fn ruled(
        &self,
        by: By,
        call: &ToolCall,
        ruling: Verdict<'_>,
        questions: &[(Arc<str>, String)],
    ) -> Result<(), Refusal> {
        self.write(|| {
            let questions = questions.iter().map(|(plugin, question)| ((&**plugin).into(), question.into())).collect();
            let (call_id, tool) = ((&call.id).into(), (&*call.tool).into());
            let arguments = Json::new(call.arguments.text());
            Record::Ruling(Ruling { by, seam: "tool-call".into(), call: call_id, tool, arguments, ruling, questions })
        })
    }

    /// Writes down that a call begins, before it has any effect.
    pub(crate) fn begins(&self, call: &ToolCall, replay: Replay) -> Result<(), Refusal> {
        self.write(|| {
            let replay = match replay {
                Replay::Never => "never",
                Replay::Safe => "safe",
            };
            Record::Run(Run {
                call: (&call.id).into(),
                tool: (&*call.tool).into(),
                arguments: Json::new(call.arguments.text()),
                origin: Json::of(&call.origin).unwrap_or(Json::NULL),
                replay: replay.into(),
            })
        })
    }

    /// Writes down that a call is over.
    pub(crate) fn ends(&self, call: &ToolCall, is_error: bool, since: Instant) -> Result<(), Refusal> {
        self.write(|| {
            let took_us = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
            Record::Done(Done { call: Cow::Borrowed(&call.id), is_error, took_us })
        })
    }

    /// What cannot be written is not done, and the run ends.
    fn write<'a>(&self, record: impl FnOnce() -> Record<'a>) -> Result<(), Refusal> {
        let Some(journal) = &self.journal else { return Ok(()) };
        journal.write(&record()).map_err(|_noted| Refusal::new(texts::NOT_RECORDED).terminating(true))
    }
}
