//! Long strings in short: `{"repeat": "ab", "times": 3}` stands for `"ababab"`, anywhere in a document.

use serde_json::{Map, Value};

use super::node::{Fault, element_path, key_path};

/// How many bytes all repeated strings of one document may have together.
pub const MAX_EXPANDED_BYTES: usize = 64 * 1024 * 1024;

/// Puts each repeated string of `document` in place of the object that stands for it. An object is one when its keys
/// are exactly `repeat`, a string, and `times`, a number.
///
/// # Errors
/// A text that says where, when `times` is no whole number or the strings have more than [`MAX_EXPANDED_BYTES`].
pub fn expand_repeats(document: &mut Value) -> Result<(), String> {
    expand(document).map_err(|fault| fault.to_string())
}

pub(super) fn expand(document: &mut Value) -> Result<(), Fault> {
    Expansion { left: MAX_EXPANDED_BYTES }.visit(document, "")
}

/// An expansion under way.
struct Expansion {
    /// How many bytes may still be written.
    left: usize,
}

impl Expansion {
    fn visit(&mut self, value: &mut Value, path: &str) -> Result<(), Fault> {
        match value {
            Value::Array(list) => list
                .iter_mut()
                .enumerate()
                .try_for_each(|(index, element)| self.visit(element, &element_path(path, index))),
            Value::Object(object) => match repeated(object) {
                Some((text, times)) => {
                    let expanded = self.repeat(text, times, path)?;
                    *value = Value::String(expanded);
                    Ok(())
                }
                None => object.iter_mut().try_for_each(|(key, field)| self.visit(field, &key_path(path, key))),
            },
            _ => Ok(()),
        }
    }

    fn repeat(&mut self, text: &str, times: &Value, path: &str) -> Result<String, Fault> {
        let times = times
            .as_u64()
            .ok_or_else(|| Fault::new(&key_path(path, "times"), "expected a whole number, at least 0"))?;
        let size = usize::try_from(times).ok().and_then(|times| text.len().checked_mul(times));
        let left = size.and_then(|size| self.left.checked_sub(size));
        self.left = left.ok_or_else(|| too_large(path))?;
        // Nothing repeated is nothing, whatever the number.
        Ok(if text.is_empty() { String::new() } else { text.repeat(usize::try_from(times).unwrap_or_default()) })
    }
}

fn repeated(object: &Map<String, Value>) -> Option<(&str, &Value)> {
    let text = object.get("repeat")?.as_str()?;
    let times = object.get("times").filter(|times| times.is_number())?;
    (object.len() == 2).then_some((text, times))
}

fn too_large(path: &str) -> Fault {
    Fault::new(path, "the document's repeated strings have more than 64 MiB together; repeat less")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expanded(mut document: Value) -> Result<Value, String> {
        expand_repeats(&mut document).map(|()| document)
    }

    #[test]
    fn repeats_expand_anywhere() {
        let document = json!({"a": [{"repeat": "ab", "times": 3}], "b": {"c": {"repeat": "x", "times": 0}}});
        assert_eq!(expanded(document), Ok(json!({"a": ["ababab"], "b": {"c": ""}})));
    }

    #[test]
    fn other_objects_stay() {
        let document = json!([
            {"repeat": "ab", "times": 3, "more": 1},
            {"repeat": "ab"},
            {"repeat": 1, "times": 3},
            {"repeat": "ab", "times": "3"},
        ]);
        assert_eq!(expanded(document.clone()), Ok(document));
    }

    #[test]
    fn times_is_a_whole_number() {
        for times in [json!(-1), json!(1.5)] {
            let document = json!({"a": [{"repeat": "ab", "times": times}]});
            assert_eq!(expanded(document), Err("a[0].times: expected a whole number, at least 0".to_owned()));
        }
    }

    #[test]
    fn the_sum_is_bounded() {
        let half = json!({"repeat": "ab", "times": MAX_EXPANDED_BYTES / 4});
        assert!(expanded(json!([half, half])).is_ok());
        let problem = "[2]: the document's repeated strings have more than 64 MiB together; repeat less";
        assert_eq!(expanded(json!([half, half, {"repeat": "a", "times": 1}])), Err(problem.to_owned()));
    }

    #[test]
    fn a_huge_number_is_refused_or_harmless() {
        assert!(expanded(json!({"repeat": "ab", "times": u64::MAX})).is_err());
        assert_eq!(expanded(json!({"repeat": "", "times": u64::MAX})), Ok(json!("")));
    }
}
