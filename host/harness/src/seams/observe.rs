//! The observer seams. They have no result, so all of them are one trait: which an observer watches, it says itself.

use async_trait::async_trait;

use crate::event::Event;
use crate::failure::Failure;
use crate::moment::Moment;

/// A plugin that watches.
#[async_trait]
pub trait Observer: Send + Sync {
    /// Whether it watches at the seam of this name.
    fn observes(&self, seam: &str) -> bool;

    /// Takes an event.
    ///
    /// # Errors
    /// When it failed. That is reported and changes nothing.
    async fn observe(&self, event: &Event, at: &Moment) -> Result<(), Failure>;
}
