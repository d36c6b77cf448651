//! The observers: what happened, told off the run's path and in order. They decide nothing and cannot slow a run down.
//!
//! A trait per observer; a plugin implements those of what it wants to be told. A panic is reported and changes
//! nothing.
//!
//! ```
//! use seam::observe::{TurnEnd, TurnEndObserver};
//!
//! #[derive(Default)]
//! struct Turns;
//!
//! impl TurnEndObserver for Turns {
//!     fn observe_turn_end(&mut self, event: &TurnEnd) {
//!         seam::log::info(&format!("turn {} is over", event.turn));
//!     }
//! }
//!
//! seam::plugin!(Turns: turn_end);
//! # fn main() {}
//! ```

use crate::bindings;
use crate::{Export, Instance};

pub use bindings::message_start::exports::seam::harness::message_start::Role;
pub use bindings::message_update::exports::seam::harness::message_update::Kind as UpdateKind;
pub use bindings::session_shutdown::exports::seam::harness::session_shutdown::Reason as ShutdownReason;
pub use bindings::session_start::exports::seam::harness::session_start::Reason as StartReason;
pub use bindings::tool_execution_end::exports::seam::harness::tool_execution_end::{Decider, Decision, Ruling};

/// Makes of each line an observer: its event, its trait, and how the trait answers the export.
macro_rules! observers {
    ($dollar:tt $($seam:ident: $event:ident, $trait:ident::$observe:ident, $sees:literal;)+) => {
        $(
            pub use bindings::$seam::exports::seam::harness::$seam::Event as $event;

            #[doc = concat!("Sees ", $sees, ": the seam `", stringify!($seam), "`.")]
            #[diagnostic::on_unimplemented(
                message = "`{Self}` exports an observer but does not implement its trait",
                label = "`{Self}` is listed in `seam::plugin!` with this observer"
            )]
            pub trait $trait {
                /// Takes what happened. There is nothing to give.
                fn $observe(&mut self, event: &$event);
            }

            impl<P: Instance + $trait> bindings::$seam::exports::seam::harness::$seam::Guest for Export<P> {
                fn observe(event: $event) {
                    P::with(|plugin| plugin.$observe(&event));
                }
            }
        )+

        super::checks!($dollar __check_observers, observers: $($seam: observe::$trait),+);
    };
}

observers! { $
    abort: Abort, AbortObserver::observe_abort, "that the user aborted a run";
    after_provider_response: AfterProviderResponse, AfterProviderResponseObserver::observe_after_provider_response,
        "the status and headers of a provider's response";
    agent_end: AgentEnd, AgentEndObserver::observe_agent_end, "that a run is over";
    agent_start: AgentStart, AgentStartObserver::observe_agent_start, "that a run begins";
    message_end: MessageEnd, MessageEndObserver::observe_message_end, "a message that is complete";
    message_start: MessageStart, MessageStartObserver::observe_message_start, "that a message begins";
    message_update: MessageUpdate, MessageUpdateObserver::observe_message_update, "the model's message grow";
    model_select: ModelSelect, ModelSelectObserver::observe_model_select, "that another model was chosen";
    queue_update: QueueUpdate, QueueUpdateObserver::observe_queue_update, "that a queue of messages changed";
    resources_update: ResourcesUpdate, ResourcesUpdateObserver::observe_resources_update,
        "that skills or prompt templates changed";
    save_point: SavePoint, SavePointObserver::observe_save_point, "that everything so far is stored";
    session_compact: SessionCompact, SessionCompactObserver::observe_session_compact, "that a session was compacted";
    session_shutdown: SessionShutdown, SessionShutdownObserver::observe_session_shutdown, "that a session is left";
    session_start: SessionStart, SessionStartObserver::observe_session_start, "that a session begins";
    session_tree: SessionTree, SessionTreeObserver::observe_session_tree,
        "that the user moved to another place of the session's tree";
    settled: Settled, SettledObserver::observe_settled, "that a run and everything after it is done";
    thinking_level_select: ThinkingLevelSelect, ThinkingLevelSelectObserver::observe_thinking_level_select,
        "that another thinking level was chosen";
    tool_execution_end: ToolExecutionEnd, ToolExecutionEndObserver::observe_tool_execution_end,
        "that a tool call is over, and who decided what about it";
    tool_execution_start: ToolExecutionStart, ToolExecutionStartObserver::observe_tool_execution_start,
        "that a tool call begins";
    tool_execution_update: ToolExecutionUpdate, ToolExecutionUpdateObserver::observe_tool_execution_update,
        "how far a running tool is";
    tools_update: ToolsUpdate, ToolsUpdateObserver::observe_tools_update, "that the tools a model may call changed";
    turn_end: TurnEnd, TurnEndObserver::observe_turn_end, "that a turn is over";
    turn_start: TurnStart, TurnStartObserver::observe_turn_start, "that a turn begins";
}
