//! The seams around a tool call and after a turn.

use seam::finish_turn::{self, FinishTurn, Next};
use seam::prepare_next_turn::{self, PrepareNextTurn};
use seam::{
    Change, Content, Outcome, Refusal, Rewrite, RewriteToolCall, ToolCall, ToolCallGate, ToolResult, ToolResultPatch,
    Usage, Verdict,
};

use crate::Everything;
use crate::deed::{Deed, Facts};

fn facts(call: &ToolCall, partial: Option<bool>) -> Facts<'_> {
    Facts { turn: Some(call.turn), tool: Some(&call.tool), partial, ..Facts::default() }
}

impl RewriteToolCall for Everything {
    fn rewrite(&mut self, call: &ToolCall) -> Rewrite {
        let Some(deed) = self.deed("rewrite-tool-call", call, facts(call, None)) else { return Rewrite::Keep };
        match deed.what.as_str() {
            "arguments" => Rewrite::Arguments(deed.text(&call.arguments)),
            "set" => {
                let name = deed.argument.as_deref().unwrap_or("text");
                let mut arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
                arguments[name] = deed.text(arguments[name].as_str().unwrap_or_default()).into();
                Rewrite::arguments(&arguments)
            }
            _ => deed.nothing(Rewrite::Keep),
        }
    }
}

impl ToolCallGate for Everything {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        let Some(deed) = self.deed("tool-call", call, facts(call, None)) else { return Verdict::Proceed };
        match deed.what.as_str() {
            "block" => Verdict::Block(Refusal { reason: deed.text(&call.arguments), terminate: deed.terminate }),
            "ask" => Verdict::Ask(deed.text(&call.arguments)),
            _ => deed.nothing(Verdict::Proceed),
        }
    }
}

impl ToolResultPatch for Everything {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        let facts = facts(&result.call, Some(result.partial));
        let Some(deed) = self.deed("tool-result", result, facts) else { return Outcome::Keep };
        match deed.what.as_str() {
            "withhold" => Outcome::Withhold(deed.text(&result.whole_text())),
            "change" => Outcome::Change(changes(deed, result)),
            _ => deed.nothing(Outcome::Keep),
        }
    }
}

fn changes(deed: &Deed, result: &ToolResult) -> Vec<Change> {
    let text = Some(deed.text(&result.whole_text())).filter(|text| !text.is_empty());
    [
        text.map(|text| Change::Content(vec![Content::Text(text)])),
        deed.details.as_ref().map(Change::details),
        deed.clear_details.then_some(Change::ClearDetails),
        deed.structured_content.as_ref().map(Change::structured_content),
        deed.clear_structured_content.then_some(Change::ClearStructuredContent),
        deed.is_error.map(Change::IsError),
        deed.usage
            .map(|(input, output)| Change::Usage(Usage { input, output, cache_read: 0, cache_write: 0, cost: 0.0 })),
        deed.terminate.then_some(Change::Terminate(true)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl FinishTurn for Everything {
    fn finish(&mut self, turn: &finish_turn::Turn) -> Next {
        let facts = Facts { turn: Some(turn.turn), ..Facts::default() };
        let Some(deed) = self.deed("finish-turn", turn, facts) else { return Next::Pass };
        match deed.what.as_str() {
            "end" => Next::End,
            "continue" => Next::Continue,
            _ => deed.nothing(Next::Pass),
        }
    }
}

impl PrepareNextTurn for Everything {
    fn prepare(&mut self, turn: &prepare_next_turn::Turn) -> Vec<prepare_next_turn::Change> {
        use prepare_next_turn::Change;
        let facts = Facts { turn: Some(turn.turn), ..Facts::default() };
        let Some(deed) = self.deed("prepare-next-turn", turn, facts) else { return Vec::new() };
        let message = deed.message().map(Change::Message);
        let model = deed.model().map(Change::Model);
        let level = deed.thinking_level().map(Change::ThinkingLevel);
        deed.nothing([message, model, level].into_iter().flatten().collect())
    }
}
