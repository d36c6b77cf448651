//! A plugin's JSON Patch, operation by operation: a few of them can make a body of any size and depth.

use std::fmt::Display;

use json_patch::{Patch, PatchOperation};
use serde_json::Value;

use crate::failure::Failure;
use crate::texts;

/// How many operations a patch may have.
const OPERATIONS: usize = 1000;
/// How deep what an operation puts in may lie, and how long its pointers may be.
const DEPTH: usize = 128;
/// The size that every body may have, in bytes. A larger one may become twice as large as it was.
const SIZE: usize = 1 << 20;

/// The body after a patch.
pub(super) fn patched(payload: &Value, patch: Value) -> Result<Value, Failure> {
    if patch.as_array().is_some_and(|operations| operations.len() > OPERATIONS) {
        return Err(unusable(&format!("it has more than {OPERATIONS} operations")));
    }
    let patch: Patch = serde_json::from_value(patch).map_err(|error| unusable(&error))?;
    let mut patched = payload.clone();
    let mut size = Extent::of(payload).size;
    let most = SIZE.max(size.saturating_mul(2));
    for (place, operation) in patch.iter().enumerate() {
        let comes = comes(&patched, operation);
        if comes.depth > DEPTH {
            return Err(unusable(&format!("operation {place} puts something more than {DEPTH} deep")));
        }
        json_patch::patch(&mut patched, std::slice::from_ref(operation))
            .map_err(|error| unusable(&format!("operation {place} at \"{}\": {}", error.path, error.kind)))?;
        // What it put in the place of is not taken off until that matters.
        size = size.saturating_add(comes.size);
        if size > most {
            size = Extent::of(&patched).size;
        }
        if size > most {
            return Err(unusable(&format!("after operation {place} the body is longer than {} KiB", most >> 10)));
        }
    }
    Ok(patched)
}

/// What an operation puts in: how much that is, and how deep it lies then.
fn comes(body: &Value, operation: &PatchOperation) -> Extent {
    let (path, from, value) = match operation {
        PatchOperation::Add(add) => (&add.path, None, Some(&add.value)),
        PatchOperation::Replace(replace) => (&replace.path, None, Some(&replace.value)),
        PatchOperation::Copy(copy) => (&copy.path, Some(&copy.from), body.pointer(copy.from.as_str())),
        PatchOperation::Move(moves) => (&moves.path, Some(&moves.from), body.pointer(moves.from.as_str())),
        PatchOperation::Remove(remove) => (&remove.path, None, None),
        PatchOperation::Test(test) => (&test.path, None, None),
    };
    let value = value.map_or(Extent::default(), Extent::of);
    let pointer = path.count().max(from.map_or(0, |from| from.count()));
    let depth = pointer.max(path.count().saturating_add(value.depth));
    match operation {
        // It was there before.
        PatchOperation::Move(_) => Extent { size: 0, depth },
        _ => Extent { size: value.size, depth },
    }
}

/// How much a value is, about as many bytes as its JSON text has, and how deep.
#[derive(Default)]
struct Extent {
    size: usize,
    depth: usize,
}

impl Extent {
    /// Counted without recursion: nothing is known yet of the depth.
    fn of(value: &Value) -> Self {
        let mut extent = Self::default();
        let mut open = vec![(value, 0)];
        while let Some((value, depth)) = open.pop() {
            extent.depth = extent.depth.max(depth);
            extent.size += match value {
                Value::Null | Value::Bool(_) | Value::Number(_) => 8,
                Value::String(text) => text.len() + 2,
                Value::Array(values) => {
                    open.extend(values.iter().map(|value| (value, depth + 1)));
                    2
                }
                Value::Object(members) => {
                    open.extend(members.values().map(|value| (value, depth + 1)));
                    members.keys().map(|name| name.len() + 4).sum::<usize>() + 2
                }
            };
        }
        extent
    }
}

fn unusable(error: &dyn Display) -> Failure {
    Failure::InvalidAnswer(format!("its JSON Patch cannot be applied ({})", texts::short(&error.to_string(), 200)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fault(body: &Value, patch: Vec<Value>) -> String {
        patched(body, Value::Array(patch)).map(|body| body.to_string().len()).expect_err("it is a bomb").to_string()
    }

    #[test]
    fn a_body_that_doubles_with_each_copy_is_refused() {
        let copies = (0..24).map(|place| json!({ "op": "copy", "from": "", "path": format!("/{place}") })).collect();
        let fault = fault(&json!({ "text": "x".repeat(1000) }), copies);
        assert!(fault.contains("the body is longer than 1024 KiB"), "{fault}");
    }

    #[test]
    fn a_body_may_double() {
        let body = json!({ "text": "x".repeat(3 << 20) });
        let copy = |to: &str| json!({ "op": "copy", "from": "/text", "path": to });
        // What is replaced does not count.
        let twice = patched(&body, json!([copy("/text"), copy("/text"), copy("/text")]));
        assert_eq!(twice, Ok(body.clone()));
        assert!(fault(&body, vec![copy("/a"), copy("/b")]).contains("after operation 1"));
    }

    #[test]
    fn a_body_that_deepens_with_each_operation_is_refused() {
        let nested = (0..900).flat_map(|_| {
            [
                json!({ "op": "add", "path": "/b", "value": {} }),
                json!({ "op": "move", "from": "/a", "path": "/b/a" }),
                json!({ "op": "move", "from": "/b", "path": "/a" }),
            ]
        });
        let nested: Vec<Value> = nested.collect();
        let body = json!({ "a": 1 });
        assert!(fault(&body, nested.clone()).contains("more than 1000 operations"));
        assert!(fault(&body, nested.into_iter().take(999).collect()).contains("more than 128 deep"));
        let long = json!({ "op": "test", "path": "/a".repeat(129), "value": 1 });
        assert!(fault(&body, vec![long]).contains("more than 128 deep"));
    }

    #[test]
    fn an_ordinary_patch_applies() {
        let patch = json!([
            { "op": "test", "path": "/a", "value": 1 }, { "op": "move", "from": "/a", "path": "/b" },
            { "op": "copy", "from": "/b", "path": "/list/0" }, { "op": "add", "path": "/list/-", "value": [2] },
            { "op": "replace", "path": "/b", "value": null }, { "op": "remove", "path": "/c" }
        ]);
        let body = json!({ "a": 1, "c": 1, "list": [] });
        assert_eq!(patched(&body, patch), Ok(json!({ "b": null, "list": [1, [2]] })));
    }
}
