//! `reasoning_details`: reasoning with its proofs, in pieces. It goes back as it came, so that a model can go on thinking
//! where it called tools.

use serde_json::{Map, Value};

use crate::fault::Fault;

/// How much there may be, in bytes.
const LARGEST: usize = 16 << 20;

/// What came so far, pieces put together.
#[derive(Debug, Default)]
pub(super) struct Details {
    whole: Vec<Map<String, Value>>,
    size: usize,
}

impl Details {
    /// Takes what one event has, and gives the reasoning that can be read in it.
    ///
    /// # Errors
    /// When it gets too long.
    pub(super) fn take(&mut self, pieces: &Value) -> Result<String, Fault> {
        let mut read = String::new();
        for piece in pieces.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let texts = ["text", "summary"].into_iter().filter_map(|name| piece.get(name)?.as_str());
            read.extend(texts);
            self.add(piece)?;
        }
        Ok(read)
    }

    fn add(&mut self, piece: &Map<String, Value>) -> Result<(), Fault> {
        self.size += serde_json::to_string(piece).map_or(LARGEST, |json| json.len());
        if self.size > LARGEST {
            return Err(Fault::stream(format!("reasoning of more than {} MiB", LARGEST >> 20)));
        }
        match self.whole.last_mut().filter(|last| goes_on(last, piece)) {
            Some(last) => piece.iter().for_each(|(name, value)| put(last, name, value)),
            None => self.whole.push(piece.clone()),
        }
        Ok(())
    }

    /// All of it as JSON text, if there is a proof in it: what can only be read need not go back.
    pub(super) fn proof(&self) -> Option<String> {
        let is_proof = |piece: &Map<String, Value>| {
            ["signature", "data"].iter().any(|name| piece.get(*name).is_some_and(|value| !value.is_null()))
        };
        if self.whole.iter().any(is_proof) { serde_json::to_string(&self.whole).ok() } else { None }
    }
}

/// Whether a piece is more of the same. What is encrypted comes whole.
fn goes_on(last: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let is_same = |name: &str| last.get(name) == piece.get(name);
    let is_id_same = piece.get("id").is_none_or(Value::is_null) || is_same("id");
    is_same("type") && is_same("index") && is_id_same && !piece.contains_key("data")
}

fn put(last: &mut Map<String, Value>, name: &str, value: &Value) {
    match (last.get_mut(name), value) {
        (_, Value::Null) => {}
        (Some(Value::String(text)), Value::String(more)) if ["text", "summary"].contains(&name) => text.push_str(more),
        _ => drop(last.insert(name.to_owned(), value.clone())),
    }
}
