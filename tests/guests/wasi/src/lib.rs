//! A gate that asks WASI for all it might give, and says what it got. For the host's tests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use seam::{ToolCall, ToolCallGate, Verdict};

#[derive(Default)]
struct Wasi;

impl ToolCallGate for Wasi {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        if call.arguments.contains("sleep") {
            std::thread::sleep(Duration::from_secs(3600));
        }
        println!("said to nobody");
        let variables = std::env::vars().count();
        let arguments = std::env::args().count();
        let file = std::fs::read("/etc/hosts").is_ok() || std::fs::write("f", "x").is_ok();
        let network = std::net::TcpStream::connect("127.0.0.1:80").is_ok();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs());
        Verdict::block(format!("{variables} {arguments} {file} {network} {since:?}"))
    }
}

seam::plugin!(Wasi: tool_call);
