//! A session with a journal in which every field that holds a text ends with the same words.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use seam_session::journal::{
    By, Crossing, Done, HostCall, Journal, JournalBounds, Json, Outcome, Plugin, Record, Ruling, Run, Verdict,
};
use seam_session::time::iso;
use serde_json::{Value, json};

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// What plugins are shown. None of it may be on a page.
pub(super) const SHOWN: &str = "shown-to-plugins-only";

/// A session that is being made.
pub(super) struct Made {
    pub(super) file: PathBuf,
    journal: Journal,
    words: String,
    lines: Vec<String>,
    last: Option<String>,
}

impl Made {
    /// One without entries, whose texts will end with these words.
    pub(super) fn new(folder: &Path, words: &str) -> Self {
        let file = folder.join("s.jsonl");
        fs::write(&file, "").unwrap();
        let journal = Journal::open(&file, &format!("id{words}"), JournalBounds::default()).unwrap();
        let (words, lines) = (words.to_owned(), Vec::new());
        let mut made = Self { file, journal, words, lines, last: None };
        let header = json!({ "type": "session", "version": 3, "id": made.text("id"), "timestamp": now(),
            "cwd": made.text("/work"), "parentSession": made.text("/parent") });
        made.line(&header);
        made
    }

    /// One with all there can be.
    pub(super) fn full(folder: &Path, words: &str) -> Self {
        let mut made = Self::new(folder, words);
        made.beginning();
        made.calls();
        made.rest();
        made
    }

    pub(super) fn text(&self, name: &str) -> String {
        format!("{name}{}", self.words)
    }

    fn line(&mut self, line: &Value) {
        self.lines.push(line.to_string());
        fs::write(&self.file, self.lines.join("\n") + "\n").unwrap();
    }

    /// Appends an entry, and gives its id.
    pub(super) fn entry(&mut self, mut entry: Value) -> String {
        let id = self.text(&format!("{:08x}", self.lines.len()));
        entry["id"] = json!(id);
        entry["parentId"] = json!(self.last);
        // What is recorded before an entry and what is recorded after it are told apart by the millisecond.
        sleep(Duration::from_millis(2));
        entry["timestamp"] = json!(now());
        self.line(&entry);
        sleep(Duration::from_millis(2));
        self.last = Some(id.clone());
        id
    }

    pub(super) fn message(&mut self, message: Value) -> String {
        self.entry(json!({ "type": "message", "message": message }))
    }

    fn says(&self, text: &str) -> Value {
        json!([{ "type": "text", "text": self.text(text) }])
    }

    fn beginning(&mut self) {
        for name in ["gate", "shadow"] {
            let plugin = Plugin {
                name: self.text(name).into(),
                digest: self.text("digest").into(),
                settings: "".into(),
                instance: "session".into(),
                shadow: name == "shadow",
                time_ms: 250,
                memory_mib: 64,
            };
            self.journal.write(&Record::Plugin(plugin)).unwrap();
        }
        self.entry(json!({ "type": "model_change", "provider": self.text("p"), "modelId": self.text("m") }));
        let picture = json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" });
        let no_picture = json!({ "type": "image", "data": self.text("data"), "mimeType": self.text("image/svg+xml") });
        let text = json!({ "type": "text", "text": self.text("Please count.") });
        let other = json!({ "type": self.text("block") });
        let first = self.message(json!({ "role": "user", "content": [text, picture, no_picture, other] }));
        self.entry(json!({ "type": "label", "targetId": first, "label": self.text("label") }));
        self.crossing("gate", "input", "receive", None, Outcome::Answer(Json::of(&"pass").unwrap()));
        self.crossing("gate", "get-api-key", "get", None, Outcome::Withheld(true));
        self.crossing("gate", "agent-start", "observe", None, Outcome::Answer(Json::NULL));
    }

