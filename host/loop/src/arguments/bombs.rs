//! Schemas and arguments that are small to write and would be large to go through.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ArgumentSchema, InvalidArguments};

fn refused(schema: &Value) -> String {
    let began = Instant::now();
    let error = ArgumentSchema::compile(schema).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    error
}

fn faults(schema: &Value, value: Value) -> Vec<String> {
    let schema = ArgumentSchema::compile(schema).unwrap();
    let began = Instant::now();
    let InvalidArguments { faults } = schema.validate(value).unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    faults
}

/// Definitions `d0` to `d{count}`, each made from the reference to the next one.
fn chain(count: usize, link: impl Fn(Value) -> Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for index in 0..count {
        definitions.insert(format!("d{index}"), link(json!({ "$ref": format!("#/$defs/d{}", index + 1) })));
    }
    definitions.insert(format!("d{count}"), json!({ "type": "string" }));
    json!({ "$ref": "#/$defs/d0", "$defs": definitions })
}

#[test]
fn references_that_fan_out_are_refused() {
    let error = refused(&chain(40, |next| json!({ "allOf": [next.clone(), next] })));
    assert_eq!(error, "the schema holds more than 10000 schemas, with what its references lead to");
    let anchors = |index: usize| format!("#d{}", index + 1);
    let definitions: Vec<Value> = (0..40)
        .map(|index| {
            let next = json!({ "$ref": anchors(index) });
            json!({ "$anchor": format!("d{index}"), "properties": { "a": next, "b": next } })
        })
        .chain([json!({ "$anchor": "d40" })])
        .collect();
    let error = refused(&json!({ "$ref": "#d0", "$defs": { "all": { "prefixItems": definitions } } }));
    assert_eq!(error, "the schema holds more than 10000 schemas, with what its references lead to");
}

#[test]
fn a_long_way_of_references_is_refused() {
    let error = refused(&chain(1000, |next| json!({ "not": next })));
    assert_eq!(error, "the schema is nested more than 128 levels deep, with what its references lead to");
    ArgumentSchema::compile(&chain(40, |next| json!({ "not": next }))).unwrap();
}

