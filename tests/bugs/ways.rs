//! Whatever way a call comes, it passes the same gates.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use seam_loop::message::{RequestedCall, UserMessage};
use seam_loop::{
    CancellationToken, Content, ExecutionMode, Message, Model, NoHooks, Origin, Queue, Replay, ResolvedTool, RunConfig,
    Target, ThinkingLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, Transcript, ValidArguments,
};
use seam_providers::scripted::{Script, Scripted};
use seam_tests::bed::Bed;
use seam_tests::{files, notes, talk};
use serde_json::{Value, json};

use super::effect::one_of_each;
use super::program::{Program, batch, call, of, seam};

/// How often the gate of this plugin was asked, from its notes.
fn asked(plugin: &str) -> Vec<String> {
    notes::take(plugin).into_iter().filter(|note| note.starts_with("tool-call: ")).collect()
}

/// A tool of the host that works through other tools: by a single call, or by a loop of its own.
struct Agent {
    definition: ToolDefinition,
}

impl Agent {
    fn tool() -> Arc<dyn Tool> {
        let definition = ToolDefinition {
            name: "agent".into(),
            description: "Lets somebody else do it.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "loop": { "type": "boolean" } } }),
            mode: ExecutionMode::Parallel,
            replay: Replay::Never,
        };
        Arc::new(Self { definition })
    }
}

#[async_trait]
impl Tool for Agent {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn resolve(&self, arguments: &ValidArguments) -> Result<Box<dyn ResolvedTool>, ToolError> {
        Ok(Box::new(Working { in_a_loop: arguments.value().get("loop") == Some(&Value::Bool(true)) }))
    }
}

struct Working {
    in_a_loop: bool,
}

#[async_trait]
impl ResolvedTool for Working {
    fn targets(&self) -> Vec<Target> {
        vec![Target::Other("whatever the other does".to_owned())]
    }

    async fn run(self: Box<Self>, context: ToolContext<'_>) -> Result<ToolOutput, ToolError> {
        let arguments = json!({ "path": "inner", "content": "x" });
        if !self.in_a_loop {
            let call = RequestedCall {
                id: "n1".to_owned(),
                name: "write".to_owned(),
                arguments,
                arguments_error: None,
                signature: None,
            };
            return Ok(context.caller.call(call).await.output);
        }
        let turns = json!({ "turns": batch(&[call("n1", "write", arguments)]) });
        let provider = Scripted::new(Script::from_value(turns, "the sub-agent").unwrap());
        let (steering, follow_up, mut transcript) = (Queue::default(), Queue::default(), Transcript::new());
        let config = RunConfig {
            provider: &provider,
            dispatch: context.caller.dispatch().expect("a run within a run"),
            hooks: &NoHooks,
            events: &|_| {},
            steering: &steering,
            follow_up: &follow_up,
            model: &Model { provider: "scripted".to_owned(), id: "inner".to_owned() },
            thinking_level: ThinkingLevel::default(),
            system_prompt: "",
            sequential: false,
            abort: &context.abort,
        };
        let prompt = Message::User(UserMessage { content: vec![Content::text("go")], timestamp: 0 });
        seam_loop::prompt(&config, &mut transcript, vec![prompt]).await;
        let said: Vec<String> = transcript.messages().iter().map(|message| talk::shown(message)).collect();
        Ok(ToolOutput::text(said.join(" | ")))
    }
}

#[tokio::test]
async fn calls_of_a_tool_and_of_an_agent_within_it_are_gated() {
    for in_a_loop in [false, true] {
        let no_writes = json!({ "tool-call": { "do": "block", "tool": "write", "text": "no writes" } });
        let bed = Bed::new().everything("no-writes", no_writes);
        let turns = batch(&[call("c1", "agent", json!({ "loop": in_a_loop }))]);
        let mut talk = bed.talk_with(turns, vec![Agent::tool()]).await;
        talk.say("go").await;
        assert!(!talk.bed.workspace.join("inner").exists());
        let told = &talk.transcript()[2];
        assert!(told.contains("Blocked by plugin `no-writes`: no writes"), "{told}");
    }
}

