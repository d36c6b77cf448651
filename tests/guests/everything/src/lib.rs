//! A plugin of all 43 seams that does at each what its settings say, and nothing where they say nothing. For the host's
//! tests.
//!
//! The settings hold a deed under a seam's name: `{"input": {"do": "replace", "text": "{} + a"}}`. In `text`,
//! `system-prompt` and the texts of commands, `{}` is what was there before. At every seam that decides:
//!
//! - `do` may be `trap`, `loop`, or `busy` with `millions`: counts so far, then does the rest.
//! - `turn`, `tool`, `partial` and `provider` bind a deed to what the event says, where it says it.
//!
//! | seam | `do` | other fields |
//! |---|---|---|
//! | `input` | `replace`, `handled` | `text` |
//! | `before-agent-start` | | `message` (and `kind`), `system-prompt` |
//! | `prepare-request` | | `drop`, `replace`, `insert`, `model` (`PROVIDER/ID`), `thinking-level`, `scope` (`run`) |
//! | `transform-context` | | `drop` (`[[0, 2]]`), `replace` and `insert` (`[[1, "text"]]`, as said by the user) |
//! | `convert-to-llm` | `omit`, `content` | `text` |
//! | `get-api-key` | `key` | `text` |
//! | `before-provider-request` | | `delete-header`, `set-header`, `delete-option`, `set-option`: names, or pairs |
//! | `before-provider-payload` | `replace`, `patch` | `text` |
//! | `rewrite-tool-call` | `arguments`, `set` | `text`; `argument`: which one to set, else `text` |
//! | `tool-call` | `block`, `ask` | `text`, `terminate` |
//! | `tool-result` | `withhold` | `text` |
//! | `tool-result` | `change` | `text`, `details`, `clear-details`, `is-error`, `usage` (`[input, output]`), `terminate` |
//! | `tool-result` | `change` | `structured-content`, `clear-structured-content` |
//! | `finish-turn` | `end`, `continue` | |
//! | `prepare-next-turn` | | `message` (and `kind`), `model`, `thinking-level` |
//! | `session-before-switch`, `-fork` | `cancel` | `text` |
//! | `session-before-compact` | `cancel`, `summary` | `text`, `details` |
//! | `session-before-tree` | `cancel` | `text` |
//! | `session-before-tree` | `change` | `summary`, `instructions`, `label` |
//! | `resources-discover` | | `skills`, `prompt-templates`: `[["name", "what for", "text"]]` |
//!
//! Other settings:
//!
//! - `tools`: `[{"name": "shout", "do": "shout"}]`. The argument of a tool is `text`. `shout` gives it in capitals,
//!   `fail` fails with it, `updates` sends it 3 times (`updates`: as often; `millions`: counts so far before each) with
//!   a number and then gives `TEXT done`, `until-cancelled` sends it until told to stop, `cancelled` says that it was;
//!   `trap`, `loop`. With `sequential`, `terminate`, `details`, `structured-content`, `parameters`, `description`.
//! - `list-tools`, `list-commands`: a deed for the time of listing: `trap`, `loop` or `busy`.
//! - `commands`: `[{"name": "hello", "do": "reply", "text": "hello {}"}]`: `reply`, `prompt`, `fail`, `trap`, `loop`. With
//!   `description`.
//! - `observe`: what every observer does: `note` (the default), `quiet`, `trap`, `loop`, `{"busy": MILLIONS}`. A note
//!   is `SEAM: FIELDS`; see `fields.rs`. `observe-at` says it for single ones: `{"turn-end": "trap"}`.
//! - `tell`: seams that decide or provide and that write their event as a note first: `SEAM: EVENT`, as Rust's `Debug`.
//! - `sees`: seams of any kind that write the conversation as a note first: `SEAM sees: user "hi" | tool read "text"`.

use std::collections::BTreeMap;
use std::fmt::Debug;

use seam::{Message, conversation, log};
use serde::Deserialize;

mod before;
mod calls;
mod deed;
mod fields;
mod observe;
mod observing;
mod provide;
mod session;

use deed::{Deed, Facts};
use observing::Observing;

#[derive(Deserialize)]
struct Everything {
    #[serde(default)]
    tools: Vec<provide::Tool>,
    #[serde(default)]
    commands: Vec<provide::Told>,
    #[serde(default)]
    observe: Observing,
    #[serde(default, rename = "observe-at")]
    observe_at: BTreeMap<String, Observing>,
    #[serde(default)]
    tell: Vec<String>,
    #[serde(default)]
    sees: Vec<String>,
    #[serde(flatten)]
    deeds: BTreeMap<String, Deed>,
}

impl Everything {
    /// What is left to do at a seam, once what every seam can do is done.
    fn deed(&self, seam: &str, event: &dyn Debug, facts: Facts<'_>) -> Option<&Deed> {
        if self.tell.iter().any(|told| told == seam) {
            log::info(&format!("{seam}: {event:?}"));
        }
        self.say_what_it_sees(seam);
        let deed = self.deeds.get(seam).filter(|deed| deed.applies(&facts))?;
        deed.act(seam);
        Some(deed)
    }

    fn observing(&self, seam: &str) -> Observing {
        self.say_what_it_sees(seam);
        self.observe_at.get(seam).copied().unwrap_or(self.observe)
    }

    fn say_what_it_sees(&self, seam: &str) {
        if self.sees.iter().any(|sees| sees == seam) {
            let messages: Vec<_> = conversation::messages().map(|message| short(&message)).collect();
            log::info(&format!("{seam} sees: {}", messages.join(" | ")));
        }
    }
}

fn short(message: &Message) -> String {
    let who = match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::Tool(message) => &format!("tool {}", message.tool),
        Message::Custom(message) => &format!("custom {}", message.kind),
    };
    format!("{who} {:?}", message.text())
}

seam::plugin!(
    Everything from config:
    abort, after_provider_response, agent_end, agent_start, before_agent_start, before_provider_payload,
    before_provider_request, commands, convert_to_llm, finish_turn, get_api_key, input, message_end, message_start,
    message_update, model_select, prepare_next_turn, prepare_request, queue_update, resources_discover,
    resources_update, rewrite_tool_call, save_point, session_before_compact, session_before_fork,
    session_before_switch, session_before_tree, session_compact, session_shutdown, session_start, session_tree, settled,
    thinking_level_select, tool_call, tool_execution_end, tool_execution_start, tool_execution_update, tool_result,
    tools, tools_update, transform_context, turn_end, turn_start,
);
