//! Models, levels, stop reasons.

use seam_harness::Failure;
use seam_loop::{Model, StopReason, ThinkingLevel};

use crate::bindings::seam::harness::types as wit;

/// The longest provider and the longest id of a model, in bytes.
const PART: usize = 256;

pub(crate) fn model(model: &Model) -> wit::ModelParam<'_> {
    wit::ModelParam { provider: &model.provider, id: &model.id }
}

pub(crate) fn from_model(model: wit::ModelResult) -> Result<Model, Failure> {
    let wit::ModelResult { provider, id } = model;
    let is_part = |part: &str| !part.is_empty() && part.len() <= PART && !part.chars().any(char::is_control);
    match is_part(&provider) && is_part(&id) {
        true => Ok(Model { provider, id }),
        false => Err(Failure::InvalidAnswer("the name of a model is not one".to_owned())),
    }
}

pub(crate) fn level(level: ThinkingLevel) -> wit::ThinkingLevel {
    match level {
        ThinkingLevel::Off => wit::ThinkingLevel::Off,
        ThinkingLevel::Minimal => wit::ThinkingLevel::Minimal,
        ThinkingLevel::Low => wit::ThinkingLevel::Low,
        ThinkingLevel::Medium => wit::ThinkingLevel::Medium,
        ThinkingLevel::High => wit::ThinkingLevel::High,
        ThinkingLevel::Xhigh => wit::ThinkingLevel::Xhigh,
        ThinkingLevel::Max => wit::ThinkingLevel::Max,
    }
}

pub(crate) fn from_level(level: wit::ThinkingLevel) -> ThinkingLevel {
    match level {
        wit::ThinkingLevel::Off => ThinkingLevel::Off,
        wit::ThinkingLevel::Minimal => ThinkingLevel::Minimal,
        wit::ThinkingLevel::Low => ThinkingLevel::Low,
        wit::ThinkingLevel::Medium => ThinkingLevel::Medium,
        wit::ThinkingLevel::High => ThinkingLevel::High,
        wit::ThinkingLevel::Xhigh => ThinkingLevel::Xhigh,
        wit::ThinkingLevel::Max => ThinkingLevel::Max,
    }
}

pub(crate) fn stop(reason: StopReason) -> wit::StopReason {
    match reason {
        StopReason::Error => wit::StopReason::Error,
        StopReason::Aborted => wit::StopReason::Aborted,
        StopReason::Length => wit::StopReason::Length,
        StopReason::Deferred => wit::StopReason::Deferred,
        StopReason::ToolUse => wit::StopReason::ToolUse,
        StopReason::Stop => wit::StopReason::Stop,
    }
}

pub(crate) fn from_stop(reason: wit::StopReason) -> StopReason {
    match reason {
        wit::StopReason::Error => StopReason::Error,
        wit::StopReason::Aborted => StopReason::Aborted,
        wit::StopReason::Length => StopReason::Length,
        wit::StopReason::Deferred => StopReason::Deferred,
        wit::StopReason::ToolUse => StopReason::ToolUse,
        wit::StopReason::Stop => StopReason::Stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_a_provider_and_an_id_that_can_be_shown() {
        let is_one = |provider: &str, id: &str| {
            from_model(wit::ModelResult { provider: provider.to_owned(), id: id.to_owned() }).is_ok()
        };
        assert!(is_one("local", "a/b:c d") && is_one("x", &"x".repeat(PART)));
        for (provider, id) in [("", "x"), ("x", ""), ("x", "a\nb"), ("\u{1b}x", "x"), ("x", &"x".repeat(PART + 1))] {
            assert!(!is_one(provider, id), "{provider:?} {id:?}");
        }
    }
}
