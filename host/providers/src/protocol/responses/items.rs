//! The items of a response, and which of them an event is about. By the API description an event has the item's id and
//! its place in the output. Services that speak the same leave out one or both, use a place twice, or change ids on the
//! way.

use serde_json::Value;

use crate::answer::MOST_BLOCKS;
use crate::fault::Fault;

/// What an item is. Those of other kinds are nothing to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Reasoning,
    Call,
}

impl Kind {
    pub(super) fn of(item: &Value) -> Option<Self> {
        match item.get("type")?.as_str()? {
            "message" => Some(Self::Message),
            "reasoning" => Some(Self::Reasoning),
            "function_call" => Some(Self::Call),
            _ => None,
        }
    }
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Pieces may come.
    Open,
    /// All pieces of a call are there.
    Whole,
    /// Nothing more is said of it.
    Done,
}

/// What an event calls an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    id: Option<String>,
    /// The id that its result is to have, for a call.
    call: Option<String>,
    index: Option<u64>,
}

impl Names {
    /// The names in an event about a piece of an item.
    pub(super) fn of_piece(event: &Value) -> Self {
        Self { id: name(event, "item_id"), call: name(event, "call_id"), index: index(event) }
    }

    /// The names in an event with a whole item.
    pub(super) fn of_item(event: &Value, item: &Value) -> Self {
        Self { id: name(item, "id"), call: name(item, "call_id"), index: index(event) }
    }

    fn same_id(&self, other: &Self) -> bool {
        self.id.is_some() && self.id == other.id
    }

    fn same_call(&self, other: &Self) -> bool {
        self.call.is_some() && self.call == other.call
    }

    fn same_index(&self, other: &Self) -> bool {
        self.index.is_some() && self.index == other.index
    }

    fn same_call_and_index(&self, other: &Self) -> bool {
        self.same_call(other) && self.same_index(other)
    }

    /// Whether nothing says that these are names of two.
    fn may_be(&self, other: &Self) -> bool {
        let id = self.id.is_none() || other.id.is_none();
        id && (self.index.is_none() || other.index.is_none())
    }

    /// Whether these are certainly names of one.
    fn is(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.same_call_and_index(other),
        }
    }
}

fn name(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn index(event: &Value) -> Option<u64> {
    event.get("output_index")?.as_u64()
}

/// An item.
#[derive(Debug)]
pub(super) struct Item {
    kind: Kind,
    names: Names,
    pub(super) state: State,
    /// The arguments of a call, as far as they came.
    pub(super) arguments: String,
    /// Of which part of it the last piece of reasoning was.
    pub(super) part: Option<(bool, u64)>,
}

/// The items so far. Each has a number.
#[derive(Debug, Default)]
pub(super) struct Items(Vec<Item>);

impl Items {
    /// # Errors
    /// When there are more than an answer may have.
    pub(super) fn add(&mut self, kind: Kind, names: Names) -> Result<usize, Fault> {
        if self.0.len() >= MOST_BLOCKS {
            return Err(Fault::request(format!("an answer of more than {MOST_BLOCKS} items, which is none")));
        }
        self.0.push(Item { kind, names, state: State::Open, arguments: String::new(), part: None });
        Ok(self.0.len() - 1)
    }

    /// Whether nothing but reasoning came.
    pub(super) fn say_nothing(&self) -> bool {
        self.0.iter().all(|item| item.kind == Kind::Reasoning)
    }

    pub(super) fn get(&mut self, number: usize) -> Option<&mut Item> {
        self.0.get_mut(number)
    }

    /// Whether this very item is there already.
    pub(super) fn has(&self, kind: Kind, names: &Names) -> bool {
        self.0.iter().any(|item| item.kind == kind && item.names.is(names))
    }

    /// Whether there is a call whose end was not told.
    pub(super) fn has_open_call(&self) -> bool {
        self.0.iter().any(|item| item.kind == Kind::Call && item.state == State::Open)
    }

    /// The item of these names that is not further than this: of several the newest. An item without names is the only
    /// one that it can be.
    pub(super) fn find(&self, kind: Kind, names: &Names, at_most: State) -> Option<usize> {
        let can_be = |item: &Item| item.kind == kind && item.state <= at_most;
        let ways = [Names::same_id, Names::same_call_and_index, Names::same_call, Names::same_index];
        let named = ways.iter().find_map(|way| self.0.iter().rposition(|item| can_be(item) && way(&item.names, names)));
        named.or_else(|| {
            let mut others = self.0.iter().enumerate().filter(|(_, item)| can_be(item) && item.names.may_be(names));
            let (number, _) = others.next()?;
            others.next().is_none().then_some(number)
        })
    }
}
