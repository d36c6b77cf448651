//! `transform-context`: which messages the model is shown.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::edits::Edit;
use seam_harness::seams::TransformContext;
use seam_harness::{Failure, Moment};

use crate::bindings::exports::seam::harness::transform_context as wit;
use crate::convert::count;
use crate::convert::message::from_edits;
use crate::instance::Instances;

/// A plugin's part in one session.
pub(crate) struct Asked(pub(crate) Arc<Instances>);

#[async_trait]
impl TransformContext for Asked {
    async fn transform(&self, at: &Moment) -> Result<Vec<Edit>, Failure> {
        let event = wit::Event { session: at.session(), length: count(at.length()) };
        from_edits(ask!(&self.0, transform_context.call_transform(event), at at, returning 0)?)
    }
}
