//! `seam audit`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use seam_plugins::{Audit, LoadError, load};
use serde_json::json;

use crate::args::AuditArgs;
use crate::exit::Exit;
use crate::terminal::audit_table;

pub(crate) fn audit(args: &AuditArgs) -> Result<Exit> {
    let files = files(&args.path)?;
    let audits: Vec<Result<Audit, LoadError>> =
        files.into_iter().map(|file| Audit::of_file(&file).map_err(|problem| LoadError { file, problem })).collect();
    let text = if args.json { as_json(&audits)? } else { audit_table::render(&audits) };
    writeln!(std::io::stdout(), "{}", text.trim_end()).context("the audit cannot be printed")?;
    let loads = |audit: &Result<Audit, LoadError>| audit.as_ref().is_ok_and(|audit| audit.problem.is_none());
    Ok(if audits.iter().all(loads) { Exit::Done } else { Exit::PluginFault })
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let metadata = std::fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    load::wasm_files(path).with_context(|| format!("{} cannot be read", path.display()))
}

fn as_json(audits: &[Result<Audit, LoadError>]) -> Result<String> {
    let list: Vec<_> = audits
        .iter()
        .map(|audit| match audit {
            Ok(audit) => json!(audit),
            Err(error) => json!({
                "name": load::plugin_name(&error.file),
                "problem": error.problem.to_string(),
            }),
        })
        .collect();
    Ok(serde_json::to_string_pretty(&list)?)
}
