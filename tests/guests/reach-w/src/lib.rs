//! A gate that does with WASI what the call's text says, and blocks with what came of it. For the host's tests.

mod files;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use seam::{ToolCall, ToolCallGate, Verdict};

#[derive(Default)]
struct Reach;

impl ToolCallGate for Reach {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        // Of `echo`, or of `bash`.
        let text = arguments["text"].as_str().or(arguments["command"].as_str()).unwrap_or_default();
        let said: Vec<String> = text.split("; ").map(obey).collect();
        Verdict::block(said.join("; "))
    }
}

fn obey(order: &str) -> String {
    let words: Vec<&str> = order.split(' ').collect();
    match *words {
        ["env"] => {
            let mut all: Vec<String> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            all.sort();
            all.join(" ")
        }
        ["env", name] => std::env::var(name).unwrap_or_else(|_| "none".to_owned()),
        ["arguments"] => std::env::args().count().to_string(),
        ["now"] => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).to_string(),
        ["passes", ms] => {
            let began = Instant::now();
            std::thread::sleep(Duration::from_millis(ms.parse().unwrap_or_default()));
            began.elapsed().as_millis().to_string()
        }
        ["random"] => {
            let map = std::collections::HashMap::<u8, u8>::new();
            format!("{:x}", std::hash::BuildHasher::hash_one(map.hasher(), 1_u8))
        }
        ["nothing"] => "nothing".to_owned(),
        _ => files::obey(&words),
    }
}

seam::plugin!(Reach: tool_call);