#[test]
fn a_reference_to_itself_is_refused_and_one_to_a_part_is_a_tree() {
    assert_eq!(refused(&json!({ "$ref": "#" })), "the reference `#` leads to itself");
    let twice = json!({ "$ref": "#/$defs/a", "$defs": {
        "a": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "b": { "not": { "$ref": "#/$defs/a" } }
    } });
    assert_eq!(refused(&twice), "the reference `#/$defs/a` leads to itself");
    let tree = json!({ "$ref": "#/$defs/my%20node", "$defs": { "my node": {
        "type": "object", "required": ["value"],
        "properties": {
            "value": { "type": "integer" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/my%20node" } }
        }
    } } });
    let schema = ArgumentSchema::compile(&tree).unwrap();
    assert!(schema.validate(json!({ "value": 1, "children": [{ "value": 2, "children": [] }] })).is_ok());
    let wrong = json!({ "value": 1, "children": [{ "value": 2, "children": [{ "value": true }] }] });
    assert_eq!(faults(&tree, wrong), ["children.0.children.0.value: expected integer, got boolean"]);
}

#[test]
fn references_have_no_base_but_the_root() {
    let based = json!({ "$id": "https://example.com/a", "properties": { "a": { "$id": "b", "type": "string" } } });
    assert_eq!(refused(&based), "only the root of a schema may have an `$id`");
    let property = json!({ "properties": { "$id": { "type": "string" }, "$ref": { "type": "string" } } });
    ArgumentSchema::compile(&property).unwrap();
    let nowhere = refused(&json!({ "$ref": "#/$defs/a" }));
    assert_eq!(nowhere, "the reference `#/$defs/a` leads to nothing in the schema; others are not followed");
}

#[test]
fn long_schemas_and_many_or_large_patterns_are_refused() {
    let long = json!({ "description": "x".repeat(70_000) });
    assert_eq!(refused(&long), "the schema is longer than 64 KiB of JSON");
    let large = |index: usize| json!({ "pattern": format!("q{index}[\\p{{L}}\\p{{N}}]{{180}}") });
    let patterns: Vec<Value> = (0..600).map(large).collect();
    assert_eq!(refused(&json!({ "anyOf": patterns })), "the schema holds more than 64 different patterns");
    let named: serde_json::Map<_, _> = (0..65).map(|index| (format!("^q{index}"), json!({}))).collect();
    let error = refused(&json!({ "patternProperties": named }));
    assert_eq!(error, "the schema holds more than 64 different patterns");
    let error = refused(&large(0));
    assert!(error.ends_with("or compiles to more than 512 KiB"), "{error}");
    for ordinary in ["^[\\w.-]{1,128}$", "^\\p{L}[\\p{L}\\p{N} ]{0,7}$", "^\\d{4}-\\d{2}-\\d{2}$"] {
        ArgumentSchema::compile(&json!({ "pattern": ordinary })).unwrap();
    }
    let same: Vec<Value> = (0..600).map(|_| json!({ "pattern": "^a+$" })).collect();
    ArgumentSchema::compile(&json!({ "anyOf": same })).unwrap();
}

#[test]
fn faults_are_few_and_short() {
    let options: Vec<String> = (0..6000).map(|index| format!("{index:06}")).collect();
    let schema = json!({ "properties": { "a": { "items": { "enum": options } } } });
    let told = faults(&schema, json!({ "a": vec!["wrong"; 30_000] }));
    assert_eq!(told.len(), 50);
    assert!(told[0].starts_with("a.0: expected one of [\"000000\",") && told[0].ends_with('…'), "{}", told[0]);
    assert!(told.join("\n").len() < 64 << 10);
    // A long value, a long name, many names.
    let schema = json!({ "properties": { "a": { "not": {} } }, "additionalProperties": false });
    let told = faults(&schema, json!({ "a": "x".repeat(1 << 20), "y".repeat(1 << 20): 1 }));
    assert!(told.len() == 2 && told.iter().all(|fault| fault.len() < 700), "{told:?}");
    let many: serde_json::Map<_, _> = (0..30_000).map(|index| (format!("n{index}"), json!(1))).collect();
    assert_eq!(faults(&schema, Value::Object(many)).len(), 50);
}

#[test]
fn what_a_repair_uncovers_is_bounded_too() {
    let schema = json!({ "properties": { "a": { "type": "array" } } });
    let deep = format!("{}{}", "[".repeat(126), "]".repeat(126));
    assert_eq!(faults(&schema, json!({ "a": deep })), ["root: the arguments are nested more than 64 levels deep"]);
    let long = format!("[{}1]", "1,".repeat(3 << 20));
    assert_eq!(faults(&schema, json!({ "a": long })), ["a: expected array, got string"]);
    let wide = format!("[{}1]", "1,".repeat(1_500_000));
    assert_eq!(faults(&schema, json!({ "a": wide })), ["root: the arguments are longer than 32 MiB"]);
}

#[test]
fn one_text_is_read_once_however_many_want_it() {
    let schema = json!({ "properties": { "a": { "allOf": vec![json!({ "type": "array" }); 2000] } } });
    let text = format!("[\"{}\"]", "x".repeat(3 << 20));
    let began = Instant::now();
    assert!(ArgumentSchema::compile(&schema).unwrap().validate(json!({ "a": text })).is_ok());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn many_values_times_many_schemas_are_a_fault() {
    let schema = json!({ "properties": { "a": { "items": { "allOf": vec![json!({ "type": "string" }); 2000] } } } });
    let told = faults(&schema, json!({ "a": vec![1; 30_000] }));
    assert_eq!(told, ["root: the arguments do not fit the tool, and are too many values to say where"]);
    let told = faults(&schema, json!({ "a": vec![1; 300_000] }));
    assert_eq!(told, ["root: the arguments are too many values (300002) for a schema of this size"]);
}

/// Two ways to the same part, at each level: 2 to the 60th ways in all.
#[test]
fn a_tree_with_many_ways_to_a_leaf_takes_no_time() {
    for both in ["anyOf", "allOf", "oneOf"] {
        let node = json!({ "type": ["array", "integer"], both: [
            { "items": { "$ref": "#/$defs/node" } }, { "items": { "$ref": "#/$defs/node" } }
        ] });
        let schema = json!({ "properties": { "a": { "$ref": "#/$defs/node" } }, "$defs": { "node": node } });
        let deep = |leaf, depth| (0..depth).fold(leaf, |inner, _| json!([inner]));
        let told = faults(&schema, json!({ "a": deep(json!("x"), 60) }));
        assert_eq!(told, ["root: the arguments do not fit the tool, and are too many values to say where"]);
        assert!(faults(&schema, json!({ "a": deep(json!("x"), 3) }))[0].starts_with('a'), "where is told of few");
        let began = Instant::now();
        let valid = ArgumentSchema::compile(&schema).unwrap().validate(json!({ "a": deep(json!(1), 60) })).is_ok();
        assert_eq!(valid, both != "oneOf");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
}
