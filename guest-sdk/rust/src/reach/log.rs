//! Notes for the user: the import `log`. Always granted; bounded in size and number.

#[cfg(target_family = "wasm")]
use crate::bindings::reach::seam::harness::log::write;
#[cfg(not(target_family = "wasm"))]
use crate::testing::note as write;

pub use crate::bindings::reach::seam::harness::log::Level;

/// Something went wrong.
pub fn error(message: &str) {
    write(Level::Error, message);
}

/// Something looks wrong.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Something to know.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Something for the plugin's author.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}
