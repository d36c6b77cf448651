//! `seam audit`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use seam_plugins::{Audit, LoadError, load};
use serde_json::json;

use crate::args::AuditArgs;
use crate::exit::Exit;
use crate::terminal::audit_table;
use crate::terminal::output::Output;

pub(crate) fn audit(args: &AuditArgs) -> Result<Exit> {
    let files = files(&args.path)?;
    let audits: Vec<Result<Audit, LoadError>> =
        files.into_iter().map(|file| Audit::of_file(&file).map_err(|problem| LoadError { file, problem })).collect();
    let text = if args.json { as_json(&audits)? } else { audit_table::render(&audits) };
    let output = Output::default();
    output.print(&format!("{}\n", text.trim_end()));
    let loads = |audit: &Result<Audit, LoadError>| audit.as_ref().is_ok_and(|audit| audit.problem.is_none());
    Ok(match audits.iter().all(loads) {
        _ if output.has_failed() => Exit::RunFailed,
        true => Exit::Done,
        false => Exit::PluginFault,
    })
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    let metadata = std::fs::metadata(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = load::wasm_files(path).with_context(|| format!("{} cannot be read", path.display()))?;
    if files.is_empty() {
        bail!("no `*.wasm` in {}; nothing was audited", path.display());
    }
    Ok(files)
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
