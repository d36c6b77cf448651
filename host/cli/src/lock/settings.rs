//! What is set for a plugin, in short: a digest of all that is not as it is by itself.

use std::collections::BTreeMap;

use seam_plugins::inspect::Digest;
use seam_plugins::{Grants, Settings};
use serde_json::{Value, json};

/// Its digest; none when nothing is set. Grants are not in it: they stand in the lock by themselves.
pub(super) fn digest(settings: &Settings) -> Option<String> {
    let own = Settings { grants: Grants::default(), ..settings.clone() };
    let own = unlike(json!(own), Some(&json!(Settings::default())))?;
    Some(Digest::of(own.to_string().as_bytes()).to_string())
}

/// What of a value is not as usual, with its keys in order.
fn unlike(value: Value, usual: Option<&Value>) -> Option<Value> {
    if usual == Some(&value) {
        return None;
    }
    Some(match value {
        Value::Object(fields) => {
            let inner = |key: &str| usual.and_then(|usual| usual.get(key));
            let unlike = fields.into_iter().filter_map(|(key, value)| Some((key.clone(), unlike(value, inner(&key))?)));
            json!(unlike.collect::<BTreeMap<String, Value>>())
        }
        Value::Array(values) => values.into_iter().filter_map(|value| unlike(value, None)).collect(),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn digest(settings: &str) -> Option<String> {
        let config = Config::parse(&format!("[plugins.p]\n{settings}"), "seam.toml".as_ref()).unwrap();
        super::digest(&config.settings("p"))
    }

    #[test]
    fn what_is_set_to_what_it_is_by_itself_is_not_set() {
        assert_eq!(digest("mode = \"active\"\ninstance = \"session\"\nlimits = { time-ms = 250 }"), None);
        assert_eq!(digest("grants = { ui = true }"), None, "grants stand by themselves");
    }

    #[test]
    fn whatever_is_set_otherwise_is_another_digest() {
        let settings = [
            "mode = \"shadow\"",
            "instance = \"call\"",
            "on-failure = \"skip\"",
            "on-failure = { tool-call = \"skip\" }",
            "limits = { time-ms = 251 }",
            "config = { a = [1, 2] }",
            "config = { a = [2, 1] }",
            "config = { a = {} }",
        ];
        let mut digests: Vec<String> = settings.iter().map(|settings| digest(settings).unwrap()).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), settings.len());
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let (one, other) = ("config = { a = 1, b = [{ c = 1, d = 2 }] }", "config = { b = [{ d = 2, c = 1 }], a = 1 }");
        assert_eq!(digest(one), digest(other));
    }
}
