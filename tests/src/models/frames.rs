//! Faults of events: what a service or a proxy may put between them, instead of them, or leave out.

use serde_json::{Value, json};

use super::errors::{self, Trouble};
use super::plan::Plan;
use super::sse::{self, Event, Framing, Mark};
use super::{Protocol, Said, events};

/// A place in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before everything.
    Start,
    /// After the first piece of text.
    Text,
    /// After the first piece of a call's arguments. In Gemini that is a whole call, but the answer is not complete.
    HalfCall,
    /// Before the event that completes the answer.
    End,
}

/// The events of an answer, to be spoiled.
#[derive(Debug, Clone)]
pub struct Frames {
    /// The protocol.
    pub protocol: Protocol,
    /// The events.
    pub events: Vec<Event>,
    /// How they are written.
    pub framing: Framing,
}

impl Frames {
    /// The events of an answer.
    pub fn of(protocol: Protocol, said: &Said) -> Self {
        Self { protocol, events: events(protocol, said), framing: Framing::of(protocol) }
    }

    /// Puts an event before the first one and after each.
    pub fn between(mut self, event: &Event) -> Self {
        let with = self.events.into_iter().flat_map(|one| [one, event.clone()]);
        self.events = std::iter::once(event.clone()).chain(with).collect();
        self
    }

    /// Comments that keep the connection alive, between all events.
    pub fn comments(self) -> Self {
        self.between(&Event::comment("keep-alive"))
    }

    /// Pings as Anthropic sends them, between all events.
    pub fn pings(self) -> Self {
        self.between(&Event::typed(Mark::Other, &json!({ "type": "ping" })))
    }

    /// Events with a name and no data, between all events.
    pub fn no_data(self) -> Self {
        self.between(&Event::lines(Mark::Other, &[("event", "ping")]))
    }

    /// `data: null`, between all events.
    pub fn null_data(self) -> Self {
        self.between(&Event::data(Mark::Other, "null"))
    }

    /// `data:` with nothing behind it, between all events.
    pub fn empty_data(self) -> Self {
        self.between(&Event::data(Mark::Other, ""))
    }

    /// Events and fields of lines that nobody knows, between all events.
    pub fn unknown_events(self) -> Self {
        let data = json!({ "type": "brand.new", "index": 99, "delta": { "type": "brand_new", "text": "no" } });
        let data = data.to_string();
        let lines = [("event", "brand.new"), ("id", "7"), ("retry", "1000"), ("colour", "blue"), ("data", &*data)];
        self.between(&Event::lines(Mark::Other, &lines))
    }

    /// Fields that nobody knows in every object of the data, except in what a tool gets.
    pub fn unknown_fields(self) -> Self {
        self.map(|data| match serde_json::from_str::<Value>(data) {
            Ok(mut value) => {
                add_unknown(&mut value);
                value.to_string()
            }
            Err(_) => data.to_owned(),
        })
    }

    /// JSON over several lines, each a `data` line.
    pub fn many_lines(self) -> Self {
        self.map(|data| match serde_json::from_str::<Value>(data) {
            Ok(value) => serde_json::to_string_pretty(&value).expect("JSON is written"),
            Err(_) => data.to_owned(),
        })
    }

    /// Replaces text in the data as it is on the wire, for what no [`Said`] can have: `replace("@1", "\\ud83d")`.
    pub fn replace(self, from: &str, to: &str) -> Self {
        self.map(|data| data.replace(from, to))
    }

    /// Changes each data.
    pub fn map(mut self, change: impl Fn(&str) -> String) -> Self {
        self.events = self.events.into_iter().map(|event| event.map(&change)).collect();
        self
    }

    /// Another end of lines: `"\r\n"`, `"\n"`, `"\r"`.
    pub fn line_end(mut self, line_end: &'static str) -> Self {
        self.framing.line_end = line_end;
        self
    }

    /// No blank behind colons.
    pub fn no_blank(mut self) -> Self {
        self.framing.blank = false;
        self
    }

    /// Without the events that are for this: `without(Mark::BlockEnd)`.
    pub fn without(mut self, mark: Mark) -> Self {
        self.events.retain(|event| event.mark != mark);
        self
    }

    /// Only what comes before a place.
    pub fn until(mut self, place: Place) -> Self {
        self.events.truncate(self.index(place));
        self
    }

    /// Up to a place, and then the protocol's events of an error. An HTTP status was sent long before.
    pub fn error(mut self, place: Place, trouble: Trouble) -> Self {
        self.events.truncate(self.index(place));
        let number = self.events.len();
        self.events.extend(errors::events(self.protocol, trouble, number));
        self
    }

    /// Up to a place, and then an event `error` with an id and no data.
    pub fn bare_error(mut self, place: Place) -> Self {
        self.events.truncate(self.index(place));
        self.events.push(Event::lines(Mark::Other, &[("event", "error"), ("id", "1")]));
        self
    }

    /// How many events come before a place.
    ///
    /// # Panics
    /// When the answer has no such place.
    pub fn index(&self, place: Place) -> usize {
        let first = |mark| self.events.iter().position(|event| event.mark == mark).expect("the answer has that place");
        match place {
            Place::Start => 0,
            Place::Text => first(Mark::Text) + 1,
            Place::HalfCall => first(Mark::Arguments) + 1,
            Place::End => first(Mark::End),
        }
    }

    /// Where the bytes of each event end.
    pub fn ends(&self) -> Vec<usize> {
        let end = |sum: &mut usize, event: &Event| {
            *sum += sse::frame(event, self.framing).len();
            Some(*sum)
        };
        self.events.iter().scan(0, end).collect()
    }

    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        sse::bytes(&self.events, self.framing)
    }

    /// The answer to a request, each event a piece.
    pub fn plan(&self) -> Plan {
        let pieces = self.events.iter().map(|event| sse::frame(event, self.framing));
        Plan::streamed(self.protocol, pieces.collect())
    }
}

fn add_unknown(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let inner = fields.iter_mut().filter(|(name, _)| !["args", "input", "arguments"].contains(&name.as_str()));
            inner.for_each(|(_, value)| add_unknown(value));
            fields.insert("brand_new".to_owned(), json!({ "text": "no", "list": [null] }));
        }
        Value::Array(items) => items.iter_mut().for_each(add_unknown),
        _ => {}
    }
}
