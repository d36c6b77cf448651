//! A record as the fields of a line.

use std::io::Write as _;

use crate::journal::record::{Crossing, Done, Mended, Open, Outcome, Plugin, Record, Rejected, Ruling, Run, Verdict};
use crate::journal::secrets::Secrets;
use crate::journal::{By, JournalError, Json, blobs};

/// Where long values go: what refers to one comes back.
pub(crate) trait Store {
    fn store(&mut self, json: &str) -> Result<String, JournalError>;
}

/// Fields that are being written, each with a comma after it.
pub(crate) struct Fields<'a> {
    pub(crate) text: &'a mut Vec<u8>,
    pub(crate) secrets: &'a Secrets,
    /// Without one everything stays where it is.
    pub(crate) store: Option<&'a mut dyn Store>,
}

type Written = Result<(), JournalError>;

impl Fields<'_> {
    /// Writes a record, without the comma at its end.
    pub(crate) fn record(&mut self, record: &Record<'_>) -> Written {
        match record {
            Record::Open(open) => self.open(open),
            Record::Plugin(plugin) => self.plugin(plugin),
            Record::Crossing(crossing) => self.crossing(crossing)?,
            Record::Rejected(rejected) => self.rejected(rejected),
            Record::Ruling(ruling) => self.ruling(ruling)?,
            Record::Run(run) => self.run(run)?,
            Record::Done(done) => self.done(done),
            Record::Mended(mended) => self.mended(*mended),
        }
        self.text.pop();
        Ok(())
    }

    fn open(&mut self, open: &Open<'_>) {
        let Open { session, segment, oldest, entries, run, durability } = open;
        self.kind("open").own("session", session).number("segment", *segment);
        self.number("oldest", *oldest);
        if *entries > 0 {
            self.number("entries", *entries);
        }
        self.number("run", *run);
        if let Some(durability) = durability {
            self.own("durability", durability);
        }
    }

    fn plugin(&mut self, plugin: &Plugin<'_>) {
        let Plugin { name, digest, settings, instance, shadow, time_ms, memory_mib } = plugin;
        self.kind("plugin").own("name", name).own("digest", digest).own("settings", settings);
        self.own("instance", instance).flag("shadow", *shadow);
        self.number("time-ms", *time_ms).number("memory-mib", *memory_mib);
    }

    fn crossing(&mut self, crossing: &Crossing<'_>) -> Written {
        let Crossing { plugin, digest, seam, function, instance, shadow, call, took_us, input, host, outcome } =
            crossing;
        self.kind("crossing").own("plugin", plugin).own("digest", digest).own("seam", seam).own("function", function);
        self.number("instance", *instance);
        if *shadow {
            self.flag("shadow", true);
        }
        if let Some(call) = call {
            self.own("call", call);
        }
        self.number("took-us", *took_us).json("input", input)?.raw(r#""host":["#);
        for (index, asked) in host.iter().enumerate() {
            self.raw(if index == 0 { "{" } else { ",{" }).own("import", &asked.import);
            self.json("arguments", &asked.arguments)?.json("answer", &asked.answer)?;
            self.text.pop();
            self.raw("}");
        }
        self.raw("],");
        self.outcome(outcome)
    }

    fn outcome(&mut self, outcome: &Outcome<'_>) -> Written {
        match outcome {
            Outcome::Answer(answer) => drop(self.json("answer", answer)?),
            Outcome::Withheld(was_one) => drop(self.flag("withheld", *was_one)),
            Outcome::Failure { kind, text } => self.failure(kind, text),
        }
        Ok(())
    }

    fn failure(&mut self, kind: &str, text: &str) {
        self.raw(r#""failure":{"#).own("kind", kind).foreign("text", text);
        self.text.pop();
        self.raw("},");
    }

    fn rejected(&mut self, rejected: &Rejected<'_>) {
        let Rejected { plugin, seam, call, failure, refused } = rejected;
        self.kind("rejected").own("plugin", plugin).own("seam", seam);
        if let Some(call) = call {
            self.own("call", call);
        }
        self.failure(&failure.kind, &failure.text);
        self.flag("refused", *refused);
    }

    fn ruling(&mut self, ruling: &Ruling<'_>) -> Written {
        let Ruling { by, seam, call, tool, arguments, ruling, questions } = ruling;
        let by = if *by == By::User { "user" } else { "host" };
        self.kind("ruling").own("by", by).own("seam", seam).own("call", call).own("tool", tool);
        self.json("arguments", arguments)?;
        match ruling {
            Verdict::Proceed => drop(self.own("ruling", "proceed")),
            Verdict::Block(reason) => {
                self.raw(r#""ruling":{"#).foreign("block", reason);
                self.text.pop();
                self.raw("},");
            }
        }
        self.raw(r#""questions":["#);
        for (index, (plugin, question)) in questions.iter().enumerate() {
            self.raw(if index == 0 { "[" } else { ",[" }).string(plugin).raw(",");
            let hidden = self.secrets.hidden(question);
            self.string(&hidden).raw("]");
        }
        self.raw("],");
        Ok(())
    }

    fn run(&mut self, run: &Run<'_>) -> Written {
        let Run { call, tool, arguments, origin, replay } = run;
        self.kind("run").own("call", call).own("tool", tool);
        self.json("arguments", arguments)?.value("origin", origin.text())?.own("replay", replay);
        Ok(())
    }

    fn done(&mut self, done: &Done<'_>) {
        let Done { call, is_error, took_us } = done;
        self.kind("done").own("call", call).flag("is-error", *is_error).number("took-us", *took_us);
    }

    fn mended(&mut self, mended: Mended) {
        self.kind("mended").number("bytes", mended.bytes);
        match mended.lost {
            Some(lost) => drop(self.number("lost", lost)),
            None => drop(self.raw(r#""lost":null,"#)),
        }
    }

    fn kind(&mut self, kind: &str) -> &mut Self {
        self.own("kind", kind)
    }

    fn raw(&mut self, text: &str) -> &mut Self {
        self.text.extend_from_slice(text.as_bytes());
        self
    }

    fn name(&mut self, name: &str) -> &mut Self {
        self.raw("\"").raw(name).raw("\":")
    }

    fn string(&mut self, text: &str) -> &mut Self {
        // Writing into memory does not fail.
        let _written = serde_json::to_writer(&mut *self.text, text);
        self
    }

    /// A text of the host.
    fn own(&mut self, name: &str, text: &str) -> &mut Self {
        self.name(name).string(text).raw(",")
    }

    /// A text of somebody else. It may hold a secret.
    fn foreign(&mut self, name: &str, text: &str) -> &mut Self {
        let secrets = self.secrets;
        self.own(name, &secrets.hidden(text))
    }

    fn number(&mut self, name: &str, number: u64) -> &mut Self {
        let _written = write!(self.name(name).text, "{number},");
        self
    }

    fn flag(&mut self, name: &str, flag: bool) -> &mut Self {
        self.name(name).raw(if flag { "true," } else { "false," })
    }

    /// A value of somebody else, or what refers to it. It may hold a secret.
    fn json(&mut self, name: &str, json: &Json<'_>) -> Result<&mut Self, JournalError> {
        let secrets = self.secrets;
        self.value(name, &secrets.hidden_json(json.text()))
    }

    /// A value, or what refers to it.
    fn value(&mut self, name: &str, json: &str) -> Result<&mut Self, JournalError> {
        let Some(store) = self.store.as_deref_mut().filter(|_| !blobs::stays(json)) else {
            return Ok(self.name(name).raw(json).raw(","));
        };
        let mut cut = |element: &str| {
            if blobs::is_cut(element) { store.store(element).map(Some) } else { Ok::<_, JournalError>(None) }
        };
        let elements = blobs::with_elements(json, &mut cut)?;
        let shorter = elements.as_deref().unwrap_or(json);
        let reference = cut(shorter)?;
        Ok(self.name(name).raw(reference.as_deref().unwrap_or(shorter)).raw(","))
    }
}
