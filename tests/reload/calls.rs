//! Calls that are under way while the plugins change: each ends with the version it began with.

use std::sync::Arc;
use std::time::Duration;

use seam_harness::Reach;
use seam_harness::reach::Led;
use seam_harness::reach::call_tool::NotCalled;
use seam_tests::bed::Bed;
use seam_tests::talk::Talk;
use serde_json::json;

use super::replace;

/// A bed whose plugin offers `slow`, which says `x WORD` in the end, after so many millions of steps.
fn slow(word: &str, millions: u64) -> Bed {
    let tool = json!({
        "name": "slow", "do": "updates", "updates": 1, "millions": millions, "details": { "version": word }
    });
    let bed = Bed::new().everything("slow", json!({ "tools": [tool], "observe": "quiet" }));
    bed.set("slow", |settings| settings.limits.tool_time_ms = 60_000)
}

fn reach(talk: &Talk) -> Arc<Reach> {
    talk.harness.conversation().moment().reach().expect("somebody owns it")
}

/// Which version answered a call of `slow`.
async fn version(reach: Arc<Reach>) -> Result<String, NotCalled> {
    let plugin: Arc<str> = "caller".into();
    let output = reach.call_tool(&plugin, "slow", json!({ "text": "x" }), &Led::default()).await?;
    Ok(output.details.unwrap_or_default()["version"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_an_old_plugin_that_runs_ends_as_the_old_one() {
    let mut talk = slow("old", 300).talk(json!([])).await;
    let under_way = tokio::spawn(version(reach(&talk)));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!under_way.is_finished(), "it is over before the plugins change; let it count further");
    let bed = replace(&mut talk, slow("new", 0)).await;
    // The new one does not wait for the old.
    assert_eq!(version(reach(&talk)).await.unwrap(), "new");
    assert_eq!(under_way.await.unwrap().unwrap(), "old");
    drop(bed);
}

/// It had asked for what it may reach before the plugins changed. What it calls from then on is of its own time.
#[tokio::test]
async fn who_holds_what_it_was_granted_before_goes_on_with_it() {
    let mut talk = slow("old", 0).talk(json!([])).await;
    let before = reach(&talk);
    let bed = replace(&mut talk, slow("new", 0)).await;
    assert_eq!((version(before).await.unwrap(), version(reach(&talk)).await.unwrap()), ("old".into(), "new".into()));
    let none = replace(&mut talk, Bed::new()).await;
    assert_eq!(version(reach(&talk)).await.unwrap_err(), NotCalled::NotRun("Tool slow not found".to_owned()));
    drop((bed, none));
}
