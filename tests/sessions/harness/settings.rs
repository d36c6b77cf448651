//! Model, thinking level, active tools and side messages, in and out of a turn.

use std::fs;
use std::path::Path;

use seam_harness::{Event, Handle, InvalidTools, SessionEvent};
use seam_loop::message::CustomMessage;
use seam_loop::{AgentEvent, CancellationToken, Content, Model, Origin, ThinkingLevel};
use seam_tests::bed::Bed;
use seam_tests::talk::{Talk, calls, entries, says};
use seam_tests::three::told;
use serde_json::{Value, json};

use super::{bash, place, until_seam};

fn model(id: &str) -> Model {
    Model { provider: "scripted".to_owned(), id: id.to_owned() }
}

fn aside(text: &str) -> CustomMessage {
    CustomMessage {
        custom_type: "me/aside".to_owned(),
        content: vec![Content::text(text)],
        display: true,
        details: None,
        timestamp: 7,
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn choose_all(handle: &Handle) {
    handle.set_model(model("large"));
    handle.set_thinking_level(ThinkingLevel::High);
    handle.set_active_tools(names(&["ls", "read"])).unwrap();
    handle.append_message(aside("by the way"));
}

/// What was told of choices, save points and ends, in short.
fn shorts(events: &[Event]) -> Vec<String> {
    let short = |event: &Event| match event {
        Event::Session(SessionEvent::ModelSelect { model, previous }) => Some(format!("{} {}", model.id, previous.id)),
        Event::Session(SessionEvent::ThinkingLevelSelect { level, previous }) => {
            Some(format!("{level:?} {previous:?}"))
        }
        Event::Session(SessionEvent::ToolsUpdate { tools, active }) => {
            assert!(tools.len() > active.len() && tools.contains(&"bash".to_owned()));
            Some(active.join(","))
        }
        Event::Session(SessionEvent::SavePoint { pending }) => Some(format!("save {pending}")),
        Event::Agent(AgentEvent::ToolExecutionEnd { .. }) => Some("tool end".to_owned()),
        Event::Agent(AgentEvent::MessageEnd { message }) if matches!(**message, seam_loop::Message::Custom(_)) => {
            Some("aside".to_owned())
        }
        _ => None,
    };
    events.iter().filter_map(short).collect()
}

/// What an entry of a type has beside the base.
fn fields(file: &Path, kind: &str) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).collect()
}

async fn chosen_during_a_call(talk: &mut Talk, choose: impl Fn(&Handle)) {
    let (handle, events) = (talk.harness.handle(), talk.events.clone());
    let chooses = async {
        until_seam(&events, "tool-execution-start", 1).await;
        choose(&handle);
    };
    tokio::join!(talk.say("hi"), chooses);
}

#[tokio::test]
async fn what_is_chosen_in_a_turn_is_stored_behind_it_and_holds_from_the_next() {
    let (_folder, file) = place();
    let turns = json!([bash("c1", "sleep 0.2; echo x"), bash("c2", "echo y"), says("done")]);
    let mut talk = Bed::new().talk_in(&file, turns).await;
    chosen_during_a_call(&mut talk, choose_all).await;

    let first = ["model_change", "user", "assistant", "toolResult"];
    let chosen = ["model_change", "thinking_level_change", "active_tools_change", "custom_message"];
    let rest = ["assistant", "toolResult", "assistant"];
    assert_eq!(entries(&file), [&first[..], &chosen, &rest].concat());
    assert_eq!(fields(&file, "active_tools_change")[0]["activeToolNames"], json!(["ls", "read"]));

    let requests = talk.requests.lock().unwrap().clone();
    let models: Vec<&str> = requests.iter().map(|asked| &*asked.model).collect();
    assert_eq!(models, ["scripted/m Off", "scripted/large High", "scripted/large High"]);
    assert!(requests[0].tools.contains(&"bash".to_owned()));
    assert_eq!(requests[1].tools, ["read", "ls"]);
    // A tool that is not active is one that is not there.
    assert_eq!(requests[2].messages.last().unwrap(), "tool: Tool bash not found");

    let expected = ["me/aside: by the way", "assistant: [bash {\"command\":\"echo y\"}]"];
    assert_eq!(talk.transcript()[3..5], expected);
    let told = shorts(&talk.close().await);
    let at_once = ["large m", "High Off", "ls,read", "tool end"];
    let then = ["aside", "save true", "tool end", "save false", "save false"];
    assert_eq!(told, [&at_once[..], &then].concat());
}

#[tokio::test]
async fn what_is_chosen_goes_on_in_another_process() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([bash("c1", "sleep 0.2"), says("done")])).await;
    chosen_during_a_call(&mut talk, choose_all).await;
    let before = talk.transcript();
    talk.close().await;
    let mut talk = Bed::new().talk_in(&file, json!([says("again")])).await;
    assert_eq!(talk.transcript(), before);
    talk.say("on").await;
    let asked = talk.last_request();
    assert_eq!((&*asked.model, asked.tools), ("scripted/large High", names(&["read", "ls"])));
    assert_eq!(entries(&file)[entries(&file).len() - 2..], ["user", "assistant"]);
}

