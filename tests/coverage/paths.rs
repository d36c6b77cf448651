//! One conversation that reaches a tool in every way there is, under gates that count.

use seam_harness::{Event, SessionEvent};
use seam_loop::{AgentEvent, CancellationToken, Origin};
use seam_tests::bed::{Bed, trail};
use seam_tests::{files, notes};
use serde_json::{Value, json};

use super::tools::{Ended, tools};

fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "toolCall": { "id": id, "name": name, "args": args } })
}

/// Arguments of a tool, from a text.
type Args = fn(&str) -> Value;

/// What happened on the way: every call that ended, in no order that matters.
struct Walked {
    ended: Vec<Ended>,
    workspace: Vec<String>,
    echoed: usize,
}

/// A plugin whose command `/call` calls a tool. If that runs commands, it also runs a program.
fn caller(bed: Bed, tool: &str, args: &Value) -> Bed {
    let mut steps = vec![json!({ "call": tool, "with": args })];
    if tool == "bash" {
        steps.push(json!({ "exec": ["touch", "run"] }));
    }
    let config = json!({ "commands": [{ "name": "call", "steps": steps }] });
    bed.plugin("z-caller", &files::guest("reach-b"), config).set("z-caller", |settings| {
        let grants = &mut settings.grants;
        (grants.tools, grants.exec) = (vec![tool.to_owned()], vec!["touch".to_owned()]);
        (grants.complete, grants.ui) = (Some(1), true);
    })
}

/// Has a conversation that calls `tool` twelve times: the model alone, in a batch of three, through the body of another
/// call, through a run in the body of a call, one within that; the user, a session that is resumed, a plugin by the
/// host's word, and one by its own. That one runs a program too, if the tool is `bash`.
async fn walk(bed: Bed, tool: &str, args: Args) -> Walked {
    let bed = caller(bed, tool, &args("called"));
    let call_it = |id: &str| call(id, tool, args(id));
    let relay = |id: &str| call(id, "relay", json!({ "tool": tool, "args": args(&format!("{id}-relayed")) }));
    let agent = |id: &str, plan: &str| call(id, "agent", json!({ "plan": plan }));
    let turns = json!([
        { "content": [call_it("alone")] },
        { "content": [call_it("b1"), call_it("b2"), call_it("b3")] },
        { "content": [relay("r1")] },
        { "content": [agent("a1", "outer")] },
        { "content": [{ "text": "done" }] },
    ]);
    let (tools, inner) = tools(json!({
        "outer": [{ "content": [call_it("s1"), relay("r2")] }, { "content": [agent("a2", "inner")] }, { "content": [] }],
        "inner": [{ "content": [call_it("s2")] }, { "content": [] }],
    }));
    let mut talk = bed.talk_with(turns, tools).await;
    talk.say("/go").await;
    for (origin, id) in
        [(Origin::User, "user"), (Origin::Resumed, "resumed"), (Origin::Plugin("somebody".to_owned()), "plugin")]
    {
        talk.harness.call(origin, tool, args(id), &CancellationToken::new()).await;
    }
    talk.say("/call").await;
    let entries = std::fs::read_dir(&talk.bed.workspace).unwrap();
    let workspace = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let echoed = talk.bed.echoed.lock().unwrap().len();
    let mut ended: Vec<Ended> = talk.close().await.into_iter().filter_map(ended).collect();
    ended.append(&mut inner.lock().unwrap());
    Walked { ended, workspace, echoed }
}

fn ended(event: Event) -> Option<Ended> {
    match event {
        Event::Agent(AgentEvent::ToolExecutionEnd { tool_name, result, decisions, .. }) => {
            Some(Ended::new(&tool_name, &result, decisions))
        }
        Event::Session(SessionEvent::PluginCalled { tool, error, decisions, .. }) => {
            Some(Ended { tool, text: error.unwrap_or_default(), decisions })
        }
        _ => None,
    }
}

/// What a gate is asked on that way, as `TOOL of ORIGIN`.
fn expected(tool: &str) -> Vec<String> {
    let program = (tool == "bash").then(|| "bash of Plugin(\"z-caller\")".to_owned());
    let calls = [
        "IT of Model",
        "IT of Model",
        "IT of Model",
        "IT of Model",
        "relay of Model",
        "IT of relay r1",
        "agent of Model",
        "IT of agent a1",
        "relay of agent a1",
        "IT of relay r2",
        "agent of agent a1",
        "IT of agent a2",
        "IT of User",
        "IT of Resumed",
        "IT of Plugin(\"somebody\")",
        "IT of Plugin(\"z-caller\")",
    ];
    calls.map(|asked| asked.replace("IT", tool)).into_iter().chain(program).collect()
}

