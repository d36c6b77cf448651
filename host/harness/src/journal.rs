//! What the journal is told of tool calls: what the host and the user decide about them, that they begin, that they end.
//! And which answers of plugins do not count.
//!
//! What plugins are asked and say is written where they are asked.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use seam_loop::message::RequestedCall;
use seam_loop::{Replay, ToolCall};
use seam_session::Journal;
use seam_session::journal::{self, By, Done, Json, Record, Rejected, Ruling, Run, Verdict};

use crate::bus::HookBus;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::texts;

/// What plugins are asked: at which seam, and about which call. With where it is written what becomes of their answers.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) seam: &'static str,
    call: Option<&'a str>,
    journal: Option<&'a Journal>,
}

impl Asked<'_> {
    /// Writes down that an answer does not count. Gives that failure; another one when it cannot be written.
    pub(crate) fn rejected(self, plugin: &str, failure: Failure, refused: bool) -> Failure {
        let Some(journal) = self.journal else { return failure };
        let said = journal::Failure { kind: failure.kind().into(), text: failure.to_string().into() };
        let (seam, call) = (self.seam.into(), self.call.map(Into::into));
        let record = Rejected { plugin: plugin.into(), seam, call, failure: said, refused };
        journal.write(&Record::Rejected(record)).map_or(Failure::NotRecorded, |()| failure)
    }
}

impl HookBus {
    /// Plugins are asked at this seam.
    pub(crate) fn at(&self, seam: &'static str) -> Asked<'_> {
        Asked { seam, call: None, journal: self.journal.as_deref() }
    }

    /// Plugins are asked at this seam about a tool call.
    pub(crate) fn about<'a>(&'a self, seam: &'static str, call: &'a str) -> Asked<'a> {
        Asked { call: Some(call), ..self.at(seam) }
    }

    /// Writes down that the host refuses a call as the model made it, before anyone was asked about it.
    pub(crate) fn turned_away(&self, call: &RequestedCall, refusal: &Refusal) -> Result<(), Refusal> {
        self.write(|| {
            Record::Ruling(Ruling {
                by: By::Host,
                seam: "tool-call".into(),
                call: (&*call.id).into(),
                tool: (&*call.name).into(),
                arguments: Json::of(&call.arguments).unwrap_or(Json::NULL),
                ruling: Verdict::Block(refusal.text().into()),
                questions: Vec::new(),
            })
        })
    }

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
