//! A plugin that a run asks nothing and tells nothing. For the benchmark: what it costs is that it is there.

use seam::observe::{SessionCompact, SessionCompactObserver};
use seam::resources_discover::{Occasion, Offer, ResourcesDiscover};
use seam::session_before_fork::{Fork, Outcome, SessionBeforeFork};

#[derive(Default)]
struct Bystander;

impl ResourcesDiscover for Bystander {
    fn discover(&mut self, _occasion: &Occasion) -> Vec<Offer> {
        Vec::new()
    }
}

impl SessionBeforeFork for Bystander {
    fn decide(&mut self, _fork: &Fork) -> Outcome {
        Outcome::Proceed
    }
}

impl SessionCompactObserver for Bystander {
    fn observe_session_compact(&mut self, _event: &SessionCompact) {}
}

seam::plugin!(Bystander: resources_discover, session_before_fork, session_compact);