/// The gate is asked as often as there are calls.
#[tokio::test]
async fn calls_of_every_way_are_counted_by_one_gate() {
    let counts = json!({
        "tell": ["tool-call"], "observe": "quiet", "tools": [{ "name": "shout", "do": "shout" }]
    });
    let echo = |id: &str| call(id, "echo", json!({ "text": "x" }));
    let turns = json!([
        { "content": [echo("single")] },
        { "content": [echo("b1"), call("b2", "ls", json!({})), call("b3", "shout", json!({ "text": "x" }))] },
        { "content": [call("outer", "agent", json!({})), call("outer2", "agent", json!({ "loop": true }))] },
        { "content": [{ "text": "done" }] },
    ]);
    let mut talk = Bed::new().everything("bug-every-way", counts).talk_with(turns, vec![Agent::tool()]).await;
    talk.say("go").await;
    let abort = CancellationToken::new();
    for origin in [Origin::User, Origin::Resumed] {
        let settled = talk.harness.call(origin, "echo", json!({ "text": "x" }), &abort).await;
        assert!(!settled.output.is_error);
    }
    // One, three, two with one within each, one of the user, one of a resumed session.
    let asked = asked("bug-every-way");
    assert_eq!(asked.len(), 1 + 3 + 4 + 1 + 1, "{asked:#?}");
    for origin in ["Origin::Model", "Origin::Nested", "Origin::User", "Origin::Resumed"] {
        assert!(asked.iter().any(|note| note.contains(origin)), "{origin} is not in {asked:#?}");
    }
}

#[tokio::test]
async fn seven_calls_are_seven_questions_with_seven_names() {
    let counts = json!({ "tell": ["tool-call"], "observe": "quiet" });
    let session = Bed::new().everything("bug-seven", counts).file("f", "x").start().await;
    for (tool, arguments) in one_of_each() {
        assert!(!session.call(tool, arguments).await.output.is_error, "{tool}");
    }
    let asked = asked("bug-seven");
    assert_eq!(asked.len(), 7);
    let name = |note: &String| note.split("tool: \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let names: BTreeSet<String> = asked.iter().map(name).collect();
    let exact = ["bash", "edit", "find", "grep", "ls", "read", "write"];
    assert_eq!(names, exact.map(str::to_owned).into_iter().collect());
}

#[tokio::test]
async fn the_hooks_before_and_after_of_one_plugin_run_once_each() {
    let both = json!({ "tell": ["rewrite-tool-call", "tool-call", "tool-result"], "observe": "quiet" });
    let session = Bed::new().everything("bug-both", both).start().await;
    session.echo("x").await;
    let notes = notes::take("bug-both");
    let seams: Vec<&str> = notes.iter().map(|note| note.split(':').next().unwrap()).collect();
    assert_eq!(seams, ["rewrite-tool-call", "tool-call", "tool-result"]);
}

/// Our own binary, started by a command of the model, in the same project.
#[test]
fn a_second_agent_started_by_a_command_has_the_same_plugins() {
    let write = batch(&[call("i1", "write", json!({ "path": "inner", "content": "x" }))]);
    let outer = Program::new(&json!([]));
    let inner = outer.script("inner", &write);
    let run = format!("{} run --script {} --json go", seam().display(), inner.display());
    outer.script("script", &batch(&[call("c1", "bash", json!({ "command": run }))]));
    let settings = "[plugins.guard.config]\nobserve = \"quiet\"\n\
                    tool-call = { do = \"block\", tool = \"write\", text = \"no writes\" }\n";
    let outer = outer.plugin("guard", &files::guest("everything")).file("seam.toml", settings);
    let events = outer.events();
    assert!(!outer.path().join("inner").exists());
    let end = of(&events, "tool_execution_end")[0];
    assert_eq!(end["isError"], false, "the command itself ran: {end}");
    let said = end["result"]["content"][0]["text"].as_str().unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let inner_end = of(&lines, "tool_execution_end")[0];
    assert_eq!(inner_end["decisions"][1]["by"], json!({ "plugin": "guard" }), "{inner_end}");
    assert_eq!(inner_end["decisions"][1]["ruling"]["kind"], "block");
}
