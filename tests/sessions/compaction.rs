//! A conversation that is made shorter.

mod automatic;
mod overflow;
mod plugins;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use seam_harness::{CompactionSettings, Event, Heard, NotCompacted, RetrySettings, SessionEvent, Upkeep};
use seam_loop::{CancellationToken, StopReason};
use seam_session::Session;
use seam_tests::bed::{Bed, wait};
use seam_tests::talk::{Talk, says};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A window of 1,000 tokens, of which 200 are for the answer. The last 150 are kept.
pub(super) fn small() -> Upkeep {
    Upkeep {
        context_window: Some(1_000),
        compaction: CompactionSettings { enabled: true, reserve_tokens: 200, keep_recent_tokens: 150 },
        retry: RetrySettings { max: 3, base: Duration::from_millis(1) },
    }
}

/// A word and so many tokens after it.
pub(super) fn long(word: &str, tokens: usize) -> String {
    format!("{word} {}", ".".repeat(tokens * 4 - word.len() - 1))
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    (folder, file)
}

/// A conversation in a file, with two turns of 200 tokens each, and what the model says after them.
pub(super) async fn two_turns(file: &Path, bed: Bed, then: &[Value]) -> Talk {
    let turns: Vec<Value> =
        ["first", "second"].map(|word| says(&long(word, 100))).into_iter().chain(then.to_vec()).collect();
    let mut talk = bed.upkeep(small()).talk_in(file, json!(turns)).await;
    for word in ["one", "two"] {
        ran(talk.say(&long(word, 100)).await);
    }
    talk
}

pub(super) fn ran(heard: Heard) {
    assert!(matches!(&heard, Heard::Ran(outcome) if outcome.stop_reason == StopReason::Stop), "{heard:?}");
}

pub(super) async fn compact(talk: &mut Talk, focus: Option<&str>) -> Result<String, NotCompacted> {
    let compacted = talk.harness.compact(focus, &CancellationToken::new()).await;
    compacted.map(|compacted| compacted.summary)
}

/// The beginnings of messages.
fn short(messages: &[String]) -> Vec<String> {
    messages.iter().map(|message| message.chars().take(20).collect::<String>().replace(['.', '\n'], " ")).collect()
}

/// The beginnings of the messages the model was asked last.
fn asked(talk: &Talk) -> Vec<String> {
    short(&talk.last_request().messages)
}

fn notices(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let notices = events.iter().filter_map(|event| match event {
        Event::Session(SessionEvent::Notice { text }) => Some(text.clone()),
        _ => None,
    });
    notices.collect()
}

/// The compactions of a file.
fn compactions(file: &Path) -> Vec<Value> {
    let session = Session::read(file).unwrap();
    let entries = session.entries().iter().filter(|entry| entry.kind().name() == "compaction");
    entries.map(|entry| session.json(entry.id()).unwrap()).collect()
}

/// Goes on with a session in a new process, as it were. Gives what its model is shown.
async fn resumed(file: &Path) -> Vec<String> {
    let mut talk = Bed::new().talk_in(file, json!([says("ok")])).await;
    ran(talk.say("on").await);
    asked(&talk)
}

const SUMMARISED: &str = "user: What was said ";

#[tokio::test]
async fn a_summary_takes_the_place_of_what_is_not_recent() {
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[says("A"), says("third"), says("B")]).await;
    assert_eq!(compact(&mut talk, Some("the tests")).await.unwrap(), "A");
    let request = talk.last_request();
    assert!(request.system_prompt.starts_with("You write handover notes."), "{request:?}");
    assert!(request.tools.is_empty() && request.messages.len() == 1, "{request:?}");
    let prompt = &request.messages[0];
    assert!(prompt.starts_with(&format!("user: <conversation>\n[User]: {}", long("one", 100))), "{prompt}");
    assert!(prompt.contains("[Assistant]: first .") && !prompt.contains("[User]: two"), "{prompt}");
    assert!(prompt.ends_with("\n\nAdditional focus: the tests") && !prompt.contains("<previous-summary>"), "{prompt}");
    assert_eq!(short(&talk.transcript()), [SUMMARISED, "user: two           ", "assistant: second   "]);

    ran(talk.say(&long("three", 200)).await);
    assert_eq!(asked(&talk), [SUMMARISED, "user: two           ", "assistant: second   ", "user: three         "]);
    assert!(talk.last_request().messages[0].contains("\n\n<summary>\nA\n</summary>"));

    // The one before is carried on, and is not part of the conversation.
    assert_eq!(compact(&mut talk, None).await.unwrap(), "B");
    let prompt = talk.last_request().messages[0].clone();
    assert!(prompt.contains("\n\n<previous-summary>\nA\n</previous-summary>\n\n"), "{prompt}");
    assert!(prompt.starts_with("user: <conversation>\n[User]: two ."), "{prompt}");
    let left = [SUMMARISED, "user: three         ", "assistant: third    "].map(|line| line.trim_end().to_owned());
    let now: Vec<String> = short(&talk.transcript()).iter().map(|line| line.trim_end().to_owned()).collect();
    assert_eq!(now, left);
    talk.close().await;
    assert_eq!(resumed(&file).await.len(), 4);
    assert_eq!(compactions(&file).len(), 2);
}

