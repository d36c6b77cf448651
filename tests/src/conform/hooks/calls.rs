//! The two hooks around a tool call.

use seam_loop::hooks::{Before, View};
use seam_loop::{CancellationToken, Change, HookError, ToolCall, ToolOutput};
use serde_json::{Value, json};

use super::Recorded;
use crate::conform::parse;

impl Recorded {
    pub(super) async fn before(
        &self,
        call: &ToolCall,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Before, HookError> {
        let rule = self.ask("beforeToolCall", self.entry(call, view), Some(abort)).await?;
        if rule.get("mutateArgs").is_some() {
            self.stage.unsupported("`beforeToolCall` that changes arguments in place: hooks get values");
        }
        if rule["block"] != true {
            return Ok(Before::Proceed);
        }
        Ok(Before::Block { reason: parse::text(&rule, "reason"), terminate: rule["terminate"] == true })
    }

    pub(super) async fn after(
        &self,
        call: &ToolCall,
        output: &ToolOutput,
        view: View<'_>,
        abort: &CancellationToken,
    ) -> Result<Vec<Change>, HookError> {
        let shapes = &self.stage.shapes;
        let mut entry = self.entry(call, view);
        entry["isError"] = json!(output.is_error);
        entry["result"] = shapes.render(&call.tool, &call.id, output);
        let rule = match self.ask("afterToolCall", entry, Some(abort)).await {
            Ok(rule) => rule,
            Err(error) => {
                shapes.forget(&call.tool, &call.id);
                return Err(error);
            }
        };
        let Some(replace) = rule.get("replace") else { return Ok(Vec::new()) };
        shapes.replaced(&call.tool, &call.id, replace);
        Ok(self.stage.supported(changes(replace)).unwrap_or_default())
    }

    fn entry(&self, call: &ToolCall, view: View<'_>) -> Value {
        json!({
            "toolCallId": call.id,
            "toolName": &*call.tool,
            "args": call.arguments.value(),
            "contextCount": view.context.len() + usize::from(self.system.in_context()),
            "stateCount": view.transcript.len() + usize::from(self.system.stored),
        })
    }
}

/// What a rule puts in a result's place. A key whose value is null changes nothing.
fn changes(replace: &Value) -> Result<Vec<Change>, String> {
    let given = replace.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    given
        .map(|(key, value)| match key.as_str() {
            "content" => Ok(Change::Content(parse::contents(Some(value))?)),
            "details" => Ok(Change::Details(Some(value.clone()))),
            "isError" => Ok(Change::IsError(value == &json!(true))),
            "usage" => Ok(Change::Usage(parse::usage(value))),
            "terminate" => Ok(Change::Terminate(value == &json!(true))),
            other => Err(format!("`{other}` of a result")),
        })
        .collect()
}
