//! Compiled plugins, kept by content.
//!
//! The name of an entry is the digest of the component plus everything the compiled code depends on: wasmtime's version,
//! its settings and this processor. An entry ends with the digest of its code, checked before it is used; one that does
//! not match is compiled again. Entries are written beside their place and moved there, so processes that start at once
//! do not disturb each other.
//!
//! Compiled code runs with the host's rights. So the folder is this user's alone, and nothing else is loaded this way.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::inspect::Digest;

const CHECKSUM: usize = 32;

/// A folder of compiled plugins, or none.
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    compatibility: u64,
}

impl Cache {
    pub(crate) fn new(folder: Option<PathBuf>, engine: &Engine) -> Self {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self { folder, compatibility: hasher.finish() }
    }

    /// The compiled component: from the cache when it is there and whole, else compiled, and kept if it can be.
    pub(crate) fn component(&self, engine: &Engine, bytes: &[u8], digest: &Digest) -> wasmtime::Result<Component> {
        let Some(folder) = &self.folder else { return Component::new(engine, bytes) };
        let entry = folder.join(format!("{digest}-{:016x}.cwasm", self.compatibility));
        if let Some(component) = read(engine, &entry) {
            return Ok(component);
        }
        let component = Component::new(engine, bytes)?;
        if let Err(error) = write(folder, &entry, &component.serialize()?) {
            tracing::warn!(%error, entry = %entry.display(), "a compiled plugin could not be kept");
        }
        Ok(component)
    }
}

fn read(engine: &Engine, entry: &Path) -> Option<Component> {
    if !is_ours(entry.parent()?) {
        return None;
    }
    let bytes = fs::read(entry).ok()?;
    let (code, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    if Sha256::digest(code).as_slice() != checksum {
        tracing::warn!(entry = %entry.display(), "a compiled plugin was damaged; it is compiled again");
        return None;
    }
    deserialize(engine, code)
}

#[allow(unsafe_code, reason = "compiled code can only be loaded this way")]
fn deserialize(engine: &Engine, code: &[u8]) -> Option<Component> {
    // SAFETY: the bytes are whole (checksum) and come from a folder only this user can write, where only `write` puts
    // what `Component::serialize` gave. Wasmtime itself refuses code of another version, setting or processor.
    unsafe { Component::deserialize(engine, code) }.ok()
}

fn write(folder: &Path, entry: &Path, code: &[u8]) -> std::io::Result<()> {
    create(folder)?;
    if !is_ours(folder) {
        let others = "the folder can be written by other users; make it yours alone (mode 700)";
        return Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, others));
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(code)?;
    file.write_all(&Sha256::digest(code))?;
    file.persist(entry)?;
    Ok(())
}

#[cfg(unix)]
fn create(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether only this user can write the folder.
#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o022 == 0 && folder.uid() == own)
}

#[cfg(not(unix))]
fn is_ours(folder: &Path) -> bool {
    folder.is_dir()
}
