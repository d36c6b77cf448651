//! The room for instances that all plugins of a process share, and who keeps some of it for later.

use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use wasmtime::PoolConcurrencyLimitError;
use wasmtime::component::Component;

use crate::instance::Instances;

/// How many memories, or tables, one plugin may take in a session at each depth of calls.
const SHARE: u32 = 32;
/// How many instances of one plugin a session has at most at each depth. One is for its tool, and one for what that sends.
const INSTANCES: std::ops::RangeInclusive<u32> = 2..=8;

/// Whose idle instances are dropped when there is no room.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Weak<Instances>>>);

impl Pool {
    /// Notes that these may be dropped while they are idle.
    pub(crate) fn add(&self, instances: Weak<Instances>) {
        let mut all = self.lock();
        all.retain(|instances| instances.strong_count() > 0);
        all.push(instances);
    }

    /// Makes room. The next calls start their plugins anew.
    pub(crate) fn drop_idle(&self) {
        let all: Vec<_> = self.lock().iter().filter_map(Weak::upgrade).collect();
        all.iter().for_each(|instances| instances.drop_idle());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Instances>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an instance was not started because there was no room.
pub(crate) fn is_empty<T>(started: &wasmtime::Result<T>) -> bool {
    started.as_ref().is_err_and(|error| error.is::<PoolConcurrencyLimitError>())
}

/// How many instances of a plugin a session has at most at each depth: fewer of one that takes more room.
pub(crate) fn places(component: &Component) -> usize {
    let takes = component.resources_required().map_or(SHARE, |takes| takes.num_memories.max(takes.num_tables));
    (SHARE / takes.max(1)).clamp(*INSTANCES.start(), *INSTANCES.end()) as usize
}