#[tokio::test]
async fn what_is_chosen_while_nothing_runs_is_stored_at_once() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([says("done")])).await;
    choose_all(&talk.harness.handle());
    let chosen = ["model_change", "thinking_level_change", "active_tools_change", "custom_message"];
    assert_eq!(entries(&file), chosen);
    // What is chosen already is no news.
    talk.harness.set_active_tools(names(&["ls", "read"])).unwrap();
    talk.harness.append_message(aside("and"));
    assert_eq!(talk.transcript(), ["me/aside: by the way", "me/aside: and"]);
    talk.say("hi").await;
    assert_eq!(entries(&file), [&chosen[..], &["custom_message", "user", "assistant"]].concat());
    assert_eq!(talk.transcript()[2..], ["user: hi", "assistant: done"]);
    assert_eq!(shorts(&talk.close().await), ["large m", "High Off", "ls,read", "aside", "aside", "save false"]);
}

#[tokio::test]
async fn what_is_chosen_in_the_last_turn_is_stored_at_the_end_and_holds_in_the_next_run() {
    let (_folder, file) = place();
    let slow = json!({ "content": [{ "text": "a" }], "delay": 100 });
    let mut talk = Bed::new().talk_in(&file, json!([slow, says("b")])).await;
    let (handle, events) = (talk.harness.handle(), talk.events.clone());
    let chooses = async {
        until_seam(&events, "turn-start", 1).await;
        choose_all(&handle);
    };
    tokio::join!(talk.say("1"), chooses);
    let first = ["model_change", "user", "assistant"];
    let chosen = ["model_change", "thinking_level_change", "active_tools_change", "custom_message"];
    assert_eq!(entries(&file), [&first[..], &chosen].concat());
    assert_eq!(talk.transcript(), ["user: 1", "assistant: a", "me/aside: by the way"]);
    talk.say("2").await;
    assert_eq!(talk.last_request().model, "scripted/large High");
    assert_eq!(talk.transcript()[3..], ["user: 2", "assistant: b"]);
}

#[tokio::test]
async fn plugins_start_from_what_the_user_chose_in_the_turn_before() {
    let settings = json!({
        "prepare-next-turn": { "thinking-level": "low" }, "tell": ["prepare-next-turn", "prepare-request"],
        "observe": "quiet"
    });
    let bed = Bed::new().everything("starts-from", settings);
    let mut talk = bed.talk(json!([bash("c1", "sleep 0.2"), calls("echo", "x"), says("done")])).await;
    chosen_during_a_call(&mut talk, |handle| {
        handle.set_model(model("large"));
        handle.set_thinking_level(ThinkingLevel::High);
        handle.append_message(aside("by the way"));
    })
    .await;
    let models: Vec<String> = talk.requests.lock().unwrap().iter().map(|asked| asked.model.clone()).collect();
    // The plugin has the last word about the level, and none about the model.
    assert_eq!(models, ["scripted/m Off", "scripted/large Low", "scripted/large Low"]);
    let told = told("starts-from");
    let turn = told.iter().find(|told| told.starts_with("prepare-next-turn")).unwrap();
    // What joined after the turn is not taken for a part of it.
    assert!(turn.contains("message: 1, results: Range { start: 2, end: 3 }"), "{turn}");
    assert!(turn.contains(r#"id: "large" }, thinking-level: ThinkingLevel::High"#), "{turn}");
}

#[tokio::test]
async fn the_last_choice_holds_and_all_are_stored_in_their_order() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([bash("c1", "sleep 0.2"), says("done")])).await;
    chosen_during_a_call(&mut talk, |handle| {
        handle.set_model(model("a"));
        handle.append_message(aside("first"));
        handle.set_model(model("b"));
    })
    .await;
    assert_eq!(talk.last_request().model, "scripted/b Off");
    assert_eq!(entries(&file)[4..], ["model_change", "custom_message", "model_change", "assistant"]);
    let ids: Vec<_> = fields(&file, "model_change").iter().map(|change| change["modelId"].clone()).collect();
    assert_eq!(ids, ["m", "a", "b"]);
}

#[tokio::test]
async fn tools_that_are_not_there_cannot_be_chosen_and_nothing_changes() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([says("done")])).await;
    let unknown = talk.harness.set_active_tools(names(&["ls", "dance"]));
    assert_eq!(unknown, Err(InvalidTools::Unknown(names(&["dance"]))));
    assert_eq!(unknown.unwrap_err().to_string(), "Unknown tool(s): dance");
    let twice = talk.harness.handle().set_active_tools(names(&["ls", "ls"])).unwrap_err();
    assert_eq!(twice.to_string(), "Duplicate active tool name(s): ls");
    talk.say("hi").await;
    assert_eq!(entries(&file), ["model_change", "user", "assistant"]);
    assert!(talk.last_request().tools.len() > 2);
}

/// No tools at all is a choice too. What the user calls is the user's business.
#[tokio::test]
async fn the_model_may_have_no_tools() {
    let (_folder, file) = place();
    let mut talk = Bed::new().talk_in(&file, json!([bash("c1", "touch x"), says("done")])).await;
    talk.harness.set_active_tools(Vec::new()).unwrap();
    talk.say("hi").await;
    assert_eq!(talk.last_request().tools, Vec::<String>::new());
    assert_eq!(talk.transcript()[2], "tool: Tool bash not found");
    assert!(!talk.bed.workspace.join("x").exists());
    let command = json!({ "command": "touch y" });
    talk.harness.call(Origin::User, "bash", command, &CancellationToken::new()).await;
    assert!(talk.bed.workspace.join("y").exists());
    assert_eq!(fields(&file, "active_tools_change")[0]["activeToolNames"], json!([]));
}
