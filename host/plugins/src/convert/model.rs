//! Models, levels, stop reasons.

use seam_loop::{Model, StopReason, ThinkingLevel};

use crate::bindings::seam::harness::types as wit;

pub(crate) fn model(model: &Model) -> wit::ModelParam<'_> {
    wit::ModelParam { provider: &model.provider, id: &model.id }
}

pub(crate) fn from_model(model: wit::ModelResult) -> Model {
    Model { provider: model.provider, id: model.id }
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