#[tokio::test]
async fn an_entry_says_what_is_kept_and_which_files_were_touched() {
    let call = |name: &str, args: Value| json!({ "toolCall": { "id": name, "name": name, "args": args } });
    let turns = [
        json!({ "content": [
            call("read", json!({ "path": "a" })),
            call("write", json!({ "path": "b", "content": "x" })),
            call("edit", json!({ "path": "a", "edits": [] })),
            call("grep", json!({ "pattern": "x", "path": "c" })),
        ], "usage": { "input": 5, "output": 7, "cacheRead": 11, "cacheWrite": 13 } }),
        says(&long("first", 100)),
        says(&long("second", 100)),
        says("A"),
        says(&long("third", 100)),
        json!({ "content": [{ "text": "B" }] }),
    ];
    let (_folder, file) = place();
    let mut talk = Bed::new().file("a", "a").upkeep(small()).talk_in(&file, json!(turns)).await;
    ran(talk.say("one").await);
    ran(talk.say(&long("two", 100)).await);
    let told = "A\n\n<modified-files>\na\nb\n</modified-files>";
    assert_eq!(compact(&mut talk, None).await.unwrap(), told);
    let written = compactions(&file).remove(0);
    let two = Session::read(&file).unwrap();
    let kept = two.json(written["firstKeptEntryId"].as_str().unwrap()).unwrap();
    assert!(kept["message"]["content"][0]["text"].as_str().unwrap().starts_with("two"), "{kept}");
    assert_eq!(written["summary"], told);
    assert_eq!(written["details"], json!({ "readFiles": [], "modifiedFiles": ["a", "b"] }));
    assert!(written.get("fromHook").is_none(), "{written}");
    // 36 were counted, 100 for each message after that.
    let after = written["tokensBefore"].as_u64().unwrap() - 36;
    assert_eq!(after, talk_tokens(&["first", "two", "second"]) + results(&file));
    // The lists are carried on, and the model is not shown them as part of the summary before.
    ran(talk.say(&long("three", 100)).await);
    let summary = compact(&mut talk, None).await.unwrap();
    assert_eq!(summary, told.replace('A', "B"));
    assert!(!talk.last_request().messages[0].contains("modified-files"));
}

/// 100 for each of these.
fn talk_tokens(words: &[&str]) -> u64 {
    words.len() as u64 * 100
}

/// The tokens of all results in a file.
fn results(file: &Path) -> u64 {
    let session = Session::read(file).unwrap();
    let messages = session.entries().iter().map(|entry| session.json(entry.id()).unwrap());
    let results = messages.filter(|entry| entry["message"]["role"] == "toolResult");
    let text = |entry: Value| entry["message"]["content"][0]["text"].as_str().unwrap().encode_utf16().count() as u64;
    results.map(text).map(|length| length.div_ceil(4)).sum()
}

#[tokio::test]
async fn a_turn_that_is_too_long_is_split() {
    let (_folder, file) = place();
    let turns = json!([says(&long("first", 100)), says(&long("second", 200)), says("A"), says("B")]);
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, turns).await;
    ran(talk.say(&long("one", 100)).await);
    ran(talk.say(&long("two", 100)).await);
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A\n\n---\n\n# The Turn Under Way\n\nB");
    assert!(talk.last_request().messages[0].contains("\n\n## Request\n"));
    assert_eq!(short(&talk.transcript()), [SUMMARISED, "assistant: second   "]);
    talk.close().await;
    assert_eq!(resumed(&file).await.len(), 3);
}

