//! A list in the place of a table. Serde would take it as the values of the keys, in an order that nobody has written
//! down, and who looks for a key would not find it.

use toml::{Table, Value};

use super::Fault;

/// The first list that should be a table.
pub(super) fn check(settings: &Table) -> Result<(), Fault> {
    for at in [&["workspace"][..], &["session"], &["session", "compaction"], &["retry"]] {
        table(settings, at)?;
    }
    let named = |at: &[&str]| at.iter().try_fold(settings, |table, key| table.get(*key)?.as_table());
    for name in named(&["providers"]).into_iter().flat_map(Table::keys) {
        table(settings, &["providers", name])?;
        for model in named(&["providers", name, "models"]).into_iter().flat_map(Table::keys) {
            table(settings, &["providers", name, "models", model])?;
            table(settings, &["providers", name, "models", model, "cost"])?;
        }
    }
    for name in named(&["plugins"]).into_iter().flat_map(Table::keys) {
        table(settings, &["plugins", name])?;
        table(settings, &["plugins", name, "limits"])?;
        table(settings, &["plugins", name, "grants"])?;
    }
    Ok(())
}

fn table(settings: &Table, at: &[&str]) -> Result<(), Fault> {
    let Some((key, tables)) = at.split_last() else { return Ok(()) };
    let within = tables.iter().try_fold(settings, |table, key| table.get(*key)?.as_table());
    match within.and_then(|table| table.get(*key)) {
        Some(Value::Array(_)) => Err(Fault::of(at, "is a list; give a table: `{ key = value }`")),
        _ => Ok(()),
    }
}
