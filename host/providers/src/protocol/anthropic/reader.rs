//! Reads a response: blocks by their index. A block is complete when its own end comes, or with the message.

use std::collections::BTreeMap;

use seam_loop::{StopReason, Usage};
use serde_json::Value;

use crate::answer::{Answer, Part, Place};
use crate::fault::Fault;
use crate::protocol::{Flow, Reader};

/// A response under way.
#[derive(Default)]
pub(super) struct Reading {
    /// What began last at each index, and has not ended.
    blocks: BTreeMap<u64, Block>,
    /// The index of the next block, if it does not say.
    next: u64,
    /// The index of the block that began last.
    last: u64,
}

/// A block.
enum Block {
    Text(Place),
    Thinking(Place),
    /// A call, and what its beginning said of its arguments: that counts if nothing more comes.
    Call(Place, Option<String>),
    /// One that we have no use for.
    Other,
}

impl Reader for Reading {
    fn take(&mut self, name: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        read_usage(data, &mut answer.usage);
        match data.get("type").and_then(Value::as_str).or(name) {
            Some("content_block_start") => self.begin(data, answer)?,
            Some("content_block_delta") => self.go_on(data, answer)?,
            Some("content_block_stop") => {
                let block = self.blocks.remove(&index(data)?.unwrap_or(self.last));
                block.into_iter().try_for_each(|block| end(block, answer))?;
            }
            Some("message_delta") => read_stop(data.get("delta").unwrap_or(&Value::Null), answer)?,
            Some("message_stop") => {
                std::mem::take(&mut self.blocks).into_values().try_for_each(|block| end(block, answer))?;
                return Ok(Flow::Complete);
            }
            Some("error") => return Err(Fault::of_event(data)),
            _ => {}
        }
        Ok(Flow::Goes)
    }
}

impl Reading {
    fn begin(&mut self, data: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let index = index(data)?.unwrap_or(self.next);
        let block = open(index, data.get("content_block").unwrap_or(&Value::Null), answer)?;
        // A call at this index that has not ended ends with the message.
        if let Some(Block::Call(place, Some(input))) = self.blocks.insert(index, block) {
            answer.push(place, &input)?;
        }
        self.next = self.next.max(index.saturating_add(1));
        self.last = index;
        Ok(())
    }

    fn go_on(&mut self, data: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let index = index(data)?.unwrap_or(self.last);
        let delta = data.get("delta").unwrap_or(&Value::Null);
        let block = self.blocks.get_mut(&index);
        match (text(delta, "type")?, block) {
            ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta", None) => {
                Err(Fault::stream(format!("a piece of block {index}, which has not begun or is complete")))
            }
            (_, Some(Block::Other)) => Ok(()),
            ("text_delta", Some(Block::Text(place))) => answer.push(*place, text(delta, "text")?),
            ("thinking_delta", Some(Block::Thinking(place))) => answer.push(*place, text(delta, "thinking")?),
            ("signature_delta", Some(Block::Thinking(place))) => {
                answer.sign(*place, text(delta, "signature")?);
                Ok(())
            }
            ("input_json_delta", Some(Block::Call(place, input))) => {
                let piece = text(delta, "partial_json")?;
                input.take_if(|_| !piece.is_empty());
                answer.push(*place, piece)
            }
            (kind @ ("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"), Some(_)) => {
                Err(Fault::stream(format!("a `{kind}` for block {index}, which is of another kind")))
            }
            _ => Ok(()),
        }
    }
}

/// The index of a block, if the event has one.
fn index(data: &Value) -> Result<Option<u64>, Fault> {
    let index = data.get("index").filter(|index| !index.is_null());
    let number = |index: &Value| index.as_u64().ok_or_else(|| Fault::stream(format!("block {index} has no number")));
    index.map(number).transpose()
}

fn open(index: u64, content: &Value, answer: &mut Answer) -> Result<Block, Fault> {
    let key = index.to_string();
    Ok(match text(content, "type")? {
        "text" => {
            let place = answer.open(key, Part::Text);
            answer.push(place, text(content, "text")?)?;
            Block::Text(place)
        }
        "thinking" => {
            let place = answer.open(key, Part::Thinking);
            answer.push(place, text(content, "thinking")?)?;
            answer.sign(place, text(content, "signature")?);
            Block::Thinking(place)
        }
        "redacted_thinking" => {
            let place = answer.open(key, Part::Thinking);
            answer.sign(place, text(content, "data")?);
            answer.redact(place);
            Block::Thinking(place)
        }
        "tool_use" => {
            let (id, name) = (text(content, "id")?.to_owned(), text(content, "name")?.to_owned());
            let input = content.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
            Block::Call(answer.open(key, Part::Call { id, name }), input.map(Value::to_string))
        }
        _ => Block::Other,
    })
}

fn end(block: Block, answer: &mut Answer) -> Result<(), Fault> {
    match block {
        Block::Text(place) | Block::Thinking(place) => answer.close(place),
        Block::Call(place, input) => {
            answer.push(place, &input.unwrap_or_default())?;
            answer.close(place);
        }
        Block::Other => {}
    }
    Ok(())
}

/// Why it ended, if that is said.
fn read_stop(delta: &Value, answer: &mut Answer) -> Result<(), Fault> {
    answer.stop = match text(delta, "stop_reason")? {
        "" => return Ok(()),
        "refusal" => return Err(refused(delta)),
        "tool_use" => Some(StopReason::ToolUse),
        "max_tokens" | "model_context_window_exceeded" => Some(StopReason::Length),
        _ => Some(StopReason::Stop),
    };
    Ok(())
}

fn refused(delta: &Value) -> Fault {
    let why = ["/stop_details/explanation", "/stop_details/category"];
    let why = why.iter().find_map(|place| delta.pointer(place)?.as_str()).map(|why| format!(" ({why})"));
    Fault::refusal(format!("the model refuses to answer{}", why.unwrap_or_default()))
}

/// What it costs so far, wherever that is said. A zero says nothing: some services have one where they do not count.
fn read_usage(data: &Value, usage: &mut Usage) {
    for counts in
        [data.pointer("/message/usage"), data.pointer("/delta/usage"), data.get("usage")].into_iter().flatten()
    {
        let read = |name: &str, count: &mut u32| {
            if let Some(said) = counts.get(name).and_then(Value::as_u64).filter(|said| *said > 0) {
                *count = u32::try_from(said).unwrap_or(u32::MAX);
            }
        };
        read("input_tokens", &mut usage.input);
        read("output_tokens", &mut usage.output);
        read("cache_read_input_tokens", &mut usage.cache_read);
        read("cache_creation_input_tokens", &mut usage.cache_write);
    }
}

/// A text in the data. What is not there is empty.
fn text<'a>(data: &'a Value, name: &str) -> Result<&'a str, Fault> {
    match data.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Fault::stream(format!("`{name}` is no text"))),
    }
}
