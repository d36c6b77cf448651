//! A plugin built to misbehave, at every seam, as its settings say. For the host's tests.

use seam::{
    Change, Content, Outcome, Rewrite, RewriteToolCall, ToolCall, ToolCallGate, ToolResult, ToolResultPatch, Verdict,
};
use serde::Deserialize;

/// What it does at each seam; nothing where nothing is set.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Stress {
    rewrite: Deed,
    gate: Deed,
    patch: Deed,
    /// How often this instance was called.
    #[serde(skip)]
    calls: u32,
    /// Whether this instance has said what it says once.
    #[serde(skip)]
    said: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Deed {
    #[default]
    Nothing,
    /// Never ends.
    Loop,
    /// Counts to so many millions, then has nothing to say.
    Spin(u32),
    /// Panics with a text that holds the arguments.
    Panic,
    /// Panics when the arguments hold this text.
    PanicOn(String),
    /// Calls itself without end.
    Recurse,
    /// Takes memory without end.
    Memory,
    /// Answers with so many KiB.
    Answer(usize),
    /// Writes so many notes, of 10 KB each.
    Log(u32),
    /// Reads a result where there is none.
    ReadResult,
    /// Says this: a reason, a text, new arguments.
    Say(String),
    /// Says this the first time, and nothing from then on.
    SayOnce(String),
    /// Says this, and crashes when the host has it and the instance cleans up.
    SayThenCrash(String),
    /// Adds this to the end of the text.
    Append(String),
    /// Asks the user this.
    Ask(String),
    /// Says how often this instance was called.
    Count,
    /// Says what it sees.
    Tell,
    /// Reads its settings again, and says how many there are.
    Settings,
}

impl Stress {
    /// Does what does not depend on the seam. What is left to say, if anything.
    fn act(&mut self, deed: fn(&Self) -> &Deed, call: &ToolCall, sees: impl FnOnce() -> String) -> Option<String> {
        self.calls += 1;
        match deed(self) {
            Deed::Nothing | Deed::Append(_) | Deed::Ask(_) => None,
            Deed::Loop => loop {
                std::hint::black_box(0);
            },
            Deed::Spin(millions) => {
                for step in 0..u64::from(*millions) * 1_000_000 {
                    std::hint::black_box(step);
                }
                None
            }
            Deed::Panic => panic!("the arguments were {}", call.arguments),
            Deed::PanicOn(text) => {
                assert!(!call.arguments.contains(text.as_str()), "the arguments were {}", call.arguments);
                None
            }
            Deed::Recurse => Some(recurse(1).to_string()),
            Deed::Memory => {
                let mut taken = Vec::new();
                loop {
                    taken.push(vec![1_u8; 1 << 20]);
                    std::hint::black_box(&taken);
                }
            }
            Deed::Answer(kib) => Some("x".repeat(kib << 10)),
            Deed::Log(notes) => {
                (0..*notes).for_each(|note| seam::log::warn(&format!("{note} {}", "n".repeat(10_000))));
                None
            }
            Deed::ReadResult => Some(seam::full_result::read_all()),
            Deed::Say(text) => Some(text.clone()),
            Deed::SayOnce(text) => {
                let text = text.clone();
                (!std::mem::replace(&mut self.said, true)).then_some(text)
            }
            Deed::SayThenCrash(text) => {
                seam::log::info("says it, then crashes");
                Some(not_to_be_freed(text))
            }
            Deed::Count => Some(self.calls.to_string()),
            Deed::Tell => Some(sees()),
            Deed::Settings => Some(seam::config::read::<serde_json::Map<_, _>>().len().to_string()),
        }
    }
}

/// A text that does not lie in the heap. Who frees it reads the size of its block from the bytes before it, which say
/// that the next block is beyond all memory.
fn not_to_be_freed(text: &str) -> String {
    const BEFORE: usize = 64;
    let mut bytes = vec![0x7f_u8; BEFORE];
    bytes.extend_from_slice(text.as_bytes());
    let bytes = Box::leak(bytes.into_boxed_slice());
    // SAFETY: reading it is sound. Freeing it is not, and that is the point: it is meant to crash this guest.
    unsafe { String::from_raw_parts(bytes[BEFORE..].as_mut_ptr(), text.len(), text.len()) }
}

#[expect(unconditional_recursion, reason = "that is what it is for")]
fn recurse(depth: u64) -> u64 {
    std::hint::black_box(recurse(std::hint::black_box(depth) + 1)) + 1
}

impl RewriteToolCall for Stress {
    fn rewrite(&mut self, call: &ToolCall) -> Rewrite {
        if let Deed::Append(more) = &self.rewrite {
            let mut arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
            let text = format!("{}{more}", arguments["text"].as_str().unwrap_or_default());
            arguments["text"] = text.into();
            return Rewrite::Arguments(arguments.to_string());
        }
        match self.act(|stress| &stress.rewrite, call, || format!("{call:?}")) {
            Some(arguments) => Rewrite::Arguments(arguments),
            None => Rewrite::Keep,
        }
    }
}

impl ToolCallGate for Stress {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if let Deed::Ask(question) = &self.gate {
            return Verdict::Ask(question.clone());
        }
        match self.act(|stress| &stress.gate, call, || format!("{call:?}")) {
            Some(reason) => Verdict::block(reason),
            None => Verdict::Proceed,
        }
    }
}

impl ToolResultPatch for Stress {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        if let Deed::Append(more) = &self.patch {
            return Outcome::text(format!("{}{more}", result.whole_text()));
        }
        let sees = || format!("truncated={} {}", result.truncated, result.whole_text().len());
        match self.act(|stress| &stress.patch, &result.call, sees) {
            Some(text) => Outcome::Change(vec![Change::Content(vec![Content::Text(text)])]),
            None => Outcome::Keep,
        }
    }
}

seam::plugin!(Stress from config: rewrite_tool_call, tool_call, tool_result);
