//! The same seams for requests that are no turn of a run, for other models, and with other plugins.

use seam_harness::{CompactionSettings, Upkeep};
use seam_loop::{CancellationToken, Origin};
use seam_plugins::Grants;
use seam_tests::bed::{Bed, text};
use seam_tests::models::{Protocol, Said, Server};
use seam_tests::{files, notes};
use serde_json::{Value, json};

use super::super::{again, replace, run, services, talk};
use super::ASKED;

/// Settings of a plugin that marks each request and notes what it is asked.
fn marks(mark: &str) -> Value {
    json!({
        "get-api-key": { "do": "key", "text": format!("key-{mark}") },
        "before-provider-request": { "set-header": [["x-mark", mark]] },
        "before-provider-payload": { "do": "patch",
            "text": json!([{ "op": "add", "path": "/mark", "value": mark }]).to_string() },
        "tell": ASKED, "observe": "quiet"
    })
}

/// Who marked the requests, as their key, their header and their body say.
fn marked(server: &Server) -> Vec<[String; 3]> {
    let requests = server.requests().into_iter();
    let mark = requests.map(|sent| {
        let key = ["x-api-key", "x-goog-api-key", "authorization"].iter().find_map(|name| sent.header(name));
        let key = key.unwrap_or_default().trim_start_matches("Bearer ").trim_start_matches("key-").to_owned();
        [
            key,
            sent.header("x-mark").unwrap_or_default().to_owned(),
            sent.body["mark"].as_str().unwrap_or_default().to_owned(),
        ]
    });
    mark.collect()
}

fn thrice(mark: &str) -> [String; 3] {
    [mark, mark, mark].map(str::to_owned)
}

#[tokio::test]
async fn a_summary_takes_the_same_way() {
    for protocol in Protocol::ALL {
        let server = Server::start();
        let name = format!("elsewhere-{}", protocol.name());
        let compaction = CompactionSettings { enabled: true, reserve_tokens: 200, keep_recent_tokens: 150 };
        let upkeep = Upkeep { context_window: Some(1000), compaction, ..again(0) };
        let mut talk =
            talk(Bed::new().everything(&name, marks("p")).upkeep(upkeep), &services(&server), protocol).await;
        let long = |word: &str| format!("{word} {}", ".".repeat(400));
        server.say(protocol, &Said::text(&long("first")));
        server.say(protocol, &Said::text(&long("second")));
        server.say(protocol, &Said::text("what was said"));
        run(&mut talk, &long("one")).await;
        run(&mut talk, &long("two")).await;
        let compacted = talk.harness.compact(None, &CancellationToken::new()).await.unwrap();
        assert_eq!(compacted.summary, "what was said");
        assert_eq!(marked(&server), vec![thrice("p"); 3]);
        let asked: Vec<String> =
            notes::take(&name).iter().map(|note| note.split(": ").next().unwrap_or_default().to_owned()).collect();
        assert_eq!(asked, ASKED.repeat(3));
        let body = server.body(2).to_string();
        assert!(body.contains("<conversation>") && !body.contains("\"echo\""), "{body}");
    }
}

#[tokio::test]
async fn what_a_plugin_asks_the_model_takes_the_same_way() {
    let steps = json!([{ "ask": "why?", "system": "be short", "most": 50 }]);
    for protocol in Protocol::ALL {
        let server = Server::start();
        server.say(protocol, &Said::text("because"));
        let asks = json!({ "tools": [{ "name": "own", "steps": steps }] });
        let bed = Bed::new().plugin("asks", &files::guest("reach-b"), asks).set("asks", |settings| {
            let (tools, exec) = (["echo".to_owned()].into(), ["echo".to_owned()].into());
            settings.grants = Grants { tools, exec, complete: Some(10_000), ui: true, ..Grants::default() };
        });
        let bed = bed.everything("marks", marks("p")).upkeep(again(0));
        let mut talk = talk(bed, &services(&server), protocol).await;
        let abort = CancellationToken::new();
        let answer = text(&talk.harness.call(Origin::User, "own", json!({ "text": "x" }), &abort).await);
        assert!(answer.ends_with("because"), "{answer}");
        assert_eq!(marked(&server), [thrice("p")]);
        assert!(server.body(0).to_string().contains("be short"));
    }
}

/// The key of the one it goes to, and its protocol. What was said is told as that one takes it.
#[tokio::test]
async fn a_model_that_prepare_request_chooses_is_asked_with_its_key_and_its_protocol() {
    let turns = Protocol::ALL.into_iter().flat_map(|from| Protocol::ALL.map(|to| (from, to)));
    for (from, to) in turns.filter(|(from, to)| from != to) {
        let name = format!("chooses-{}-{}", from.name(), to.name());
        let settings = json!({
            "prepare-request": { "model": format!("{}/{}", to.name(), to.model()) },
            "get-api-key": { "do": "key", "text": "key-of-{}" },
            "tell": ["get-api-key", "before-provider-request"], "observe": "quiet"
        });
        let server = Server::start();
        let mut talk = talk(Bed::new().everything(&name, settings).upkeep(again(0)), &services(&server), from).await;
        assert_eq!(run(&mut talk, "hi").await.error, None);
        let [sent] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
        assert_eq!(sent.protocol, Some(to));
        let key = format!("key-of-{}", to.name());
        assert!(sent.headers.iter().any(|(_, value)| value.trim_start_matches("Bearer ") == key), "{sent:?}");
        let told = notes::take(&name);
        assert_eq!(told[0], format!("get-api-key: {:?}", to.name()));
        assert!(told[1].contains(&format!("provider: {:?}, id: {:?}", to.name(), to.model())), "{told:?}");
    }
}

#[tokio::test]
async fn other_plugins_are_asked_from_the_next_request_on() {
    let server = Server::start();
    let bed = Bed::new().everything("one", marks("one")).upkeep(again(0));
    let mut talk = talk(bed, &services(&server), Protocol::Responses).await;
    run(&mut talk, "1").await;
    let _second = replace(&mut talk, Bed::new().everything("two", marks("two"))).await;
    run(&mut talk, "2").await;
    let _none = replace(&mut talk, Bed::new()).await;
    run(&mut talk, "3").await;
    assert_eq!(marked(&server), [thrice("one"), thrice("two"), thrice("")]);
}
