//! A gate, a result patch and a context edit in Rust: what every language must be able to do with the contract. The
//! plugins in C, Go and JavaScript beside it do the same.

use seam::conversation::{self, Kind};
use seam::transform_context::{Context, TransformContext};
use seam::{Content, Edit, Message, Outcome, ToolCall, ToolCallGate, ToolResult, ToolResultPatch, Verdict, log};

const LANGUAGE: &str = "rust";

#[derive(Default)]
struct Polyglot {
    called: bool,
}

impl ToolCallGate for Polyglot {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if !self.called {
            log::info(&format!("{LANGUAGE} gate"));
            self.called = true;
        }
        let holds = |part| call.arguments.contains(part);
        if holds("crash-gate") {
            panic!("the gate crashes");
        } else if holds("forbidden") {
            Verdict::block(format!("{LANGUAGE} says no"))
        } else if holds("ask-me") {
            Verdict::ask(format!("{LANGUAGE} asks"))
        } else if holds("wrong-shape") || holds("no-answer") {
            panic!("Rust has no wrong shape");
        } else {
            Verdict::Proceed
        }
    }
}

impl ToolResultPatch for Polyglot {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        let holds = |part| result.texts().any(|text| text.contains(part));
        if holds("crash-patch") {
            panic!("the patch crashes");
        } else if holds("withhold-me") {
            Outcome::withhold(format!("{LANGUAGE} withholds"))
        } else if holds("SECRET") {
            Outcome::content(result.content.iter().map(hidden))
        } else {
            Outcome::Keep
        }
    }
}

fn hidden(content: &Content) -> Content {
    match content {
        Content::Text(text) => Content::Text(text.replace("SECRET", &format!("[hidden by {LANGUAGE}]"))),
        Content::Image(image) => Content::Image(image.clone()),
    }
}

impl TransformContext for Polyglot {
    fn transform(&mut self, context: &Context) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut marked = false;
        // Sizes first, then the messages that say something.
        for (index, entry) in (0..).zip(conversation::outline()).filter(|(_, entry)| entry.bytes > 0) {
            let Some(message) = conversation::get(index) else { continue };
            let says = |part| message.texts().any(|text| text.contains(part));
            assert!(!says("crash-context"), "the context edit crashes");
            marked |= says("mark-me");
            if entry.kind == Kind::Tool && says("stale") {
                edits.push(Edit::drop(index..index + 1));
            }
        }
        if marked {
            edits.push(Edit::insert(context.length, Message::user(format!("seen by {LANGUAGE}"))));
        }
        edits
    }
}

seam::plugin!(Polyglot: tool_call, tool_result, transform_context);
