//! The observer seams. They have no result, so all of them are one trait: which an observer watches, it says itself.

use async_trait::async_trait;

use crate::event::Event;
use crate::failure::Failure;
use crate::moment::Moment;

/// A plugin that watches.
#[async_trait]
pub trait Observer: Send + Sync {
    /// The seams at which it watches, by their names. They never change.
    fn watches(&self) -> &[&'static str];

    /// Takes an event.
    ///
    /// # Errors
    /// When it failed. That is reported and changes nothing.
    async fn observe(&self, event: &Event, at: &Moment) -> Result<(), Failure>;
}
