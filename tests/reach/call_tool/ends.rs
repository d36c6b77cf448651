//! How calls of plugins end that nobody waits for any more, and those of observers.

use seam_harness::{Event, SessionEvent};
use seam_loop::{CancellationToken, Origin};
use seam_tests::bed::{Bed, wait};
use serde_json::json;

use super::super::asks::{asks, call, called, lines, tool, until_processes};

#[tokio::test]
async fn an_abort_ends_what_a_plugin_has_called_with_all_its_processes() {
    // A gate, a tool and a command of the plugin: each is waiting when the user aborts.
    for (at, marker) in [("gate", "3011.01"), ("tool", "3011.02"), ("command", "3011.03"), ("patch", "3011.04")] {
        let command = format!("sleep {marker} & sleep {marker}; echo x > late");
        let steps = json!([{ "call": "bash", "with": { "command": command } }]);
        let config = match at {
            "tool" => tool("own", steps),
            "command" => json!({ "commands": [{ "name": "own", "steps": steps }] }),
            at => json!({ at: { "only": "echo", "steps": steps } }),
        };
        let mut talk = asks(Bed::new(), "calls", config).talk(json!([])).await;
        let abort = CancellationToken::new();
        let aborting = async {
            until_processes(marker, true).await;
            abort.cancel();
        };
        match at {
            "command" => drop(tokio::join!(talk.say_until("/own", &abort), aborting)),
            at => {
                let name = if at == "tool" { "own" } else { "echo" };
                let made = talk.harness.call(Origin::User, name, json!({ "text": "" }), &abort);
                drop(tokio::join!(made, aborting));
            }
        }
        until_processes(marker, false).await;
        assert!(called(&talk)[0].ends_with(" given up"), "{at}: {:?}", called(&talk));
        assert!(!talk.bed.workspace.join("late").exists(), "{at}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_and_nothing_of_it_is_left() {
    let command = "sleep 3012.01; echo x > late";
    let steps =
        json!([{ "call": "bash", "with": { "command": command } }, { "call": "echo", "with": { "text": "on" } }]);
    let bed = asks(Bed::new(), "calls", tool("own", steps)).set("calls", |settings| settings.limits.nested_ms = 300);
    let mut talk = bed.talk(json!([])).await;
    // The plugin is told, and goes on.
    assert_eq!(call(&mut talk, "own", "").await, "call: failed it was given up after 300 ms\ncall: ok on");
    until_processes("3012.01", false).await;
    assert!(called(&talk)[0].ends_with("given up"));
    assert!(!talk.bed.workspace.join("late").exists());
}

#[tokio::test]
async fn waiting_for_a_call_is_not_the_plugins_time() {
    let gate = json!({ "gate": { "only": "echo", "steps": [{ "call": "bash", "with": { "command": "sleep 1" } }] } });
    let bed = asks(Bed::new(), "ct-slow", gate).time_limit("ct-slow", 100);
    let mut talk = bed.talk(json!([])).await;
    assert_eq!(call(&mut talk, "echo", "x").await, "x");
    assert_eq!(lines("ct-slow"), ["call: ok (no output)"]);
}

#[tokio::test]
async fn an_observer_calls_a_tool_once_for_each_event() {
    let steps = json!([{ "call": "bash", "with": { "command": "echo seen >> seen" } }]);
    let turns = json!([
        { "content": [{ "toolCall": { "id": "c", "name": "echo", "args": { "text": "x" } } }] },
        { "content": [{ "text": "done" }] },
    ]);
    let mut talk = asks(Bed::new(), "ct-watches", json!({ "turn-end": { "steps": steps } })).talk(turns).await;
    talk.say("go").await;
    let file = talk.bed.workspace.join("seen");
    let seen = || std::fs::read_to_string(&file).unwrap_or_default();
    while seen().lines().count() < 2 {
        wait(10).await;
    }
    wait(300).await;
    assert_eq!(seen(), "seen\nseen\n");
    let failed = |event: &Event| matches!(event, Event::Session(SessionEvent::ObserverFailed { .. }));
    assert!(!talk.close().await.iter().any(failed));
}

#[tokio::test]
async fn what_an_observer_has_called_ends_with_the_session() {
    let steps = json!([{ "call": "bash", "with": { "command": "sleep 3013.01 & sleep 3013.01" } }]);
    let turns = json!([{ "content": [{ "text": "done" }] }]);
    let mut talk = asks(Bed::new(), "watches", json!({ "turn-end": { "steps": steps } })).talk(turns).await;
    talk.say("go").await;
    until_processes("3013.01", true).await;
    talk.close().await;
    until_processes("3013.01", false).await;
}
