//! The smallest gate that looks at its call. For the benchmark: what it costs is the crossing.

use seam::{ToolCall, ToolCallGate, Verdict};

#[derive(Default)]
struct Gate;

impl ToolCallGate for Gate {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if call.tool == "forbidden" { Verdict::block("forbidden") } else { Verdict::Proceed }
    }
}

seam::plugin!(Gate: tool_call);
