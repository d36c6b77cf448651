//! Plugins as an author writes and tests them: natively, with fakes for what they import. Here one around tool calls.

#![forbid(unsafe_code)]

#[path = "plugin/kinds.rs"]
mod kinds;

use seam::testing::{call, json, long_result, notes, result, set_config};
use seam::{
    Access, Change, Content, Outcome, Rewrite, RewriteToolCall, ToolCall, ToolCallGate, ToolResult, ToolResultPatch,
    Verdict,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, PartialEq)]
struct Plugin {
    deny: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct Bash {
    command: String,
    timeout: Option<f64>,
}

impl RewriteToolCall for Plugin {
    fn rewrite(&mut self, call: &ToolCall) -> Rewrite {
        match call.args_of::<Bash>("bash") {
            Some(bash) => Rewrite::arguments(&Bash { command: format!("nice {}", bash.command), ..bash }),
            None => Rewrite::Keep,
        }
    }
}

impl ToolCallGate for Plugin {
    fn decide(&mut self, call: &ToolCall) -> Verdict {
        match call.command() {
            Some(run) if self.deny.iter().any(|no| run.contains(no)) => Verdict::block("denied"),
            Some(_) => Verdict::ask("run it?"),
            None => Verdict::Proceed,
        }
    }
}

impl ToolResultPatch for Plugin {
    fn review(&mut self, result: &ToolResult) -> Outcome {
        seam::log::info("reviewed");
        match result.whole_text().contains("secret") {
            true => Outcome::withhold("it holds a secret"),
            false => Outcome::Keep,
        }
    }
}

seam::plugin!(Plugin from config: rewrite_tool_call, tool_call, tool_result);

fn plugin() -> Plugin {
    Plugin { deny: vec!["rm".to_owned()] }
}

fn bash(command: &str) -> ToolCall {
    call("bash", json!({ "command": command, "timeout": 5 }))
}

#[test]
fn settings_make_the_plugin() {
    set_config(json!({ "deny": ["rm"] }));
    assert_eq!(seam::config::read::<Plugin>(), plugin());
}

#[test]
#[should_panic(expected = "the settings: missing field `deny`")]
fn settings_it_cannot_read_are_no_decision() {
    seam::config::read::<Plugin>();
}

#[test]
fn a_rewrite_gives_all_arguments() {
    let arguments = r#"{"command":"nice ls","timeout":5.0}"#.to_owned();
    assert_eq!(plugin().rewrite(&bash("ls")), Rewrite::Arguments(arguments));
    assert_eq!(plugin().rewrite(&call("ls", json!({}))), Rewrite::Keep);
}

#[test]
#[should_panic(expected = "the arguments of `bash`: missing field `command`")]
fn arguments_it_cannot_read_are_no_decision() {
    plugin().rewrite(&call("bash", json!({})));
}

#[test]
fn a_gate_sees_the_command() {
    assert_eq!(plugin().decide(&bash("rm x")), Verdict::block("denied"));
    assert_eq!(plugin().decide(&bash("ls")), Verdict::ask("run it?"));
    assert_eq!(plugin().decide(&call("ls", json!({}))), Verdict::Proceed);
}

#[test]
fn paths_are_the_ones_the_host_resolved() {
    let call = call("edit", json!({ "path": "l" })).writing("l", "/outside/l").unresolved("x", "a loop");
    let paths: Vec<_> = call.paths().map(|target| (target.access, target.resolved().map(|at| &*at.path))).collect();
    assert_eq!(paths, [(Access::Write, Some("/outside/l")), (Access::Write, None)]);
}

#[test]
fn a_patch_reads_what_was_cut() {
    let text = format!("{}secret", "é".repeat(1 << 20));
    let long = long_result(bash("cat x"), &text);
    assert!(long.truncated && !long.texts().any(|text| text.contains("secret")));
    assert_eq!(plugin().review(&long), Outcome::withhold("it holds a secret"));
    assert_eq!(plugin().review(&result(bash("cat x"), "plain")), Outcome::Keep);
    assert_eq!(notes(), ["info: reviewed", "info: reviewed"]);
}

#[test]
fn the_fake_of_the_full_result_cuts_between_characters() {
    seam::testing::set_full_result("aé🦀");
    let read = |offset, length| seam::full_result::read(offset, length);
    assert_eq!(
        [read(0, 2), read(1, 9), read(2, 2), read(4, 1), read(7, 9), read(99, 9)],
        ["a", "é🦀", "é", "🦀", "", ""]
    );
    assert_eq!(seam::full_result::length(), 7);
}

#[test]
fn changes_are_made_from_values() {
    let content = Outcome::Change(vec![Change::Content(vec![Content::Text("new".to_owned())])]);
    assert_eq!(Outcome::text("new"), content);
    assert_eq!(Change::details(&json!({ "n": 1 })), Change::Details(r#"{"n":1}"#.to_owned()));
    assert_eq!(Change::structured_content(&json!({})), Change::StructuredContent("{}".to_owned()));
}
