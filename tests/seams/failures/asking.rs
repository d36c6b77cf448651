//! Asks the plugins of a session at any seam that decides, with an event that is always the same.

use std::fmt::Display;
use std::sync::Arc;

use seam_harness::Reason;
use seam_harness::seams::{
    CompactReason, Compaction, Fork, Prompt, ProviderRequest, RequestPlan, Said, Source, TreeMove, TurnPlaces, TurnPlan,
};
use seam_loop::message::CustomMessage;
use seam_loop::{Content, Message, Model, Ruling, StopReason, ThinkingLevel};
use seam_tests::bed::{Session, text};
use serde_json::{Map, json};

/// What came of it.
pub(in crate::seams) struct Asked {
    /// What is read when it was refused.
    pub(in crate::seams) refused: Option<String>,
    /// What was said at the seam, in order.
    pub(in crate::seams) rulings: Vec<Ruling>,
}

fn refused<T, E: Display>(answer: Result<T, E>) -> Option<String> {
    answer.err().map(|refused| refused.to_string())
}

/// Asks at a seam.
pub(in crate::seams) async fn ask(session: &Session, seam: &str) -> Asked {
    let bus = session.dispatcher.bus();
    let at = &bus.conversation.moment();
    let (text, model) = ("x".to_owned(), Model { provider: "anthropic".to_owned(), id: "m".to_owned() });
    let thinking_level = ThinkingLevel::Off;
    let ended = TurnPlaces { turn: 1, message: 0, results: 1..1 };
    let mut trail = Vec::new();
    let refused = match seam {
        "input" => {
            let mut said = Said { text, images: Vec::new(), source: Source::User };
            refused(bus.receive(&mut said, at, &mut trail).await)
        }
        "before-agent-start" => {
            let mut prompt = Prompt { text, images: Vec::new(), system_prompt: String::new() };
            refused(bus.before_agent_start(&mut prompt, at, &mut trail).await)
        }
        "prepare-request" => {
            let plan = RequestPlan { turn: 1, model, thinking_level };
            refused(bus.prepare_request(plan, at, &mut trail).await)
        }
        "transform-context" => refused(bus.transform_context(at, &mut trail).await),
        "convert-to-llm" => refused(bus.convert_to_llm(&[own_message()], at, &mut trail).await),
        "get-api-key" => refused(bus.get_api_key("anthropic", at, &mut trail).await),
        "before-provider-request" => {
            let mut request = ProviderRequest { model, headers: Vec::new(), options: Map::new() };
            refused(bus.before_provider_request(&mut request, &|_| Ok(()), at, &mut trail).await)
        }
        "before-provider-payload" => refused(bus.before_provider_payload(&model, &mut json!({}), at, &mut trail).await),
        "rewrite-tool-call" | "tool-call" | "tool-result" => {
            let settled = session.echo("x").await;
            trail = settled.decisions.clone();
            settled.output.is_error.then(|| self::text(&settled))
        }
        "finish-turn" => refused(bus.finish_turn(&ended, StopReason::Stop, at, &mut trail).await),
        "prepare-next-turn" => {
            refused(bus.prepare_next_turn(TurnPlan { ended, model, thinking_level }, at, &mut trail).await)
        }
        "session-before-switch" => refused(bus.session_before_switch(None, at, &mut trail).await),
        "session-before-fork" => {
            let fork = Fork { entry: "e".to_owned(), holds_entry: true };
            refused(bus.session_before_fork(&fork, at, &mut trail).await)
        }
        "session-before-compact" => refused(bus.session_before_compact(&compaction(), at, &mut trail).await),
        "session-before-tree" => refused(bus.session_before_tree(&step(), at, &mut trail).await),
        "resources-discover" => refused(bus.resources_discover(Reason::Startup, at, &mut trail).await),
        other => panic!("`{other}` has no place in this table"),
    };
    let rulings = trail.into_iter().filter(|decision| decision.seam == seam).map(|decision| decision.ruling);
    Asked { refused, rulings: rulings.collect() }
}

/// A message of the plugin `p`.
fn own_message() -> Arc<Message> {
    Arc::new(Message::Custom(CustomMessage {
        custom_type: "p/note".to_owned(),
        content: vec![Content::text("x")],
        display: true,
        details: None,
        timestamp: 0,
    }))
}

pub(in crate::seams) fn compaction() -> Compaction {
    Compaction { reason: CompactReason::Manual, tokens: 1, first_kept: 0, previous_summary: None, instructions: None }
}

pub(in crate::seams) fn step() -> TreeMove {
    TreeMove { target: "e".to_owned(), old_leaf: None, entries: 0, wants_summary: false, instructions: None }
}
