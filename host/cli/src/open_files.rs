//! How many files this process may have open. What plugins hold open must not be what the tools are short of.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More are never of use. Some programs look at every one that they might have, and those that run here inherit this.
const ENOUGH: u64 = 65_536;

/// Allows as many as the system lets this process have, up to what is enough.
pub(crate) fn allow_more() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let more = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if current.is_some_and(|current| current < more)
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: Some(more), maximum })
    {
        tracing::debug!("no more than {current:?} files may be open: {error}");
    }
}
