//! The pieces of JSON text. What is recorded and what a replay answers is written with the same ones, so that equal values
//! are equal texts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A string.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    // Writing to a list of bytes does not fail.
    let _written = serde_json::to_writer(out, text);
}

/// A whole number.
pub(crate) fn whole(out: &mut Vec<u8>, number: impl Into<i64>) {
    let _written = serde_json::to_writer(out, &number.into());
}

/// A number, in as few digits as tell it apart from every other. What is no number is its name.
pub(crate) fn float(out: &mut Vec<u8>, number: f64) {
    if number.is_finite() {
        let _written = serde_json::to_writer(out, &number);
    } else {
        string(out, &number.to_string());
    }
}

/// Bytes, as base64.
pub(crate) fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.push(b'"');
}

/// What [`bytes`] wrote, without its quotation marks.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
