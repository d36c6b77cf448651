//! The events of a run as entries of a recording.

use std::sync::Arc;

use seam_loop::event::Role;
use seam_loop::{AgentEvent, EventSink, Message};
use serde_json::{Value, json};

use super::json::put;
use super::render;
use super::stage::Stage;

/// Records events and does what they set off, right when they come.
pub(super) struct Listener<'a>(pub(super) &'a Stage);

impl EventSink for Listener<'_> {
    fn emit(&self, event: AgentEvent) {
        if let AgentEvent::MessageEnd { message } = &event
            && let Message::Custom(custom) = &**message
        {
            // Its start named no more than a custom message. Nothing happens between the two.
            self.0.tell(json!({ "event": "message_start", "role": custom.custom_type }));
        }
        if let AgentEvent::TurnEnd { message, .. } = &event
            && let Message::Assistant(assistant) = &**message
            && let Some(error) = &assistant.error_message
        {
            self.0.agent().error = Some(error.clone());
        }
        if let Some(entry) = self.entry(event) {
            self.0.tell(entry);
        }
    }
}

impl Listener<'_> {
    fn entry(&self, event: AgentEvent) -> Option<Value> {
        Some(match event {
            AgentEvent::AgentStart => json!({ "event": "agent_start" }),
            AgentEvent::TurnStart { .. } => json!({ "event": "turn_start" }),
            AgentEvent::AgentEnd { messages, .. } => json!({ "event": "agent_end", "roles": roles(&messages) }),
            AgentEvent::TurnEnd { message, tool_results, .. } => turn_end(&message, &tool_results),
            AgentEvent::MessageStart { role: Role::Custom, .. } => return None,
            AgentEvent::MessageStart { role, tool_call_id, blocks } => {
                let mut entry = json!({ "event": "message_start", "role": role });
                put(&mut entry, "toolCallId", tool_call_id);
                put(&mut entry, "blocks", blocks);
                entry
            }
            AgentEvent::MessageUpdate { kind, content_index, delta, tool_call_id } => {
                let mut entry = json!({ "event": "message_update", "kind": kind, "contentIndex": content_index });
                put(&mut entry, "delta", delta);
                put(&mut entry, "toolCallId", tool_call_id);
                entry
            }
            AgentEvent::MessageEnd { message } => {
                json!({ "event": "message_end", "message": render::message(&message) })
            }
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.0.shapes.forget(&tool_name, &tool_call_id);
                json!({
                    "event": "tool_execution_start", "toolCallId": tool_call_id, "toolName": tool_name, "args": args,
                })
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                let mut partial = json!({ "content": render::contents(&partial_result.content) });
                put(&mut partial, "details", partial_result.details);
                json!({
                    "event": "tool_execution_update", "toolCallId": tool_call_id, "toolName": tool_name,
                    "partialResult": partial,
                })
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, .. } => json!({
                "event": "tool_execution_end",
                "isError": is_error,
                "result": self.0.shapes.render(&tool_name, &tool_call_id, &result),
                "toolCallId": tool_call_id,
                "toolName": tool_name,
            }),
        })
    }
}

fn roles(messages: &[Arc<Message>]) -> Vec<&str> {
    messages.iter().map(|message| render::role(message)).collect()
}

fn turn_end(message: &Message, results: &[Arc<Message>]) -> Value {
    let mut entry = json!({ "event": "turn_end", "toolResults": render::result_ids(results) });
    if let Message::Assistant(assistant) = message {
        entry["stopReason"] = json!(assistant.stop_reason);
        put(&mut entry, "errorMessage", assistant.error_message.clone());
    }
    entry
}
