//! A plugin as an observer of one session.

use std::sync::Arc;

use async_trait::async_trait;
use seam_harness::seams::Observer;
use seam_harness::{Event, Failure, Moment};

use crate::instance::Instances;
use crate::seams;

/// A plugin and the seams at which it watches.
pub(crate) struct Watching {
    pub(crate) instances: Arc<Instances>,
    pub(crate) watched: Vec<&'static str>,
}

#[async_trait]
impl Observer for Watching {
    fn watches(&self) -> &[&'static str] {
        &self.watched
    }

    async fn observe(&self, event: &Event, at: &Moment) -> Result<(), Failure> {
        seams::observe(&self.instances, event, at).await
    }
}
