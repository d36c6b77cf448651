//! The observer seams: each sees exactly what happened, in order, and none can change a run or slow it down.

use seam_harness::SessionEvent;
use seam_tests::bed::Bed;
use seam_tests::notes;
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};

mod calls;
mod harmless;
mod lag;
mod order;
mod run;
mod session;

/// The plugin of a test that watches at one seam.
fn name(seam: &str) -> String {
    format!("sees-{seam}")
}

/// A bed with a plugin that notes what it sees at one seam, and has these settings besides.
fn watching(seam: &str, settings: Value) -> Bed {
    let mut settings = settings;
    settings["observe"] = json!("quiet");
    settings["observe-at"] = json!({ seam: "note" });
    Bed::new().everything(&name(seam), settings)
}

/// What it saw, up to the end of the conversation.
async fn seen(seam: &str, talk: Talk) -> Vec<String> {
    talk.close().await;
    let notes = notes::take(&name(seam));
    let session = notes.first().and_then(|note| note.split(' ').nth(1)).expect("it saw something").to_owned();
    fields(seam, &session, &notes)
}

/// What it sees of an event that no run tells yet.
async fn shown(seam: &str, event: SessionEvent) -> Vec<String> {
    let session = watching(seam, json!({})).start().await;
    let bus = session.dispatcher.bus();
    let [(_, observer)] = &bus.observers[..] else { panic!("one plugin watches") };
    observer.observe(&event.into(), &bus.conversation.moment()).await.unwrap();
    fields(seam, bus.conversation.session(), &notes::take(&name(seam)))
}

/// The fields in notes of a seam, but for the session's id, which comes first in all.
fn fields(seam: &str, session: &str, notes: &[String]) -> Vec<String> {
    let start = format!("{seam}: {session}");
    let fields = |note: &String| note.strip_prefix(&start).unwrap_or_else(|| panic!("{note}")).trim_start().to_owned();
    notes.iter().map(fields).collect()
}

/// A response that calls a tool.
fn calls(id: &str, tool: &str, arguments: Value) -> Value {
    json!({ "content": [{ "toolCall": { "id": id, "name": tool, "args": arguments } }] })
}