    fn calls(&mut self) {
        let call = |id: &str, name: &str, arguments: Value| json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments });
        let edits = json!([{ "oldText": self.text("old"), "newText": self.text("new") }]);
        let content = json!([
            { "type": "thinking", "thinking": self.text("I think.") },
            { "type": "text", "text": self.text("I count.") },
            call(&self.text("c1"), &self.text("bash"), json!({ self.text("command"): self.text("seq 3"), "lines": self.text("a\nb") })),
            call(&self.text("c2"), &self.text("edit"), json!({ "edits": edits, "deep": { "a": [self.text("x")] } })),
            call(&self.text("c3"), &self.text("read"), json!({ "path": self.text(".env") })),
        ]);
        self.message(
            json!({ "role": "assistant", "content": content, "provider": self.text("p"), "model": self.text("m"),
            "usage": { "input": 10, "output": 5 }, "errorMessage": self.text("error") }),
        );
        let [c1, c2, c3] = ["c1", "c2", "c3"].map(|call| self.text(call));
        let rewritten = json!({ "arguments": self.text("{}") });
        self.crossing("gate", "rewrite-tool-call", "rewrite", Some(&c1), answer(&rewritten));
        self.crossing("gate", "tool-call", "decide", Some(&c1), answer(&json!({ "ask": self.text("Sure?") })));
        self.rulings(&c1, &c3);
        self.run(&c1, "bash");
        self.crossing(
            "gate",
            "tool-result",
            "review",
            Some(&c1),
            answer(&json!({ "change": [{ "content": [SHOWN] }] })),
        );
        self.done(&c1);
        self.run(&c2, "edit");
        self.done(&c2);
        let block = json!({ "block": { "reason": self.text("no"), "terminate": false } });
        self.crossing("shadow", "tool-call", "decide", Some(&c2), answer(&block));
        self.crossing("gate", "tool-call", "decide", Some(&c3), answer(&block));
        let failure = Outcome::Failure { kind: self.text("trap").into(), text: self.text("unreachable").into() };
        self.crossing("gate", "tool-call", "decide", Some(&c3), failure);
        let details =
            json!({ "diff": format!("--- a\n+++ b\n@@ -1 +1 @@\n-{}\n+{}\n", self.text("old"), self.text("new")) });
        for (call, details, is_error) in
            [(&c1, json!({ "d": self.text("d") }), false), (&c2, details, false), (&c3, Value::Null, true)]
        {
            let result = json!({ "role": "toolResult", "toolCallId": call, "toolName": self.text("tool"),
                "content": self.says("1\n2\n3"), "isError": is_error, "details": details });
            self.message(result);
        }
    }

    fn rest(&mut self) {
        let there = self.last.clone();
        self.message(json!({ "role": "user", "content": self.text("Another way.") }));
        self.message(json!({ "role": "assistant", "content": self.says("I went."), "provider": "p", "model": "m" }));
        self.entry(json!({ "type": "leaf", "targetId": there }));
        self.last = there;
        self.entry(json!({ "type": "branch_summary", "fromId": "x", "summary": self.text("a branch") }));
        self.entry(
            json!({ "type": "compaction", "summary": self.text("so far"), "tokensBefore": 9, "firstKeptEntryId": "x" }),
        );
        self.entry(json!({ "type": "custom_message", "customType": self.text("note"), "content": self.text("hi"), "display": true }));
        self.entry(json!({ "type": "custom", "customType": self.text("state"), "data": self.text("data") }));
        self.entry(json!({ "type": self.text("later"), "field": self.text("field") }));
        self.message(json!({ "role": self.text("role"), "content": self.text("words") }));
        self.message(json!({ "role": "bashExecution", "command": self.text("ls"), "output": self.text("file") }));
        self.message(json!({ "role": "toolResult", "toolCallId": "none", "toolName": self.text("lost"), "content": self.says("x") }));
        self.entry(json!({ "type": "session_info", "name": self.text("name") }));
    }

    pub(super) fn crossing(&self, plugin: &str, seam: &str, function: &str, call: Option<&str>, outcome: Outcome<'_>) {
        let crossing = Crossing {
            plugin: self.text(plugin).into(),
            digest: "d".into(),
            seam: self.text(seam).into(),
            function: function.into(),
            instance: 1,
            shadow: plugin == "shadow",
            call: call.map(Into::into),
            took_us: 1234,
            input: Json::of(&json!([SHOWN])).unwrap(),
            host: vec![HostCall {
                import: self.text("log.write").into(),
                arguments: Json::of(&[SHOWN]).unwrap(),
                answer: Json::of(&SHOWN).unwrap(),
            }],
            outcome,
        };
        self.journal.write(&Record::Crossing(crossing)).unwrap();
    }

    fn rulings(&self, call: &str, refused: &str) {
        let questions = vec![(self.text("gate").into(), self.text("Sure?").into())];
        let reason = self.text("protected");
        for (by, call, ruling, questions) in [
            (By::User, call, Verdict::Proceed, questions),
            (By::Host, refused, Verdict::Block(reason.into()), Vec::new()),
        ] {
            let ruling = Ruling {
                by,
                seam: self.text("tool-call").into(),
                call: call.into(),
                tool: self.text("bash").into(),
                arguments: Json::of(&json!({ "a": SHOWN })).unwrap(),
                ruling,
                questions,
            };
            self.journal.write(&Record::Ruling(ruling)).unwrap();
        }
    }

    pub(super) fn run(&self, call: &str, tool: &str) {
        let (arguments, origin) = (Json::of(&json!({ "a": self.text("b") })).unwrap(), Json::NULL);
        let (call, tool) = (call.into(), self.text(tool).into());
        self.journal.write(&Record::Run(Run { call, tool, arguments, origin, replay: "never".into() })).unwrap();
    }

    pub(super) fn done(&self, call: &str) {
        self.journal.write(&Record::Done(Done { call: call.into(), is_error: true, took_us: 2_500_000 })).unwrap();
        self.journal.save_point().unwrap();
    }
}

pub(super) fn answer(value: &Value) -> Outcome<'static> {
    Outcome::Answer(Json::of(value).unwrap())
}

fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    iso(i64::try_from(since.as_millis()).unwrap())
}
