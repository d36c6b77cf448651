//! Every function of the contract is written, and everything that is written is of the contract.

use std::collections::BTreeSet;

use seam_harness::SessionEvent;
use seam_harness::seams::{Said, Source};
use seam_loop::{
    CancellationToken, Content, Dispatch as _, Header, Message, Model, NoCalls, Preflight, RunScope, ThinkingLevel,
};
use seam_plugins::{Grants, Plugin};
use seam_session::journal::Crossing;
use seam_tests::bed::{Bed, request};
use seam_tests::files;
use seam_tests::recording::{Recording, answer};
use seam_tests::talk::{calls, says};
use serde_json::{Value, json};
use wit_parser::Resolve;

use super::super::failures::asking::ask;
use super::super::failures::deciding;
use super::words::assert_is;
use crate::house::contract::contract;

/// A plugin that says as much as it can.
fn says_much() -> Value {
    json!({
        "sees": ["transform-context", "turn-end"],
        "tools": [{ "name": "shout", "do": "updates", "details": { "n": 1 }, "structured-content": { "a": [] } },
                  { "name": "fail", "do": "fail" }],
        "commands": [{ "name": "hello", "do": "reply", "text": "hello {}" }],
        "input": { "do": "replace", "text": "{}!" },
        "before-agent-start": { "message": "by the way", "system-prompt": "{} and brief" },
        "prepare-request": { "turn": 1, "model": "p/m", "thinking-level": "low", "insert": [[0, "first"]] },
        "transform-context": { "insert": [[0, "before"]] },
        "convert-to-llm": { "do": "content", "text": "({})" },
        "get-api-key": { "do": "key", "text": "sk-0123456789" },
        "before-provider-request": { "set-header": [["x-a", "1"]], "set-option": [["b", [1]]], "delete-header": ["c"] },
        "before-provider-payload": { "do": "patch", "text": "[]" },
        "rewrite-tool-call": { "tool": "echo", "do": "set", "text": "{}?" },
        "tool-call": { "tool": "ls", "do": "block", "text": "no", "terminate": true },
        "tool-result": { "do": "change", "text": "{}.", "details": { "d": 1 }, "usage": [1, 2], "is-error": false },
        "finish-turn": { "turn": 9, "do": "end" },
        "prepare-next-turn": { "message": "next", "thinking-level": "high" },
        "session-before-switch": { "do": "cancel", "text": "stay" },
        "session-before-compact": { "do": "summary", "text": "short", "details": { "k": 1 } },
        "session-before-tree": { "do": "change", "summary": "s", "label": "l" },
        "resources-discover": { "skills": [["commit", "writes it", "..."]], "prompt-templates": [["bug", "r", "..."]] },
    })
}

/// A session in which everything is asked that there is.
async fn one_of_each(recording: &Recording) -> Vec<Plugin> {
    let bed = Bed::new().everything("p", says_much()).plugin("q", &files::guest("polyglot"), json!({}));
    let bed = bed.stress("r", json!({ "patch": "read-result" })).output("y".repeat(70_000));
    let plugins = bed.load().await;
    let (session, commands) = bed.journal(recording.journal.clone()).start_with(Vec::new()).await;
    let bus = session.dispatcher.bus();
    bus.conversation.push(Message::user("hi").into());
    for seam in deciding() {
        ask(&session, seam.name).await;
    }
    for tool in ["shout", "fail", "ls"] {
        let abort = CancellationToken::new();
        if let Preflight::Ready(ready) =
            session.dispatcher.preflight(request(tool, json!({ "text": "x" })), &abort).await
        {
            ready.run(RunScope { abort: &abort, updates: &|_| {}, caller: &NoCalls }).await;
        }
    }
    let at = bus.conversation.moment();
    commands[0].seam.run("hello", "you", &at).await.unwrap();
    let image = Content::Image { data: vec![1, 2, 3], mime_type: "image/png".to_owned() };
    let mut said = Said { text: "look".to_owned(), images: vec![image.clone()], source: Source::User };
    bus.receive(&mut said, &at, &mut Vec::new()).await.unwrap();
    let (model, header) = (
        Model { provider: "p".to_owned(), id: "m".to_owned() },
        Header { name: "a".to_owned(), value: "b".to_owned() },
    );
    let (compact, tree) = (
        SessionEvent::SessionCompact { entry: "e".to_owned(), summary: "s".to_owned(), from_plugin: None },
        SessionEvent::SessionTree { new_leaf: None, old_leaf: Some("e".to_owned()), from_plugin: Some("p".into()) },
    );
    for event in [compact, tree, SessionEvent::response(model, 200, vec![header])] {
        for (_, observer) in &bus.observers {
            observer.observe(&event.clone().into(), &at).await.unwrap();
        }
    }
    plugins
}

/// A run with all that observers see of one.
async fn a_run(recording: &Recording) -> Vec<Plugin> {
    let bed = Bed::new().everything("p", says_much()).journal(recording.journal.clone());
    let plugins = bed.load().await;
    let slow = json!({ "content": [{ "text": "late" }], "delay": 60_000 });
    let mut talk = bed.talk(json!([calls("shout", "x"), says("a"), slow])).await;
    talk.harness.set_model(Model { provider: "scripted".to_owned(), id: "large".to_owned() });
    talk.harness.set_thinking_level(ThinkingLevel::Xhigh);
    talk.harness.set_active_tools(vec!["echo".to_owned(), "shout".to_owned()]).unwrap();
    talk.harness.handle().next_turn(Message::user("n"));
    talk.say("1").await;
    let abort = CancellationToken::new();
    let stop = async {
        seam_tests::bed::wait(100).await;
        abort.cancel();
    };
    tokio::join!(talk.say_until("2", &abort), stop);
    talk.close().await;
    plugins
}

