//! Choices while nothing runs.

use super::*;

pub(crate) fn settings() -> Settings {
    let model = Model { provider: "p".to_owned(), id: "m".to_owned() };
    let chosen = Chosen { model, thinking_level: ThinkingLevel::Off, active_tools: None };
    Settings::new(chosen, ["read", "ls"].map(str::to_owned).to_vec())
}

impl Settings {
    /// How many changes wait to be stored.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().pending.len()
    }
}

/// The words are the reference's.
#[test]
fn tools_that_stand_there_twice_or_that_are_not_there_cannot_be_chosen() {
    let settings = settings();
    for (names, expected) in [
        (&["read", "ls"][..], None),
        (&[], None),
        (&["ls", "read", "ls", "read", "ls"], Some("Duplicate active tool name(s): ls, read")),
        (&["read", "grep", "find"], Some("Unknown tool(s): grep, find")),
        (&["grep", "grep"], Some("Duplicate active tool name(s): grep")),
    ] {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let checked = settings.check(&names).map_err(|error| error.to_string());
        assert_eq!(checked.err().as_deref(), expected);
    }
}
