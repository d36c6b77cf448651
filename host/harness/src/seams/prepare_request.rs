//! `prepare-request`: the model of a request and what it is shown.

use async_trait::async_trait;
use seam_loop::hooks::{Choice, RequestChange};
use seam_loop::{Model, ThinkingLevel};

use crate::bus::{HookBus, Trail};
use crate::edits::{self, Edit};
use crate::failure::{Failure, Refused};
use crate::moment::Moment;

const SEAM: &str = "prepare-request";

/// A request that is about to be made. What it would show is the moment it is asked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPlan {
    /// The turn of the run, from 1.
    pub turn: u32,
    /// The model.
    pub model: Model,
    /// How much it should think.
    pub thinking_level: ThinkingLevel,
}

/// How long a change holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// For this request.
    Request,
    /// From this request to the end of the run.
    Run,
}

/// What a plugin changes; nothing by default.
#[derive(Debug, Default)]
pub struct PlanChange {
    /// Other messages.
    pub context: Option<(Vec<Edit>, Scope)>,
    /// Another model.
    pub model: Option<(Model, Scope)>,
    /// Another thinking level.
    pub thinking_level: Option<(ThinkingLevel, Scope)>,
}

/// `prepare-request`: may choose the model and the messages of a request.
#[async_trait]
pub trait PrepareRequest: Send + Sync {
    /// What changes.
    ///
    /// # Errors
    /// When there is no decision.
    async fn prepare(&self, request: &RequestPlan, at: &Moment) -> Result<PlanChange, Failure>;
}

impl HookBus {
    /// Passes a request through all plugins, field by field.
    ///
    /// # Errors
    /// When a plugin failed that was not set to be skipped.
    pub async fn prepare_request(
        &self,
        mut request: RequestPlan,
        at: &Moment,
        trail: &mut Trail,
    ) -> Result<RequestChange, Refused> {
        let mut all = RequestChange::default();
        let mut at = at.clone();
        for hook in &self.prepare_request {
            let change = match hook.seam.prepare(&request, &at).await {
                Ok(change) => shown(change, &at, &hook.plugin),
                Err(failure) => Err(failure),
            };
            let Some((change, shown)) = hook.answer(self.at(SEAM), change, trail)? else { continue };
            let mut fields = Vec::new();
            if let (Some((_, scope)), Some(messages)) = (change.context, shown) {
                fields.push("context");
                at = at.showing(messages.as_slice().into());
                set(&mut all, scope, messages, |choice| &mut choice.messages);
            }
            if let Some((model, scope)) = change.model {
                fields.push("model");
                request.model.clone_from(&model);
                set(&mut all, scope, model, |choice| &mut choice.model);
            }
            if let Some((level, scope)) = change.thinking_level {
                fields.push("thinking-level");
                request.thinking_level = level;
                set(&mut all, scope, level, |choice| &mut choice.thinking_level);
            }
            match fields.is_empty() {
                true => hook.passes(SEAM, trail),
                false => hook.changes(SEAM, fields, trail),
            }
        }
        Ok(all)
    }
}

/// The messages after the edits of a change.
fn shown(change: PlanChange, at: &Moment, plugin: &str) -> Result<(PlanChange, Option<edits::Shown>), Failure> {
    match &change.context {
        Some((edits, _)) => edits::apply(edits, at, plugin).map(|messages| (change, Some(messages))),
        None => Ok((change, None)),
    }
}

/// Puts in a value. One for the run takes the place of an earlier one for the request: its plugin saw that one.
fn set<T>(all: &mut RequestChange, scope: Scope, value: T, field: impl Fn(&mut Choice) -> &mut Option<T>) {
    *field(&mut all.request) = None;
    match scope {
        Scope::Request => *field(&mut all.request) = Some(value),
        Scope::Run => *field(&mut all.run) = Some(value),
    }
}
