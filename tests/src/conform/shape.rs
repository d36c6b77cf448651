//! How results look in a recording: with the keys that were given, which the loop's own type does not tell from those
//! that were not.

use std::collections::HashMap;
use std::sync::Mutex;

use seam_loop::ToolOutput;
use serde_json::{Value, json};

use super::json::put;
use super::render;

/// The keys a tool or a hook gave a result.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    no_content: bool,
    is_error: Option<bool>,
    terminate: bool,
}

/// The shapes of results, by the tool and the id of the call. A result that is not here came from the host.
#[derive(Default)]
pub(super) struct Shapes(Mutex<HashMap<(String, String), Shape>>);

impl Shapes {
    /// A tool returned these keys.
    pub(super) fn returned(&self, tool: &str, id: &str, keys: &Value) {
        let shape = Shape {
            no_content: keys.get("content").is_none(),
            is_error: keys["isError"].as_bool(),
            terminate: keys.get("terminate").is_some(),
        };
        self.0.lock().unwrap().insert((tool.to_owned(), id.to_owned()), shape);
    }

    /// A hook replaced these keys.
    pub(super) fn replaced(&self, tool: &str, id: &str, keys: &Value) {
        let mut shapes = self.0.lock().unwrap();
        let shape = shapes.entry((tool.to_owned(), id.to_owned())).or_default();
        shape.no_content &= keys.get("content").is_none();
        shape.terminate |= keys.get("terminate").is_some();
    }

    /// Nothing is known of the result: the call begins, or the host puts one in its place.
    pub(super) fn forget(&self, tool: &str, id: &str) {
        self.0.lock().unwrap().remove(&(tool.to_owned(), id.to_owned()));
    }

    /// A result of a recording.
    pub(super) fn render(&self, tool: &str, id: &str, output: &ToolOutput) -> Value {
        let shapes = self.0.lock().unwrap();
        let shape = shapes.get(&(tool.to_owned(), id.to_owned())).copied().unwrap_or_default();
        let mut out = json!({});
        put(&mut out, "content", (!shape.no_content).then(|| render::contents(&output.content)));
        put(&mut out, "details", output.details.clone());
        put(&mut out, "isError", shape.is_error);
        put(&mut out, "terminate", (shape.terminate || output.terminate).then_some(output.terminate));
        put(&mut out, "usage", output.usage.as_ref().and_then(render::usage));
        out
    }
}
