//! `seam session export --html`: a session and its journal as one page that needs nothing else, with scripts or without.
//!
//! All that comes from the two files is hostile: it goes through [`html`] alone, which escapes it. The page shows what
//! the session file has, and of the journal who decided what, when, and how long it took.

mod branches;
mod calls;
mod content;
mod conversation;
mod decisions;
mod html;
mod outline;
mod page;
mod timeline;
mod trail;
mod verdict;
pub(crate) mod words;

use std::io::Write;

use anyhow::{Context as _, Result};
use seam_session::Session;

use crate::export::html::Html;
use crate::export::outline::Outline;
use crate::export::trail::Trail;

/// Of a conversation of more messages, a browser lays out only what is in sight.
const LONG: usize = 300;

/// Writes the page. The branch is read twice, and never in memory as a whole.
pub(crate) fn write(session: &Session, out: &mut dyn Write) -> Result<()> {
    let mut trail = Trail::of(session.path());
    let outline = Outline::of(session, &mut trail)?;
    let mut html = Html::new(out);
    page::begin(&mut html, session, &outline);
    page::heading(&mut html, session, &outline, &trail);
    timeline::write(&mut html, &trail);
    html.raw("<main id=\"conversation\"").raw(if outline.messages > LONG { " class=\"long\"" } else { "" });
    html.raw("><h2>Conversation</h2>");
    conversation::write(&mut html, session, &trail, &outline)?;
    html.raw("</main>");
    branches::write(&mut html, session)?;
    page::end(&mut html);
    html.end().context("the page cannot be written")
}
