//! What is measured: the cases, and the tool, the arguments and the conversation they share with the reference.

use serde_json::{Value, json};

/// The work of one turn.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// How many gates decide about each call.
    pub(crate) gates: usize,
    /// Whether they are sandboxed plugins. The reference has none: its gates are functions in both cases.
    pub(crate) sandboxed: bool,
    /// How many messages the conversation holds before the run.
    pub(crate) messages: usize,
    /// How many tools the model may call. It calls the last.
    pub(crate) tools: usize,
    /// How many calls a response holds. Without any, the response ends the run.
    pub(crate) calls: usize,
    /// In how many pieces the response's text arrives; without any, the response comes whole.
    pub(crate) deltas: usize,
    /// Whether the tools have one parameter instead of ten.
    pub(crate) small: bool,
}

/// Cases that differ in one thing.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) rows: Vec<(String, Case)>,
    /// Whether the time should not depend on what differs.
    pub(crate) flat: bool,
}

const BASE: Case = Case { gates: 1, sandboxed: false, messages: 10, tools: 1, calls: 1, deltas: 0, small: false };

impl Case {
    /// How many turns a run has that are timed.
    pub(crate) fn turns(&self) -> usize {
        if self.calls == 0 { 1 } else { 4 }
    }

    /// How many runs make a round: fewer of those that take long.
    pub(crate) fn runs(&self) -> usize {
        match self.tools {
            1 if self.calls == 1 => 16,
            1..100 => 4,
            _ => 1,
        }
    }

    /// What the reference's program is asked.
    pub(crate) fn question(&self) -> Value {
        let Self { gates, messages, tools, calls, deltas, small, .. } = *self;
        let (turns, runs) = (self.turns(), self.runs());
        json!({
            "gates": gates, "messages": messages, "tools": tools, "calls": calls, "deltas": deltas,
            "small": small, "turns": turns, "runs": runs
        })
    }
}

pub(crate) fn groups() -> Vec<Group> {
    let gates = [(0, false), (1, false), (8, false), (32, false), (1, true), (8, true), (32, true)];
    let calls = [(1, false), (32, false), (1, true), (32, true)];
    let place = |sandboxed| if sandboxed { "sandboxed" } else { "in process" };
    vec![
        Group {
            title: "gates (1 call, 10 messages, 1 tool)",
            rows: gates
                .map(|(gates, sandboxed)| (format!("{gates} {}", place(sandboxed)), Case { gates, sandboxed, ..BASE }))
                .into(),
            flat: false,
        },
        Group {
            title: "gates, and a tool of one parameter",
            rows: [(0, false), (8, false), (8, true)]
                .map(|(gates, sandboxed)| {
                    (format!("{gates} {}", place(sandboxed)), Case { gates, sandboxed, small: true, ..BASE })
                })
                .into(),
            flat: false,
        },
        Group {
            title: "messages before (1 gate in process)",
            rows: [10, 100, 1_000, 5_000].map(|messages| (messages.to_string(), Case { messages, ..BASE })).into(),
            flat: true,
        },
        Group {
            title: "tools (1 gate in process)",
            rows: [1, 20, 200].map(|tools| (tools.to_string(), Case { tools, ..BASE })).into(),
            flat: true,
        },
        Group {
            title: "parallel calls in a response (8 gates)",
            rows: calls
                .map(|(calls, sandboxed)| {
                    (format!("{calls}, gates {}", place(sandboxed)), Case { calls, gates: 8, sandboxed, ..BASE })
                })
                .into(),
            flat: false,
        },
        Group {
            title: "text deltas in a response without a call",
            rows: vec![("1000".to_owned(), Case { calls: 0, deltas: 1_000, ..BASE })],
            flat: false,
        },
    ]
}

/// The parameters of every tool.
pub(crate) fn schema(small: bool) -> Value {
    if small {
        return json!({ "type": "object", "required": ["path"], "properties": { "path": { "type": "string" } } });
    }
    let edit = json!({
        "type": "object", "required": ["oldText", "newText"], "additionalProperties": false,
        "properties": {
            "oldText": { "type": "string", "minLength": 1, "description": "The text to replace" },
            "newText": { "type": "string", "description": "What comes in its place" }
        }
    });
    let format = json!({
        "type": "object", "additionalProperties": false, "description": "How the result is laid out",
        "properties": {
            "indent": { "type": "integer", "minimum": 0, "maximum": 8 },
            "style": { "type": "string", "enum": ["spaces", "tabs"] },
            "finalNewline": { "type": "boolean" }
        }
    });
    json!({
        "type": "object", "required": ["path", "edits"], "additionalProperties": false,
        "properties": {
            "path": { "type": "string", "description": "The file, relative to the workspace" },
            "mode": { "type": "string", "enum": ["replace", "append", "preview"], "description": "What is done" },
            "line": { "type": "integer", "minimum": 1, "description": "The first line that may change" },
            "limit": { "type": "integer", "minimum": 1, "description": "How many lines may change" },
            "create": { "type": "boolean", "description": "Whether the file may be new" },
            "encoding": { "type": "string", "description": "The file's encoding" },
            "reason": { "type": "string", "description": "Why, in a few words" },
            "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 10 },
            "format": format,
            "edits": { "type": "array", "items": edit, "minItems": 1, "description": "The changes, in order" }
        }
    })
}

/// The arguments of every call.
pub(crate) fn arguments(small: bool) -> Value {
    if small {
        return json!({ "path": "src/main.rs" });
    }
    let arguments = json!({
        "path": "src/main.rs", "mode": "replace", "line": 12, "tags": ["fix"],
        "format": { "indent": 4, "style": "spaces" },
        "edits": [{ "oldText": "let a = 1;", "newText": "let a = 2;" }, { "oldText": "// one", "newText": "// two" }]
    });
    let bytes = arguments.to_string().len();
    assert!((190..=210).contains(&bytes), "{bytes}");
    arguments
}

/// A message of the conversation: the user's and the model's in turns.
pub(crate) const SAID: &str = "A sentence or two of ordinary length, as people and models write them to each other.";

/// What a tool gives.
pub(crate) const DONE: &str = "2 edits were made.";

/// What the reference's program has to know before the first case.
pub(crate) fn shared() -> Value {
    let tool = |small| json!({ "schema": schema(small), "arguments": arguments(small) });
    json!({ "tool": tool(false), "smallTool": tool(true), "said": SAID, "done": DONE })
}
