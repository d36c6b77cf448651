//! How much a model is to think, and what it cannot be told together with it.

use serde_json::{Map, Value, json};

use crate::conversation::{Said, Turn};
use crate::protocol::Asked;
use crate::table::Amount;

/// The least that a budget may be, and that we keep for the answer, in tokens.
const LEAST: u32 = 1024;
/// The first version of Claude that refuses to be told a temperature.
const WITHOUT_TEMPERATURE: (u32, u32) = (4, 7);

/// The models that take their thinking back only behind what was said before it. What was compacted, edited or said
/// otherwise since would be refused for ever: they are told to drop their thinking then.
const BOUND: [&str; 5] =
    ["claude-fable-5-1", "claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"];

/// Whether a model's thinking is bound to what was said before it.
pub(super) fn is_bound(model: &str) -> bool {
    BOUND.iter().any(|bound| model.strip_prefix(bound).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

/// Puts into the body how much to think, and the temperature where the model takes it.
pub(super) fn put(asked: &Asked<'_>, body: &mut Map<String, Value>) {
    let thinks = match asked.thinking {
        Some(Amount::Effort(word)) if asked.thinks => {
            // What is thought is not shown by newer models unless they are asked to.
            let mut adaptive = json!({ "type": "adaptive", "display": "summarized" });
            if let Some(adaptive) = adaptive.as_object_mut().filter(|_| is_bound(asked.model)) {
                let drops = json!({ "prefix_mismatch_behavior": "drop_block" });
                adaptive.insert("block_binding".to_owned(), drops);
            }
            body.insert("thinking".to_owned(), adaptive);
            body.insert("output_config".to_owned(), json!({ "effort": word }));
            true
        }
        Some(Amount::Effort(word)) => {
            body.insert("thinking".to_owned(), json!({ "type": word }));
            false
        }
        Some(Amount::Tokens(wanted)) if asked.thinks => match budget(*wanted, asked) {
            Some(tokens) => {
                body.insert("thinking".to_owned(), json!({ "type": "enabled", "budget_tokens": tokens }));
                true
            }
            None => false,
        },
        Some(Amount::Tokens(_)) | None => false,
    };
    if let Some(temperature) = asked.temperature.filter(|_| !thinks && takes_temperature(asked.model)) {
        body.insert("temperature".to_owned(), temperature.into());
    }
}

/// The budget that can be given; none if there is no room for one, or the service would refuse it.
fn budget(wanted: u32, asked: &Asked<'_>) -> Option<u32> {
    let room = asked.max_tokens.saturating_sub(LEAST);
    let budget = wanted.max(LEAST).min(room);
    (budget >= LEAST && begins_with_thinking(&asked.turns)).then_some(budget)
}

/// Whether what the model does since the user asked for it began with reasoning that goes back. A model with a budget
/// goes on from there without more reasoning, and is refused if there is none.
fn begins_with_thinking(turns: &[Turn<'_>]) -> bool {
    let asks = |place: &usize| {
        let before = place.checked_sub(1).and_then(|before| turns.get(before));
        matches!(turns.get(*place), Some(Turn::User(_))) && !matches!(before, Some(Turn::Results(_)))
    };
    let asked = (0..turns.len()).rev().find(asks).unwrap_or(0);
    let first = turns.iter().skip(asked).find_map(|turn| match turn {
        Turn::Model(said) => said.iter().find(|said| !matches!(said, Said::Thinking { signature: None, .. })),
        Turn::User(_) | Turn::Results(_) => None,
    });
    first.is_none_or(|said| matches!(said, Said::Thinking { .. }))
}

/// Whether a model can be told a temperature. Those that are not Claude can.
fn takes_temperature(model: &str) -> bool {
    version(model).is_none_or(|version| version < WITHOUT_TEMPERATURE)
}

/// The version in a name such as `claude-opus-4-7`, `claude-sonnet-5` or `claude-3-5-haiku-20241022`.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, behind) = model.split_once("claude")?;
    let is_date = |part: &str| part.len() > 2;
    let mut parts = behind
        .split(['-', '.', '@', ':'])
        .map(|part| part.parse::<u32>().ok().filter(|_| !is_date(part)))
        .skip_while(Option::is_none);
    let major = parts.next()??;
    Some((major, parts.next().flatten().unwrap_or(0)))
}
