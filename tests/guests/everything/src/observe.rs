//! The 23 observers.

use seam::observe::*;

use crate::Everything;
use crate::observing::observers;

observers! {
    Everything:
    "abort": AbortObserver::observe_abort(Abort),
    "after-provider-response": AfterProviderResponseObserver::observe_after_provider_response(AfterProviderResponse),
    "agent-end": AgentEndObserver::observe_agent_end(AgentEnd),
    "agent-start": AgentStartObserver::observe_agent_start(AgentStart),
    "message-end": MessageEndObserver::observe_message_end(MessageEnd),
    "message-start": MessageStartObserver::observe_message_start(MessageStart),
    "message-update": MessageUpdateObserver::observe_message_update(MessageUpdate),
    "model-select": ModelSelectObserver::observe_model_select(ModelSelect),
    "queue-update": QueueUpdateObserver::observe_queue_update(QueueUpdate),
    "resources-update": ResourcesUpdateObserver::observe_resources_update(ResourcesUpdate),
    "save-point": SavePointObserver::observe_save_point(SavePoint),
    "session-compact": SessionCompactObserver::observe_session_compact(SessionCompact),
    "session-shutdown": SessionShutdownObserver::observe_session_shutdown(SessionShutdown),
    "session-start": SessionStartObserver::observe_session_start(SessionStart),
    "session-tree": SessionTreeObserver::observe_session_tree(SessionTree),
    "settled": SettledObserver::observe_settled(Settled),
    "thinking-level-select": ThinkingLevelSelectObserver::observe_thinking_level_select(ThinkingLevelSelect),
    "tool-execution-end": ToolExecutionEndObserver::observe_tool_execution_end(ToolExecutionEnd),
    "tool-execution-start": ToolExecutionStartObserver::observe_tool_execution_start(ToolExecutionStart),
    "tool-execution-update": ToolExecutionUpdateObserver::observe_tool_execution_update(ToolExecutionUpdate),
    "tools-update": ToolsUpdateObserver::observe_tools_update(ToolsUpdate),
    "turn-end": TurnEndObserver::observe_turn_end(TurnEnd),
    "turn-start": TurnStartObserver::observe_turn_start(TurnStart),
}
