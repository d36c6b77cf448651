//! An audit as a program reads it. `seam audit --help` says what is in it.

use anyhow::Result;
use seam_plugins::audit::{Denied, Pair, Rule};
use seam_plugins::load;
use serde_json::{Value, json};

use super::Audited;

/// The plugins of one path.
pub(super) fn plugins(audits: &[Audited], rules: &[Rule]) -> Result<String> {
    let list: Vec<Value> = audits.iter().map(|audit| plugin(audit, rules)).collect();
    Ok(serde_json::to_string_pretty(&list)?)
}

/// The plugins of two paths.
pub(super) fn pairs(pairs: &[Pair], rules: &[Rule]) -> Result<String> {
    let list: Vec<Value> = pairs.iter().map(|pair| one_pair(pair, rules)).collect();
    Ok(serde_json::to_string_pretty(&list)?)
}

fn plugin(audit: &Audited, rules: &[Rule]) -> Value {
    let mut plugin = match audit {
        Ok(audit) => json!(audit),
        Err(error) => json!({ "name": load::plugin_name(&error.file), "problem": error.problem.to_string() }),
    };
    if let Some(fields) = plugin.as_object_mut() {
        fields.insert("denied".to_owned(), json!(denied(audit, rules)));
    }
    plugin
}

fn one_pair(pair: &Pair, rules: &[Rule]) -> Value {
    let difference = pair.difference();
    json!({
        "name": pair.name,
        "old": pair.old.as_ref().map(side),
        "new": pair.new.as_ref().map(side),
        "leaksMore": pair.leaks_more(),
        "gained": difference.gained,
        "lost": difference.lost,
        "denied": pair.new.as_ref().map(|new| denied(new, rules)).unwrap_or_default(),
    })
}

fn side(audit: &Audited) -> Value {
    match audit {
        Ok(audit) => json!({
            "digest": audit.digest,
            "problem": audit.problem,
            "canLeak": audit.can_leak,
            "leak": audit.leak,
        }),
        Err(error) => json!({ "problem": error.problem.to_string() }),
    }
}

fn denied(audit: &Audited, rules: &[Rule]) -> Vec<Denied> {
    let audit = audit.as_ref().ok();
    audit.into_iter().flat_map(|audit| rules.iter().flat_map(move |rule| rule.denied(audit))).collect()
}
