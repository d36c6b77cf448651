//! Files and folders, with errors that name them.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Makes a folder, if it is not there, and those it lies in.
pub(crate) fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(failed(folder))
}

/// Makes a folder that holds nothing.
pub(crate) fn create_empty(folder: &Path) -> Result<(), String> {
    let _absent = fs::remove_dir_all(folder);
    create(folder)
}

/// All files under a path, or the path itself, in the order of their names.
pub(crate) fn list(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut paths: Vec<_> = fs::read_dir(path).map_err(failed(path))?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below: Vec<_> = paths.iter().map(|path| list(path)).collect::<Result<_, _>>()?;
    Ok(below.concat())
}

/// Copies what is in a folder into another.
pub(crate) fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    create(to)?;
    for entry in fs::read_dir(from).map_err(failed(from))?.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy_all(&from, &to)? } else { copy(&from, &to)? }
    }
    Ok(())
}

/// Copies one file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

/// Reads a text.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(failed(file))
}

/// Writes a file.
pub(crate) fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    fs::write(file, content).map_err(failed(file))
}

fn failed(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
