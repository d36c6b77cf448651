//! What is said in the sessions that are measured, and files of it.

use std::path::{Path, PathBuf};

use seam_session::{Durability, NewEntry, NewSession, SessionLog};
use serde_json::{Value, json};

/// The text of a message: some hundred bytes.
const SAID: &str = "A sentence or two of ordinary length, as people, models and tools write them to each other, again and \
                    again. ";

/// A message, by its place in the conversation: a prompt, then calls and results in turns. `length` of text in each.
pub(crate) fn message(place: usize, length: usize) -> Value {
    let text = json!({ "type": "text", "text": SAID.repeat(length.div_ceil(SAID.len())) });
    let call = format!("call-{}", place.div_ceil(2));
    let usage = json!({ "input": 1000, "output": 200, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1200,
        "cost": { "input": 0.001, "output": 0.002, "cacheRead": 0, "cacheWrite": 0, "total": 0.003 } });
    match place % 40 {
        0 => json!({ "role": "user", "content": [text], "timestamp": 1 }),
        at if at % 2 == 1 => json!({
            "role": "assistant", "api": "a", "provider": "p", "model": "m", "usage": usage, "stopReason": "toolUse",
            "timestamp": 1,
            "content": [text, { "type": "toolCall", "id": call, "name": "bash", "arguments": { "command": "ls -l" } }]
        }),
        _ => json!({
            "role": "toolResult", "toolCallId": call, "toolName": "bash", "content": [text], "isError": false,
            "timestamp": 1
        }),
    }
}

/// A session of so many entries, of the workspace `work` in that folder.
pub(crate) fn session(folder: &Path, entries: usize, length: usize) -> PathBuf {
    let path = folder.join(format!("{entries}-{length}.jsonl"));
    if path.exists() {
        return path;
    }
    let mut log =
        SessionLog::create(&path, NewSession::new(folder.join("work").to_string_lossy()), Durability::Never).unwrap();
    for place in 0..entries {
        log.append(NewEntry::Message(message(place, length))).unwrap();
    }
    path
}
