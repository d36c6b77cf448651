//! The room that all instances share: nobody takes so much of it that others are not started.

use std::sync::Arc;

use seam_plugins::PluginEngine;
use seam_tests::bed::{Bed, Session, text};
use seam_tests::files;
use seam_tests::hostile::wat;
use serde_json::json;
use tempfile::TempDir;

/// A process has room for 500 memories. Here nobody else takes of it.
fn room() -> &'static PluginEngine {
    Box::leak(Box::new(PluginEngine::new(Some(files::root().join("target/test-cache"))).unwrap()))
}

/// A bed with so many plugins that have 14 memories each.
fn bed(greedy: usize, engine: &'static PluginEngine) -> Bed {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("guest.wasm");
    std::fs::write(&file, wat::with_many_memories()).unwrap();
    let bed = Bed::new().engine(engine);
    let name = |number: usize| format!("greedy-{number}");
    let add = |bed: Bed, number| bed.plugin(&name(number), &file, json!({})).time_limit(&name(number), 10_000);
    (0..greedy).fold(bed, add)
}

async fn calls(session: &Arc<Session>, at_once: usize) -> Vec<String> {
    let call = |_| {
        let session = Arc::clone(session);
        tokio::spawn(async move { text(&session.echo("x").await) })
    };
    let mut told = Vec::new();
    for call in (0..at_once).map(call).collect::<Vec<_>>() {
        told.push(call.await.unwrap());
    }
    told
}

/// With 8 instances each they would take 560, and nothing would be left for the last one, which means no harm.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_with_many_memories_leave_some_to_the_others() {
    let session = Arc::new(bed(5, room()).stress("quiet", json!({})).start().await);
    for _ in 0..2 {
        assert_eq!(calls(&session, 16).await, ["x"; 16]);
    }
}

/// Sessions that rest hold 560 between them, if they may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_rests_makes_room_for_what_is_asked() {
    let room = room();
    let mut sessions = Vec::new();
    for _ in 0..40 {
        let session = Arc::new(bed(1, room).start().await);
        assert_eq!(calls(&session, 1).await, ["x"]);
        sessions.push(session);
    }
    for session in &sessions {
        assert_eq!(calls(session, 1).await, ["x"]);
    }
}
