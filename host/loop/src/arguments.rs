//! Arguments of a tool call: the schema, compiled once per tool, and values that match it.
//!
//! A model often gets a type wrong in a way that loses nothing. Such a value is repaired, and only such a value:
//!
//! | sent | wanted | becomes |
//! |---|---|---|
//! | a string that is exactly a JSON number or boolean | only that type | the number or boolean |
//! | a string that holds a JSON object or array | only that type | the object or array |
//! | `null` | an optional property that may not be null | nothing: the property is dropped |
//!
//! Everything else is a fault. All faults of a call are reported at once, each with its path.

mod faults;
mod limits;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, PatternOptions, ValidationError, Validator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::tool::ToolError;
use limits::Weight;

/// A JSON Schema for the arguments of one tool.
#[derive(Debug)]
pub struct ArgumentSchema {
    validator: Validator,
    weight: Weight,
}

/// Arguments that match their tool's schema. Only [`ArgumentSchema::validate`] makes them. Cloning shares them.
#[derive(Debug, Clone)]
pub struct ValidArguments(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    value: Map<String, Value>,
    text: OnceLock<String>,
}

/// What is wrong with arguments: one line a fault, `PATH: MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", faults.join("\n"))]
pub struct InvalidArguments {
    /// The faults, in the schema's order.
    pub faults: Vec<String>,
}

impl ArgumentSchema {
    /// Compiles a schema. References out of the document and look-around in patterns are errors: validation must not
    /// cause I/O, and no pattern may take more than linear time. So is a schema that would exhaust the host.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let weight = limits::weigh(schema)?;
        let patterns = PatternOptions::regex().size_limit(limits::PATTERN_SIZE).dfa_size_limit(limits::PATTERN_SIZE);
        let options = jsonschema::options().with_pattern_options(patterns).should_validate_formats(true);
        let validator = options.build(schema).map_err(|error| refusal(&error))?;
        Ok(Self { validator, weight })
    }

    /// Takes arguments, repairs what can be repaired without loss, and gives them back valid.
    ///
    /// # Errors
    /// The faults that are left, up to a bound.
    pub fn validate(&self, mut value: Value) -> Result<ValidArguments, InvalidArguments> {
        self.check_size(&value)?;
        if self.validator.is_valid(&value) {
            return Self::valid(value);
        }
        // A repair can uncover a level below it (a string that held an object); more levels than this are a fault.
        let mut room = LONGEST_REPAIRED;
        for _ in 0..4 {
            self.check_work(&value)?;
            let repairs = self.repairs(&value, &mut room);
            if repairs.is_empty() {
                break;
            }
            for repair in repairs {
                repair.apply(&mut value);
            }
            self.check_size(&value)?;
        }
        self.check_work(&value)?;
        let errors = self.validator.iter_errors(&value).take(faults::MOST);
        let faults: Vec<String> = errors.flat_map(|error| faults::describe(&error)).take(faults::MOST).collect();
        if faults.is_empty() { Self::valid(value) } else { Err(InvalidArguments { faults }) }
    }

    /// What can be repaired, one repair a place.
    fn repairs(&self, value: &Value, room: &mut usize) -> Vec<Repair> {
        let mut places = HashSet::new();
        let errors = self.validator.iter_errors(value);
        errors
            .filter(|error| Repair::is_possible(error) && places.insert(error.instance_path().to_string()))
            .filter_map(|error| Repair::of(&error, room))
            .collect()
    }

    /// What matches the schema, if it can be arguments at all.
    fn valid(value: Value) -> Result<ValidArguments, InvalidArguments> {
        match value {
            Value::Object(value) => Ok(ValidArguments(Arc::new(Inner { value, text: OnceLock::new() }))),
            other => {
                let got = JsonType::from(&other);
                Err(InvalidArguments { faults: vec![format!("root: expected object, got {got}")] })
            }
        }
    }
}

impl ValidArguments {
    /// The arguments.
    pub fn value(&self) -> &Map<String, Value> {
        &self.0.value
    }

    /// The arguments as JSON text. Made once.
    pub fn text(&self) -> &str {
        self.0.text.get_or_init(|| serde_json::to_string(&self.0.value).unwrap_or_default())
    }

    /// The arguments as the tool's own type.
    ///
    /// # Errors
    /// Where the type is narrower than the schema and the arguments do not fit it.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        T::deserialize(Value::Object(self.0.value.clone())).map_err(|error| ToolError::Failed(error.to_string()))
    }
}

