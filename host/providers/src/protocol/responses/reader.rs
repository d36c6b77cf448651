//! How the events of a response are read.

use seam_loop::StopReason;
use serde_json::{Value, json};

use super::event::{BETWEEN, agree, count, failed, item, joined, number_at, proof, refused, text};
use super::items::{Items, Kind, Names, State};
use super::phase;
use crate::answer::{Answer, Part, Place};
use crate::fault::Fault;
use crate::protocol::{Flow, Reader};

/// Reads one response. A block of the answer has the number of its item as its key, a text also its place in the item.
#[derive(Debug, Default)]
pub(super) struct Reading {
    items: Items,
    refuses: bool,
}

impl Reader for Reading {
    fn take(&mut self, name: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        count(data, answer);
        match data.get("type").and_then(Value::as_str).or(name).unwrap_or_default() {
            "response.output_item.added" => self.added(data, answer)?,
            "response.output_text.delta" => self.text(data, "delta", answer)?,
            "response.output_text.done" => self.text(data, "text", answer)?,
            "response.refusal.delta" => {
                self.refuses = true;
                self.text(data, "delta", answer)?;
            }
            "response.refusal.done" => return Err(refused(text(data, "refusal")?)),
            "response.reasoning_summary_text.delta" => self.thought(data, "summary_index", answer)?,
            "response.reasoning_text.delta" => self.thought(data, "content_index", answer)?,
            "response.function_call_arguments.delta" => self.arguments(data, answer)?,
            "response.function_call_arguments.done" => {
                let number = self.call(data)?;
                self.whole(number, text(data, "arguments")?, answer)?;
            }
            "response.output_item.done" => self.done(data, answer)?,
            "response.completed" => return self.completed(data, answer),
            "response.incomplete" => return self.incomplete(data, answer),
            "response.failed" | "error" => return Err(failed(data)),
            _ => {}
        }
        Ok(Flow::Goes)
    }
}

impl Reading {
    fn added(&mut self, data: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let item = item(data)?;
        let Some(kind) = Kind::of(item) else { return Ok(()) };
        let names = Names::of_item(data, item);
        if !self.items.has(kind, &names) {
            self.begin(kind, names, item, answer)?;
        }
        Ok(())
    }

    /// An item begins. A block of the answer begins with it only for a call: the others may stay empty.
    fn begin(&mut self, kind: Kind, names: Names, item: &Value, answer: &mut Answer) -> Result<usize, Fault> {
        let number = self.items.add(kind, names)?;
        if kind == Kind::Call {
            let (id, name) = (text(item, "call_id")?.to_owned(), text(item, "name")?.to_owned());
            answer.open(number.to_string(), Part::Call { id, name });
        }
        Ok(number)
    }

    /// The open item that a piece is of. One that was not told to begin begins with it.
    fn of_piece(&mut self, kind: Kind, data: &Value) -> Result<usize, Fault> {
        let names = Names::of_piece(data);
        let open = self.items.find(kind, &names, State::Open);
        open.map_or_else(|| self.items.add(kind, names), Ok)
    }

    /// A piece of text, or all of it.
    fn text(&mut self, data: &Value, field: &str, answer: &mut Answer) -> Result<(), Fault> {
        let piece = text(data, field)?;
        if piece.is_empty() {
            return Ok(());
        }
        let number = self.of_piece(Kind::Message, data)?;
        let place = place(answer, format!("{number}.{}", number_at(data, "content_index")), Part::Text);
        if field == "delta" { answer.push(place, piece) } else { answer.complete(place, piece) }
    }

    /// A piece of reasoning, or of a summary of it.
    fn thought(&mut self, data: &Value, index: &str, answer: &mut Answer) -> Result<(), Fault> {
        let piece = text(data, "delta")?;
        if piece.is_empty() {
            return Ok(());
        }
        let number = self.of_piece(Kind::Reasoning, data)?;
        let place = place(answer, number.to_string(), Part::Thinking);
        let part = (index == "summary_index", number_at(data, index));
        let before = self.items.get(number).and_then(|item| item.part.replace(part));
        if before.is_some_and(|before| before != part) {
            answer.push(place, BETWEEN)?;
        }
        answer.push(place, piece)
    }

    /// The call that a piece is of.
    fn call(&self, data: &Value) -> Result<usize, Fault> {
        self.items
            .find(Kind::Call, &Names::of_piece(data), State::Open)
            .ok_or_else(|| Fault::stream("it sent arguments of a call that has not begun, or was complete"))
    }

