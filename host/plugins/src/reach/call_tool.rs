//! `call-tool`: calls of the session's tools, as every call. A plugin in the shadow makes none.

use seam_harness::reach::call_tool::NotCalled;
use seam_loop::{Content, ToolOutput};
use serde_json::{Map, Value};
use wasmtime::Result;

use crate::bindings::seam::harness::call_tool::{Failure, Host, Output};
use crate::bindings::seam::harness::types::{ContentResult, ImageResult};
use crate::state::{GivenUp, State};
use crate::texts::start;

/// The most of a result that a plugin is given, in bytes.
pub(super) const LONGEST: usize = 1 << 20;

/// Why nothing is done for a plugin in the shadow.
pub(super) const SHADOW: &str = "this plugin is in the shadow: it changes nothing, and so it calls nothing";

const CALL: &str = "call-tool.call";

impl Host for State {
    async fn call(&mut self, tool: String, arguments: String) -> Result<Result<Output, Failure>> {
        let reach = self.reach("it called a tool outside a session")?;
        let (plugin, most, led) = (self.shared.name.clone(), self.shared.limits.nested(), self.led());
        let (granted, shadow) = (self.shared.grants.tools.contains(&tool), self.shared.shadow);
        let asked = (tool.clone(), arguments.clone());
        let call = async move {
            if !granted {
                return Err(Failure::NotRun(format!("`{tool}` is not among the tools that this plugin may call")));
            }
            if shadow {
                return Err(Failure::NotRun(SHADOW.to_owned()));
            }
            let arguments = object(&arguments).map_err(Failure::NotRun)?;
            let made = reach.call_tool(&plugin, &tool, arguments.into(), &led).await;
            made.map(output).map_err(failure)
        };
        let given_up = |why: GivenUp| Err(Failure::Failed(why.to_string()));
        self.waited(CALL, &asked, most, call, given_up).await
    }
}

fn object(arguments: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("the arguments are not a JSON object".to_owned()),
        Err(error) => Err(format!("the arguments are not JSON ({error})")),
    }
}

/// The result as far as there is room for it: texts are cut, and what does not fit is left out, with a word about it.
fn output(output: ToolOutput) -> Output {
    let mut room = Room { left: LONGEST, over: 0 };
    let mut content: Vec<ContentResult> = output.content.into_iter().filter_map(|piece| room.piece(piece)).collect();
    let structured = output.structured_content.map(|content| Value::Object(content).to_string());
    let structured_content = structured.filter(|text| room.takes(text.len()));
    let details = output.details.map(|details| details.to_string()).filter(|text| room.takes(text.len()));
    if room.over > 0 {
        let note =
            format!("[{} bytes of this result do not fit in {} MiB and were left out]", room.over, LONGEST >> 20);
        content.push(ContentResult::Text(note));
    }
    Output { content, details, structured_content }
}

/// How many bytes there is room for, and for how many there was none.
struct Room {
    left: usize,
    over: usize,
}

impl Room {
    /// Takes all of so many bytes, or none.
    fn takes(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => self.over += bytes,
        }
        self.over == 0
    }

    fn piece(&mut self, piece: Content) -> Option<ContentResult> {
        match piece {
            Content::Text { mut text } => {
                let all = text.len();
                text.truncate(text.floor_char_boundary(self.left));
                self.left -= text.len();
                self.over += all - text.len();
                (all == 0 || !text.is_empty()).then_some(ContentResult::Text(text))
            }
            Content::Image { data, mime_type } => {
                self.takes(data.len()).then_some(ContentResult::Image(ImageResult { mime_type, data }))
            }
        }
    }
}

fn failure(not: NotCalled) -> Failure {
    match not {
        NotCalled::NotRun(why) => Failure::NotRun(start(why, LONGEST)),
        NotCalled::Failed(why) => Failure::Failed(start(why, LONGEST)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plugin_is_given_is_bounded_and_says_so() {
        let picture = Content::Image { data: vec![0; 3], mime_type: "image/png".to_owned() };
        let whole = ToolOutput { content: vec![Content::text("a"), picture.clone()], ..ToolOutput::default() };
        let given = output(whole);
        assert!(matches!(&given.content[..], [ContentResult::Text(text), ContentResult::Image(_)] if text == "a"));
        let long = Content::text("x".repeat(LONGEST - 1) + "€");
        let details = Some(serde_json::json!({ "a": 1 }));
        let given = output(ToolOutput { content: vec![long, picture], details, ..ToolOutput::default() });
        let [ContentResult::Text(text), ContentResult::Text(note)] = &given.content[..] else { panic!("{given:?}") };
        assert_eq!((text.len(), given.details), (LONGEST - 1, None));
        assert_eq!(note, "[13 bytes of this result do not fit in 1 MiB and were left out]");
    }

    #[test]
    fn arguments_are_an_object() {
        assert!(object(r#"{"a":1}"#).is_ok());
        assert_eq!(object("[]").unwrap_err(), "the arguments are not a JSON object");
        assert!(object("{").unwrap_err().starts_with("the arguments are not JSON (EOF"));
    }
}
