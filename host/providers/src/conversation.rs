//! A conversation as one model is told it, whichever models had a part in it: ids and names that its service takes, reasoning
//! only of the model itself, a result behind every call, and no text in which nothing stands.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use seam_loop::message::AssistantMessage;
use seam_loop::{AssistantBlock, Content, Message, Model, StopReason};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What stands for a picture that a model cannot see.
const NO_PICTURE: &str = "[A picture, which this model cannot see]";
/// The kinds of pictures that services take. With another one, they refuse all of a conversation.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// What stands for a picture of another kind.
const ODD_PICTURE: &str = "[A picture of a kind that models cannot see]";
/// What stands for a result that is not there.
const NO_RESULT: &str = "There is no result: the call was not made, or what came of it is not known.";
/// What stands for a result in which nothing is.
const NO_OUTPUT: &str = "(no output)";
/// What stands for the name of a tool, if a model gave none.
const NO_NAME: &str = "unnamed";
/// The longest name of a tool, in characters.
const LONGEST_NAME: usize = 64;

/// Who speaks next, and what is said.
#[derive(Debug, PartialEq)]
pub(crate) enum Turn<'a> {
    User(Vec<Piece<'a>>),
    Model(Vec<Said<'a>>),
    /// The results of all calls of the model's turn before it, in the order of the calls.
    Results(Vec<Answered<'a>>),
}

/// A piece of what a user or a tool says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Image { data: &'a [u8], mime_type: &'a str },
}

/// A piece of what the model said.
#[derive(Debug, PartialEq)]
pub(crate) enum Said<'a> {
    Text(&'a str),
    /// Reasoning of this very model.
    Thinking {
        text: &'a str,
        signature: Option<&'a str>,
        redacted: bool,
    },
    /// A call. Its arguments are an object. The signature is this very model's.
    Call {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, Value>,
        signature: Option<&'a str>,
    },
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Answered<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) content: Vec<Piece<'a>>,
    pub(crate) is_error: bool,
}

/// Which ids of calls a service takes, and what is made of others: of a hash in hexadecimal digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ids {
    pub(crate) fits: fn(&str) -> bool,
    pub(crate) made: fn(&str) -> String,
}

impl Ids {
    /// What most services take: up to 40 letters, digits, `-` and `_`.
    pub(crate) const USUAL: Self = Self {
        fits: |id| (1..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)),
        made: |hash| format!("call_{}", hash.get(..24).unwrap_or(hash)),
    };
    /// Exactly nine letters and digits.
    pub(crate) const SHORT: Self = Self {
        fits: |id| id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
        made: |hash| hash.get(..9).unwrap_or(hash).to_owned(),
    };

    /// The id as this service takes it: the same for a call and its result.
    fn of<'a>(&self, id: &'a str) -> Cow<'a, str> {
        if (self.fits)(id) {
            return Cow::Borrowed(id);
        }
        let hash: String = Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect();
        Cow::Owned((self.made)(&hash))
    }
}

/// The conversation for a model, which sees pictures or does not.
pub(crate) fn turns<'a>(messages: &'a [Arc<Message>], model: &Model, images: bool, ids: Ids) -> Vec<Turn<'a>> {
    let mut telling = Telling { model, images, ids, turns: Vec::new(), open: VecDeque::new(), results: Vec::new() };
    messages.iter().for_each(|message| telling.take(message));
    telling.close();
    telling.turns
}

/// About how many tokens it has: rather fewer than more.
pub(crate) fn tokens(system: &str, turns: &[Turn<'_>]) -> u32 {
    let bytes: usize = turns.iter().map(Turn::size).sum::<usize>() + system.len();
    u32::try_from(bytes / 4).unwrap_or(u32::MAX)
}

/// As many bytes a picture counts for.
const PICTURE: usize = 4_800;

impl Turn<'_> {
    /// About how many bytes are said.
    fn size(&self) -> usize {
        let of_pieces = |pieces: &[Piece<'_>]| pieces.iter().map(Piece::size).sum::<usize>();
        match self {
            Self::User(pieces) => of_pieces(pieces),
            Self::Model(said) => said.iter().map(Said::size).sum(),
            Self::Results(results) => results.iter().map(|result| of_pieces(&result.content)).sum(),
        }
    }
}

impl Piece<'_> {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Image { .. } => PICTURE,
        }
    }
}

impl Said<'_> {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => text.len(),
            Self::Call { name, arguments, .. } => name.len() + arguments.to_string().len(),
        }
    }
}

struct Telling<'a, 'm> {
    model: &'m Model,
    images: bool,
    ids: Ids,
    turns: Vec<Turn<'a>>,
    /// The ids and names of the calls that have no result yet.
    open: VecDeque<(&'a str, &'a str)>,
    /// The results of the last calls so far, each with its call's id.
    results: Vec<(&'a str, Answered<'a>)>,
}

