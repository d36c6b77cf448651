//! The harness with a real session file: what is chosen, queued, interrupted and aborted.

mod aborts;
mod queues;
mod restore;
mod resumed;
mod settings;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use seam_harness::Event;
use seam_tests::bed::wait;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A place for a session file.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    (folder, file)
}

/// A turn of the model: a call of `bash`.
fn bash(id: &str, command: &str) -> Value {
    json!({ "content": [{ "toolCall": { "id": id, "name": "bash", "args": { "command": command } } }] })
}

/// Waits until something was told.
async fn until(events: &Arc<Mutex<Vec<Event>>>, is_it: impl Fn(&Event) -> bool) {
    while !events.lock().unwrap().iter().any(&is_it) {
        wait(5).await;
    }
}

/// Waits until the observers of a seam could have seen it `count` times.
async fn until_seam(events: &Arc<Mutex<Vec<Event>>>, seam: &str, count: usize) {
    while events.lock().unwrap().iter().filter(|event| event.seam() == Some(seam)).count() < count {
        wait(5).await;
    }
}
