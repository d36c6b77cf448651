//! Other plugins in the place of those there are, between two runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::bus::HookBus;
use crate::dispatcher::Dispatcher;
use crate::event::{Reason, SessionEvent};
use crate::failure::Refused;
use crate::harness::{Harness, LAST_LOOK};
use crate::observers::Observers;
use crate::seams::{Command, Resource};
use crate::settings::{MissingTools, Restore};
use crate::tell::Tell;
use crate::upkeep::Upkeep;

/// Plugins that take the place of those there are.
pub struct NewPlugins {
    /// The way of tool calls, with the new hooks in it. Their bus is over the conversation and the journal of the harness.
    pub dispatcher: Dispatcher,
    /// What the user can type as `/name`.
    pub commands: Vec<Command>,
    /// What becomes of tools that are active and that are not there any more.
    pub restore: Restore,
    /// How the conversation is kept going from now on.
    pub upkeep: Upkeep,
}

/// Why the plugins there are stay. They are in force as before.
#[derive(Debug, thiserror::Error)]
pub enum NotReplaced {
    /// One of the new ones failed that is set to refuse.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Tools are active that are not there with the new ones, and the conversation was not to go on without them.
    #[error(
        "tools are active that would not be there any more: {}; put the plugins back that offer them, or set \
         `missing-tools` under `[session]` to `drop` or `keep`",
        .0.0.join(", ")
    )]
    MissingTools(MissingTools),
    /// The new ones take part in another conversation, or write into another journal.
    #[error("the new plugins were connected to another conversation")]
    Elsewhere,
}

impl Harness {
    /// Puts other plugins in the place of all there are. The conversation goes on: its messages, its queues, its ids and
    /// what was chosen stay. The old observers see that the session is left for a reload, the new ones that it begins for
    /// one. Whatever is still under way with the old plugins ends with them: no call changes its version. What their
    /// observers have not seen yet they see beside the next run, for two seconds at most.
    ///
    /// # Errors
    /// When the new ones cannot take their place. The old ones are in force then, as before.
    pub async fn replace_plugins(&mut self, new: NewPlugins) -> Result<(), NotReplaced> {
        let NewPlugins { dispatcher, commands, restore, upkeep } = new;
        if !self.is_here(dispatcher.bus()) {
            return Err(NotReplaced::Elsewhere);
        }
        let tools: Vec<String> = dispatcher.tools().names().map(str::to_owned).collect();
        let chosen = self.tell.settings.chosen().active_tools;
        let restored = restore.apply(chosen, &tools).map_err(NotReplaced::MissingTools)?;
        dispatcher.tools().activate(restored.active.as_deref());
        let dispatcher = Arc::new(dispatcher);
        let reach = Arc::new(self.reach.renewed(&dispatcher, upkeep.retry));
        self.tell.conversation.bind(&reach);
        self.hide_keys(dispatcher.bus(), None).await;
        let resources = match self.found(dispatcher.bus(), Reason::Reload).await {
            Ok(resources) => resources,
            Err(refused) => {
                self.tell.conversation.bind(&self.reach);
                return Err(refused.into());
            }
        };
        self.take_over(dispatcher, resources, tools, restored.active);
        (self.commands, self.reach, self.upkeep) = (commands, reach, upkeep);
        restored.notice.into_iter().for_each(|text| self.tell.tell(SessionEvent::Notice { text }));
        Ok(())
    }

    /// Whether a bus is over this conversation.
    fn is_here(&self, bus: &HookBus) -> bool {
        let journals = (&bus.journal, &self.dispatcher.bus().journal);
        let is_same_journal = match journals {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old),
            (new, old) => new.is_none() && old.is_none(),
        };
        is_same_journal && Arc::ptr_eq(&bus.conversation, &self.tell.conversation)
    }

    /// From here on the new plugins are those that are asked.
    fn take_over(
        &mut self,
        dispatcher: Arc<Dispatcher>,
        resources: Vec<Resource>,
        tools: Vec<String>,
        active: Option<Vec<String>>,
    ) {
        self.tell.tell(SessionEvent::SessionShutdown { reason: Reason::Reload });
        let observers = Observers::start(&dispatcher.bus().observers, &self.tell.sink);
        let old = self.tell.observe_with(observers);
        self.leaving.retain(|leaving| !leaving.is_finished());
        self.leaving.push(let_go(old, &self.tell));
        self.dispatcher = dispatcher;
        self.tell.tell(SessionEvent::SessionStart { reason: Reason::Reload, previous: None });
        if let Some(update) = self.tell.settings.replace_tools(tools, active) {
            self.tell.tell(update);
        }
        self.offer(resources);
    }
}

/// Lets observers see what they have not seen yet, and ends them.
fn let_go(observers: Arc<Observers>, tell: &Arc<Tell>) -> JoinHandle<()> {
    let sink = Arc::clone(&tell.sink);
    tokio::spawn(async move { observers.close(LAST_LOOK, &*sink).await })
}

/// Waits until they have ended: none takes longer than its last look.
pub(super) async fn gone(leaving: Vec<JoinHandle<()>>) {
    let all = async {
        for one in leaving {
            // One that panicked is gone too.
            let _gone = one.await;
        }
    };
    let _in_time = tokio::time::timeout(LAST_LOOK + Duration::from_millis(100), all).await;
}
