//! What a plugin is asked and what it says, for the journal of its session.
//!
//! Without a journal nothing of it is made. With one, an answer counts only when it is written: what is not recorded is
//! not decided.
//!
//! No plugin can push out of it what others said: once it has filled its share, what it is asked and says is written
//! without its long values.

pub(crate) mod json;
pub(crate) mod names;
pub(crate) mod share;
pub(crate) mod text;

use std::sync::Arc;
use std::time::Instant;

use seam_harness::Failure;
use seam_session::journal::{self, HostCall, Journal, Json, Outcome, Record, Rejected};
use serde::Serialize;
use serde_json::Value;

use crate::grants::Grant;
use crate::limits::InstancePolicy;
use crate::link::Plugin;
use crate::wasi::http::Requests;

use json::json;
use share::{Room, Shares, whole};

/// How much of what the host answers in one call is kept, in bytes. A guest that reads on gets its answers all the same;
/// a replay says that it asked for what was not recorded.
const HOST_ANSWERS: usize = 16 << 20;
/// Of a plugin that has filled its share, no host call is kept, and of its calls no longer value than this, in bytes.
const SHORT: usize = 4 << 10;
/// What a host call takes besides its texts, in bytes.
const HOST_CALL: usize = 128;
/// Among how many host calls the same one is looked for: what it answers does not change during a call.
const LOOK_BACK: usize = 64;

/// The kind of failure of a call that was given up before it had ended, such as by an abort of the user.
pub(crate) const GIVEN_UP: &str = "given-up";

/// The journal of a session, as one plugin writes into it.
pub(crate) struct Recorder {
    pub(crate) journal: Arc<Journal>,
    plugin: Arc<str>,
    digest: String,
    shadow: bool,
    /// How much of the journal it may still fill.
    room: Room,
    shares: Shares,
}

impl Recorder {
    /// Writes down which plugin it is.
    pub(crate) fn start(plugin: &Plugin, journal: &Arc<Journal>, shares: &Shares) -> Arc<Self> {
        announce(plugin, journal);
        Arc::new(Self {
            journal: Arc::clone(journal),
            plugin: Arc::clone(&plugin.linked.shared.name),
            digest: plugin.digest().to_string(),
            shadow: plugin.is_shadow(),
            room: Room::of(journal),
            shares: shares.clone(),
        })
    }

    /// It offers a tool: what others are asked about the live updates of that is written at its cost.
    pub(crate) fn offers(&self, tool: &Arc<str>) {
        self.shares.offers(tool, &self.room);
    }

    /// How many bytes of the host's answers are kept in a call that begins now.
    fn room_of_a_call(&self, payer: &Room) -> usize {
        match payer.is_spent() {
            true => 0,
            false => usize::try_from(whole(&self.journal)).unwrap_or(usize::MAX).min(HOST_ANSWERS),
        }
    }

    /// The number of an instance that begins now.
    pub(crate) fn next_instance(&self) -> u64 {
        self.journal.next_instance(&self.plugin)
    }

    /// Writes down that an answer about a call of its own tool does not count. Gives the failure that it ends with.
    pub(crate) fn rejected(&self, seam: &'static str, call: &str, failure: Failure) -> Failure {
        if !failure.is_the_hosts() {
            return failure;
        }
        let said = journal::Failure { kind: failure.kind().into(), text: failure.to_string().into() };
        let (plugin, seam, call) = ((&*self.plugin).into(), seam.into(), Some(call.into()));
        let record = Record::Rejected(Rejected { plugin, seam, call, failure: said, refused: true });
        self.journal.write(&record).map_or(Failure::NotRecorded, |()| failure)
    }

    /// Begins to record a call. `update`: it is about a live update of this tool.
    pub(crate) fn crossing(
        self: &Arc<Self>,
        seam: &'static str,
        function: &'static str,
        call: Option<&str>,
        update: Option<&str>,
        parameters: &impl Serialize,
    ) -> Result<Box<Crossing>, Failure> {
        let payer = update.and_then(|tool| self.shares.of_tool(tool)).unwrap_or_else(|| self.room.clone());
        Ok(Box::new(Crossing {
            recorder: Arc::clone(self),
            seam,
            function,
            call: call.map(str::to_owned),
            began: Instant::now(),
            input: json(parameters).map_err(|_| Failure::NotRecorded)?,
            host: Vec::new(),
            room: self.room_of_a_call(&payer),
            payer,
            requests: None,
            instance: 0,
            is_written: false,
        }))
    }
}

/// Writes down a plugin that is asked from here on.
pub(crate) fn announce(plugin: &Plugin, journal: &Journal) {
    let shared = &plugin.linked.shared;
    let instance = match plugin.linked.policy {
        InstancePolicy::Session => "session",
        InstancePolicy::Call => "call",
    };
    let record = Record::Plugin(journal::Plugin {
        name: (*shared.name).into(),
        digest: plugin.digest().to_string().into(),
        settings: (&*shared.settings).into(),
        instance: instance.into(),
        shadow: plugin.is_shadow(),
        time_ms: shared.limits.time_ms.into(),
        memory_mib: shared.limits.memory_mib.into(),
    });
    if let Err(error) = journal.write(&record) {
        // The journal remembers it: nothing this plugin says will count, and the run says why.
        tracing::debug!(target: "seam::plugin", "{error}");
    }
}