#[tokio::test]
async fn what_cannot_be_made_shorter_stays_as_it_is() {
    let (_folder, file) = place();
    let longer = json!({ "content": [{ "text": long("longer", 300) }] });
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, json!([says("first")])).await;
    let told = |talk: Result<String, NotCompacted>| talk.unwrap_err().to_string();
    let nothing = "Nothing to compact: everything that was said is recent, and is kept as it is";
    assert_eq!(told(compact(&mut talk, None).await), nothing);
    ran(talk.say("one").await);
    assert_eq!(told(compact(&mut talk, None).await), nothing);
    talk.close().await;

    let failures = [
        (
            json!({ "content": [{ "text": "A" }], "stopReason": "length" }),
            "the model's summary was cut off because it became too long",
        ),
        (seam_tests::talk::calls("echo", "x"), "the model called a tool instead of writing it"),
        (json!({ "content": [{ "text": " " }] }), "the model gave an empty one"),
        (json!({ "error": "no" }), "the model could not be asked for it: no"),
        (json!({ "throws": "none" }), "the model could not be asked for it: none"),
        (
            json!({ "error": { "message": "too long", "kind": "overflow" } }),
            "the model could not be asked for it: too long",
        ),
    ];
    let mut turns: Vec<Value> = failures.iter().map(|(turn, _)| turn.clone()).collect();
    turns.extend([longer, says("A"), says("third")]);
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &turns).await;
    let before = (fs::read(&file).unwrap(), talk.transcript());
    for (_, why) in failures {
        let expected = format!("Not compacted: there is no summary, since {why}");
        assert_eq!(told(compact(&mut talk, None).await), expected);
    }
    assert_eq!(
        told(compact(&mut talk, None).await),
        "Not compacted: the model's summary is as long as what it was to stand for"
    );
    assert!(before == (fs::read(&file).unwrap(), talk.transcript()));
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
    assert_eq!(told(compact(&mut talk, None).await), "Already compacted: nothing was said since");
    ran(talk.say("three").await);
}

#[tokio::test]
async fn a_provider_that_fails_for_a_while_is_asked_for_the_summary_again() {
    let (_folder, file) = place();
    let busy = || json!({ "error": { "message": "busy", "kind": "transient" } });
    let turns = [busy(), json!({ "throws": { "message": "busy", "kind": "transient" } }), says("A"), says("x")];
    let mut talk = two_turns(&file, Bed::new(), &turns).await;
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
    assert_eq!(talk.asked(), 5);
    let (_folder, file) = place();
    let mut talk = two_turns(&file, Bed::new(), &[busy(), busy(), busy(), busy(), says("A")]).await;
    let told = compact(&mut talk, None).await.unwrap_err().to_string();
    assert_eq!(told, "Not compacted: there is no summary, since the model could not be asked for it: busy");
    assert_eq!(talk.asked(), 6);
}

#[tokio::test]
async fn an_abort_leaves_everything_as_it_was() {
    let slow = json!({ "content": [{ "text": "A" }], "delay": 600_000 });
    let busy = json!({ "error": { "message": "busy", "kind": "transient", "retryAfter": 60_000 } });
    let looping = json!({ "session-before-compact": { "do": "loop" }, "observe": "quiet" });
    for (then, bed) in [
        (slow, Bed::new()),
        (busy, Bed::new()),
        (says("A"), Bed::new().everything("p", looping).time_limit("p", 600_000)),
    ] {
        let (_folder, file) = place();
        let mut talk = two_turns(&file, bed, std::slice::from_ref(&then)).await;
        let before = (fs::read(&file).unwrap(), talk.transcript());
        let abort = CancellationToken::new();
        let stop = abort.clone();
        tokio::spawn(async move {
            wait(100).await;
            stop.cancel();
        });
        let told = talk.harness.compact(None, &abort).await.unwrap_err().to_string();
        assert_eq!(told, "Compaction aborted", "{then}");
        assert!(before == (fs::read(&file).unwrap(), talk.transcript()));
        assert_eq!(talk.harness.handle().phase(), seam_harness::Phase::Idle);
    }
}

