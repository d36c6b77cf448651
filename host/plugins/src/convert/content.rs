//! Content, usage and JSON that goes with them.

use seam_harness::Failure;
use seam_loop::{Content, Usage};

use crate::bindings::seam::harness::types as wit;

/// How much text an event holds. The rest is read through an import.
pub(crate) const EVENT_TEXT: usize = 64 << 10;

/// The longest type of a picture, in bytes.
const TYPE: usize = 128;

/// The content, its text cut to [`EVENT_TEXT`] in all, and whether it was cut.
pub(crate) fn cut(content: &[Content]) -> (Vec<wit::ContentParam<'_>>, bool) {
    let mut room = EVENT_TEXT;
    let mut truncated = false;
    let mut shown = Vec::with_capacity(content.len());
    for piece in content {
        match piece {
            Content::Text { text } => {
                let end = text.floor_char_boundary(room);
                room -= end;
                truncated |= end < text.len();
                if end > 0 || text.is_empty() {
                    shown.push(wit::ContentParam::Text(text.get(..end).unwrap_or_default()));
                }
            }
            Content::Image { data, mime_type } => {
                shown.push(wit::ContentParam::Image(wit::ImageParam { mime_type, data }));
            }
        }
    }
    (shown, truncated)
}

/// Pictures.
pub(crate) fn images(content: &[Content]) -> Vec<wit::ImageParam<'_>> {
    let images = content.iter().filter_map(|piece| match piece {
        Content::Image { data, mime_type } => Some(wit::ImageParam { mime_type, data }),
        Content::Text { .. } => None,
    });
    images.collect()
}

/// How many bytes it is.
pub(crate) fn size(content: &[Content]) -> usize {
    let sizes = content.iter().map(|piece| match piece {
        Content::Text { text } => text.len(),
        Content::Image { data, .. } => data.len(),
    });
    sizes.sum()
}

pub(crate) fn usage(usage: Usage) -> wit::Usage {
    let Usage { input, output, cache_read, cache_write, cost } = usage;
    wit::Usage { input, output, cache_read, cache_write, cost }
}

/// What a guest says that something cost.
pub(crate) fn from_usage(usage: wit::Usage) -> Result<Usage, Failure> {
    let wit::Usage { input, output, cache_read, cache_write, cost } = usage;
    if !cost.is_finite() || cost < 0.0 {
        return Err(Failure::InvalidAnswer("the cost is not an amount of money".to_owned()));
    }
    Ok(Usage { input, output, cache_read, cache_write, cost })
}

pub(crate) fn from_content(content: Vec<wit::ContentResult>) -> Result<Vec<Content>, Failure> {
    let pieces = content.into_iter().map(|piece| match piece {
        wit::ContentResult::Text(text) => Ok(Content::Text { text }),
        wit::ContentResult::Image(image) => from_image(image),
    });
    pieces.collect()
}

pub(crate) fn from_image(image: wit::ImageResult) -> Result<Content, Failure> {
    let wit::ImageResult { data, mime_type } = image;
    if !is_type(&mime_type) {
        return Err(Failure::InvalidAnswer("the type of a picture is not one".to_owned()));
    }
    Ok(Content::Image { data, mime_type })
}

/// Whether it looks like `image/png`.
fn is_type(mime_type: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic() && c != '/');
    mime_type.len() <= TYPE && mime_type.split_once('/').is_some_and(|(kind, rest)| is_part(kind) && is_part(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_picture_looks_like_one() {
        for good in ["image/png", "image/svg+xml", "x/y"] {
            assert!(is_type(good), "{good}");
        }
        let long = format!("image/{}", "x".repeat(TYPE));
        for bad in ["", "png", "/png", "image/", "a/b/c", "image/p ng", "image/png\n", "image/ä", &long] {
            assert!(!is_type(bad), "{bad}");
        }
    }
}
