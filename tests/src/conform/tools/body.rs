//! The body of a scenario's tool: does its operations in order.

use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::{Content, ResolvedTool, Settled, Target, ToolContext, ToolError, ToolOutput};
use serde_json::{Value, json};

use crate::conform::json::{as_text, canonical, put};
use crate::conform::stage::Stage;
use crate::conform::{parse, rules};

/// A call of a scenario's tool.
pub(super) struct Body {
    pub(super) stage: Arc<Stage>,
    pub(super) spec: Arc<Value>,
    pub(super) tool: String,
    pub(super) id: String,
    pub(super) args: Value,
}

#[async_trait]
impl ResolvedTool for Body {
    fn targets(&self) -> Vec<Target> {
        Vec::new()
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let mut result = self.work(&context).await;
        let outcome = result.as_ref().map_or_else(|error| format!("threw: {error}"), |_| "returned".to_owned());
        let end = json!({ "tool": "end", "toolName": self.tool, "toolCallId": self.id, "outcome": outcome });
        if let Err(thrown) = self.stage.at(end).await {
            result = Err(thrown);
        }
        result.map_err(|error| {
            self.stage.shapes.forget(&self.tool, &self.id);
            ToolError::Failed(error)
        })
    }
}

impl Body {
    /// # Errors
    /// What is thrown.
    async fn work(&self, context: &ToolContext<'_>) -> Result<ToolOutput, String> {
        let nth = self.stage.tape().tool_run(&self.tool, self.args.clone());
        let mut start =
            json!({ "tool": "start", "toolName": self.tool, "toolCallId": self.id, "args": self.args.clone() });
        put(&mut start, "aborted", context.abort.is_cancelled().then_some(true));
        let case = rules::first(&self.spec["cases"], nth, &start);
        let operations = &case.unwrap_or(&self.spec)["behaviour"];
        self.stage.at(start).await?;
        let mut calls = Vec::new();
        for operation in operations.as_array().into_iter().flatten() {
            if let Some(keys) = operation.get("return") {
                return self.returned(keys);
            }
            if let Some(call) = operation.get("call") {
                calls.push(self.call(call, context).await?);
            } else {
                self.operate(operation, context).await?;
            }
        }
        let content = match calls.is_empty() {
            true => vec![Content::text(canonical(&self.args))],
            false => calls.into_iter().map(Content::text).collect(),
        };
        let details = Some(json!({}));
        self.stage.shapes.forget(&self.tool, &self.id);
        Ok(ToolOutput { content, details, ..ToolOutput::default() })
    }

    /// Does an operation that neither returns nor calls.
    async fn operate(&self, operation: &Value, context: &ToolContext<'_>) -> Result<(), String> {
        if let Some(ms) = operation["delay"].as_u64() {
            return self.delay(ms, operation["ignoreAbort"] == true, context).await;
        }
        if let Some(message) = operation["throw"].as_str() {
            return Err(message.to_owned());
        }
        if let Some(value) = operation.get("throwValue") {
            return Err(as_text(value));
        }
        if let Some(content) = operation.get("update") {
            context.updates.send(partial(content, operation)?).await;
            // The reader takes it before this goes on.
            tokio::task::yield_now().await;
            return Ok(());
        }
        if let Some(content) = operation.get("updateLater") {
            let (clock, updates) = (Arc::clone(&self.stage.clock), context.updates.clone());
            let (partial, after) = (partial(content, operation)?, operation["after"].as_u64().unwrap_or_default());
            self.stage.beside(async move {
                clock.sleep(after).await;
                updates.send(partial).await;
            });
            return Ok(());
        }
        self.stage.unsupported(format!("the operation {operation}: every call goes through the one dispatcher"));
        Ok(())
    }

    async fn delay(&self, ms: u64, deaf: bool, context: &ToolContext<'_>) -> Result<(), String> {
        let aborted = async {
            match deaf {
                true => std::future::pending().await,
                false => context.abort.cancelled().await,
            }
        };
        tokio::select! {
            biased;
            () = aborted => Err("aborted".to_owned()),
            () = self.stage.clock.sleep(ms) => Ok(()),
        }
    }

    /// Makes a nested call and tells its outcome in one line.
    async fn call(&self, call: &Value, context: &ToolContext<'_>) -> Result<String, String> {
        if call["withoutHooks"] == true {
            self.stage.unsupported("a nested call without hooks: every call goes through the one dispatcher");
        }
        let request = parse::requested(call);
        let (id, name) = (request.id.clone(), request.name.clone());
        let started = json!({
            "nested": "call", "parent": self.id, "id": id, "name": name, "args": request.arguments.clone(),
        });
        self.stage.at(started).await?;
        self.stage.shapes.forget(&name, &id);
        let Settled { output, .. } = context.caller.call(request).await;
        let mut over = self.stage.shapes.render(&name, &id, &output);
        over["isError"] = json!(output.is_error);
        over["nested"] = json!("result");
        over["parent"] = json!(self.id);
        over["id"] = json!(id);
        self.stage.at(over).await?;
        let text: String = output.content.iter().filter_map(Content::as_text).collect();
        Ok(format!("{id} {}: {text}", if output.is_error { "error" } else { "ok" }))
    }

    fn returned(&self, keys: &Value) -> Result<ToolOutput, String> {
        self.stage.shapes.returned(&self.tool, &self.id, keys);
        Ok(ToolOutput {
            content: parse::contents(keys.get("content"))?,
            details: keys.get("details").cloned(),
            structured_content: keys.get("structuredContent").and_then(Value::as_object).cloned(),
            is_error: keys["isError"] == true,
            usage: keys.get("usage").map(parse::usage),
            terminate: keys["terminate"] == true,
        })
    }
}

fn partial(content: &Value, operation: &Value) -> Result<ToolOutput, String> {
    let details = operation.get("details").cloned().unwrap_or_else(|| json!({}));
    Ok(ToolOutput { content: parse::contents(Some(content))?, details: Some(details), ..ToolOutput::default() })
}
