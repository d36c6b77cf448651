//! Which pictures models take, told by their first bytes.

/// How many first bytes are looked at.
pub(super) const SNIFF: u64 = 16;

/// The largest picture, in bytes: 5 MB when it is written as base64, the smallest limit among providers.
pub(super) const MAX: u64 = 3_750_000;

/// The media type, if the bytes start a picture.
pub(super) fn media_type(start: &[u8]) -> Option<&'static str> {
    let is_webp = start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP");
    match start {
        _ if start.starts_with(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
        _ if start.starts_with(b"\xff\xd8\xff") => Some("image/jpeg"),
        _ if start.starts_with(b"GIF87a") || start.starts_with(b"GIF89a") => Some("image/gif"),
        _ => is_webp.then_some("image/webp"),
    }
}