impl<'a> Telling<'a, '_> {
    fn take(&mut self, message: &'a Message) {
        match message {
            Message::User(user) => self.user(&user.content),
            Message::Custom(custom) => self.user(&custom.content),
            Message::Assistant(said) => self.model(said),
            Message::ToolResult(result) => {
                let is_open = self.open.iter().any(|(id, _)| *id == result.tool_call_id);
                let is_first = self.results.iter().all(|(id, _)| *id != result.tool_call_id);
                if is_open && is_first {
                    let mut content = self.pieces(&result.content);
                    if content.is_empty() {
                        content.push(Piece::Text(NO_OUTPUT));
                    }
                    let (id, name) = (self.ids.of(&result.tool_call_id), name(&result.tool_name));
                    let answered = Answered { id, name, content, is_error: result.is_error };
                    self.results.push((&result.tool_call_id, answered));
                }
            }
        }
    }

    fn user(&mut self, content: &'a [Content]) {
        self.close();
        let pieces = self.pieces(content);
        match self.turns.last_mut() {
            _ if pieces.is_empty() => {}
            Some(Turn::User(before)) => before.extend(pieces),
            _ => self.turns.push(Turn::User(pieces)),
        }
    }

    fn model(&mut self, said: &'a AssistantMessage) {
        self.close();
        if matches!(said.stop_reason, StopReason::Error | StopReason::Aborted) {
            return;
        }
        let is_own = said.provider == self.model.provider && said.model == self.model.id;
        let said: Vec<Said<'a>> = said.content.iter().filter_map(|block| self.said(block, is_own)).collect();
        match self.turns.last_mut() {
            _ if said.is_empty() => {}
            Some(Turn::Model(before)) => before.extend(said),
            _ => self.turns.push(Turn::Model(said)),
        }
    }

    fn said(&mut self, block: &'a AssistantBlock, is_own: bool) -> Option<Said<'a>> {
        match block {
            AssistantBlock::Text { text } => (!text.trim().is_empty()).then_some(Said::Text(text)),
            AssistantBlock::Thinking { thinking, signature, redacted } => {
                let says = signature.is_some() || !thinking.trim().is_empty();
                let (signature, redacted) = (signature.as_deref(), *redacted);
                (is_own && says).then_some(Said::Thinking { text: thinking, signature, redacted })
            }
            AssistantBlock::ToolCall(call) => {
                self.open.push_back((&call.id, &call.name));
                let signature = call.signature.as_deref().filter(|_| is_own);
                let id = self.ids.of(&call.id);
                let (name, arguments) = (name(&call.name), object(&call.arguments));
                Some(Said::Call { id, name, arguments, signature })
            }
        }
    }

    /// All calls get their results, in their order.
    fn close(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        let open = std::mem::take(&mut self.open);
        let answered: Vec<Answered<'a>> = open
            .into_iter()
            .map(|(id, name)| match results.iter().position(|(of, _)| *of == id) {
                Some(place) => results.swap_remove(place).1,
                None => {
                    let content = vec![Piece::Text(NO_RESULT)];
                    Answered { id: self.ids.of(id), name: self::name(name), content, is_error: true }
                }
            })
            .collect();
        if !answered.is_empty() {
            self.turns.push(Turn::Results(answered));
        }
    }

    fn pieces(&self, content: &'a [Content]) -> Vec<Piece<'a>> {
        let piece = |content: &'a Content| match content {
            Content::Text { text } => Piece::Text(text),
            Content::Image { data, mime_type } if self.images && PICTURES.contains(&&**mime_type) => {
                Piece::Image { data, mime_type }
            }
            Content::Image { .. } if self.images => Piece::Text(ODD_PICTURE),
            Content::Image { .. } => Piece::Text(NO_PICTURE),
        };
        content
            .iter()
            .map(piece)
            .filter(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()))
            .collect()
    }
}

/// A tool's name as services take it. A model may have called a tool by any name, or by none: one that changes is no tool's.
fn name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match name {
        "" => Cow::Borrowed(NO_NAME),
        name if name.len() <= LONGEST_NAME && name.chars().all(fits) => Cow::Borrowed(name),
        name => name.chars().take(LONGEST_NAME).map(|c| if fits(c) { c } else { '_' }).collect(),
    }
}

/// The arguments as services take them: an object. Those that were none, or no JSON, stand in one.
fn object(arguments: &Value) -> Cow<'_, Value> {
    match arguments {
        Value::Object(_) => Cow::Borrowed(arguments),
        Value::String(text) => Cow::Owned(json!({ "invalid_json": text })),
        other => Cow::Owned(json!({ "invalid_json": other.to_string() })),
    }
}

#[cfg(test)]
mod tests;