/// The deepest nesting of arguments.
const DEEPEST: u32 = 64;
/// The longest arguments, in bytes of their texts, keys and numbers.
const LONGEST: usize = 32 << 20;
/// The longest texts that are read as arrays and objects, together, in bytes.
const LONGEST_REPAIRED: usize = 4 << 20;
/// The most values times schemas that are gone through.
const MOST_WORK: usize = 100_000_000;
/// The most values times schemas whose faults are looked for: each pair may be one.
const MOST_FAULTS: usize = 1_000_000;

impl ArgumentSchema {
    /// Bounds what validation, plugins and tools have to go through.
    fn check_size(&self, value: &Value) -> Result<(), InvalidArguments> {
        let Size { values, .. } = size(value)?;
        match values.saturating_mul(self.weight.schemas) > MOST_WORK {
            true => Err(root(format!("the arguments are too many values ({values}) for a schema of this size"))),
            false => Ok(()),
        }
    }

    /// Bounds what looking for faults has to keep.
    fn check_work(&self, value: &Value) -> Result<(), InvalidArguments> {
        let Size { values, depth } = size(value)?;
        match self.weight.meetings(values, depth) > MOST_FAULTS {
            true => Err(root("the arguments do not fit the tool, and are too many values to say where".to_owned())),
            false => Ok(()),
        }
    }
}

/// What is wrong with a schema that does not compile.
fn refusal(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => format!(
            "the pattern {} is not one, has look-around or back-references, or compiles to more than {} KiB",
            faults::short(error.instance()),
            limits::PATTERN_SIZE >> 10
        ),
        _ => faults::short(error),
    }
}

/// A fault of the arguments as a whole.
fn root(fault: String) -> InvalidArguments {
    InvalidArguments { faults: vec![format!("root: {fault}")] }
}

/// How many values there are, and how deep they are nested.
struct Size {
    values: usize,
    depth: u32,
}

/// The size of arguments. Too deep and too long arguments are faults.
fn size(value: &Value) -> Result<Size, InvalidArguments> {
    let (mut open, mut bytes, mut values) = (vec![(value, 0)], 0, 0);
    let mut deepest = 0;
    while let Some((value, depth)) = open.pop() {
        values += 1;
        deepest = deepest.max(depth);
        if depth > DEEPEST {
            return Err(root(format!("the arguments are nested more than {DEEPEST} levels deep")));
        }
        bytes += match value {
            Value::String(text) => text.len(),
            Value::Object(fields) => fields.keys().map(String::len).sum(),
            _ => size_of::<Value>(),
        };
        if bytes > LONGEST {
            return Err(root(format!("the arguments are longer than {} MiB", LONGEST >> 20)));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(Size { values, depth: deepest })
}

/// A change that loses nothing: at this place, this value instead, or nothing.
struct Repair {
    place: String,
    value: Option<Value>,
}

impl Repair {
    /// Whether it is a type that is wrong, of a value that may hold another.
    fn is_possible(error: &ValidationError<'_>) -> bool {
        matches!(error.kind(), ValidationErrorKind::Type { kind: TypeKind::Single(_) })
            && matches!(error.instance().as_ref(), Value::Null | Value::String(_))
    }

    /// `room`: how much text may still be read.
    fn of(error: &ValidationError<'_>, room: &mut usize) -> Option<Self> {
        let ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } = error.kind() else { return None };
        let value = match error.instance().as_ref() {
            Value::Null => None,
            Value::String(text) => {
                *room = room.checked_sub(text.len())?;
                Some(read_as(text, *wanted)?)
            }
            _ => return None,
        };
        Some(Self { place: error.instance_path().to_string(), value })
    }

    fn apply(self, root: &mut Value) {
        match self.value {
            Some(value) => {
                if let Some(place) = root.pointer_mut(&self.place) {
                    *place = value;
                }
            }
            // A required property that was null is then missing: still a fault.
            None => {
                let Some((parent, key)) = self.place.rsplit_once('/') else { return };
                if let Some(Value::Object(parent)) = root.pointer_mut(parent) {
                    parent.remove(&faults::unescaped(key));
                }
            }
        }
    }
}

/// The text as a value of the wanted type, if it is exactly one and nothing is lost.
fn read_as(text: &str, wanted: JsonType) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = match (wanted, &value) {
        (JsonType::Integer, Value::Number(number)) => number.is_i64() || number.is_u64(),
        (JsonType::Number, Value::Number(_)) | (JsonType::Boolean, Value::Bool(_)) => text.trim() == text,
        (JsonType::Array, Value::Array(_)) | (JsonType::Object, Value::Object(_)) => true,
        _ => false,
    };
    (fits && (value.is_array() || value.is_object() || text.trim() == text)).then_some(value)
}

