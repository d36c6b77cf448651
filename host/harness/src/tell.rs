//! Tells what happens: to the conversation that hooks read, to the observers, to the host's sink. In this order.

use std::sync::Arc;

use seam_loop::{AgentEvent, Decider, EventSink, Ruling};

use crate::bus::Trail;
use crate::event::{Event, SessionEvent, Sink};
use crate::moment::Conversation;
use crate::observers::Observers;

/// Everyone who is told.
pub(crate) struct Tell {
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) observers: Observers,
    pub(crate) sink: Arc<dyn Sink>,
}

impl Tell {
    pub(crate) fn tell(&self, event: impl Into<Event>) {
        let event = event.into();
        self.observers.offer(&event, || self.conversation.moment(), &*self.sink);
        self.sink.emit(event);
    }

    /// Tells of the decisions that say something.
    pub(crate) fn decided(&self, trail: Trail) {
        for decision in trail {
            debug_assert!(!matches!(decision.by, Decider::User), "the user decides about tool calls alone");
            if decision.ruling != Ruling::Proceed {
                self.tell(SessionEvent::Decided { decision });
            }
        }
    }
}

impl EventSink for Tell {
    fn emit(&self, event: AgentEvent) {
        if let AgentEvent::MessageEnd { message } = &event {
            self.conversation.push(Arc::clone(message));
        }
        let turn_is_over = matches!(event, AgentEvent::TurnEnd { .. });
        self.tell(Event::Agent(event));
        if turn_is_over {
            self.tell(SessionEvent::SavePoint { pending: false });
        }
    }
}
