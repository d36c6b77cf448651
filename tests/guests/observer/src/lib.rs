//! A plugin that sees a run, its messages and its tool calls, and does what its settings say: `observe` as in the guest
//! `everything`. For the host's tests and the benchmark.

use seam::observe::{
    AgentStart, AgentStartObserver, MessageEnd, MessageEndObserver, MessageUpdate, MessageUpdateObserver, Settled,
    SettledObserver, ToolExecutionEnd, ToolExecutionEndObserver,
};
use serde::Deserialize;

#[path = "../../everything/src/fields.rs"]
mod fields;
#[path = "../../everything/src/observing.rs"]
mod observing;

use observing::{Observing, observers};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Observer {
    #[serde(default)]
    observe: Observing,
}

impl Observer {
    fn observing(&self, _seam: &str) -> Observing {
        self.observe
    }
}

observers! {
    Observer:
    "agent-start": AgentStartObserver::observe_agent_start(AgentStart),
    "message-end": MessageEndObserver::observe_message_end(MessageEnd),
    "message-update": MessageUpdateObserver::observe_message_update(MessageUpdate),
    "settled": SettledObserver::observe_settled(Settled),
    "tool-execution-end": ToolExecutionEndObserver::observe_tool_execution_end(ToolExecutionEnd),
}

seam::plugin!(Observer from config: agent_start, message_end, message_update, settled, tool_execution_end);
