//! Reads a response: chunks, of which the one with `finish_reason` ends the answer, and one behind it may have the usage.

use seam_loop::{StopReason, Usage};
use serde_json::Value;

use super::calls::Calls;
use super::details::Details;
use crate::answer::{Answer, Part};
use crate::fault::Fault;
use crate::protocol::{Flow, Reader};

/// How much of a refusal is told, in bytes.
const TOLD: usize = 2_000;

#[derive(Debug, Default)]
pub(super) struct Reading {
    calls: Calls,
    details: Details,
    /// Why the model does not answer, in its words or in ours.
    refusal: String,
}

impl Reader for Reading {
    fn take(&mut self, _: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        // Some put an error not into `error`, but say that the event is one.
        if data.get("object").is_some_and(|object| object == "error") {
            return Err(Fault::of_event(data));
        }
        let choice = choice(data)?;
        let usages = [data.get("usage"), data.pointer("/x_groq/usage"), choice.and_then(|choice| choice.get("usage"))];
        if let Some(used) = usages.into_iter().flatten().find(|usage| usage.is_object()) {
            answer.usage = usage(used);
        }
        if let Some(choice) = choice {
            self.choice(choice, answer)?;
        }
        Ok(Flow::Goes)
    }

    fn end(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        answer.stop.ok_or_else(Fault::truncated)?;
        if !self.refusal.is_empty() {
            return Err(Fault::refusal(format!("the model refuses to answer: {}", self.refusal)));
        }
        self.calls.end()?;
        if let Some(proof) = self.details.proof() {
            answer.close_all(|part| !matches!(part, Part::Call { .. }));
            let place = answer.open("", Part::Thinking);
            answer.sign(place, &proof);
            answer.redact(place);
        }
        Ok(())
    }
}

/// The choice that counts. There is none in an event that has only the usage.
fn choice(data: &Value) -> Result<Option<&Value>, Fault> {
    let is_first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    Ok(list(data, "choices")?.iter().find(is_first))
}

impl Reading {
    fn choice(&mut self, choice: &Value, answer: &mut Answer) -> Result<(), Fault> {
        if choice.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Fault::of_event(choice));
        }
        // Who does not stream has all of it in one `message`.
        match choice.get("delta").or_else(|| choice.get("message")) {
            Some(delta @ Value::Object(_)) => self.delta(delta, answer)?,
            None | Some(Value::Null) => {}
            Some(_) => return Err(wrong("delta")),
        }
        match choice.get("finish_reason") {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(reason)) => self.finished(reason, answer),
            Some(_) => Err(wrong("finish_reason")),
        }
    }

    fn delta(&mut self, delta: &Value, answer: &mut Answer) -> Result<(), Fault> {
        self.thought(delta, answer)?;
        match delta.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => say(&Part::Text, text, answer)?,
            Some(Value::Array(parts)) => parts.iter().try_for_each(|part| said(part, answer))?,
            Some(_) => return Err(wrong("content")),
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str).filter(|_| self.refusal.len() < TOLD) {
            self.refusal.push_str(refusal);
        }
        list(delta, "tool_calls")?.iter().try_for_each(|call| self.calls.take(call, answer))
    }

    /// The same reasoning may come under several names: the first that has any counts.
    fn thought(&mut self, delta: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let detailed = delta.get("reasoning_details").map(|details| self.details.take(details)).transpose()?;
        let plain = ["reasoning_content", "reasoning"].into_iter().filter_map(|name| delta.get(name)?.as_str());
        let mut texts = plain.chain(detailed.as_deref());
        texts.find(|text| !text.is_empty()).map_or(Ok(()), |text| say(&Part::Thinking, text, answer))
    }

    fn finished(&mut self, reason: &str, answer: &mut Answer) -> Result<(), Fault> {
        let stop = match &*reason.to_ascii_lowercase() {
            "" => return Ok(()),
            "tool_calls" | "tool_call" | "tool_use" | "function_call" => StopReason::ToolUse,
            "length" | "model_length" | "max_tokens" | "max_output_tokens" => StopReason::Length,
            "content_filter" | "safety" | "refusal" | "sensitive" => {
                if self.refusal.is_empty() {
                    "the service's filter does not let its answer through".clone_into(&mut self.refusal);
                }
                StopReason::Stop
            }
            "error" | "abort" | "aborted" | "cancelled" | "insufficient_system_resource" | "network_error" => {
                let told = format!("it ended its answer before the end (`finish_reason`: {reason})");
                return Err(Fault::stream(told));
            }
            // Services have many words for it: `eos`, `end_turn`, `COMPLETE`.
            _ => StopReason::Stop,
        };
        // Some end more than once. What was cut off stays so.
        if answer.stop != Some(StopReason::Length) {
            answer.stop = Some(stop);
        }
        Ok(())
    }
}

/// A part of a content that is a list, as Mistral has it.
fn said(part: &Value, answer: &mut Answer) -> Result<(), Fault> {
    let text = |value: &'_ Value| value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    match part.get("type").and_then(Value::as_str) {
        Some("text") => say(&Part::Text, &text(part), answer),
        Some("thinking") => match part.get("thinking") {
            Some(Value::String(thought)) => say(&Part::Thinking, thought, answer),
            _ => list(part, "thinking")?.iter().try_for_each(|piece| say(&Part::Thinking, &text(piece), answer)),
        },
        _ => Ok(()),
    }
}

fn say(part: &Part, text: &str, answer: &mut Answer) -> Result<(), Fault> {
    if text.is_empty() {
        return Ok(());
    }
    let place = answer.continued(part);
    answer.push(place, text)
}

/// What it costs. What was read from a cache or written to it is in `prompt_tokens`; reasoning is in the output, where some
/// services count it only in the total.
fn usage(usage: &Value) -> Usage {
    let count = |at: &str| usage.pointer(at).and_then(Value::as_u64);
    let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let (prompt, total) = (count("/prompt_tokens").unwrap_or(0), count("/total_tokens").unwrap_or(0));
    let cached = ["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/num_cached_tokens"];
    let cache_read = cached.into_iter().find_map(count).unwrap_or(0);
    let cache_write = count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0);
    let output = count("/completion_tokens").unwrap_or(0).max(total.saturating_sub(prompt));
    let input = prompt.saturating_sub(cache_read).saturating_sub(cache_write);
    let (input, output) = (number(input), number(output));
    Usage { input, output, cache_read: number(cache_read), cache_write: number(cache_write), cost: 0.0 }
}

/// A list that may be left out.
fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], Fault> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(wrong(name)),
    }
}

fn wrong(name: &str) -> Fault {
    Fault::stream(format!("it sent a `{name}` that is none"))
}
