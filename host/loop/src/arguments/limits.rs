//! What a schema may ask of the host. It comes from whoever made the tool, so compiling it and validating with it must
//! cost no more than is bounded here, however it is written.
//!
//! A `$ref` costs what it leads to, each time: the compiler copies it. A `$ref` back to what is being read costs one,
//! so that trees and lists can be described. References stay within the schema and have no base other than its root;
//! this is what makes them countable.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// The longest schema, in bytes of its JSON text.
const LONGEST: usize = 64 << 10;
/// The most schemas in it, each `$ref` replaced by what it leads to.
const MOST_NODES: usize = 10_000;
/// The deepest nesting of schemas, again with what `$ref`s lead to.
const DEEPEST: usize = 128;
/// The most different patterns.
const MOST_PATTERNS: usize = 64;
/// The largest compiled pattern, in bytes.
pub(super) const PATTERN_SIZE: usize = 512 << 10;

/// What it costs to validate with a schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    /// How many schemas there are, each `$ref` replaced by what it leads to.
    pub(super) schemas: usize,
    /// How many references lead back to what holds them. Each is followed once more at each level of a value.
    loops: usize,
}

impl Weight {
    /// At most how many times a schema meets one of so many values, nested so deep.
    pub(super) fn meetings(self, values: usize, depth: u32) -> usize {
        let ways = self.loops.max(1).saturating_pow(depth);
        values.saturating_mul(self.schemas).saturating_mul(ways)
    }
}

/// Weighs a schema.
///
/// # Errors
/// Which limit the schema is over.
pub(super) fn weigh(root: &Value) -> Result<Weight, String> {
    let mut anchors = HashMap::new();
    scan(root, &mut anchors)?;
    let mut text = Counter(0);
    serde_json::to_writer(&mut text, root)
        .map_err(|_| format!("the schema is longer than {} KiB of JSON", LONGEST >> 10))?;
    let mut walk = Walk { root, anchors, path: vec![(root, 0)], nodes: 0, loops: 0 };
    walk.schema(root, Place::default())?;
    Ok(Weight { schemas: walk.nodes, loops: walk.loops })
}

/// Counts bytes up to the limit.
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > LONGEST { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Looks at everything once: counts patterns, finds anchors, and refuses bases other than the root's.
fn scan<'a>(root: &'a Value, anchors: &mut HashMap<&'a str, Vec<&'a Value>>) -> Result<(), String> {
    let (mut open, mut patterns) = (vec![(root, 0)], HashSet::new());
    // Only the oldest schemas call it `id`; elsewhere that is a word like any other.
    let mut id = "$id";
    if root.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-04")) {
        id = "id";
    }
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(too_deep());
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => {
                if depth > 0 && fields.get(id).is_some_and(Value::is_string) {
                    return Err(format!("only the root of a schema may have an `{id}`"));
                }
                let oldest = |draft: &str| id == "$id" && draft.contains("draft-04");
                if depth > 0 && fields.get("$schema").and_then(Value::as_str).is_some_and(oldest) {
                    return Err("a part of a schema may not be of draft 4 when the whole is not".to_owned());
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = fields.get(key).and_then(Value::as_str) {
                        anchors.entry(name).or_default().push(value);
                    }
                }
                patterns.extend(fields.get("pattern").and_then(Value::as_str));
                if let Some(Value::Object(named)) = fields.get("patternProperties") {
                    patterns.extend(named.keys().map(String::as_str));
                }
                open.extend(fields.values().map(|field| (field, depth + 1)));
            }
            _ => {}
        }
        if patterns.len() > MOST_PATTERNS {
            return Err(format!("the schema holds more than {MOST_PATTERNS} different patterns"));
        }
    }
    Ok(())
}

fn too_deep() -> String {
    format!("the schema is nested more than {DEEPEST} levels deep, with what its references lead to")
}

/// Where a schema is met.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// How many schemas it is in.
    depth: usize,
    /// How deep in the value it applies.
    level: usize,
}

impl Place {
    fn within(self, keyword: &str) -> Self {
        Self { depth: self.depth + 1, level: self.level + usize::from(is_for_parts(keyword)) }
    }
}

/// Whether what a keyword holds applies to parts of the value. Anything else applies to the value itself.
fn is_for_parts(keyword: &str) -> bool {
    matches!(
        keyword,
        "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "items"
            | "prefixItems"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
    )
}

/// A walk through a schema and all it refers to, as the compiler goes.
struct Walk<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, Vec<&'a Value>>,
    /// What references led to on the way here, and at which level of the value.
    path: Vec<(&'a Value, usize)>,
    nodes: usize,
    /// References back to what is on the path.
    loops: usize,
}

impl<'a> Walk<'a> {
    fn schema(&mut self, schema: &'a Value, place: Place) -> Result<(), String> {
        self.count()?;
        if place.depth > DEEPEST {
            return Err(too_deep());
        }
        let Value::Object(keywords) = schema else { return Ok(()) };
        for (keyword, value) in keywords {
            let within = place.within(keyword);
            match (keyword.as_str(), value) {
                // Values, and what counts only where it is referred to.
                ("enum" | "const" | "default" | "examples" | "$defs" | "definitions", _) => {}
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    self.reference(reference, within)?;
                }
                ("properties" | "patternProperties" | "dependentSchemas" | "dependencies", Value::Object(named)) => {
                    named.values().try_for_each(|schema| self.schema(schema, within))?;
                }
                (_, Value::Array(schemas)) => {
                    let schemas = schemas.iter().filter(|schema| schema.is_object() || schema.is_boolean());
                    schemas.into_iter().try_for_each(|schema| self.schema(schema, within))?;
                }
                (_, Value::Object(_)) => self.schema(value, within)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn reference(&mut self, reference: &str, place: Place) -> Result<(), String> {
        for target in self.targets(reference)? {
            let met = self.path.iter().rev().find(|(on_path, _)| std::ptr::eq(*on_path, target));
            match met.map(|(_, level)| *level == place.level) {
                Some(true) => {
                    return Err(format!("the reference `{}` leads to itself", super::faults::short(&reference)));
                }
                Some(false) => {
                    self.loops += 1;
                    self.count()?;
                }
                None => {
                    self.path.push((target, place.level));
                    self.schema(target, place)?;
                    self.path.pop();
                }
            }
        }
        Ok(())
    }

    fn targets(&self, reference: &str) -> Result<Vec<&'a Value>, String> {
        let unknown = || {
            let reference = super::faults::short(&reference);
            format!("the reference `{reference}` leads to nothing in the schema; others are not followed")
        };
        let fragment = reference.strip_prefix('#').ok_or_else(unknown)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = decoded(fragment).ok_or_else(unknown)?;
            return Ok(vec![self.root.pointer(&pointer).ok_or_else(unknown)?]);
        }
        self.anchors.get(fragment).cloned().ok_or_else(unknown)
    }

    fn count(&mut self) -> Result<(), String> {
        self.nodes += 1;
        match self.nodes > MOST_NODES {
            true => Err(format!("the schema holds more than {MOST_NODES} schemas, with what its references lead to")),
            false => Ok(()),
        }
    }
}

/// A pointer without its percent signs. None when they hide what takes a pointer apart: that could be read in two ways.
fn decoded(fragment: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), fragment.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        if byte == b'/' || byte == b'~' || digits.starts_with(b"+") {
            return None;
        }
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
