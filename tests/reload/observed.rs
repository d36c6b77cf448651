//! What observers see of it, and that they hold nothing up.

use std::time::{Duration, Instant};

use seam_harness::{Event, SessionEvent};
use seam_plugins::Grants;
use seam_tests::bed::Bed;
use seam_tests::talk::says;
use seam_tests::{files, notes};
use serde_json::json;

use super::replace;

fn watcher(name: &str) -> Bed {
    let watched = json!({ "session-start": "note", "session-shutdown": "note", "settled": "note" });
    Bed::new().everything(name, json!({ "observe": "quiet", "observe-at": watched }))
}

/// The seam and the reason of each note.
fn seen(name: &str) -> Vec<String> {
    let words = |note: String| {
        let words: Vec<&str> = note.split(' ').collect();
        format!("{} {}", words[0], words.get(2).unwrap_or(&"-"))
    };
    notes::take(name).into_iter().map(words).collect()
}

#[tokio::test]
async fn the_old_see_that_it_is_left_and_the_new_that_it_begins() {
    let mut talk = watcher("old-watcher").talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    let bed = replace(&mut talk, watcher("new-watcher")).await;
    talk.say("2").await;
    talk.close().await;
    let old = ["session-start: startup", "settled: 0", "session-shutdown: reload"];
    let new = ["session-start: reload", "settled: 0", "session-shutdown: quit"];
    assert_eq!(
        (seen("old-watcher"), seen("new-watcher")),
        (old.map(str::to_owned).to_vec(), new.map(str::to_owned).to_vec())
    );
    drop(bed);
}

/// Row 159 of the list of faults: what the old ones still do ends, with nothing broken.
#[tokio::test]
async fn an_old_one_in_the_middle_of_a_call_holds_nothing_up_and_ends() {
    let stuck = json!({ "observe": "quiet", "observe-at": { "agent-end": "loop" } });
    let bed = Bed::new().everything("stuck-old", stuck).time_limit("stuck-old", 60_000);
    let mut talk = bed.talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    let began = Instant::now();
    let bed = replace(&mut talk, watcher("beside-stuck")).await;
    talk.say("2").await;
    let told = talk.close().await;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    let given_up = told.iter().filter(|event| {
        matches!(event, Event::Session(SessionEvent::ObserverBehind { plugin, given_up: true, .. }) if &**plugin == "stuck-old")
    });
    assert_eq!(given_up.count(), 1);
    assert_eq!(seen("beside-stuck").len(), 3);
    drop(bed);
}

/// What waits when the new ones come is seen, by the old ones.
#[tokio::test]
async fn an_old_one_that_is_behind_sees_what_it_was_told() {
    let watched = json!({ "agent-start": { "busy": 100 }, "settled": "note", "session-shutdown": "note" });
    let slow = json!({ "observe": "quiet", "observe-at": watched });
    let bed = Bed::new().everything("late-old", slow).time_limit("late-old", 60_000);
    let mut talk = bed.talk(json!([says("a"), says("b")])).await;
    talk.say("1").await;
    let bed = replace(&mut talk, Bed::new()).await;
    talk.say("2").await;
    talk.close().await;
    let seen = seen("late-old");
    assert_eq!(seen[seen.len() - 2..], ["settled: 0", "session-shutdown: reload"]);
    drop(bed);
}

/// Row 159 of the list of faults: an import of the host was pending when the plugins were loaded again, and what came of
/// it later broke the host.
#[tokio::test(flavor = "multi_thread")]
async fn an_old_one_that_waits_for_the_host_is_given_up_and_what_it_began_ends() {
    let command = json!({ "command": "sleep 600 & echo $! >pid.new && mv pid.new pid; wait" });
    let steps = json!({ "turn-end": { "steps": [{ "call": "bash", "with": command }] } });
    let bed = Bed::new().plugin("waits-old", &files::guest("reach-b"), steps);
    let bed = bed.set("waits-old", |settings| {
        let (tools, exec) = (vec!["bash".to_owned()], vec!["true".to_owned()]);
        settings.grants = Grants { tools, exec, ui: true, complete: Some(1), ..Grants::default() };
    });
    let mut talk = bed.talk(json!([says("a"), says("b"), says("c")])).await;
    let pid = talk.bed.workspace.join("pid");
    talk.say("1").await;
    until("the command runs", || pid.exists()).await;
    let pid = std::fs::read_to_string(pid).unwrap().trim().to_owned();
    let bed = replace(&mut talk, Bed::new()).await;
    talk.say("2").await;
    let process = std::path::PathBuf::from(format!("/proc/{pid}"));
    assert!(process.exists(), "it has its last look while the next run goes on");
    until("the command is gone", || !process.exists()).await;
    talk.say("3").await;
    let told = talk.close().await;
    let called = told.iter().filter(
        |event| matches!(event, Event::Session(SessionEvent::PluginCalled { plugin, .. }) if &**plugin == "waits-old"),
    );
    assert_eq!(called.count(), 1, "that it was given up is told");
    drop(bed);
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came to this: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