/// A run in which plugins reach for all that may be granted.
async fn a_reaching_run(recording: &Recording) -> Vec<Plugin> {
    let does = json!([
        ["set", "a", "1"],
        ["get", "a"],
        ["get", "b"],
        ["keys"],
        ["delete", "a"],
        ["set", "", ""],
        ["id"],
        ["name"],
        ["append", "a", "{}"],
        ["append", "", "{}"],
        ["leaf"],
        ["set-label", "LEAF", "x"],
        ["unlabel", "none"],
        ["set-name", "x"],
        ["name"],
        ["steer", "a", "x"],
        ["send-picture", "image/png"],
        ["store", "", "x"],
        ["current"],
        ["level"],
        ["tools"],
        ["select", "scripted", "m"],
        ["select", "other", "m"],
        ["select-level", "low"],
        ["select-tools", "fly"],
        ["select-tools", "do", "own", "echo", "bash"]
    ]);
    let asks = json!({ "tools": [{ "name": "own", "steps": [
        { "call": "echo", "with": { "text": "x" } }, { "call": "fly", "with": {} }, { "exec": ["true"] }, { "exec": ["no"] },
        { "ask": "p", "most": 5 }, { "ask": "p", "most": 1_000_000 }, { "left": true }, { "notify": "n" },
        { "status": "s" }, { "confirm": "c" }, { "select": "s", "of": ["A"] }, { "input": "i" }
    ] }] });
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let granted = Grants {
        messages: true,
        session: true,
        models: true,
        ui: true,
        complete: Some(1000),
        tools: names(&["echo", "bash"]),
        exec: names(&["true"]),
        ..Grants::default()
    };
    let bed = Bed::new().plugin("a", &files::guest("reach-a"), json!({})).plugin("b", &files::guest("reach-b"), asks);
    let bed = bed.set("a", |settings| settings.grants = granted.clone());
    let bed = bed.set("b", |settings| settings.grants = granted.clone()).journal(recording.journal.clone());
    let (plugins, folder) = (bed.load().await, tempfile::tempdir().unwrap());
    let turns = json!([calls("do", &does.to_string()), calls("own", ""), says("to the plugin"), says("done")]);
    let mut talk = bed.talk_in(&folder.path().join("s.jsonl"), turns).await;
    talk.say("hi").await;
    talk.close().await;
    plugins
}

fn assert_of_the_contract(resolve: &Resolve, crossing: &Crossing<'_>) {
    let place = format!("{}.{}", crossing.seam, crossing.function);
    let function = function(resolve, &crossing.seam, &crossing.function);
    let input = crossing.input.value().unwrap();
    assert_eq!(input.as_array().unwrap().len(), function.params.len(), "{place}");
    for (parameter, value) in function.params.iter().zip(input.as_array().unwrap()) {
        assert_is(resolve, &parameter.ty, value, &place);
    }
    match (&function.result, answer(crossing)) {
        (_, Value::Bool(_)) if crossing.seam == "get-api-key" => {}
        (None, answer) => assert_eq!(answer, Value::Null, "{place}"),
        (Some(ty), answer) => assert_is(resolve, ty, &answer, &place),
    }
    for call in &crossing.host {
        let (interface, name) = call.import.split_once('.').unwrap();
        let function = self::function(resolve, interface, name);
        let arguments = call.arguments.value().unwrap();
        for (parameter, value) in function.params.iter().zip(arguments.as_array().unwrap()) {
            assert_is(resolve, &parameter.ty, value, &call.import);
        }
        assert_eq!(arguments.as_array().unwrap().len(), function.params.len());
        match (&function.result, call.answer.value().unwrap()) {
            (None, answer) => assert_eq!(answer, Value::Null, "{}", call.import),
            (Some(ty), answer) => assert_is(resolve, ty, &answer, &call.import),
        }
    }
}

fn function<'a>(resolve: &'a Resolve, interface: &str, function: &str) -> &'a wit_parser::Function {
    let found = resolve.interfaces.iter().find(|(_, at)| at.name.as_deref() == Some(interface));
    found.and_then(|(_, at)| at.functions.get(function)).unwrap_or_else(|| panic!("no `{interface}.{function}`"))
}

/// Every seam and every import, by `INTERFACE.FUNCTION`.
fn functions(resolve: &Resolve) -> BTreeSet<String> {
    let all = resolve.interfaces.iter().flat_map(|(_, interface)| {
        let name = interface.name.clone().unwrap();
        interface.functions.keys().map(move |function| format!("{name}.{function}"))
    });
    all.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_function_of_the_contract_is_written_in_its_own_words_and_replays() {
    let (resolve, _) = contract();
    let mut written = BTreeSet::new();
    let recordings = [(); 3].map(|()| Recording::new());
    let [each, run, reaching] = &recordings;
    let plugins = [one_of_each(each).await, a_run(run).await, a_reaching_run(reaching).await];
    for (recording, plugins) in recordings.iter().zip(plugins) {
        let crossings = recording.crossings();
        for crossing in crossings.iter().filter(|crossing| !answer(crossing).to_string().contains("given-up")) {
            assert_of_the_contract(&resolve, crossing);
            written.insert(format!("{}.{}", crossing.seam, crossing.function));
            written.extend(crossing.host.iter().map(|call| call.import.to_string()));
        }
        recording.assert_same(&plugins).await;
    }
    // Notes and notices answer nothing, and settings are read once, when a plugin starts.
    written.extend(["log.write", "ui.notify", "ui.status", "config.get"].map(str::to_owned));
    assert_eq!(written, functions(&resolve));
}
