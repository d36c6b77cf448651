//! `prepare-request`: the model of a request and what it is shown.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::{PlanChange, PrepareRequest, RequestPlan, Scope};
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::prepare_request as wit;
use crate::convert::count;
use crate::convert::message::from_edits;
use crate::convert::model::{from_level, from_model, level, model};
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl PrepareRequest for Asked {
    async fn prepare(&self, request: &RequestPlan, at: &Moment) -> Result<PlanChange, Failure> {
        let event = wit::Event {
            session: at.session(),
            turn: request.turn,
            model: model(&request.model),
            thinking_level: level(request.thinking_level),
            length: count(at.length()),
        };
        let mut all = PlanChange::default();
        for change in ask!(&self.0, prepare_request.call_prepare(event), at at, returning 0)? {
            let twice = match change {
                wit::Change::Context(context) => {
                    all.context.replace((from_edits(context.edits)?, scope(context.scope))).is_some()
                }
                wit::Change::Model(change) => {
                    all.model.replace((from_model(change.model)?, scope(change.scope))).is_some()
                }
                wit::Change::ThinkingLevel(change) => {
                    all.thinking_level.replace((from_level(change.level), scope(change.scope))).is_some()
                }
            };
            if twice {
                return Err(Failure::InvalidAnswer("it has two changes of one kind".to_owned()));
            }
        }
        Ok(all)
    }
}

fn scope(scope: wit::Scope) -> Scope {
    match scope {
        wit::Scope::Request => Scope::Request,
        wit::Scope::Run => Scope::Run,
    }
}