/// A call of a plugin that is under way. If it is given up, that is written.
pub(crate) struct Crossing {
    recorder: Arc<Recorder>,
    /// As the generated code names it.
    seam: &'static str,
    /// The same, after `call_`.
    function: &'static str,
    call: Option<String>,
    began: Instant,
    input: String,
    host: Vec<HostCall<'static>>,
    /// How many bytes of the host's answers there is still room for.
    room: usize,
    /// Whose share of the journal it fills.
    payer: Room,
    /// What it sends.
    pub(crate) requests: Option<Arc<Requests>>,
    /// Which instance serves it.
    pub(crate) instance: u64,
    is_written: bool,
}

impl Crossing {
    /// Nothing of what is said of keys is kept.
    fn is_secret(&self) -> bool {
        self.seam == "get_api_key"
    }

    /// Whether host calls are kept.
    pub(crate) fn keeps(&self) -> bool {
        !self.is_secret() && self.room > 0
    }

    /// Whether a host call of these arguments is kept already.
    pub(crate) fn has(&self, import: &str, arguments: &str) -> bool {
        let is_same = |kept: &HostCall<'_>| kept.import == import && kept.arguments.text() == arguments;
        self.host.iter().take(LOOK_BACK).any(is_same)
    }

    /// Keeps a host call.
    pub(crate) fn heard(&mut self, import: &'static str, arguments: String, answer: &impl Serialize) {
        let Ok(answer) = json(answer) else { return };
        let Some(room) = self.room.checked_sub(arguments.len() + answer.len() + HOST_CALL) else {
            self.room = 0;
            return;
        };
        self.room = room;
        self.host.push(HostCall { import: import.into(), arguments: Json::new(arguments), answer: Json::new(answer) });
    }

    /// Keeps that it has reached these. What they answered is not kept.
    pub(crate) fn reached(&mut self, grants: &[Grant]) {
        let call = |grant: &Grant| {
            let import = grant.wasi()?;
            Some(HostCall { import: import.into(), arguments: Json::new("[]"), answer: Json::new("null") })
        };
        self.host.extend(grants.iter().filter_map(call));
    }

    /// Writes what came of it. An error says that it could not be written.
    pub(crate) fn end<R: Serialize>(mut self, result: &Result<R, Failure>) -> Result<(), Failure> {
        let outcome = match result {
            Ok(answer) => self.answer(json(answer).map_err(|_| Failure::NotRecorded)?),
            Err(failure) => Outcome::Failure { kind: failure.kind().into(), text: failure.to_string().into() },
        };
        self.write(outcome)
    }

    /// A key is an answer that holds something.
    fn answer(&self, answer: String) -> Outcome<'static> {
        match self.is_secret() {
            true => Outcome::Withheld(answer.starts_with('{')),
            false => Outcome::Answer(self.kept(Json::new(answer))),
        }
    }

    /// What is kept of a value.
    fn kept<'a>(&self, value: Json<'a>) -> Json<'a> {
        if value.text().len() > SHORT && self.payer.is_spent() { value.left_out() } else { value }
    }

    fn write(&mut self, outcome: Outcome<'_>) -> Result<(), Failure> {
        self.is_written = true;
        let recorder = &self.recorder;
        if self.seam == "message_update" && recorder.journal.hides() {
            self.input = without_delta(&self.input);
        }
        let mut host = std::mem::take(&mut self.host);
        // All of them, whatever room there is: there are few, and what went out is to be known.
        let is_secret = self.is_secret();
        host.extend(self.requests.take().into_iter().flat_map(|requests| requests.host_calls(is_secret)));
        let record = Record::Crossing(journal::Crossing {
            plugin: (*recorder.plugin).into(),
            digest: (&*recorder.digest).into(),
            seam: names::item(self.seam).into(),
            function: names::item(self.function.trim_start_matches("call_")).into(),
            instance: self.instance,
            shadow: recorder.shadow,
            call: self.call.as_deref().map(Into::into),
            took_us: u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            input: self.kept(Json::new(&*self.input)),
            host,
            outcome,
        });
        let grown = recorder.journal.write_counted(&record).map_err(|_| Failure::NotRecorded)?;
        // What stands there already takes no room.
        self.payer.takes(grown);
        Ok(())
    }
}

impl Drop for Crossing {
    fn drop(&mut self) {
        if !self.is_written {
            let text = "it was not waited for".into();
            // If it cannot be written, the journal remembers that.
            let _remembered = self.write(Outcome::Failure { kind: GIVEN_UP.into(), text });
        }
    }
}

/// An update of a message without its piece of text: a key that stands in several pieces cannot be found in any. The whole
/// text is in the message's end.
fn without_delta(input: &str) -> String {
    let mut input: Value = serde_json::from_str(input).unwrap_or_default();
    if let Some(delta) = input.pointer_mut("/0/delta") {
        *delta = "[secret]".into();
    }
    input.to_string()
}
