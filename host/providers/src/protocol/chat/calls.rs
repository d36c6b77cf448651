//! The tool calls of a response. They come in fragments, of several calls by turns; which call a fragment belongs to is
//! said by an index, by an id, by both or by neither.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::answer::{Answer, MOST_CALLS, Part, Place};
use crate::fault::Fault;

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug, Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// None until its tool is named.
    place: Option<Place>,
}

/// A fragment of a call. What is not there is empty.
struct Fragment<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
}

impl Calls {
    /// Takes a fragment.
    ///
    /// # Errors
    /// When there are arguments of a tool without a name.
    pub(super) fn take(&mut self, fragment: &Value, answer: &mut Answer) -> Result<(), Fault> {
        let fragment = Fragment::of(fragment)?;
        if fragment.is_anyones() && self.others_are_under_way() {
            return Err(Fault::stream("it sent arguments and did not say which of several calls they are of"));
        }
        let known = self.0.iter_mut().rposition(|call| call.goes_on_with(&fragment));
        if known.is_none() && self.0.len() >= MOST_CALLS {
            return Err(Fault::request(format!("more than {MOST_CALLS} tool calls in one answer, which is none")));
        }
        match known.and_then(|at| self.0.get_mut(at)) {
            Some(call) => call.take(fragment, answer),
            None => {
                let mut call = Call { index: fragment.index, ..Call::default() };
                call.take(fragment, answer)?;
                self.0.push(call);
                Ok(())
            }
        }
    }

    /// Whether the arguments of a call before the newest are not whole: what comes may be theirs.
    fn others_are_under_way(&self) -> bool {
        let others = self.0.split_last().map_or(&[][..], |(_, others)| others);
        others.iter().any(|call| !is_whole(&call.arguments))
    }

    /// The response is over.
    ///
    /// # Errors
    /// When a call has no tool.
    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.0.iter().all(|call| call.place.is_some()) { Ok(()) } else { Err(no_name()) }
    }
}

impl Call {
    /// Whether a fragment belongs to it. Asked of the newest call first.
    fn goes_on_with(&self, fragment: &Fragment<'_>) -> bool {
        let is_its_index = self.index.is_none() || fragment.index.is_none() || self.index == fragment.index;
        is_its_index && self.is_its_id(fragment) && !self.is_over_before(fragment)
    }

    /// An id that is new is of another call, even if the index is not new. But the id may come behind the name, or the name
    /// behind the id, and some services make up an id for each fragment.
    fn is_its_id(&self, fragment: &Fragment<'_>) -> bool {
        let is_late = self.id.is_empty() && (fragment.name.is_empty() || self.name.is_empty());
        fragment.id.is_empty() || fragment.id == self.id || is_late || self.is_more(fragment)
    }

    /// Whether a fragment is nothing but more arguments of it, by its index.
    fn is_more(&self, fragment: &Fragment<'_>) -> bool {
        let is_bare = fragment.name.is_empty() && !fragment.arguments.is_empty();
        is_bare && fragment.index.is_some() && fragment.index == self.index && !is_whole(&self.arguments)
    }

    /// Without an id, a name tells of another call: if it is another one, or if this call has all of its arguments.
    fn is_over_before(&self, fragment: &Fragment<'_>) -> bool {
        let may_begin = fragment.id.is_empty() && !fragment.name.is_empty() && !self.name.is_empty();
        let has_more = !fragment.arguments.trim().is_empty();
        may_begin && (fragment.name != self.name || has_more && is_whole(&self.arguments))
    }

    fn take(&mut self, fragment: Fragment<'_>, answer: &mut Answer) -> Result<(), Fault> {
        let Fragment { id, name, arguments, .. } = fragment;
        if self.id.is_empty() {
            id.clone_into(&mut self.id);
        }
        if self.name.is_empty() {
            name.clone_into(&mut self.name);
        }
        match self.place {
            Some(place) => self.push(place, &arguments, answer),
            None if !self.name.is_empty() => {
                answer.close_all(|part| !matches!(part, Part::Call { .. }));
                let place = answer.open("", Part::Call { id: self.id.clone(), name: self.name.clone() });
                self.place = Some(place);
                self.push(place, &arguments, answer)
            }
            None if arguments.is_empty() => Ok(()),
            None => Err(no_name()),
        }
    }

    fn push(&mut self, place: Place, arguments: &str, answer: &mut Answer) -> Result<(), Fault> {
        answer.push(place, arguments)?;
        self.arguments.push_str(arguments);
        Ok(())
    }
}

impl<'a> Fragment<'a> {
    /// Whether nothing says which call it is of.
    fn is_anyones(&self) -> bool {
        self.index.is_none() && self.id.is_empty() && self.name.is_empty() && !self.arguments.is_empty()
    }

    fn of(fragment: &'a Value) -> Result<Self, Fault> {
        let text = |at: &str| fragment.pointer(at).and_then(Value::as_str).unwrap_or_default();
        let arguments = match fragment.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            // Some local servers send them as what they are.
            Some(arguments) => arguments.to_string(),
        };
        let index = match fragment.get("index") {
            None | Some(Value::Null) => None,
            Some(index) => Some(
                place(index)
                    .ok_or_else(|| Fault::stream(format!("it sent a piece of a tool call whose index is {index}")))?,
            ),
        };
        Ok(Self { index, id: text("/id"), name: text("/function/name"), arguments })
    }
}

/// An index. Some services have it in a text, or with a fraction of nothing.
fn place(index: &Value) -> Option<u64> {
    match index {
        Value::String(digits) => digits.trim().parse().ok(),
        index => index.as_u64().or_else(|| whole(index.as_f64()?)),
    }
}

/// A number without a fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..1e9).contains(&number)).then_some(number as u64)
}

/// Whether a text is a whole object.
fn is_whole(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

fn no_name() -> Fault {
    Fault::stream("it sent a tool call that names no tool")
}