    fn arguments(&mut self, data: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let (number, piece) = (self.call(data)?, text(data, "delta")?);
        let Some((place, item)) = answer.find(&number.to_string()).zip(self.items.get(number)) else { return Ok(()) };
        answer.push(place, piece)?;
        item.arguments.push_str(piece);
        Ok(())
    }

    /// A call is complete: with these arguments, if they are told once more.
    fn whole(&mut self, number: usize, arguments: &str, answer: &mut Answer) -> Result<(), Fault> {
        let Some(item) = self.items.get(number) else { return Ok(()) };
        if !agree(&item.arguments, arguments, item.state == State::Open) {
            return Err(Fault::stream("the arguments of a call are others than the pieces that came of them"));
        }
        let Some(place) = answer.find(&number.to_string()) else { return Ok(()) };
        answer.complete(place, arguments)?;
        answer.close(place);
        if !arguments.is_empty() {
            arguments.clone_into(&mut item.arguments);
        }
        item.state = State::Whole;
        Ok(())
    }

    /// An item is complete. What of it did not come in pieces is in it.
    fn done(&mut self, data: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let item = item(data)?;
        let Some(kind) = Kind::of(item) else { return Ok(()) };
        let names = Names::of_item(data, item);
        let number = match self.items.find(kind, &names, State::Whole) {
            Some(number) => number,
            None if self.items.has(kind, &names) => return Ok(()),
            None => self.begin(kind, names, item, answer)?,
        };
        match kind {
            Kind::Call => self.whole(number, text(item, "arguments")?, answer)?,
            Kind::Message => {
                said(number, item, answer)?;
                phase::keep(number, item, answer);
            }
            Kind::Reasoning => self.reasoned(number, item, answer)?,
        }
        self.items.get(number).into_iter().for_each(|item| item.state = State::Done);
        Ok(())
    }

    fn reasoned(&mut self, number: usize, item: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let came = self.items.get(number).is_some_and(|item| item.part.is_some());
        let text = [joined(item, "summary"), joined(item, "content")].into_iter().find(|text| !text.is_empty());
        let (text, proof) = (text.unwrap_or_default(), proof(item));
        if !came && text.is_empty() && proof.is_none() {
            return Ok(());
        }
        let place = place(answer, number.to_string(), Part::Thinking);
        answer.complete(place, &text)?;
        if let Some(proof) = proof {
            answer.sign(place, &proof);
            if !came && text.is_empty() {
                answer.redact(place);
            }
        }
        answer.close(place);
        Ok(())
    }

    /// The answer is complete, unless it says otherwise. A call whose own end was not told is not. Of an answer that did not
    /// come in pieces, all of it is here.
    fn completed(&mut self, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        match data.pointer("/response/status").and_then(Value::as_str) {
            Some("incomplete") => return self.incomplete(data, answer),
            Some("failed" | "cancelled") => return Err(failed(data)),
            _ => {}
        }
        if self.items.say_nothing() {
            let output = data.pointer("/response/output").and_then(Value::as_array).into_iter().flatten();
            for item in output.filter(|item| Kind::of(item) != Some(Kind::Reasoning)) {
                self.done(&json!({ "item": item }), answer)?;
            }
        }
        if self.refuses {
            return Err(refused(""));
        }
        if self.items.has_open_call() {
            return Err(Fault::stream("the answer ended before a call in it was complete"));
        }
        answer.stop = Some(StopReason::Stop);
        Ok(Flow::Complete)
    }

    /// The answer is cut off.
    fn incomplete(&self, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        let reason = data.pointer("/response/incomplete_details/reason").and_then(Value::as_str);
        if self.refuses || reason == Some("content_filter") {
            return Err(refused("its service's content filter stopped the answer"));
        }
        answer.stop = Some(StopReason::Length);
        Ok(Flow::Complete)
    }
}

/// The texts of a message that is complete.
fn said(number: usize, item: &Value, answer: &mut Answer) -> Result<(), Fault> {
    let parts = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, part) in parts.iter().enumerate() {
        let words = match part.get("type").and_then(Value::as_str) {
            Some("refusal") => return Err(refused(text(part, "refusal")?)),
            Some("output_text") => text(part, "text")?,
            _ => "",
        };
        if !words.is_empty() {
            let place = place(answer, format!("{number}.{index}"), Part::Text);
            answer.complete(place, words)?;
            answer.close(place);
        }
    }
    Ok(())
}

fn place(answer: &mut Answer, key: String, part: Part) -> Place {
    answer.find(&key).unwrap_or_else(|| answer.open(key, part))
}
