//! How an answer of Gemini is read. Each event is a whole response with some more parts. None of them is the end: the
//! answer is complete when the response is, and a reason for it was given.

use seam_loop::{StopReason, Usage};
use serde_json::Value;

use crate::answer::{Answer, Part};
use crate::fault::Fault;
use crate::protocol::{Flow, Reader};

/// Why a model stops that will not answer this.
const REFUSALS: [&str; 10] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "ESCALATION",
];

/// An answer being read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    counts: Counts,
}

impl Reader for Reading {
    fn take(&mut self, _: Option<&str>, data: &Value, answer: &mut Answer) -> Result<Flow, Fault> {
        if let Some(usage) = data.get("usageMetadata") {
            self.counts.take(usage);
            answer.usage = self.counts.usage();
        }
        if let Some(reason) = given(data.pointer("/promptFeedback/blockReason")) {
            let told = told(data.pointer("/promptFeedback/blockReasonMessage"));
            return Err(Fault::refusal(format!("the service refuses what it is told ({reason}){told}")));
        }
        let Some(candidate) = data.pointer("/candidates/0") else { return Ok(Flow::Goes) };
        for piece in pieces(candidate)? {
            take_piece(piece, answer)?;
        }
        if let Some(reason) = given(candidate.get("finishReason")) {
            answer.stop = Some(stop(reason, &told(candidate.get("finishMessage")))?);
        }
        Ok(Flow::Goes)
    }

    fn end(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        answer.stop.map(drop).ok_or_else(Fault::truncated)
    }
}

/// A reason that is one.
fn given(reason: Option<&Value>) -> Option<&str> {
    reason?.as_str().filter(|reason| !reason.is_empty() && !reason.ends_with("_UNSPECIFIED"))
}

/// What the service says of a reason.
fn told(message: Option<&Value>) -> String {
    message.and_then(Value::as_str).map(|message| format!(": {message}")).unwrap_or_default()
}

/// Why the answer ended.
///
/// # Errors
/// When it ended because there is none.
fn stop(reason: &str, told: &str) -> Result<StopReason, Fault> {
    match reason {
        "STOP" => Ok(StopReason::Stop),
        "MAX_TOKENS" => Ok(StopReason::Length),
        _ if REFUSALS.contains(&reason) => Err(Fault::refusal(format!("the model refuses to answer ({reason}){told}"))),
        // Asked again, it would miss it again.
        "MISSING_THOUGHT_SIGNATURE" => Err(Fault::request(format!("the model did not answer ({reason}){told}"))),
        _ => Err(Fault::stream(format!("the model did not end its answer ({reason}){told}"))),
    }
}

fn pieces(candidate: &Value) -> Result<&[Value], Fault> {
    match candidate.pointer("/content/parts") {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(pieces)) => Ok(pieces),
        Some(_) => Err(Fault::stream("the parts of its answer are no list")),
    }
}

fn take_piece(piece: &Value, answer: &mut Answer) -> Result<(), Fault> {
    let signature = string(piece, "thoughtSignature")?;
    if let Some(call) = piece.get("functionCall").filter(|call| !call.is_null()) {
        return take_call(call, signature, answer);
    }
    let text = string(piece, "text")?;
    if piece.get("thought").and_then(Value::as_bool) == Some(true) {
        return take_thought(text, signature, answer);
    }
    if !text.is_empty() {
        let place = answer.continued(&Part::Text);
        answer.push(place, text)?;
    }
    // A text has no place for a signature: it becomes reasoning of which nothing is shown, right behind it.
    if !signature.is_empty() {
        answer.close_all(|part| !matches!(part, Part::Call { .. }));
        let place = answer.open("", Part::Thinking);
        answer.sign(place, signature);
        answer.close(place);
    }
    Ok(())
}

fn take_thought(text: &str, signature: &str, answer: &mut Answer) -> Result<(), Fault> {
    if text.is_empty() && signature.is_empty() {
        return Ok(());
    }
    let place = answer.continued(&Part::Thinking);
    answer.push(place, text)?;
    if !signature.is_empty() {
        answer.sign(place, signature);
        // What comes next is not what was signed.
        answer.close(place);
    }
    Ok(())
}

/// A call comes in one piece, and each piece is another call, whatever its id.
fn take_call(call: &Value, signature: &str, answer: &mut Answer) -> Result<(), Fault> {
    let is_part = call.get("willContinue").and_then(Value::as_bool) == Some(true);
    if is_part || call.get("partialArgs").is_some_and(|parts| !parts.is_null()) {
        return Err(Fault::stream("it sent a tool call in pieces, which nobody asked for"));
    }
    answer.close_all(|part| !matches!(part, Part::Call { .. }));
    let (id, name) = (string(call, "id")?.to_owned(), string(call, "name")?.to_owned());
    let place = answer.open("", Part::Call { id, name });
    answer.sign(place, signature);
    match call.get("args") {
        None | Some(Value::Null) => Ok(()),
        Some(arguments) => answer.push(place, &arguments.to_string()),
    }
}

/// A text, which is empty if it is not there.
fn string<'a>(object: &'a Value, field: &str) -> Result<&'a str, Fault> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Fault::stream(format!("`{field}` in its answer is no text"))),
    }
}

/// The tokens so far. Each event says all of them anew, but may leave out those that it does not know.
#[derive(Debug, Default)]
struct Counts {
    prompt: u32,
    cached: u32,
    said: u32,
    thought: u32,
}

impl Counts {
    fn take(&mut self, usage: &Value) {
        let fields = [
            ("promptTokenCount", &mut self.prompt),
            ("cachedContentTokenCount", &mut self.cached),
            ("candidatesTokenCount", &mut self.said),
            ("thoughtsTokenCount", &mut self.thought),
        ];
        for (name, count) in fields {
            if let Some(told) = usage.get(name).and_then(Value::as_u64) {
                *count = u32::try_from(told).unwrap_or(u32::MAX);
            }
        }
    }

    fn usage(&self) -> Usage {
        Usage {
            input: self.prompt.saturating_sub(self.cached),
            output: self.said.saturating_add(self.thought),
            cache_read: self.cached,
            ..Usage::default()
        }
    }
}
