//! A plugin whose own work comes back to it.

use std::time::Duration;

use seam_tests::bed::Bed;
use serde_json::{Value, json};

use super::program::{batch, call};

/// It offers a tool and judges results: the updates of its tool come to it while all its instances run the tool.
#[tokio::test]
async fn a_plugin_that_judges_its_own_tool_does_not_wait_for_itself() {
    let tools = json!([{ "name": "slow", "do": "updates", "updates": 60 }]);
    let bed = Bed::new().everything("itself", json!({ "tools": tools, "observe": "quiet" }));
    let calls: Vec<Value> = (0..12).map(|n| call(&format!("c{n}"), "slow", json!({ "text": "x" }))).collect();
    let mut talk = bed.talk(batch(&calls)).await;
    tokio::time::timeout(Duration::from_secs(60), talk.say("go")).await.expect("it waits for itself");
    let results: Vec<String> = talk.transcript()[2..14].to_vec();
    assert_eq!(results, vec!["tool: x done"; 12]);
}