#[tokio::test]
async fn a_conversation_that_is_not_kept_is_made_shorter_too() {
    let turns = ["first", "second"].map(|word| says(&long(word, 100)));
    let turns: Vec<Value> = turns.into_iter().chain([says("A"), says(&long("third", 100)), says("B")]).collect();
    let mut talk = Bed::new().upkeep(small()).talk(json!(turns)).await;
    ran(talk.say(&long("one", 100)).await);
    ran(talk.say(&long("two", 100)).await);
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
    assert!(matches!(compact(&mut talk, None).await, Err(NotCompacted::Already)));
    ran(talk.say(&long("three", 100)).await);
    assert_eq!(asked(&talk).len(), 4);
    assert_eq!(compact(&mut talk, None).await.unwrap(), "B");
    assert!(talk.last_request().messages[0].contains("<previous-summary>\nA\n</previous-summary>"));
    assert_eq!(short(&talk.transcript()), [SUMMARISED, "user: three         ", "assistant: third    "]);
}

/// A call of `bash`, and what the model says after it.
fn bash(command: &str) -> Value {
    json!({ "content": [{ "toolCall": { "id": "c1", "name": "bash", "args": { "command": command } } }] })
}

/// Whether every result stands right behind its call.
fn are_paired(messages: &[String]) -> bool {
    let calls = |message: &String| message.starts_with("assistant: [");
    messages.iter().enumerate().all(|(place, message)| {
        let before = place.checked_sub(1).and_then(|before| messages.get(before));
        !message.starts_with("tool: ") || before.is_some_and(calls)
    }) && messages.iter().filter(|message| calls(message)).count()
        == messages.iter().filter(|message| message.starts_with("tool: ")).count()
}

/// Bug log 90.
#[tokio::test]
async fn the_result_of_an_aborted_call_stays_with_its_call_or_goes_with_it() {
    for (keep, is_kept) in [(100, false), (160, true)] {
        let compaction = CompactionSettings { keep_recent_tokens: keep, ..small().compaction };
        let (_folder, file) = place();
        let turns = json!([
            says(&long("first", 100)),
            bash("sleep 600"),
            says(&long("third", 60)),
            says("A"),
            says("B"),
            says("fourth")
        ]);
        let bed = Bed::new().upkeep(Upkeep { compaction, ..small() });
        let mut talk = bed.talk_in(&file, turns).await;
        ran(talk.say(&long("one", 100)).await);
        let abort = CancellationToken::new();
        let (stop, events) = (abort.clone(), talk.events.clone());
        tokio::spawn(async move {
            while !events.lock().unwrap().iter().any(|event| event.seam() == Some("tool-execution-start")) {
                wait(5).await;
            }
            stop.cancel();
        });
        talk.say_until(&long("two", 100), &abort).await;
        ran(talk.say(&long("three", 40)).await);
        compact(&mut talk, None).await.unwrap();
        ran(talk.say("on").await);
        let shown = talk.last_request().messages;
        assert!(are_paired(&shown), "{shown:?}");
        assert_eq!(shown.iter().any(|message| message.starts_with("tool: ")), is_kept, "{shown:?}");
        talk.close().await;
        let again = resumed(&file).await;
        assert_eq!(again.len(), shown.len() + 2);
    }
}

/// Bug log 90 and 91: a call that its process has left without a result.
#[tokio::test]
async fn an_interrupted_call_gets_its_result_after_a_compaction_too() {
    let (_folder, file) = place();
    let talk = two_turns(&file, Bed::new(), &[]).await;
    talk.close().await;
    let call = json!({ "type": "toolCall", "id": "c9", "name": "bash", "arguments": { "command": "touch MARK" } });
    let left = json!({ "role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": 1 });
    let mut log = seam_session::SessionLog::open(&file, seam_session::Durability::Never).unwrap();
    log.append(seam_session::NewEntry::Message(json!({ "role": "user", "content": "three", "timestamp": 1 }))).unwrap();
    log.append(seam_session::NewEntry::Message(left)).unwrap();
    drop(log);
    let mut talk = Bed::new().upkeep(small()).talk_in(&file, json!([says("A"), says("done")])).await;
    assert_eq!(compact(&mut talk, None).await.unwrap(), "A");
    ran(talk.say("on").await);
    let shown = talk.last_request().messages;
    assert!(are_paired(&shown) && shown[shown.len() - 2].starts_with("tool: Interrupted"), "{shown:?}");
    assert!(!talk.bed.workspace.join("MARK").exists());
}
