//! Conversations that are kept in a file.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod played;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use seam_loop::{AgentEvent, Content, ExecutionMode, Replay, RunOutcome, StopReason, Tool, ToolDefinition};
use seam_session::{Compaction, Durability, NewEntry, NewSession};
use serde_json::json;

use super::*;
use crate::bus::{Hook, HookBus, OnFailure};
use crate::dispatcher::FinalCall;
use crate::event::Event;
use crate::failure::Failure;
use crate::moment::{Conversation, Moment};
use crate::phase::{InPhase, Phase};
use crate::rules::HostRules;
use crate::seams::{Said, Source, ToolCallGate, Verdict};
use crate::tools::ToolSet;
use played::{Part, World, outline};

async fn start(world: &Arc<World>, log: Option<SessionLog>) -> Harness {
    Harness::start(parts(world, log)).await.unwrap()
}

fn parts(world: &Arc<World>, log: Option<SessionLog>) -> Parts {
    let definition = ToolDefinition {
        name: "note".into(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
        mode: ExecutionMode::Parallel,
        replay: Replay::Safe,
    };
    let part = Arc::new(Part(Arc::clone(world), definition));
    let gate: Arc<dyn ToolCallGate> = Arc::clone(&part) as _;
    let id = log.as_ref().map(|log| log.session().header().id.clone()).unwrap_or_default();
    let bus = HookBus {
        tool_call: vec![Hook { plugin: "g".into(), on_failure: OnFailure::Refuse, shadow: false, seam: gate }],
        conversation: Arc::new(Conversation::new(id)),
        ..HookBus::default()
    };
    let tools = ToolSet::new([Arc::clone(&part) as Arc<dyn Tool>]).unwrap();
    let told = Arc::clone(world);
    Parts {
        provider: part,
        dispatcher: Dispatcher::new(tools, bus, HostRules::default(), None),
        commands: Vec::new(),
        model: Model { provider: "played".to_owned(), id: "m".to_owned() },
        system_prompt: String::new(),
        sink: Arc::new(move |event: Event| sink(&told, &event)),
        log,
        restore: Restore::default(),
        upkeep: Upkeep::default(),
    }
}

/// Notes what is told. A message is in the file by then.
fn sink(world: &World, event: &Event) {
    match event {
        Event::Agent(AgentEvent::MessageEnd { message }) => {
            if world.path.exists() {
                let NewEntry::Message(stored) = crate::stored::entry(message) else { panic!("a custom message") };
                assert!(world.last_entry().contains(&stored.to_string()));
            }
            world.note("told");
        }
        Event::Agent(AgentEvent::AgentEnd { messages, .. }) => world.note(&format!("end {}", messages.len())),
        Event::Session(SessionEvent::SavePoint { .. }) => world.note("save point"),
        Event::Session(SessionEvent::SessionStart { reason: Reason::Resume, .. }) => world.note("resume"),
        _ => {}
    }
}

fn world(folder: &tempfile::TempDir, loses_file_at: Option<&'static str>) -> Arc<World> {
    Arc::new(World { path: folder.path().join("s.jsonl"), loses_file_at, ..World::default() })
}

fn create(path: &Path) -> SessionLog {
    SessionLog::create(path, NewSession::new("/work"), Durability::EachEntry).unwrap()
}

async fn say(harness: &mut Harness, text: &str) -> RunOutcome {
    let said = Said { text: text.to_owned(), images: Vec::new(), source: Source::User };
    match harness.say(said, &CancellationToken::new()).await {
        Heard::Ran(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

fn notes(world: &World) -> Vec<String> {
    std::mem::take(&mut world.notes.lock().unwrap())
}

/// The types of the entries, roles for messages.
fn entries(path: &Path) -> Vec<String> {
    let session = seam_session::Session::read(path).unwrap();
    let word = |entry: &seam_session::Entry| match entry.kind() {
        seam_session::EntryKind::Message { role: Some(role), .. } => role.to_string(),
        kind => kind.name().to_owned(),
    };
    session.entries().iter().map(word).collect()
}

#[tokio::test]
async fn a_message_is_stored_before_it_is_told_and_before_a_gate_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder, None);
    let mut harness = start(&world, Some(create(&world.path))).await;
    assert_eq!(say(&mut harness, "hi").await.stop_reason, StopReason::Stop);
    let turns = ["told", "asks hi", "asks", "told", "gate", "body", "told", "save point"];
    let last = ["asks hi c? c", "asks", "told", "save point", "end 4"];
    assert_eq!(notes(&world), [&turns[..], &last[..]].concat());
    assert_eq!(entries(&world.path), ["model_change", "user", "assistant", "toolResult", "assistant"]);
}

#[tokio::test]
async fn what_cannot_be_stored_ends_the_run_and_nobody_is_asked_after_it() {
    let turns = ["told", "asks hi", "asks", "told", "gate", "body", "told", "save point"];
    for (loses_file_at, happened, told_at_the_end) in
        [("", 0, None), ("asks", 3, Some("end 0")), ("gate", 6, Some("end 0")), ("save point", 10, Some("end 0"))]
    {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&folder, Some(loses_file_at));
        let log = create(&world.path);
        if loses_file_at.is_empty() {
            fs::remove_file(&world.path).unwrap();
        }
        let mut harness = start(&world, Some(log)).await;
        let outcome = say(&mut harness, "hi").await;
        assert_eq!(outcome.stop_reason, StopReason::Error, "{loses_file_at}");
        let error = outcome.error.unwrap();
        let file = world.path.display();
        assert!(error.starts_with("the entry was not stored: writing line "), "{error}");
        assert!(error.contains(&format!("of session `{file}` failed: the file was removed; ")), "{error}");
        assert!(error.contains("so mend the cause and try again"), "{error}");
        let all = [&turns[..], &["asks hi c? c", "asks"]].concat();
        let expected: Vec<&str> = all[..happened].iter().copied().chain(told_at_the_end).collect();
        assert_eq!(notes(&world), expected, "{loses_file_at}");
        // The conversation does not go on with what is not recorded.
        assert_eq!(say(&mut harness, "again").await.error.unwrap(), error);
        let called = harness.call(Origin::User, "note", json!({}), &CancellationToken::new()).await;
        assert_eq!(called.output.content, [Content::text(&error)]);
        assert_eq!(notes(&world), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_conversation_goes_on_with_its_model_its_level_and_ids_that_are_new() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder, None);
    let mut harness = start(&world, Some(create(&world.path))).await;
    harness.set_model(Model { provider: "played".to_owned(), id: "other".to_owned() });
    harness.set_thinking_level(ThinkingLevel::High);
    say(&mut harness, "one").await;
    let before = harness.transcript().messages().to_vec();
    harness.close(Reason::Quit).await;
    notes(&world);
    let mut harness = start(&world, Some(SessionLog::open(&world.path, Durability::Never).unwrap())).await;
    assert_eq!(harness.transcript().messages(), before);
    let moment = harness.tell.conversation.moment();
    assert_eq!(moment.slice(0..9), before);
    let Chosen { model, thinking_level, .. } = harness.tell.settings.chosen();
    assert_eq!((&*model.id, thinking_level), ("other", ThinkingLevel::High));
    say(&mut harness, "two").await;
    let noted = notes(&world);
    assert_eq!((&*noted[0], &*noted[2]), ("resume", "asks one c? c two"));
    assert!(noted.contains(&"asks one c? c two c-2? c-2".to_owned()), "{noted:?}");
    let run = ["user", "assistant", "toolResult", "assistant"];
    let settings = ["model_change", "thinking_level_change"];
    assert_eq!(entries(&world.path), [&settings[..], &run, &run].concat());
}

/// The journal pairs by id, and knows nothing of branches.
#[tokio::test]
async fn an_id_is_not_given_again_that_stands_on_another_branch_or_in_what_a_compaction_took_out() {
    let summary = NewEntry::Compaction(Compaction { summary: "s".to_owned(), ..Compaction::default() });
    for compaction in [None, Some(summary)] {
        let folder = tempfile::tempdir().unwrap();
        let world = world(&folder, None);
        let mut harness = start(&world, Some(create(&world.path))).await;
        say(&mut harness, "one").await;
        harness.close(Reason::Quit).await;
        let mut log = SessionLog::open(&world.path, Durability::Never).unwrap();
        match compaction {
            Some(compaction) => drop(log.append(compaction).unwrap()),
            None => log.move_to(None, None).unwrap(),
        }
        let mut harness = start(&world, Some(log)).await;
        notes(&world);
        say(&mut harness, "two").await;
        let noted = notes(&world);
        assert!(noted.iter().any(|note| note.ends_with("two c-2? c-2")), "{noted:?}");
    }
}

/// Bug log 92: nothing in the file is rewritten, and nothing runs again, whatever the tool says of being run twice.
#[tokio::test]
async fn a_call_that_was_interrupted_gets_a_result_that_says_so_when_the_conversation_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder, None);
    let mut log = create(&world.path);
    let calls = ["c1", "c2"].map(|id| json!({ "type": "toolCall", "id": id, "name": "note", "arguments": {} }));
    let said =
        json!({ "role": "assistant", "provider": "played", "model": "m", "content": calls, "stopReason": "toolUse" });
    let result = json!({ "role": "toolResult", "toolCallId": "c1", "toolName": "note", "content": "ok" });
    for message in [json!({ "role": "user", "content": "hi" }), said, result] {
        log.append(NewEntry::Message(message)).unwrap();
    }
    let before = fs::read_to_string(&world.path).unwrap();
    let mut harness = start(&world, Some(log)).await;
    assert_eq!((notes(&world), fs::read_to_string(&world.path).unwrap()), (vec!["resume".to_owned()], before.clone()));
    say(&mut harness, "on").await;
    let noted = notes(&world);
    assert_eq!(noted[..3], ["told", "told", "asks hi c1?c2? c1 c2! on"]);
    assert_eq!(noted.iter().filter(|note| *note == "body").count(), 1);
    assert!(fs::read_to_string(&world.path).unwrap().starts_with(&before));
    assert_eq!(entries(&world.path)[3..5], ["toolResult", "user"]);
    drop(harness);
    let harness = start(&world, Some(SessionLog::open(&world.path, Durability::Never).unwrap())).await;
    let outlined: Vec<String> = harness.transcript().messages().iter().map(|message| outline(message)).collect();
    assert_eq!(outlined.join(" "), "hi c1?c2? c1 c2! on c? c ");
}

