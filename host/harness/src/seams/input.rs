//! `input`: what the user says, before anything else happens.

use async_trait::async_trait;
use seam_loop::{Content, Ruling};

use crate::bus::{HookBus, Trail};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;
use crate::texts;

const SEAM: &str = "input";

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A plugin.
    Plugin,
    /// A program that drives the agent.
    Program,
    /// The user.
    User,
}

/// Something said to the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The text.
    pub text: String,
    /// Pictures that come with it; each is a [`Content::Image`].
    pub images: Vec<Content>,
    /// Who says it. After a replacement: a plugin.
    pub source: Source,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Received {
    /// It goes no further; this is the reply.
    Handled(String),
    /// This text and these pictures instead.
    Replace(String, Vec<Content>),
    /// It goes on.
    Pass,
}

/// `input`: may change what the user says, or answer it.
#[async_trait]
pub trait Input: Send + Sync {
    /// What becomes of it.
    ///
    /// # Errors
    /// When there is no decision.
    async fn receive(&self, said: &Said, at: &Moment) -> Result<Received, Failure>;
}

impl HookBus {
    /// Passes what is said through all plugins. Gives the reply of the one that handled it, if one did.
    ///
    /// # Errors
    /// When a plugin failed that was set to refuse.
    pub async fn receive(&self, said: &mut Said, at: &Moment, trail: &mut Trail) -> Result<Option<String>, Refused> {
        for hook in &self.input {
            match hook.answer(self.at(SEAM), hook.seam.receive(said, at).await, trail)? {
                Some(Received::Handled(reply)) => {
                    let reply = texts::clean(&reply);
                    hook.rules(SEAM, Ruling::Handled { reply: reply.clone() }, trail);
                    return Ok(Some(reply));
                }
                Some(Received::Replace(text, images)) => {
                    *said = Said { text, images, source: Source::Plugin };
                    hook.changes(SEAM, vec!["text", "images"], trail);
                }
                Some(Received::Pass) => hook.passes(SEAM, trail),
                None => {}
            }
        }
        Ok(None)
    }
}