#[cfg(test)]
mod bombs;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: Value, value: Value) -> Result<Value, Vec<String>> {
        let schema = ArgumentSchema::compile(&schema).unwrap();
        schema.validate(value).map(|valid| Value::Object(valid.value().clone())).map_err(|invalid| invalid.faults)
    }

    fn read_schema() -> Value {
        json!({
            "type": "object", "required": ["path"],
            "properties": { "path": { "type": "string" }, "offset": { "type": "integer" }, "edits": { "type": "array" } }
        })
    }

    #[test]
    fn lossless_repairs() {
        let sent = json!({ "path": "a", "offset": "50", "edits": "[{\"old\": 1}]" });
        assert_eq!(check(read_schema(), sent), Ok(json!({ "path": "a", "offset": 50, "edits": [{ "old": 1 }] })));
        assert_eq!(check(read_schema(), json!({ "path": "a", "offset": null })), Ok(json!({ "path": "a" })));
        let bool_schema = json!({ "type": "object", "properties": { "all": { "type": "boolean" } } });
        assert_eq!(check(bool_schema, json!({ "all": "true" })), Ok(json!({ "all": true })));
    }

    #[test]
    fn nothing_is_repaired_that_would_lose_something() {
        for offset in ["abc", " 5 ", "2.5", "1e3", "null", ""] {
            let faults = check(read_schema(), json!({ "path": "a", "offset": offset })).unwrap_err();
            assert_eq!(faults.len(), 1, "{offset:?}: {faults:?}");
            assert!(faults[0].starts_with("offset: "), "{faults:?}");
        }
        assert!(check(read_schema(), json!({ "path": 5 })).is_err());
    }

    #[test]
    fn a_required_null_is_a_fault() {
        let faults = check(read_schema(), json!({ "path": null })).unwrap_err();
        assert_eq!(faults, ["path: missing"]);
    }

    #[test]
    fn all_faults_at_once_with_their_paths() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": { "a": { "type": "string" }, "b": { "type": "array", "items": { "type": "integer" } } }
        });
        let faults = check(schema, json!({ "b": [1, "x"], "c": 1 })).unwrap_err();
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults.iter().any(|fault| fault.starts_with("b.1: ")), "{faults:?}");
        assert!(faults.contains(&"a: missing".to_owned()) && faults.contains(&"c: unknown field".to_owned()));
    }

    #[test]
    fn only_objects_are_arguments() {
        assert!(check(json!({}), json!([1])).is_err());
    }

    #[test]
    fn a_schema_causes_no_input_or_output() {
        assert!(ArgumentSchema::compile(&json!({ "$ref": "https://example.com/schema.json" })).is_err());
        assert!(ArgumentSchema::compile(&json!({ "$ref": "file:///etc/passwd" })).is_err());
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(
            check(json!({}), json!({ "a": deep })),
            Err(vec!["root: the arguments are nested more than 64 levels deep".to_owned()])
        );
        let long = json!({ "a": "x".repeat(33 << 20) });
        assert_eq!(check(json!({}), long), Err(vec!["root: the arguments are longer than 32 MiB".to_owned()]));
        assert!(check(json!({}), json!({ "a": "x".repeat(8 << 20) })).is_ok());
    }

    /// A pattern that would take a backtracking engine for ever.
    #[test]
    fn a_hostile_pattern_takes_no_time() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "^(a+)+$" } } });
        let began = std::time::Instant::now();
        assert!(check(schema, json!({ "a": format!("{}!", "a".repeat(5000)) })).is_err());
        assert!(began.elapsed() < std::time::Duration::from_secs(1));
        let look_around = json!({ "properties": { "a": { "pattern": "(?=a)b" } } });
        assert!(ArgumentSchema::compile(&look_around).is_err());
    }

    #[test]
    fn large_integers_survive() {
        let sent = json!({ "path": "a", "offset": 9_007_199_254_740_993_u64 });
        assert_eq!(check(read_schema(), sent.clone()), Ok(sent));
    }
}
