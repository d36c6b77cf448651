//! One module per seam: what it decides, how several combine, what its failure means. The observers share one, and so
//! does what holds for all seams and languages.

mod before_agent_start;
mod before_provider_payload;
mod before_provider_request;
mod commands;
mod convert_to_llm;
mod failures;
mod finish_turn;
mod get_api_key;
mod input;
mod languages;
mod observers;
mod prepare_next_turn;
mod prepare_request;
mod recording;
mod resources_discover;
mod rewrite_tool_call;
mod session_before_compact;
mod session_before_fork;
mod session_before_switch;
mod session_before_tree;
mod shadow;
mod tool_call;
mod tool_result;
mod tools;
mod transform_context;
