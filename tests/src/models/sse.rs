//! Server-sent events as bytes, in the ways that services write them. Nothing of it knows a protocol's content.

use serde_json::Value;

use super::Protocol;

/// What an event is for, so that a fault can be put at the right place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Anything else.
    Other,
    /// A piece of thinking.
    Thinking,
    /// A piece of text.
    Text,
    /// A call begins.
    Call,
    /// A piece of a call's arguments; in Gemini a whole call.
    Arguments,
    /// A block is complete.
    BlockEnd,
    /// The answer is complete: it has the stop reason.
    End,
    /// It has the usage, in a protocol where that is an event of its own.
    Usage,
    /// What comes after the end: `message_stop`, `[DONE]`.
    Done,
}

/// An event: its lines, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it is for.
    pub mark: Mark,
    /// Fields and values. A field without a name is a comment. A value of several lines is written as several fields.
    pub lines: Vec<(String, String)>,
}

impl Event {
    /// Lines of any kind.
    pub fn lines(mark: Mark, lines: &[(&str, &str)]) -> Self {
        let owned = lines.iter().map(|(field, value)| ((*field).to_owned(), (*value).to_owned()));
        Self { mark, lines: owned.collect() }
    }

    /// Data and no name.
    pub fn data(mark: Mark, data: &str) -> Self {
        Self::lines(mark, &[("data", data)])
    }

    /// JSON and no name.
    pub fn json(mark: Mark, data: &Value) -> Self {
        Self::data(mark, &data.to_string())
    }

    /// JSON with the name that is its `type`.
    pub fn typed(mark: Mark, data: &Value) -> Self {
        let name = data["type"].as_str().expect("it has a type");
        Self::lines(mark, &[("event", name), ("data", &data.to_string())])
    }

    /// A comment.
    pub fn comment(text: &str) -> Self {
        Self::lines(Mark::Other, &[("", text)])
    }

    /// Its data as JSON, if it has any that is.
    pub fn value(&self) -> Option<Value> {
        let (_, data) = self.lines.iter().find(|(field, _)| field == "data")?;
        serde_json::from_str(data).ok()
    }

    /// The same with each data changed.
    pub fn map(mut self, change: impl Fn(&str) -> String) -> Self {
        for (_, value) in self.lines.iter_mut().filter(|(field, _)| field == "data") {
            *value = change(value);
        }
        self
    }
}

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    /// What ends a line.
    pub line_end: &'static str,
    /// Whether a blank follows the colon.
    pub blank: bool,
}

impl Framing {
    /// As the service writes them: Google ends lines with CR LF.
    pub fn of(protocol: Protocol) -> Self {
        let line_end = if protocol == Protocol::Gemini { "\r\n" } else { "\n" };
        Self { line_end, blank: true }
    }
}

/// The bytes of an event.
pub fn frame(event: &Event, framing: Framing) -> Vec<u8> {
    let blank = if framing.blank { " " } else { "" };
    let end = framing.line_end;
    let line = |field: &str, value: &str| match value {
        "" => format!("{field}:{end}"),
        value => format!("{field}:{blank}{value}{end}"),
    };
    let lines = event.lines.iter().flat_map(|(field, value)| value.split('\n').map(move |value| line(field, value)));
    let mut text: String = lines.collect();
    text.push_str(end);
    text.into_bytes()
}

/// The bytes of events.
pub fn bytes(events: &[Event], framing: Framing) -> Vec<u8> {
    events.iter().flat_map(|event| frame(event, framing)).collect()
}
