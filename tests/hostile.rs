//! No guest can harm the host: plugins built to do it, each with what holds against it. [`seam_tests::hostile`] lists
//! them all; here is a test for each, and one for all of them at once.

mod afterwards;
mod answers;
mod edits;
mod floods;
mod handles;
mod memory;
mod paths;
mod reentry;
mod room;
mod table;
mod time;
mod together;
mod types;
mod wasi;

use seam_tests::bed::{Bed, Session, text};
use seam_tests::hostile::{Deed, deed};
use serde_json::{Value, json};

/// Lets it happen, and asserts that it ends as the list of them says.
async fn assert_ends(deed: &Deed) {
    let told = deed.happen().await;
    assert!(told.contains(deed.ends), "{}: {told:.1000}", deed.name);
}

/// The same for some, by their names.
async fn assert_all_end(names: &[&str]) {
    for name in names {
        assert_ends(&deed(name)).await;
    }
}

/// A session with a plugin whose gate does this.
async fn gate(deed: Value) -> Session {
    Bed::new().stress("s", json!({ "gate": deed })).start().await
}

/// Asserts that a call is refused with this failure, and that its effect did not happen.
async fn refused(session: &Session, failure: &str) {
    let settled = session.call("bash", json!({ "command": "touch MARK" })).await;
    assert!(text(&settled).contains(failure), "{}", text(&settled));
    assert!(!session.workspace.join("MARK").exists());
}
