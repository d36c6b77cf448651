//! A gate that writes into every folder it has as soon as it is started, before anybody asks it. For the host's tests.

use seam::{ToolCall, ToolCallGate, Verdict};
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};

/// What it writes.
const LEFT: &str = "left-at-start";

struct Starter;

/// It is made when an instance starts.
impl Default for Starter {
    fn default() -> Self {
        let flags = DescriptorFlags::READ | DescriptorFlags::WRITE;
        for (folder, _) in get_directories() {
            let opened = folder.open_at(PathFlags::empty(), LEFT, OpenFlags::CREATE, flags);
            let _written = opened.and_then(|file| file.write(b"started", 0));
        }
        Self
    }
}

impl ToolCallGate for Starter {
    fn decide(&mut self, _: &ToolCall) -> Verdict {
        Verdict::Proceed
    }
}

seam::plugin!(Starter: tool_call);
