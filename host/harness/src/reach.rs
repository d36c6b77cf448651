//! What plugins may be granted of a conversation, beyond what they are asked and shown: one module per import
//! interface of the contract. Who calls it has checked the grant.
//!
//! A [`Moment`](crate::Moment) leads here. So what a plugin asks for goes to the conversation it takes part in, and
//! nothing leads here before somebody owns the conversation or after it was left.

mod accounts;
pub(crate) mod budget;
pub mod call_tool;
pub mod complete;
pub mod exec;
pub mod messages;
pub mod models;
pub mod session;
pub mod state;
mod ui;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use seam_loop::CancellationToken;

use crate::dispatcher::Dispatcher;
use crate::harness::Handle;
use crate::ids::UniqueIds;
use crate::reach::accounts::Accounts;
use crate::upkeep::RetrySettings;

/// How deep calls of plugins may be within calls of plugins.
pub const DEEPEST: u32 = 4;

/// How many calls one call of a plugin may lead to, those within each other too.
pub const MOST_CALLS: u32 = 1000;

tokio::task_local! {
    /// The calls of plugins that the running one is within.
    static WITHIN: Within;
    /// Fires when the user aborts what the running call of a plugin is about, where that does not end the call itself.
    static ABORT: CancellationToken;
}

/// How many calls one call of a plugin has led to so far. Cloning it shares it.
#[derive(Debug, Clone, Default)]
pub struct Led(Arc<AtomicU32>);

/// Where a call of a plugin stands.
#[derive(Debug, Clone)]
struct Within {
    /// How many calls of plugins it is within, itself among them.
    depth: u32,
    /// Of the outermost.
    led: Led,
}

impl Within {
    /// The place of one more call, within the running one. `led` is that of the plugin's call which makes it.
    fn enter(led: &Led) -> Result<Self, String> {
        let (depth, led) =
            WITHIN.try_with(|within| (within.depth, within.led.clone())).unwrap_or_else(|_| (0, led.clone()));
        if depth >= DEEPEST {
            return Err(format!("calls of plugins are nested more than {DEEPEST} deep"));
        }
        if led.0.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            return Err(format!("one call of a plugin has led to more than {MOST_CALLS} others"));
        }
        Ok(Self { depth: depth + 1, led })
    }
}

/// How many calls of plugins this is within: 0 for what the host asks by itself.
///
/// Whatever a call of a plugin leads to is awaited within it, on the same task: its gates, its tool's body, the calls
/// these make in turn. So none of them can lose count.
pub fn depth() -> u32 {
    WITHIN.try_with(|within| within.depth).unwrap_or(0)
}

/// Lets plugins do something that an abort does not end: what they wait for ends.
pub(crate) async fn until<T>(abort: &CancellationToken, work: impl Future<Output = T>) -> T {
    ABORT.scope(abort.clone(), work).await
}

/// What a plugin waits for, or nothing after an abort of the user.
pub async fn unless_aborted<T>(work: impl Future<Output = T>) -> Option<T> {
    let Ok(abort) = ABORT.try_with(CancellationToken::clone) else { return Some(work.await) };
    tokio::select! {
        biased;
        () = abort.cancelled() => None,
        done = work => Some(done),
    }
}

/// What plugins may be granted of one conversation.
pub struct Reach {
    pub(crate) handle: Handle,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) provider: Arc<UniqueIds>,
    retry: RetrySettings,
    /// How many calls plugins have made.
    calls: Arc<AtomicU32>,
    /// What each plugin has used up.
    accounts: Arc<Accounts>,
}

impl Reach {
    pub(crate) fn new(
        handle: Handle,
        dispatcher: Arc<Dispatcher>,
        provider: Arc<UniqueIds>,
        retry: RetrySettings,
    ) -> Self {
        Self { handle, dispatcher, provider, retry, calls: Arc::default(), accounts: Arc::default() }
    }

    /// The same for the plugins of another dispatcher. Everything that lasts as long as the conversation is shared.
    pub(crate) fn renewed(&self, dispatcher: &Arc<Dispatcher>, retry: RetrySettings) -> Self {
        Self {
            handle: self.handle.clone(),
            dispatcher: Arc::clone(dispatcher),
            provider: Arc::clone(&self.provider),
            retry,
            calls: Arc::clone(&self.calls),
            accounts: Arc::clone(&self.accounts),
        }
    }
}

impl Reach {
    /// Whether something could not be stored. The conversation does not go on then.
    fn has_failed(&self) -> bool {
        self.handle.tell.failure().is_some()
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reach").finish_non_exhaustive()
    }
}