#[tokio::test]
async fn what_waits_is_stored_in_its_order_and_leaves_the_queue_no_sooner() {
    let folder = tempfile::tempdir().unwrap();
    for is_lost in [false, true] {
        let world = world(&folder, None);
        let harness = start(&world, Some(create(&world.path))).await;
        let (handle, settings) = (harness.handle(), &harness.tell.settings);
        let phase = InPhase::enter(settings, Phase::Turn);
        handle.set_thinking_level(ThinkingLevel::High);
        handle.set_model(Model { provider: "played".to_owned(), id: "other".to_owned() });
        assert_eq!((entries(&world.path), settings.waiting()), (Vec::<String>::new(), 2));
        if is_lost {
            fs::remove_file(&world.path).unwrap();
        }
        assert!(harness.tell.flush());
        assert_eq!(settings.waiting(), if is_lost { 2 } else { 0 });
        assert_eq!(harness.tell.failure().is_some(), is_lost);
        drop(phase);
        if !is_lost {
            assert!(!harness.tell.flush());
            assert_eq!(entries(&world.path), ["thinking_level_change", "model_change"]);
            drop(harness);
            fs::remove_file(&world.path).unwrap();
        }
    }
}

#[tokio::test]
async fn a_message_may_be_queued_in_every_phase_but_one() {
    let folder = tempfile::tempdir().unwrap();
    let harness = start(&world(&folder, None), None).await;
    let handle = harness.handle();
    for phase in [Phase::Idle, Phase::Turn, Phase::Compaction, Phase::BranchSummary, Phase::Retry] {
        let within = InPhase::enter(&harness.tell.settings, phase);
        assert_eq!(handle.phase(), phase);
        let queued = (handle.steer(Message::user("s")).is_ok(), handle.follow_up(Message::user("f")).is_ok());
        assert_eq!(queued, (phase != Phase::Idle, phase != Phase::Idle), "{phase:?}");
        handle.next_turn(Message::user("n"));
        drop(within);
    }
    assert_eq!((handle.steering.len(), handle.follow_up.len(), handle.next_turn.len()), (4, 4, 5));
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let world = world(&folder, None);
    start(&world, Some(create(&world.path))).await.close(Reason::Quit).await;
    assert!(!world.path.exists());
}