/// What a gate was asked, from its notes.
fn asked(gate: &str) -> Vec<String> {
    let notes = notes::take(gate);
    let asked = notes.iter().filter(|note| note.starts_with("tool-call: ")).map(|note| {
        let part = |from, to| note.split_once(from).unwrap().1.split_once(to).unwrap().0;
        let tool = part("tool: \"", "\"");
        let origin = part("origin: Origin::", ", targets: ");
        match origin.strip_prefix("Nested(ParentCall { id: \"") {
            None => format!("{tool} of {origin}"),
            Some(nested) => {
                let mut words = nested.split('"');
                let (id, outer) = (words.next().unwrap(), words.nth(1).unwrap());
                format!("{tool} of {outer} {id}")
            }
        }
    });
    asked.collect()
}

/// A gate that notes each call it is asked about, and more.
fn counting(more: Value) -> Value {
    let mut settings = json!({ "observe": "quiet", "tell": ["tool-call"] });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

fn go() -> Value {
    json!({ "commands": [{ "name": "go", "do": "prompt", "text": "go" }] })
}

#[tokio::test]
async fn every_gate_is_asked_about_every_call_and_each_result_names_it() {
    let bed = Bed::new().everything("counts-1", counting(go())).everything("counts-2", counting(json!({})));
    let walked = walk(bed, "echo", |text| json!({ "text": text })).await;
    assert_eq!(asked("counts-1"), expected("echo"));
    assert_eq!(asked("counts-2"), expected("echo"));
    assert_eq!(walked.echoed, 12);
    assert_eq!(walked.ended.len(), expected("echo").len());
    for Ended { tool, text, decisions } in walked.ended {
        let both = |seam| ["counts-1", "counts-2"].map(|gate| format!("{gate} {seam} proceed")).to_vec();
        let all = |seam| [both(seam), vec![format!("z-caller {seam} proceed")]].concat();
        let named = [both("rewrite-tool-call"), all("tool-call"), all("tool-result")].concat();
        assert_eq!(trail(&decisions), named, "{tool}: {text}");
    }
}

/// A plugin's tool, and its own gate.
#[tokio::test]
async fn a_plugins_tool_is_a_tool_like_any_other() {
    let tool = json!({ "tools": [{ "name": "shout", "do": "shout" }] });
    let bed = Bed::new().everything("counts-3", counting(go())).everything("shouts", counting(tool));
    let walked = walk(bed, "shout", |text| json!({ "text": text })).await;
    assert_eq!(asked("counts-3"), expected("shout"));
    assert_eq!(asked("shouts"), expected("shout"));
    let shouted: Vec<&Ended> = walked.ended.iter().filter(|ended| ended.tool == "shout").collect();
    assert_eq!(shouted.len(), 12);
    for Ended { text, decisions, .. } in shouted {
        assert_eq!(*text, text.to_uppercase());
        let trail = trail(decisions);
        assert!(trail.contains(&"counts-3 tool-call proceed".to_owned()), "{text}: {trail:?}");
        assert!(trail.contains(&"shouts tool-call proceed".to_owned()), "{text}: {trail:?}");
    }
}

#[tokio::test]
async fn what_a_gate_blocks_it_blocks_on_every_path() {
    let paths: [(&str, &str, &str, Args); 3] = [
        ("write", "no-write", "counts-4", |at| json!({ "path": at, "content": "x" })),
        ("shout", "no-shout", "counts-5", |at| json!({ "text": at })),
        ("bash", "no-bash", "counts-6", |at| json!({ "command": format!("touch {at}") })),
    ];
    for (tool, gate, refuses, args) in paths {
        let block = json!({ "tool-call": { "do": "block", "tool": tool, "text": "no" } });
        let offers = json!({ "tools": [{ "name": "shout", "do": "shout" }], "commands": go()["commands"] });
        let bed = Bed::new().everything(refuses, counting(offers)).everything(gate, counting(block));
        let bed = bed.everything("z-not-asked", counting(json!({})));
        let walked = walk(bed, tool, args).await;
        assert_eq!(walked.workspace, [""; 0]);
        assert_eq!(asked(refuses), expected(tool));
        assert_eq!(asked(gate), expected(tool));
        let (refused, others): (Vec<_>, Vec<_>) = walked.ended.into_iter().partition(|ended| ended.tool == tool);
        assert_eq!((refused.len(), others.len()), (expected(tool).len() - 4, 4));
        for Ended { text, decisions, .. } in refused {
            assert_eq!(text, format!("Blocked by plugin `{gate}`: no"));
            // Those after the block are not asked, and so not named.
            let last = [format!("{refuses} tool-call proceed"), format!("{gate} tool-call block")];
            assert_eq!(trail(&decisions)[3..], last);
        }
    }
}
