//! One prompt, from its text to how it ended.

use seam_harness::seams::{Said, Source};
use seam_harness::{Harness, Heard};
use seam_loop::{CancellationToken, Origin, RunOutcome, StopReason};
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, complain};
use crate::terminal::style;

/// Does what a prompt says: a command line after `!`, a command after `/`, or a run.
pub(super) async fn perform(
    harness: &mut Harness,
    prompt: String,
    json: bool,
    abort: &CancellationToken,
    output: &Output,
) -> Exit {
    if let Some(command) = prompt.strip_prefix('!') {
        let settled = harness.call(Origin::User, "bash", json!({ "command": command }), abort).await;
        return match settled.output.is_error {
            true if abort.is_cancelled() => Exit::Aborted,
            true => Exit::RunFailed,
            false => Exit::Done,
        };
    }
    let source = if json { Source::Program } else { Source::User };
    let said = Said { text: prompt, images: Vec::new(), source };
    match harness.say(said, abort).await {
        Heard::Ran(outcome) => exit(outcome, output),
        Heard::Replied(reply) if json => {
            output.print(&format!("{}\n", json!({ "type": "reply", "text": reply })));
            Exit::Done
        }
        Heard::Replied(reply) => {
            output.print(&format!("{}\n", style::clean(&reply)));
            Exit::Done
        }
        Heard::Failed(reason) => {
            complain(&style::clean(&reason));
            Exit::RunFailed
        }
    }
}

fn exit(outcome: RunOutcome, output: &Output) -> Exit {
    match outcome.stop_reason {
        StopReason::Aborted => Exit::Aborted,
        StopReason::Error => {
            complain(&format!("the run failed: {}", style::clean(&outcome.error.unwrap_or_default())));
            Exit::RunFailed
        }
        _ if output.has_failed() => Exit::RunFailed,
        StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred => Exit::Done,
    }
}
