//! A gate that sends what the call's text says, and blocks with what came back. For the host's tests.

mod http;

use seam::{ToolCall, ToolCallGate, Verdict};

#[derive(Default)]
struct Reach {
    kept: Option<http::Kept>,
}

impl ToolCallGate for Reach {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        // Of `echo`, or of `bash`.
        let text = arguments["text"].as_str().or(arguments["command"].as_str()).unwrap_or_default();
        let said: Vec<String> = text.split("; ").map(|order| self.obey(order)).collect();
        Verdict::block(said.join("; "))
    }
}

impl Reach {
    fn obey(&mut self, order: &str) -> String {
        let words: Vec<&str> = order.split(' ').collect();
        match *words {
            ["begin", url] => match http::begin("GET", url, &[]) {
                Ok(kept) => {
                    self.kept = Some(kept);
                    "begun".to_owned()
                }
                Err(error) => error,
            },
            ["end"] => self.kept.take().map_or_else(|| "nothing".to_owned(), http::Kept::answer),
            ["half", url] => http::half(url),
            ["spin"] => loop {
                std::hint::spin_loop();
            },
            ["sleep"] => {
                std::thread::sleep(std::time::Duration::from_secs(3600));
                "awake".to_owned()
            }
            [method, url, ref more @ ..] => http::send(method, url, more),
            _ => "nothing".to_owned(),
        }
    }
}

seam::plugin!(Reach: tool_call);
