//! One conversation that reaches tools in every way there is, under gates that count.

use seam_harness::Event;
use seam_loop::{AgentEvent, CancellationToken, Decision, Origin};
use seam_tests::bed::{Bed, trail};
use seam_tests::notes;
use seam_tests::talk::Talk;
use serde_json::{Value, json};

use super::tools::{Inner, tools};

fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "toolCall": { "id": id, "name": name, "args": args } })
}

fn says(text: &str) -> Value {
    json!([{ "text": text }])
}

/// A model that reaches `tool` alone, in a batch of three, through `relay` and through `agent`; whose plan does the same.
fn turns(tool: &str, args: &dyn Fn(&str) -> Value) -> Value {
    let relayed = |at: &str| json!({ "tool": tool, "args": args(at) });
    json!([
        { "content": [call("alone", tool, args("alone"))] },
        { "content": [call("b1", tool, args("b1")), call("b2", tool, args("b2")), call("b3", tool, args("b3"))] },
        { "content": [call("relay", "relay", relayed("nested"))] },
        { "content": [call("agent", "agent", json!({ "plan": "outer" }))] },
        { "content": says("done") },
    ])
}

fn plans(tool: &str, args: &dyn Fn(&str) -> Value) -> Value {
    let relayed = |at: &str| json!({ "tool": tool, "args": args(at) });
    json!({
        "outer": [
            { "content": [call("s1", tool, args("sub")), call("s2", "relay", relayed("sub-nested"))] },
            { "content": [call("s3", "agent", json!({ "plan": "inner" }))] },
            { "content": says("done") },
        ],
        "inner": [{ "content": [call("s4", tool, args("sub-sub"))] }, { "content": says("done") }],
    })
}

/// The same calls from outside a run.
const OUTSIDE: [fn() -> Origin; 3] =
    [|| Origin::User, || Origin::Resumed, || Origin::Plugin("somebody".to_owned())];

async fn from_outside(talk: &mut Talk, tool: &str, args: &dyn Fn(&str) -> Value) {
    for origin in OUTSIDE {
        let at = format!("{:?}", origin()).to_lowercase().replace(['(', ')', '"'], "");
        talk.harness.call(origin(), tool, args(&at), &CancellationToken::new()).await;
    }
}

/// `TOOL of ORIGIN` of each note of a gate that tells what it is asked.
fn asked(plugin: &str) -> Vec<String> {
    let part = |note: &str, from: &str, to: &str| {
        let rest = note.split_once(from).unwrap_or_else(|| panic!("{from} is not in {note}")).1;
        rest.split_once(to).unwrap_or_else(|| panic!("{to} is not in {rest}")).0.to_owned()
    };
    let notes = notes::take(plugin);
    let asked = notes.iter().filter(|note| note.starts_with("tool-call: ")).map(|note| {
        let origin = part(note, "origin: Origin::", ", targets").replace("Origin::", "");
        format!("{} of {origin}", part(note, "tool: \"", "\""))
    });
    asked.collect()
}

/// Of everything that ended: the tool, and who was asked.
fn ended(events: Vec<Event>, inner: &Inner) -> Vec<(String, Vec<Decision>)> {
    let outer = events.into_iter().filter_map(|event| match event {
        Event::Agent(AgentEvent::ToolExecutionEnd { tool_name, decisions, .. }) => Some((tool_name, decisions)),
        _ => None,
    });
    let inner = inner.lock().unwrap().clone();
    outer.chain(inner.into_iter().map(|(tool, _, decisions)| (tool, decisions))).collect()
}

fn counting() -> Value {
    json!({ "observe": "quiet", "tell": ["tool-call"] })
}

/// What a gate is asked on the way through [`turns`], [`plans`] and [`OUTSIDE`]. A call that is refused leads no further.
fn expected(tool: &str) -> Vec<String> {
    let nested = |tool: &str, id: &str, outer: &str| format!("{tool} of Nested({id} {outer})");
    vec![
        format!("{tool} of Model"),
        format!("{tool} of Model"),
        format!("{tool} of Model"),
        format!("{tool} of Model"),
        "relay of Model".to_owned(),
        nested(tool, "relay", "relay"),
        "agent of Model".to_owned(),
        nested(tool, "agent", "agent"),
        nested("relay", "agent", "agent"),
        nested(tool, "s2", "relay"),
        nested("agent", "agent", "agent"),
        nested(tool, "s3", "agent"),
        format!("{tool} of User"),
        format!("{tool} of Resumed"),
        format!("{tool} of Plugin(\"somebody\")"),
    ]
}

#[tokio::test]
async fn every_call_on_every_path_is_counted_by_every_gate_and_names_them() {
    let args = |at: &str| json!({ "text": at });
    let shouts = json!({ "observe": "quiet", "tell": ["tool-call"], "tools": [{ "name": "shout", "do": "shout" }] });
    let bed = Bed::new().everything("counts-a", counting()).everything("counts-b", shouts);
    for tool in ["echo", "shout"] {
        let _before = (notes::take("counts-a"), notes::take("counts-b"));
        let _ = &bed;
        println!("{tool}");
    }
    let (tools, inner) = tools(plans("echo", &args));
    let mut talk = bed.talk_with(turns("echo", &args), tools).await;
    talk.say("go").await;
    from_outside(&mut talk, "echo", &args).await;
    let echoed = talk.bed.echoed.lock().unwrap().clone();
    println!("{echoed:?}");
    let ended = ended(talk.close().await, &inner);
    println!("{:#?}", notes::take("counts-a"));
    for (tool, decisions) in ended {
        println!("{tool}: {:?}", trail(&decisions));
    }
    let _ = (expected("x"), asked("counts-b"));
}
