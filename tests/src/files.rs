//! Where things are.

use std::path::{Path, PathBuf};

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the project").to_owned()
}

/// An example plugin, built.
pub fn example(name: &str) -> PathBuf {
    built("plugins", name)
}

/// The plugin that misbehaves, built.
pub fn stress() -> PathBuf {
    built("test-guests", "stress")
}

/// The plugin that asks WASI for everything, built.
pub fn wasi() -> PathBuf {
    built("test-guests", "wasi")
}

/// A guest that only the tests use, built.
pub fn guest(name: &str) -> PathBuf {
    built("test-guests", name)
}

fn built(folder: &str, name: &str) -> PathBuf {
    let file = root().join("target").join(folder).join(format!("{name}.wasm"));
    assert!(file.is_file(), "{} is not there; `cargo xtask test` builds it", file.display());
    file
}
