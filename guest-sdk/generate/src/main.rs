//! Writes the bindings of the Rust guest SDK, `guest-sdk/rust/src/bindings/*.rs`, from the contract in `wit/`.
//!
//! One file per seam, from the worlds named `for-*`, and `reach.rs` for the import interfaces and the shared types,
//! from the world `host`. With `--check` it writes nothing and fails when a committed file is not what it would write.
//! It knows no seam by name.
//!
//! For plugins in other languages it writes the bindings of an author's world, and makes a component of what their
//! compiler made: see [`foreign`].

mod contract;
mod foreign;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use contract::{Bindings, Contract};
use foreign::World;

const RUN: &str = "cargo run -p seam-guest-generate";
const USAGE: &str = "\
seam-guest-generate            write the bindings of the Rust SDK
seam-guest-generate --check    fail when the committed ones differ
seam-guest-generate c WIT WORLD OUT
seam-guest-generate go WIT WORLD OUT
                               write the bindings of a world into the folder OUT
seam-guest-generate componentize WIT WORLD CORE OUT [SYSTEM]
                               make the component OUT from the module CORE; SYSTEM is a module to take the place of
                               wasi_snapshot_preview1";

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
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => rust(write),
        ["--check"] => rust(check),
        ["c", wit, world, out] => World::read(wit, world)?.c(out),
        ["go", wit, world, out] => World::read(wit, world)?.go(out),
        ["componentize", wit, world, core, out] => World::read(wit, world)?.componentize(core, out, None),
        ["componentize", wit, world, core, out, system] => {
            World::read(wit, world)?.componentize(core, out, Some(system))
        }
        _ => bail!("usage:\n{USAGE}"),
    }
}

/// Does something with the folder of the Rust SDK's bindings and what should be in it.
fn rust(act: fn(&Path, &[Bindings]) -> Result<()>) -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = Contract::read(&here.join("../../wit"))?.bindings()?;
    act(&here.join("../rust/src/bindings"), &wanted)
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
