//! One run of the loop.

use std::sync::atomic::AtomicBool;

use seam_loop::{CancellationToken, ErrorKind, Message, Queue, RunConfig, RunOutcome, StopReason, prompt};

use crate::harness::{Compactor, Harness};
use crate::hooks::RunHooks;

impl Harness {
    /// One run of the loop. It begins with what is chosen by then, and with everything stored. Without messages it goes on
    /// from what is there.
    pub(super) async fn run(
        &mut self,
        messages: Vec<Message>,
        system_prompt: &str,
        abort: &CancellationToken,
    ) -> RunOutcome {
        self.tell.flush();
        self.sync();
        self.tell.settings.is_heard();
        let chosen = self.tell.settings.begin();
        self.dispatcher.tools().activate(chosen.active_tools.as_deref());
        if let Some(record) = &self.tell.record {
            record.settings(&chosen);
        }
        if let Some(failed) = self.unstored() {
            return failed;
        }
        let guarded = self.tell.record.as_ref().map(|record| record.guard(abort));
        let abort = guarded.as_ref().unwrap_or(abort);
        let (steering, follow_up) = (self.polled(&self.steering), self.polled(&self.follow_up));
        let hooks = RunHooks {
            dispatcher: &self.dispatcher,
            bus: self.dispatcher.bus(),
            tell: &self.tell,
            abort,
            compactor: Compactor {
                provider: &*self.provider,
                bus: self.dispatcher.bus(),
                tell: &self.tell,
                upkeep: &self.upkeep,
                length: &self.length,
            },
            edited: AtomicBool::new(false),
            held: AtomicBool::new(false),
            handle: self.handle(),
        };
        let config = RunConfig {
            provider: &*self.provider,
            dispatch: &*self.dispatcher,
            hooks: &hooks,
            events: &*self.tell,
            steering: &steering,
            follow_up: &follow_up,
            model: &chosen.model,
            thinking_level: chosen.thinking_level,
            system_prompt,
            sequential: false,
            abort,
        };
        let outcome = prompt(&config, &mut self.transcript, messages).await;
        self.tell.flush();
        self.sync();
        self.unstored().unwrap_or(outcome)
    }

    /// How a run ends of which something could not be stored.
    pub(super) fn unstored(&self) -> Option<RunOutcome> {
        let error = self.tell.failure()?.to_owned();
        Some(RunOutcome { stop_reason: StopReason::Error, error: Some(error), kind: ErrorKind::Other })
    }

    /// Takes messages into the transcript that were stored beside it.
    pub(super) fn sync(&mut self) {
        if self.tell.settings.take_stored() {
            self.transcript = self.tell.conversation.messages().into_iter().collect();
        }
    }

    /// The queue, of which it is told when something is taken.
    fn polled(&self, queue: &Queue) -> Queue {
        let handle = self.handle();
        queue.clone().observed(move |taken| {
            if taken > 0 {
                handle.update();
            }
        })
    }
}
