//! A page as the result says it.

use seam_loop::tool::{ToolError, ToolOutput};

use super::page::Page;
use crate::limits::MAX_BYTES;

/// The page that starts at line `first` of the file at `path`.
pub(super) fn show(path: &str, page: Page, first: u64) -> Result<ToolOutput, ToolError> {
    if page.total == 0 && first == 1 {
        return Ok(ToolOutput::text(format!("`{path}` is empty.")));
    }
    if first > page.total {
        return Err(ToolError::Failed(beyond(path, &page, first)));
    }
    let note = note(&page, first);
    let Ok(mut text) = String::from_utf8(page.bytes) else {
        let text = format!(
            "`{path}` is not UTF-8 text, so `read` cannot show it. Look at it with `bash`, such as `file` or `xxd`."
        );
        return Err(ToolError::Failed(text));
    };
    if let Some(note) = note {
        text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        text.push_str(&format!("[{note}]"));
    }
    Ok(ToolOutput::text(text))
}

fn beyond(path: &str, page: &Page, first: u64) -> String {
    let total = page.total;
    if page.is_whole {
        return format!("Offset {first} is beyond the end of `{path}`, which has {total} lines.");
    }
    format!("Line {first} of `{path}` was not reached in time; the search got to line {total}. Look at it with `bash`.")
}

/// What is not shown, and how to go on.
fn note(page: &Page, first: u64) -> Option<String> {
    let (last, next) = (page.last, page.last + 1);
    let go_on = if last < page.total { format!(" Use offset={next} to continue.") } else { String::new() };
    if page.is_cut {
        let end = if page.is_whole || last < page.total { "" } else { " Its end was not reached." };
        return Some(format!(
            "Line {first} is longer than {} KiB; only its start is shown.{end}{go_on}",
            MAX_BYTES / 1024
        ));
    }
    (last < page.total).then(|| format!("Showing lines {first}-{last} of {}.{go_on}", total(page)))
}

/// How many lines there are. The last one that was met need not be whole.
fn total(page: &Page) -> String {
    if page.is_whole { page.total.to_string() } else { format!("more than {}", page.total - 1) }
}
