//! Ten conversations that look the same over all protocols. Plain data: what the user says, what the model answers to
//! each request, and what tools give.

use seam_loop::tool::{ExecutionMode, Replay};
use seam_loop::{Content, ToolDefinition};
use serde_json::{Value, json};

use super::{Block, Said, Stop};

/// The system prompt of all of them.
pub const SYSTEM_PROMPT: &str = "Be kind.\nAnswer in the user's language: \"日本語\" too.";

/// The proof of the thinking in the last conversation. It has to be in the second request, but not in chat, which has
/// none.
pub const SIGNATURE: &str = "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM9NECy50y44==";

/// A picture of one red pixel.
pub const PICTURE: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0xc9, 0xfe, 0x92, 0xef,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// One conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    /// What it is about.
    pub name: &'static str,
    /// What the user says.
    pub prompt: Vec<Content>,
    /// A request each.
    pub turns: Vec<Turn>,
}

/// One request: its answer, and what the tools give that the answer calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The answer.
    pub said: Said,
    /// The results, in the order of the calls. There are none when the answer is cut off: its calls do not run.
    pub results: Vec<Answered>,
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The id of the call.
    pub id: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// The result.
    pub content: Vec<Content>,
    /// Whether it is an error.
    pub is_error: bool,
}

/// The tools of all of them: `write` needs a path and may have content, `look` needs nothing.
pub fn tools() -> Vec<ToolDefinition> {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let tool = |name: &str, description: &str, properties: Value, required: Value| ToolDefinition {
        name: name.into(),
        description: description.to_owned(),
        parameters: json!({ "type": "object", "properties": properties, "required": required,
            "additionalProperties": false }),
        mode: ExecutionMode::Parallel,
        replay: Replay::Never,
    };
    let write = json!({ "path": text("Where."), "content": text("What.") });
    vec![
        tool("write", "Writes a file.", write, json!(["path"])),
        tool("look", "Looks at a file, or without a path at the folder.", json!({ "path": text("Where.") }), json!([])),
    ]
}

/// All ten.
pub fn conversations() -> Vec<Conversation> {
    vec![
        plain(),
        scripts(),
        thinking(),
        one_call(),
        two_calls(),
        call_and_answer(),
        no_arguments(),
        cut_off(),
        pictures(),
        signed(),
    ]
}

fn asked(name: &'static str, prompt: &str, turns: Vec<Turn>) -> Conversation {
    Conversation { name, prompt: vec![Content::text(prompt)], turns }
}

fn says(said: Said) -> Turn {
    Turn { said, results: Vec::new() }
}

fn calls(said: Said, results: Vec<Answered>) -> Turn {
    Turn { said, results }
}

fn gives(id: &'static str, tool: &'static str, text: &str) -> Answered {
    Answered { id, tool, content: vec![Content::text(text)], is_error: false }
}

fn picture() -> Content {
    Content::Image { data: PICTURE.to_vec(), mime_type: "image/png".to_owned() }
}

fn plain() -> Conversation {
    asked("plain text", "Hello.", vec![says(Said::text("Hello! How can I help you today?"))])
}

fn scripts() -> Conversation {
    let text = "日本語、中文 and 한국어.\n👩‍👩‍👧‍👦 🏳️‍🌈 🇪🇺 e\u{301} Z\u{351}\u{36b}\u{343}algo\n\
                \"quoted\" \\back\\slash\\ \\n \t tab\u{2028}line";
    asked("text of many scripts in many pieces", "Écris 日本語 😀", vec![says(Said::text(text).in_pieces(60))])
}

fn thinking() -> Conversation {
    let blocks = vec![Block::thinking("They greet me.\nI greet them, 当然.", None), Block::text("Good morning.")];
    asked("thinking, then text", "Good morning.", vec![says(Said::new(blocks))])
}

fn one_call() -> Conversation {
    let arguments = json!({ "path": "a/ü.txt", "content": "one\n\"two\"\\ 三 😀\t{}" });
    let said = Said::new(vec![Block::call("call_1", "write", arguments)]).in_pieces(12);
    let results = vec![gives("call_1", "write", "Wrote 20 bytes.")];
    asked("one call in pieces", "Write a file.", vec![calls(said, results), says(Said::text("It is written."))])
}

fn two_calls() -> Conversation {
    let first = Block::call("call_1", "write", json!({ "path": "a", "content": "alpha, the first" }));
    let second = Block::call("call_2", "write", json!({ "path": "b", "content": "beta" }));
    let said = Said::new(vec![first, second]).in_pieces(6).mixed();
    let failed = Answered { is_error: true, ..gives("call_2", "write", "b is a folder.") };
    let results = vec![gives("call_1", "write", "Wrote 16 bytes."), failed];
    let answer = says(Said::text("One is written, the other is a folder."));
    asked("two calls at once, their pieces by turns", "Write two files.", vec![calls(said, results), answer])
}

fn call_and_answer() -> Conversation {
    let look = Block::call("call_1", "look", json!({ "path": "README.md" }));
    let said = Said::new(vec![Block::text("I look at it."), look]);
    let results = vec![gives("call_1", "look", "# Seam\n\nA harness.")];
    let answer = says(Said::text("It is a harness."));
    asked("text, a call, its result, an answer", "What is this?", vec![calls(said, results), answer])
}

fn no_arguments() -> Conversation {
    let said = Said::new(vec![Block::call("call_1", "look", json!({}))]);
    let results = vec![gives("call_1", "look", "README.md")];
    let answer = says(Said::text("There is one file."));
    asked("a call without arguments", "What is here?", vec![calls(said, results), answer])
}

/// In Gemini the half call does not come at all: there a call is one piece.
fn cut_off() -> Conversation {
    let half = Block::raw_call("call_1", "write", r#"{"path":"a","content":"half"#);
    let said = Said::new(vec![Block::text("I write it."), half]).stopping(Stop::Length);
    asked("cut off in the middle of a call", "Write a long file.", vec![says(said)])
}

fn pictures() -> Conversation {
    let look = Said::new(vec![Block::call("call_1", "look", json!({ "path": "b.png" }))]);
    let content = vec![Content::text("b.png, 1 x 1"), picture()];
    let results = vec![Answered { id: "call_1", tool: "look", content, is_error: false }];
    Conversation {
        name: "a picture from the user and one from a tool",
        prompt: vec![Content::text("Is b.png the same as this?"), picture()],
        turns: vec![calls(look, results), says(Said::text("Both are red."))],
    }
}

fn signed() -> Conversation {
    let thought = Block::thinking("I have to look first.", Some(SIGNATURE));
    let said = Said::new(vec![thought, Block::call("call_1", "look", json!({ "path": "a" }))]);
    let results = vec![gives("call_1", "look", "alpha")];
    let answer = says(Said::text("It says alpha."));
    asked("thinking with proof, a call, its result, an answer", "What does a say?", vec![calls(said, results), answer])
}
