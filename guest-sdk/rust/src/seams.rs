//! One module per seam that decides or provides, and one for all observers: the trait, its types, and how the trait
//! answers the export.
//!
//! A new seam is a file and two lines here; a new observer is a line in `observe.rs`.

pub mod before_agent_start;
pub mod before_provider_payload;
pub mod before_provider_request;
pub mod commands;
pub mod convert_to_llm;
pub mod finish_turn;
pub mod get_api_key;
pub mod input;
pub mod observe;
pub mod prepare_next_turn;
pub mod prepare_request;
pub mod resources_discover;
pub mod rewrite_tool_call;
pub mod session_before_compact;
pub mod session_before_fork;
pub mod session_before_switch;
pub mod session_before_tree;
pub mod tool_call;
pub mod tool_result;
pub mod tools;
pub mod transform_context;

/// What `plugin!` asks of seams and their traits: whether a listed seam has its trait (the functions), and whether the
/// seam of an implemented trait is listed (the macro).
macro_rules! checks {
    ($dollar:tt $check:ident, $functions:ident: $($seam:ident: $module:ident::$trait:ident),+ $(,)?) => {
        #[doc(hidden)]
        pub mod $functions {
            $(pub const fn $seam<P: $crate::$module::$trait>() {})+
        }

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $check {
            ($dollar plugin:ident, $dollar listed:expr) => {
                $($crate::__check_seam!($dollar plugin, $dollar listed, $seam, $module::$trait);)+
            };
        }
    };
}
use checks;

checks! {
    $ __check_deciders, deciders:
    before_agent_start: before_agent_start::BeforeAgentStart,
    before_provider_payload: before_provider_payload::BeforeProviderPayload,
    before_provider_request: before_provider_request::BeforeProviderRequest,
    commands: commands::Commands,
    convert_to_llm: convert_to_llm::ConvertToLlm,
    finish_turn: finish_turn::FinishTurn,
    get_api_key: get_api_key::GetApiKey,
    input: input::Input,
    prepare_next_turn: prepare_next_turn::PrepareNextTurn,
    prepare_request: prepare_request::PrepareRequest,
    resources_discover: resources_discover::ResourcesDiscover,
    rewrite_tool_call: rewrite_tool_call::RewriteToolCall,
    session_before_compact: session_before_compact::SessionBeforeCompact,
    session_before_fork: session_before_fork::SessionBeforeFork,
    session_before_switch: session_before_switch::SessionBeforeSwitch,
    session_before_tree: session_before_tree::SessionBeforeTree,
    tool_call: tool_call::ToolCallGate,
    tool_result: tool_result::ToolResultPatch,
    tools: tools::Tools,
    transform_context: transform_context::TransformContext,
}

/// One function per seam, which compiles when the plugin has the seam's trait.
#[doc(hidden)]
pub mod implemented {
    pub use super::deciders::*;
    pub use super::observe::observers::*;
}