/// The notices of a conversation that begins with this model and provider, and the model it goes on with.
async fn goes_on(path: &Path, provider: &'static str) -> (String, Vec<String>) {
    let world = Arc::new(World { path: path.to_owned(), ..World::default() });
    let notices = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notices);
    let sink = move |event: Event| match event {
        Event::Session(SessionEvent::Notice { text }) => told.lock().unwrap().push(text),
        event => sink(&world, &event),
    };
    let log = SessionLog::open(path, Durability::Never).unwrap();
    let mut parts = parts(&Arc::new(World { path: path.to_owned(), ..World::default() }), Some(log));
    parts.model = Model { provider: provider.to_owned(), id: "given".to_owned() };
    parts.sink = Arc::new(sink);
    let harness = Harness::start(parts).await.unwrap();
    let model = harness.tell.settings.chosen().model.to_string();
    (model, std::mem::take(&mut notices.lock().unwrap()))
}

#[tokio::test]
async fn a_session_whose_provider_is_not_there_goes_on_with_the_given_model_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let model_of = |provider: &str| NewEntry::ModelChange { provider: provider.to_owned(), model_id: "own".to_owned() };
    let mut log = create(&path);
    log.append(model_of("played")).unwrap();
    drop(log);
    assert_eq!(goes_on(&path, "played").await, ("played/own".to_owned(), Vec::new()));
    let mut log = SessionLog::open(&path, Durability::Never).unwrap();
    log.append(model_of("gone")).unwrap();
    drop(log);
    let words = "its model was gone/own, which is not there: it goes on with played/given";
    assert_eq!(goes_on(&path, "played").await, ("played/given".to_owned(), vec![words.to_owned()]));
    // The file is as it was: with its provider the session has its model again.
    assert!(fs::read_to_string(&path).unwrap().lines().last().unwrap().contains("gone"));
}
