//! What an audit answers: about plugins with known answers, and about components that hide what they reach.

mod answers;
mod grants;
mod hidden;
mod links;

use std::path::PathBuf;

use seam_plugins::audit::{Given, Leak};
use seam_plugins::{Audit, Grants, inspect::inspect};
use serde_json::Value;

/// A component with these exports of the contract and these items before them.
fn component(exports: &[&str], items: &str) -> Vec<u8> {
    let export = |name: &&str| format!(r#"(export "seam:harness/{name}@0.1.0" (instance $nothing))"#);
    let exports: String = exports.iter().map(export).collect();
    wat::parse_str(format!("(component {items} (instance $nothing) {exports})")).unwrap()
}

/// An import of one function: of the contract by its interface, any other by its full name.
fn import(name: &str) -> String {
    let name = if name.contains(':') { name.to_owned() } else { format!("seam:harness/{name}@0.1.0") };
    format!(r#"(import "{name}" (instance (export "f" (func))))"#)
}

/// A plugin that exports and imports these.
fn plugin(exports: &[&str], imports: &[&str]) -> Vec<u8> {
    component(exports, &imports.iter().map(|name| import(name)).collect::<String>())
}

/// Its audit, with these grants.
fn audit(bytes: &[u8], grants: Value) -> Audit {
    let grants: Grants = serde_json::from_value(grants).unwrap();
    Audit::of("p".to_owned(), &inspect(bytes).unwrap(), &grants)
}

/// The same, where tools may use these folders outside the workspace.
fn audit_with_outside(bytes: &[u8], grants: Value, outside: &[&str]) -> Audit {
    let grants: Grants = serde_json::from_value(grants).unwrap();
    let outside: Vec<PathBuf> = outside.iter().map(PathBuf::from).collect();
    Audit::of("p".to_owned(), &inspect(bytes).unwrap(), Given { grants: &grants, outside: &outside })
}

/// The line, as a person reads it.
fn line(audit: &Audit) -> String {
    let answer = match audit.can_leak {
        Leak::Yes => "yes",
        Leak::IfGranted => "yes, if granted",
        Leak::Unknown => "not known",
        Leak::No => "no",
    };
    format!("{answer}: {}", audit.leak)
}
