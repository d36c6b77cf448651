//! This plugin's own settings: the import `config`. Always granted.

use serde::de::DeserializeOwned;

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::config::get;
#[cfg(not(target_family = "wasm"))]
use crate::testing::config as get;

/// The settings as JSON text of an object; `{}` without any.
pub fn text() -> String {
    get()
}

/// The settings as a `T`. `plugin!(... from config: ...)` calls it once.
///
/// # Panics
///
/// When they are no `T`. A plugin with settings it cannot read decides nothing: the panic traps, and the host refuses.
#[track_caller]
pub fn read<T: DeserializeOwned>() -> T {
    crate::json::read("the settings", &get())
}
