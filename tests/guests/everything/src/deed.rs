//! One entry of the settings: what to do at a seam, and when.

use seam::{Edit, Message, Model, NewMessage, ThinkingLevel};
use serde::Deserialize;

use crate::observing::{count, forever};

/// What to do at a seam. Which fields count is said in the crate's head.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Deed {
    #[serde(rename = "do")]
    pub(crate) what: String,
    pub(crate) millions: u64,
    // When.
    turn: Option<u32>,
    tool: Option<String>,
    partial: Option<bool>,
    provider: Option<String>,
    // What.
    pub(crate) text: String,
    pub(crate) message: Option<String>,
    pub(crate) kind: Option<String>,
    pub(crate) system_prompt: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) thinking_level: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) drop: Vec<(u32, u32)>,
    pub(crate) replace: Vec<(u32, String)>,
    pub(crate) insert: Vec<(u32, String)>,
    pub(crate) delete_header: Vec<String>,
    pub(crate) set_header: Vec<(String, String)>,
    pub(crate) delete_option: Vec<String>,
    pub(crate) set_option: Vec<(String, serde_json::Value)>,
    pub(crate) argument: Option<String>,
    pub(crate) terminate: bool,
    pub(crate) details: Option<serde_json::Value>,
    pub(crate) clear_details: bool,
    pub(crate) structured_content: Option<serde_json::Value>,
    pub(crate) clear_structured_content: bool,
    pub(crate) is_error: Option<bool>,
    pub(crate) usage: Option<(u32, u32)>,
    pub(crate) summary: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) skills: Vec<(String, String, String)>,
    pub(crate) prompt_templates: Vec<(String, String, String)>,
}

/// What is known at a seam that a deed may be bound to.
#[derive(Default)]
pub(crate) struct Facts<'a> {
    pub(crate) turn: Option<u32>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) partial: Option<bool>,
    pub(crate) provider: Option<&'a str>,
}

impl Deed {
    /// Whether it is to be done here.
    pub(crate) fn applies(&self, facts: &Facts<'_>) -> bool {
        self.turn.is_none_or(|turn| facts.turn == Some(turn))
            && self.tool.as_ref().is_none_or(|tool| facts.tool == Some(tool))
            && self.partial.is_none_or(|partial| facts.partial == Some(partial))
            && self.provider.as_ref().is_none_or(|provider| facts.provider == Some(provider))
    }

    /// Does what does not depend on the seam.
    pub(crate) fn act(&self, seam: &str) {
        match self.what.as_str() {
            "trap" => panic!("`{seam}` was told to trap"),
            "loop" => forever(),
            "busy" => count(self.millions),
            _ => (),
        }
    }

    /// `do` is none of the seam's own: nothing, unless it is a mistake in the test.
    pub(crate) fn nothing<T>(&self, nothing: T) -> T {
        match self.what.as_str() {
            "" | "busy" => nothing,
            other => panic!("the settings: `do` cannot be `{other}` here"),
        }
    }

    /// `text`, with what was there before in the place of `{}`.
    pub(crate) fn text(&self, before: &str) -> String {
        self.text.replace("{}", before)
    }

    pub(crate) fn model(&self) -> Option<Model> {
        let (provider, id) = self.model.as_ref()?.split_once('/').expect("a model is PROVIDER/ID");
        Some(Model::new(provider, id))
    }

    pub(crate) fn thinking_level(&self) -> Option<ThinkingLevel> {
        Some(match self.thinking_level.as_deref()? {
            "off" => ThinkingLevel::Off,
            "minimal" => ThinkingLevel::Minimal,
            "low" => ThinkingLevel::Low,
            "medium" => ThinkingLevel::Medium,
            "high" => ThinkingLevel::High,
            "xhigh" => ThinkingLevel::Xhigh,
            "max" => ThinkingLevel::Max,
            other => panic!("the settings: no thinking level `{other}`"),
        })
    }

    /// The message to add, of the kind `kind` or `note`.
    pub(crate) fn message(&self) -> Option<NewMessage> {
        let text = self.message.as_deref()?;
        Some(NewMessage::shown(self.kind.as_deref().unwrap_or("note"), text))
    }

    /// The edits as they stand there, also those that the host must refuse.
    pub(crate) fn edits(&self) -> Vec<Edit> {
        let drops = self.drop.iter().map(|&(start, end)| Edit::drop(start..end));
        let replaced = self.replace.iter().map(|(at, text)| Edit::replace(*at, Message::user(text)));
        let inserted = self.insert.iter().map(|(at, text)| Edit::insert(*at, Message::user(text)));
        drops.chain(replaced).chain(inserted).collect()
    }
}
