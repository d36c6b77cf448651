//! From the loop's types to those of the contract. Texts are lent, not copied.

use std::borrow::Cow;

use seam_loop::call::{Access, Location, Resolution};
use seam_loop::{Origin, Target, ToolCall};
use smallvec::SmallVec;

use crate::bindings::seam::harness::types as wit;

/// The parts of a call that do not exist in the form the contract wants, kept alive for the time of a guest's call.
pub(crate) struct Parts<'a> {
    targets: SmallVec<[PathText<'a>; 2]>,
}

/// A target, and its path as text when it has one.
type PathText<'a> = (&'a Target, Cow<'a, str>);

impl<'a> Parts<'a> {
    pub(crate) fn of(call: &'a ToolCall) -> Self {
        Self { targets: call.targets.iter().map(|target| (target, path_text(target))).collect() }
    }

    pub(crate) fn targets(&self) -> SmallVec<[wit::Target<'_>; 2]> {
        self.targets.iter().map(target).collect()
    }
}

fn path_text(target: &Target) -> Cow<'_, str> {
    match target {
        Target::Path { resolution: Resolution::Resolved { path, .. }, .. } => path.to_string_lossy(),
        Target::Command { cwd, .. } => cwd.to_string_lossy(),
        Target::Path { .. } | Target::Other(_) => Cow::Borrowed(""),
    }
}

fn target<'a>((target, path): &'a PathText<'_>) -> wit::Target<'a> {
    match target {
        Target::Path { given, resolution, access } => {
            let access = match access {
                Access::Write => wit::Access::Write,
                Access::Read => wit::Access::Read,
            };
            wit::Target::Path(wit::PathTarget { given, resolution: self::resolution(resolution, path), access })
        }
        Target::Command { command, .. } => wit::Target::Command(wit::CommandTarget { command, cwd: path }),
        Target::Other(what) => wit::Target::Other(what),
    }
}

fn resolution<'a>(resolution: &'a Resolution, path: &'a str) -> wit::Resolution<'a> {
    match resolution {
        Resolution::Unresolved(reason) => wit::Resolution::Unresolved(reason),
        Resolution::Resolved { location, exists, .. } => {
            let location = match location {
                Location::Outside => wit::Location::Outside,
                Location::Inside => wit::Location::Inside,
            };
            wit::Resolution::Resolved(wit::ResolvedPath { path, location, exists: *exists })
        }
    }
}

/// The call, with its targets.
pub(crate) fn invocation<'a>(call: &'a ToolCall, targets: &'a [wit::Target<'a>]) -> wit::Invocation<'a> {
    wit::Invocation {
        id: &call.id,
        tool: &call.tool,
        arguments: call.arguments.text(),
        model_arguments: call.model_arguments.as_deref(),
        origin: origin(&call.origin),
        targets,
        turn: call.turn,
        batch: wit::BatchPosition { index: call.batch.index, size: call.batch.size },
    }
}

fn origin(origin: &Origin) -> wit::Origin<'_> {
    match origin {
        Origin::Model => wit::Origin::Model,
        Origin::Nested { id, tool } => wit::Origin::Nested(wit::ParentCall { id, tool }),
        Origin::Plugin(name) => wit::Origin::Plugin(name),
        Origin::User => wit::Origin::User,
        Origin::Resumed => wit::Origin::Resumed,
    }
}
