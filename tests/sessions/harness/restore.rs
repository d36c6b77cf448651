//! Tools that a session has active and that are not there any more.

use std::fs;
use std::path::Path;

use seam_harness::{Event, Restore, SessionEvent};
use seam_tests::bed::Bed;
use seam_tests::talk::{Talk, entries, says};
use serde_json::{Value, json};

use super::place;

/// A session whose active tools are `ls` and one of a plugin.
async fn begun(file: &Path) {
    let mut talk = with_plugin().talk_in(file, json!([says("hello")])).await;
    talk.harness.set_active_tools(vec!["ls".to_owned(), "shout".to_owned()]).unwrap();
    talk.say("hi").await;
    talk.close().await;
}

fn with_plugin() -> Bed {
    Bed::new().everything("p", json!({ "tools": [{ "name": "shout", "do": "shout" }], "observe": "quiet" }))
}

async fn resumed(bed: Bed, file: &Path, restore: Restore) -> Result<Talk, String> {
    let talk = bed.begin(json!([says("again")]), Vec::new(), Some(file), restore).await;
    talk.map_err(|error| error.to_string())
}

fn notices(talk: &Talk) -> Vec<String> {
    let events = talk.events.lock().unwrap();
    let notice = |event: &Event| match event {
        Event::Session(SessionEvent::Notice { text }) => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(notice).collect()
}

/// The last list of active tools in the file.
fn stored(file: &Path) -> Value {
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.rfind(|line| line["type"] == "active_tools_change").unwrap()["activeToolNames"].clone()
}

#[tokio::test]
async fn fail_starts_nothing_and_names_the_tools_and_what_to_do() {
    let (_folder, file) = place();
    begun(&file).await;
    let before = fs::read(&file).unwrap();
    let Err(error) = resumed(Bed::new(), &file, Restore::Fail).await else { panic!("it started") };
    let expected = "the session has tools active that are not there: `shout`. Nothing was started; load the plugins that \
                    offer them, or set `missing-tools` under `[session]` to `drop` or `keep`";
    assert_eq!(error, expected);
    assert_eq!(fs::read(&file).unwrap(), before);
    // With the plugin there is nothing to refuse.
    let talk = resumed(with_plugin(), &file, Restore::Fail).await.unwrap();
    assert_eq!(notices(&talk), Vec::<String>::new());
}

#[tokio::test]
async fn drop_goes_on_without_them_for_good() {
    let (_folder, file) = place();
    begun(&file).await;
    let mut talk = resumed(Bed::new(), &file, Restore::Drop).await.unwrap();
    let expected = "these tools were active and are not there: `shout`; the session goes on without them";
    assert_eq!(notices(&talk), [expected]);
    talk.say("on").await;
    assert_eq!(talk.last_request().tools, ["ls"]);
    talk.close().await;
    assert_eq!(stored(&file), json!(["ls"]));
    assert_eq!(entries(&file)[4..], ["active_tools_change", "user", "assistant"]);
    let mut talk = resumed(with_plugin(), &file, Restore::Drop).await.unwrap();
    talk.say("on").await;
    assert_eq!(talk.last_request().tools, ["ls"]);
}

#[tokio::test]
async fn keep_goes_on_without_them_until_they_are_there_again() {
    let (_folder, file) = place();
    begun(&file).await;
    let mut talk = resumed(Bed::new(), &file, Restore::Keep).await.unwrap();
    let expected = "these tools were active and are not there: `shout`; the session goes on without them until they are \
                    there again";
    assert_eq!(notices(&talk), [expected]);
    talk.say("on").await;
    assert_eq!(talk.last_request().tools, ["ls"]);
    talk.close().await;
    assert_eq!((stored(&file), entries(&file).len()), (json!(["ls", "shout"]), 6));
    let mut talk = resumed(with_plugin(), &file, Restore::Keep).await.unwrap();
    talk.say("on").await;
    assert_eq!((talk.last_request().tools, notices(&talk)), (vec!["ls".to_owned(), "shout".to_owned()], vec![]));
}
