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

use std::sync::{Arc, OnceLock};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, PatternOptions, ValidationError, Validator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::tool::ToolError;

/// A JSON Schema for the arguments of one tool.
#[derive(Debug)]
pub struct ArgumentSchema {
    validator: Validator,
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
    /// cause I/O, and no pattern may take more than linear time.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex()).should_validate_formats(true);
        let validator = options.build(schema).map_err(|error| error.to_string())?;
        Ok(Self { validator })
    }

    /// Takes arguments, repairs what can be repaired without loss, and gives them back valid.
    ///
    /// # Errors
    /// All faults that are left.
    pub fn validate(&self, mut value: Value) -> Result<ValidArguments, InvalidArguments> {
        check_size(&value)?;
        if self.validator.is_valid(&value) {
            return Self::valid(value);
        }
        // A repair can uncover a level below it (a string that held an object); more levels than this are a fault.
        for _ in 0..4 {
            let repairs: Vec<Repair> =
                self.validator.iter_errors(&value).filter_map(|error| Repair::of(&error)).collect();
            if repairs.is_empty() {
                break;
            }
            for repair in repairs {
                repair.apply(&mut value);
            }
        }
        let faults: Vec<String> = self.validator.iter_errors(&value).flat_map(|error| describe(&error)).collect();
        if faults.is_empty() { Self::valid(value) } else { Err(InvalidArguments { faults }) }
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
const DEEPEST: usize = 64;
/// The longest arguments, in bytes of their texts, keys and numbers.
const LONGEST: usize = 32 << 20;

/// Bounds what validation, plugins and tools have to go through.
fn check_size(value: &Value) -> Result<(), InvalidArguments> {
    let too = |what: String| Err(InvalidArguments { faults: vec![format!("root: the arguments are {what}")] });
    let (mut open, mut bytes) = (vec![(value, 0)], 0);
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return too(format!("nested more than {DEEPEST} levels deep"));
        }
        bytes += match value {
            Value::String(text) => text.len(),
            Value::Object(fields) => fields.keys().map(String::len).sum(),
            _ => size_of::<Value>(),
        };
        if bytes > LONGEST {
            return too(format!("longer than {} MiB", LONGEST >> 20));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// A change that loses nothing: at this place, this value instead, or nothing.
struct Repair {
    place: String,
    value: Option<Value>,
}

impl Repair {
    fn of(error: &ValidationError<'_>) -> Option<Self> {
        let ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } = error.kind() else { return None };
        let value = match error.instance().as_ref() {
            Value::Null => None,
            Value::String(text) => Some(read_as(text, *wanted)?),
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
                    parent.remove(&unescaped(key));
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

/// A fault as lines the model can act on, in the reference's words.
fn describe(error: &ValidationError<'_>) -> Vec<String> {
    use ValidationErrorKind as Kind;
    let place: Vec<String> = error.instance_path().to_string().split('/').skip(1).map(unescaped).collect();
    let at = |more: Option<&str>| match place.iter().map(String::as_str).chain(more).collect::<Vec<_>>().join(".") {
        path if path.is_empty() => "root".to_owned(),
        path => path,
    };
    let expected = match error.kind() {
        Kind::Required { property } => return vec![format!("{}: missing", at(property.as_str()))],
        Kind::AdditionalProperties { unexpected } => {
            return unexpected.iter().map(|name| format!("{}: unknown field", at(Some(name)))).collect();
        }
        Kind::Type { kind: TypeKind::Single(wanted) } => {
            format!("{wanted}, got {}", JsonType::from(error.instance().as_ref()))
        }
        Kind::Enum { options } => format!("one of {options}"),
        Kind::Constant { expected_value } => expected_value.to_string(),
        Kind::Minimum { limit } => format!(">= {limit}"),
        Kind::Maximum { limit } => format!("<= {limit}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::Pattern { pattern } => format!("to match {pattern}"),
        Kind::Format { format } => format!("format {format}"),
        Kind::UniqueItems => "unique items".to_owned(),
        _ => return vec![format!("{}: {error}", at(None))],
    };
    vec![format!("{}: expected {expected}", at(None))]
}

/// A part of a JSON pointer as it was.
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

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
