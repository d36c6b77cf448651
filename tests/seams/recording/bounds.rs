//! How much of what the host answers a plugin is kept.

use std::sync::Arc;

use seam_loop::Message;
use seam_plugins::replay::Kind;
use seam_session::JournalBounds;
use seam_tests::bed::{Bed, text};
use seam_tests::files;
use seam_tests::recording::Recording;
use serde_json::json;

/// A guest that reads on and on gets its answers, and fills no memory of the host: a replay says what it lacks.
#[tokio::test]
async fn what_the_host_answers_in_one_call_is_kept_up_to_a_bound() {
    const MIB: usize = 1 << 20;
    let recording = Recording::new();
    let bed = Bed::new().plugin("p", &files::guest("polyglot"), json!({})).time_limit("p", 20_000);
    let plugins = bed.load().await;
    let session = bed.journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    for text in ["a", "b", "c", "d", "e"] {
        bus.conversation.push(Message::user(text.repeat(4 * MIB)).into());
    }
    assert!(bus.transform_context(&bus.conversation.moment(), &mut Vec::new()).await.is_ok());
    let [crossing] = &recording.crossings()[..] else { panic!("one call") };
    let kept: usize = crossing.host.iter().map(|call| call.answer.text().len()).sum();
    assert!((12 * MIB..16 * MIB).contains(&kept), "{kept}");
    let replayed = recording.replay(&plugins).await;
    let kinds: Vec<Kind> = replayed.differences.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [Kind::NotComparable]);
}

/// No plugin can push out of the journal what others said, however much it reads.
#[tokio::test]
async fn what_the_host_answers_a_plugin_in_a_session_is_kept_up_to_its_share_of_the_journal() {
    const KIB: usize = 1 << 10;
    let recording = Recording::bounded(JournalBounds { segment: 4 << 20, total: 8 << 20 });
    let bed = Bed::new().plugin("p", &files::guest("polyglot"), json!({})).time_limit("p", 20_000);
    let plugins = bed.load().await;
    let session = bed.journal(recording.journal.clone()).start().await;
    let bus = session.dispatcher.bus();
    let long = |text: &str| Arc::new(Message::user(text.repeat(300 * KIB)));
    let read = async |message: &Arc<Message>| {
        let shown = bus.conversation.moment().showing([Arc::clone(message)].into());
        assert!(bus.transform_context(&shown, &mut Vec::new()).await.is_ok());
        !recording.crossings().last().unwrap().host.is_empty()
    };
    let first = long("a");
    // What stands there already takes no room.
    for _again in 0..20 {
        assert!(read(&first).await);
    }
    let mut kept = Vec::new();
    for text in ["b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        kept.push(read(&long(text)).await);
    }
    assert_eq!(kept, [[true; 6].as_slice(), [false; 3].as_slice()].concat());
    assert_eq!(recording.journal.segment(), 1);
    let replayed = recording.replay(&plugins).await;
    let kinds: Vec<Kind> = replayed.differences.iter().map(|difference| difference.kind).collect();
    assert_eq!(kinds, [Kind::NotComparable; 3]);
}

/// Nobody is shown an update that comes too soon. That it was sent is what a replay needs.
#[tokio::test]
async fn of_an_update_that_is_left_out_only_that_it_was_sent_is_kept() {
    let recording = Recording::new();
    let settings = json!({ "tools": [{ "name": "flood", "do": "updates", "updates": 1000 }], "observe": "quiet" });
    let bed = Bed::new().everything("p", settings).time_limit("p", 20_000);
    let bed = bed.set("p", |settings| settings.limits.tool_time_ms = 60_000);
    let plugins = bed.load().await;
    let session = bed.journal(recording.journal.clone()).start().await;
    assert_eq!(text(&session.call("flood", json!({ "text": "x" })).await), "x done");
    let crossings = recording.crossings();
    let sent = &crossings.iter().find(|crossing| crossing.function == "execute").unwrap().host;
    assert_eq!((sent.len(), sent[0].arguments.text().contains("x 1")), (1000, true));
    let empty = sent.iter().filter(|call| call.arguments.text() == "[[],null]").count();
    assert!((900..1000).contains(&empty), "{empty}");
    recording.assert_same(&plugins).await;
}
