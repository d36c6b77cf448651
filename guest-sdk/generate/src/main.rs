//! Writes the bindings of the Rust guest SDK, `guest-sdk/rust/src/bindings/*.rs`, from the contract in `wit/`.
//!
//! One file per seam, from the worlds named `for-*`, and `reach.rs` for the import interfaces and the shared types,
//! from the world `host`. With `--check` it writes nothing and fails when a committed file is not what it would write.
//! It knows no seam by name.

mod contract;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use contract::{Bindings, Contract};

const RUN: &str = "cargo run -p seam-guest-generate";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("seam-guest-generate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../rust/src/bindings");
    let wanted = Contract::read(&here.join("../../wit"))?.bindings()?;
    match env::args().nth(1).as_deref() {
        None => write(&folder, &wanted),
        Some("--check") => check(&folder, &wanted),
        Some(other) => bail!("unknown argument `{other}`; the only one is `--check`"),
    }
}

/// Writes the wanted files and removes those of seams that are gone.
fn write(folder: &Path, wanted: &[Bindings]) -> Result<()> {
    fs::create_dir_all(folder)?;
    for path in leftovers(folder, wanted)? {
        fs::remove_file(&path)?;
        println!("removed {}", path.display());
    }
    for file in wanted {
        fs::write(folder.join(&file.name), &file.text)?;
        println!("wrote {}", file.name);
    }
    Ok(())
}

/// Fails when a file is missing, differs, or belongs to no seam.
fn check(folder: &Path, wanted: &[Bindings]) -> Result<()> {
    let mut stale: Vec<_> = wanted.iter().filter(|file| differs(folder, file)).map(|file| file.name.clone()).collect();
    stale.extend(leftovers(folder, wanted)?.iter().map(|path| format!("{} (of no seam)", path.display())));
    if stale.is_empty() {
        return Ok(());
    }
    bail!("the committed bindings are not those of `wit/`: {}. Run `{RUN}` and commit what it writes", stale.join(", "))
}

fn differs(folder: &Path, file: &Bindings) -> bool {
    fs::read_to_string(folder.join(&file.name)).ok().as_deref() != Some(&file.text)
}

fn leftovers(folder: &Path, wanted: &[Bindings]) -> Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)
        .with_context(|| format!("cannot list {}; run `{RUN}`", folder.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    let known = |path: &Path| wanted.iter().any(|file| path.ends_with(&file.name));
    Ok(paths.into_iter().filter(|path| !known(path)).collect())
}
