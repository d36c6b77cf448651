//! What the model says and does in a run: turns of calls, each of which leaves a mark, and a last word.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::said::Said;

/// A secret that a plugin takes out of every result.
const SECRET: &str = "sk-demo-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
/// What stands there instead.
const REDACTED: &str = "[redacted: api-key]";

/// The script of one run. Every id and every word of it is this run's alone.
#[derive(Clone)]
pub(super) struct Script {
    /// The name of the run.
    pub(super) name: String,
    turns: usize,
}

/// How a call leaves its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It appends a line to a file.
    Line,
    /// It adds a word to a file of its own.
    Word,
    /// It makes a file of its own. That it did so twice cannot be seen.
    File,
    /// None: the tool may run twice.
    Nothing,
}

/// A call of a script.
pub(super) struct Call {
    pub(super) id: String,
    tool: &'static str,
    arguments: Value,
    pub(super) mark: Mark,
    /// The text of its result.
    pub(super) gives: String,
}

impl Script {
    pub(super) fn new(name: impl Into<String>, turns: usize) -> Self {
        Self { name: name.into(), turns }
    }

    pub(super) fn prompt(&self) -> String {
        format!("prompt of {}", self.name)
    }

    /// The calls of a turn: one command, or a batch of four tools.
    fn calls(&self, turn: usize) -> Vec<Call> {
        let id = |number: usize| format!("{}-{turn}-{number}", self.name);
        if turn.is_multiple_of(2) {
            return vec![command(id(0))];
        }
        vec![command(id(0)), edit(id(1)), write(id(2)), read(id(3))]
    }

    /// All its calls.
    pub(super) fn all_calls(&self) -> impl Iterator<Item = Call> {
        (0..self.turns).flat_map(|turn| self.calls(turn))
    }

    /// The file that the provider plays.
    pub(super) fn json(&self) -> Value {
        let turn = |turn: usize| {
            let call =
                |Call { id, tool, arguments, .. }| json!({ "toolCall": { "id": id, "name": tool, "args": arguments } });
            let words = std::iter::once(json!({ "text": self.word(turn) }));
            let content: Vec<Value> = words.chain(self.calls(turn).into_iter().map(call)).collect();
            json!({ "content": content, "delay": 1 })
        };
        let last = json!({ "content": [{ "text": self.word(self.turns) }], "chunks": 3, "chunkDelay": 1 });
        json!({ "turns": (0..self.turns).map(turn).chain([last]).collect::<Vec<_>>() })
    }

    fn word(&self, turn: usize) -> String {
        format!("turn {turn} of {}", self.name)
    }

    /// The files that it works on.
    pub(super) fn prepare(&self, project: &Path) {
        fs::create_dir_all(project.join("words")).unwrap();
        fs::write(project.join("key"), format!("{SECRET}\n")).unwrap();
        for call in self.all_calls().filter(|call| call.mark == Mark::Word) {
            fs::write(project.join("words").join(&call.id), "end\n").unwrap();
        }
    }

    /// What is said in it, in order: the prompt, and for each turn the model's words and the results.
    pub(super) fn said(&self) -> Vec<Said> {
        let mut said = vec![Said::user(self.prompt())];
        for turn in 0..=self.turns {
            let calls = if turn < self.turns { self.calls(turn) } else { Vec::new() };
            let asked = calls.iter().map(|call| (call.id.clone(), call.arguments.clone())).collect();
            said.push(Said::assistant(self.word(turn), asked));
            said.extend(calls.into_iter().map(|call| Said::result(call.id, call.gives)));
        }
        said
    }
}

fn command(id: String) -> Call {
    let command = format!("echo {id} >>marks; sleep 0.002; cat key; echo {id}");
    let gives = format!("{REDACTED}\n{id}\n");
    Call { tool: "bash", arguments: json!({ "command": command }), mark: Mark::Line, gives, id }
}

fn edit(id: String) -> Call {
    let path = format!("words/{id}");
    let edits = json!([{ "oldText": "end", "newText": "run end" }]);
    let gives = format!("Made 1 edit in `{path}`.");
    Call { tool: "edit", arguments: json!({ "path": path, "edits": edits }), mark: Mark::Word, gives, id }
}

fn write(id: String) -> Call {
    let path = format!("made/{id}");
    let gives = format!("Wrote {} bytes to `{path}`.", id.len());
    Call { tool: "write", arguments: json!({ "path": path, "content": id }), mark: Mark::File, gives, id }
}

fn read(id: String) -> Call {
    Call { tool: "read", arguments: json!({ "path": "key" }), mark: Mark::Nothing, gives: format!("{REDACTED}\n"), id }
}
