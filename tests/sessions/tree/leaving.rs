//! Forks, and other sessions.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use seam_harness::{
    Dispatcher, Event, Harness, HostRules, NewFork, NotForked, NotSwitched, Parts, Reason, Restore, SessionEvent,
    ToolSet, Upkeep,
};
use seam_loop::{CancellationToken, Model};
use seam_plugins::connect;
use seam_providers::scripted::{Script, Scripted};
use seam_session::{Durability, ForkPoint, NewSession, Session, SessionLog};
use seam_tests::bed::{Bed, engine};
use seam_tests::files;
use serde_json::json;

use super::{entry, place, ran, two_turns};
use seam_tests::talk::says;

fn new_fork(folder: &Path, point: ForkPoint) -> NewFork<'_> {
    NewFork { point, folder, new: NewSession::new("/work"), durability: Durability::EachEntry }
}

#[tokio::test]
async fn a_fork_is_made_when_no_plugin_stops_it() {
    let settings = json!({ "tell": ["session-before-fork"], "sees": ["session-before-fork"], "observe": "quiet" });
    let ((_folder, file), forks) = (place(), tempfile::tempdir().unwrap());
    let mut talk = two_turns(&file, Bed::new().everything("fork-sees", settings), &[says("third")]).await;
    let (before, second, two) = (fs::read(&file).unwrap(), entry(&file, "second"), entry(&file, "two"));
    let abort = CancellationToken::new();
    for (point, entry, position, count) in [
        (ForkPoint::Whole, &second, "At", 5),
        (ForkPoint::At(two.clone()), &two, "At", 4),
        (ForkPoint::Before(two.clone()), &two, "Before", 3),
    ] {
        let log = talk.harness.fork(new_fork(forks.path(), point), &abort).await.unwrap();
        assert_eq!(log.session().entries().len(), count);
        let event =
            format!("session-before-fork: Event {{ session: _, entry: \"{entry}\", position: Position::{position} }}");
        let notes = seam_tests::three::told("fork-sees");
        assert_eq!(notes[0], event);
        assert!(notes[1].ends_with(r#"user "two" | assistant "second""#), "{notes:?}");
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    ran(talk.say("three").await);
}

#[tokio::test]
async fn a_fork_that_a_plugin_stops_leaves_no_file() {
    for (deed, told) in [
        (json!({ "do": "cancel", "text": "no" }), "Not forked: plugin `p` cancelled it: no"),
        (json!({ "do": "trap" }), "Not forked: plugin `p` failed at `session-before-fork`: it crashed"),
    ] {
        let settings = json!({ "session-before-fork": deed, "observe": "quiet" });
        let ((_folder, file), forks) = (place(), tempfile::tempdir().unwrap());
        let talk = two_turns(&file, Bed::new().everything("p", settings), &[]).await;
        let fork = new_fork(forks.path(), ForkPoint::Whole);
        let error = talk.harness.fork(fork, &CancellationToken::new()).await.unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
        assert_eq!(fs::read_dir(forks.path()).unwrap().count(), 0);
        assert_eq!(talk.decided().len(), 1);
    }
    let talk = Bed::new().talk(json!([])).await;
    let forks = tempfile::tempdir().unwrap();
    let fork = new_fork(forks.path(), ForkPoint::Whole);
    assert!(matches!(talk.harness.fork(fork, &CancellationToken::new()).await, Err(NotForked::NotKept)));
}

/// A session that is not begun, with the plugin that exports everything.
async fn parts(file: &Path, plugin: &str, events: &Arc<Mutex<Vec<Event>>>) -> Parts {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(files::guest("everything"), folder.path().join(format!("{plugin}.wasm"))).unwrap();
    let settings = json!({ "observe": "note" }).as_object().cloned().unwrap();
    let settings = |_: &str| seam_plugins::Settings { config: settings.clone(), ..seam_plugins::Settings::default() };
    let (plugins, _) = engine().load_folder(folder.path(), settings).await.unwrap();
    let log = match file.exists() {
        true => SessionLog::open(file, Durability::EachEntry).unwrap(),
        false => SessionLog::create(file, NewSession::new("/work"), Durability::EachEntry).unwrap(),
    };
    let conversation = seam_harness::Conversation::new(log.session().header().id.clone());
    let connected = connect(&plugins, Arc::new(conversation), Vec::new(), None).await;
    let script = Script::from_value(json!({ "turns": [says("there")] }), "the test").unwrap();
    let told = Arc::clone(events);
    Parts {
        provider: Arc::new(Scripted::new(script)),
        dispatcher: Dispatcher::new(ToolSet::new(connected.tools).unwrap(), connected.bus, HostRules::default(), None),
        commands: connected.commands,
        model: Model { provider: "scripted".to_owned(), id: "m".to_owned() },
        system_prompt: String::new(),
        sink: Arc::new(move |event: Event| told.lock().unwrap().push(event)),
        log: Some(log),
        restore: Restore::default(),
        upkeep: Upkeep::default(),
    }
}

fn id(file: &Path) -> String {
    Session::read(file).unwrap().header().id.clone()
}

#[tokio::test]
async fn a_session_is_left_for_another_with_plugins_of_its_own() {
    let settings = json!({ "tell": ["session-before-switch"], "observe": "quiet" });
    let ((_here, here), (_there, there)) = (place(), place());
    let talk = two_turns(&here, Bed::new().everything("switch-here", settings), &[]).await;
    let before = talk.harness.transcript().messages().len();
    let events = Arc::default();
    let abort = CancellationToken::new();
    let to = parts(&there, "switch-there", &events).await;
    let seam_tests::talk::Talk { harness, events: told, .. } = talk;
    let mut harness = harness.switch(to, Reason::New, &abort).await.unwrap();
    assert!(harness.transcript().messages().is_empty() && before == 4);
    let asked = seam_tests::three::told("switch-here");
    assert_eq!(asked, ["session-before-switch: Event { session: _, to: None }"]);
    let is_shutdown =
        |event: &Event| matches!(event, Event::Session(SessionEvent::SessionShutdown { reason: Reason::New }));
    assert!(told.lock().unwrap().iter().any(is_shutdown));
    let said = seam_harness::seams::Said {
        text: "hi".to_owned(),
        images: Vec::new(),
        source: seam_harness::seams::Source::User,
    };
    ran(harness.say(said, &abort).await);

    // Its plugins see its own id.
    let is_start = |note: &String| note.starts_with("session-start: ") && note.contains(&id(&there));
    while !seam_tests::notes::take("switch-there").iter().any(is_start) {
        seam_tests::bed::wait(5).await;
    }

    // Back again: to one that holds something. The file was free in between.
    let back = parts(&here, "switch-back", &events).await;
    let harness = harness.switch(back, Reason::Resume, &abort).await.unwrap();
    assert_eq!(harness.transcript().messages().len(), 4);
    harness.close(Reason::Quit).await;
    let started: Vec<_> = events
        .lock()
        .unwrap()
        .iter()
        .filter_map(|event| match event {
            Event::Session(SessionEvent::SessionStart { reason, previous }) => Some((*reason, previous.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(started[1], (Reason::Resume, Some(id(&there))));
    assert_eq!((started[0].0, started[0].1.is_some()), (Reason::New, true));
}

#[tokio::test]
async fn a_plugin_that_cancels_keeps_the_session_and_nothing_is_left_of_the_other() {
    let settings = json!({ "session-before-switch": { "do": "cancel", "text": "stay" }, "observe": "quiet" });
    let ((_here, here), (_there, there)) = (place(), place());
    let talk = two_turns(&here, Bed::new().everything("p", settings), &[says("third")]).await;
    let events = Arc::default();
    let to = parts(&there, "q", &events).await;
    let error = talk.harness.switch(to, Reason::New, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "Not switched: plugin `p` cancelled it: stay");
    assert!(!there.exists());
    let NotSwitched::Stopped { here: mut harness, .. } = error else { panic!("{error}") };
    let said = seam_harness::seams::Said {
        text: "on".to_owned(),
        images: Vec::new(),
        source: seam_harness::seams::Source::User,
    };
    ran(harness.say(said, &CancellationToken::new()).await);
    let _: Harness = *harness;
}
