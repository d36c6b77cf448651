//! What the table of seams says of each.

use seam_harness::OnFailure;
use serde::Serialize;

/// When a seam is asked, in the order of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// Before the model is asked.
    BeforeRequest,
    /// Before the effect of a tool call.
    BeforeEffect,
    /// After it.
    AfterEffect,
    /// Before something happens to the session.
    Session,
    /// When something has happened, off the run's path.
    Observe,
    /// When what the plugin offers is used.
    Provide,
}

/// The most that a plugin can do at a seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Can {
    /// Refuse.
    Refuse,
    /// Change what follows.
    Change,
    /// Offer something of its own.
    Offer,
    /// Only watch.
    Watch,
}

/// How much a seam tells of what is said and done, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// What nobody else may have seen yet, or all there is.
    All,
    /// Some of what is said and done.
    Some,
    /// That something happens; names and numbers.
    Signs,
}

/// Where what a plugin answers at a seam goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Out {
    /// Nowhere: it has no words of its own.
    Nowhere,
    /// To the user.
    User,
    /// To the model, which may act on it.
    Model,
    /// Into the arguments of a call, so into the world.
    Arguments,
    /// Into requests, so to the provider.
    Requests,
    /// To the provider, as the key that says whose account a request belongs to.
    Key,
}

/// A seam: an interface that a plugin may export.
#[derive(Debug, Clone, Copy)]
pub struct SeamFacts {
    /// The interface.
    pub name: &'static str,
    /// When it is asked.
    pub timing: Timing,
    /// The most that can be done there.
    pub can: Can,
    /// What it sees, but for the conversation, which is an import.
    pub sees: &'static str,
    /// How much that is.
    pub sight: Sight,
    /// What it can decide.
    pub power: &'static str,
    /// Where its answers go.
    pub out: Out,
    /// How the answers of several plugins combine.
    pub combining: &'static str,
    /// What a failure means, unless the user says otherwise.
    pub on_failure: OnFailure,
    /// What it means that a failure refuses; none when it cannot.
    pub refusal: Option<&'static str>,
    /// What it means that it does not.
    pub skipped: &'static str,
}

impl SeamFacts {
    /// An observer. All of them are alike but for what they see.
    pub(super) const fn observer(name: &'static str, sees: &'static str, sight: Sight) -> Self {
        Self {
            name,
            timing: Timing::Observe,
            can: Can::Watch,
            sees,
            sight,
            power: "nothing: it watches",
            out: Out::Nowhere,
            combining: "each alone",
            on_failure: OnFailure::Skip,
            refusal: None,
            skipped: "it is reported",
        }
    }

    /// What a failure means, unless the user says otherwise.
    pub fn if_it_fails(&self) -> &'static str {
        match (self.on_failure, self.refusal) {
            (OnFailure::Refuse, Some(refusal)) => refusal,
            _ => self.skipped,
        }
    }
}
