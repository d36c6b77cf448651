//! Rules: what a scenario says a hook or a tool does, and when.

use serde_json::{Map, Value, json};

use super::json::{contains, same};

/// The conditions that look at the entry of the hook or tool, and the entry's key.
const CONDITIONS: &[(&str, &str)] =
    &[("tool", "toolName"), ("toolCallId", "toolCallId"), ("isError", "isError"), ("stopReason", "stopReason")];

/// The first rule that applies to the `nth` call, which is recorded as this entry.
pub(super) fn first<'a>(rules: &'a Value, nth: u64, entry: &Value) -> Option<&'a Value> {
    rules.as_array()?.iter().find(|rule| holds(&rule["when"], nth, entry))
}

/// A rule without its conditions.
pub(super) fn decision(rule: &Value) -> Value {
    let fields = rule.as_object().into_iter().flatten().filter(|(key, _)| *key != "when");
    fields.map(|(key, field)| (key.clone(), field.clone())).collect::<Map<_, _>>().into()
}

fn holds(when: &Value, nth: u64, entry: &Value) -> bool {
    let Some(conditions) = when.as_object() else { return true };
    conditions.iter().all(|(name, wanted)| match name.as_str() {
        "nth" => one_of(wanted, &json!(nth)),
        "args" => match (&entry["args"], wanted) {
            (Value::Object(args), Value::Object(wanted)) => contains(args, wanted),
            _ => false,
        },
        name => {
            let known = CONDITIONS.iter().find(|(condition, _)| *condition == name);
            known.is_some_and(|(_, key)| one_of(wanted, &entry[*key]))
        }
    })
}

fn one_of(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(list) => list.iter().any(|wanted| same(wanted, value)),
        wanted => same(wanted, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conditions_must_hold() {
        let entry = json!({ "toolName": "write", "toolCallId": "c1", "args": { "path": "a", "n": 1 } });
        let applies = |when: Value, nth| first(&json!([{ "when": when, "x": 1 }]), nth, &entry).is_some();
        assert!(applies(json!({}), 1));
        assert!(applies(json!({ "nth": [2, 3], "tool": ["read", "write"], "args": { "n": 1.0 } }), 3));
        assert!(!applies(json!({ "nth": 2 }), 1));
        assert!(!applies(json!({ "args": { "path": "b" } }), 1));
        assert!(!applies(json!({ "isError": true }), 1));
        assert!(!applies(json!({ "unheard-of": 1 }), 1));
    }

    #[test]
    fn the_decision_leaves_the_conditions_out() {
        assert_eq!(decision(&json!({ "when": { "nth": 1 }, "throw": "no" })), json!({ "throw": "no" }));
    }
}
