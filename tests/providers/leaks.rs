//! A key stands in the request and nowhere else, whatever a service says of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use seam_harness::Event;
use seam_providers::ProviderSettings;
use seam_session::journal::{Journal, JournalBounds};
use seam_tests::bed::Bed;
use seam_tests::models::{Event as Sent, Frames, Mark, Place, Plan, Protocol, Said, Server, Trouble};
use seam_tests::notes;
use serde_json::json;

use super::{Settings, again, run, service, talk_in};

/// A key with all that JSON has words of its own for.
const KEY: &str = r#"sk-"live"\n\\u0041/{0123456789}'"#;
/// What no place may hold: the key, as it is and as JSON has it, and the part of it that is the same in both.
const PARTS: [&str; 3] = [KEY, r#"sk-\"live\"\\n\\\\u0041/{0123456789}'"#, "u0041/{0123456789}"];

/// Where the key comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Source {
    Environment,
    Command,
    Plugin,
    Header,
}

const SOURCES: [Source; 4] = [Source::Environment, Source::Command, Source::Plugin, Source::Header];

/// The variable that holds it in the process that runs for this test alone.
const VARIABLE: &str = "SEAM_TEST_KEY";

/// Each source in a process of its own: that has the variable, and writes down every log line of every crate.
#[test]
fn a_key_is_in_no_event_file_error_note_or_log_line() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "providers::leaks::within_a_process_of_its_own", "--ignored", "--nocapture"])
        .env(VARIABLE, KEY)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
#[ignore = "the test above runs it, with the key in its environment"]
async fn within_a_process_of_its_own() {
    notes::collect_all();
    for source in SOURCES {
        for protocol in Protocol::ALL {
            leaves_no_trace(source, protocol).await;
        }
    }
    let lines = notes::all();
    assert!(lines.len() > 100, "{}", lines.len());
    lines.iter().for_each(|line| free_of_it("a log line", line));
}

/// A conversation in which the service repeats the key wherever it can.
async fn leaves_no_trace(source: Source, protocol: Protocol) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    let server = Server::start();
    let journal = Journal::open(&file, "s", JournalBounds::default()).unwrap();
    let bed = bed(source, protocol).journal(std::sync::Arc::new(journal)).upkeep(again(1));
    let plugins: Vec<String> = ["gives", "watches"].map(|name| name.to_owned()).to_vec();
    let mut talk = talk_in(Some(&file), bed, &settings(&server, source, protocol), protocol).await;
    let plans = plans(protocol);
    let (rounds, mut hidden) = (plans.len(), 0);
    for plan in plans {
        // A failure that may pass is tried again: the same then, and that is the end.
        server.push(plan.clone());
        server.push(plan);
        let error = run(&mut talk, "on").await.error.unwrap_or_default();
        free_of_it("an error", &error);
        hidden += usize::from(error.contains("[key]"));
        while server.left() > 0 {
            run(&mut talk, "the rest").await;
        }
    }
    // All but the answer that is none, the refusal that says nothing of it, and the text that is cut before it.
    assert!(hidden + 4 >= rounds, "{source:?}: {hidden} of {rounds}");
    let requests = server.requests();
    assert!(requests.len() >= 2 * rounds);
    let has_it = |sent: &seam_tests::models::Recorded| sent.headers.iter().any(|(_, value)| value.contains(KEY));
    assert!(requests.iter().all(has_it), "{source:?}: {:?}", requests[0]);
    requests.iter().for_each(|sent| free_of_it("a body", &sent.body.to_string()));
    for event in talk.close().await {
        free_of_it("an event", &shown(&event));
    }
    for plugin in plugins {
        notes::take(&plugin).iter().for_each(|note| free_of_it("a note", note));
    }
    let files = every_file(folder.path());
    assert!(files > 1, "a session and its journal");
}

fn shown(event: &Event) -> String {
    format!("{event:?} {}", serde_json::to_string(event).unwrap())
}

#[track_caller]
fn free_of_it(what: &str, text: &str) {
    let found = PARTS.iter().find(|part| text.contains(**part));
    assert_eq!(found, None, "{what}: {text}");
}

/// Looks into all files. Gives how many there are.
fn every_file(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let counts = entries.map(|path| {
        if path.is_dir() {
            return every_file(&path);
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        free_of_it(&path.display().to_string(), &text);
        1
    });
    counts.sum()
}

fn bed(source: Source, protocol: Protocol) -> Bed {
    let all = json!(["get-api-key", "before-provider-request", "before-provider-payload", "transform-context"]);
    let watches = json!({ "tell": all, "sees": all });
    let bed = Bed::new().everything("watches", watches);
    match source {
        Source::Plugin => {
            let gives = json!({ "get-api-key": { "do": "key", "text": KEY, "provider": protocol.name() } });
            bed.everything("gives", gives)
        }
        _ => bed,
    }
}

fn settings(server: &Server, source: Source, protocol: Protocol) -> Settings {
    let plain = service(server, protocol);
    let settings = match source {
        Source::Environment => ProviderSettings { key_env: Some(vec![VARIABLE.to_owned()]), ..plain },
        Source::Command => {
            let command = ["sh", "-c", "printf '%s\\n' \"$SEAM_TEST_KEY\""].map(str::to_owned).to_vec();
            ProviderSettings { key_command: Some(command), ..plain }
        }
        Source::Plugin => ProviderSettings { key_env: Some(vec!["SEAM_TEST_NOT_SET".to_owned()]), ..plain },
        Source::Header => {
            ProviderSettings { headers: [("X-Gateway-Token".to_owned(), format!("Bearer {KEY}"))].into(), ..plain }
        }
    };
    [(protocol.name().to_owned(), settings)].into()
}

/// All places in which a service may repeat a key.
fn plans(protocol: Protocol) -> Vec<Plan> {
    let said = Said::text("hello");
    let words = format!("no such key: {KEY}, Bearer {KEY}");
    let error = json!({ "type": "error", "error": { "message": words, "type": "authentication_error", "code": KEY } });
    let nested = json!({ "error": { "message": "no", "metadata": { "raw": error.to_string() }, "status": KEY } });
    let unknown = json!({ "what": { "ever": [KEY, { KEY: error.to_string() }] } });
    let long = json!({ "error": { "message": format!("{}{KEY}{KEY}", "x".repeat(575)) } });
    let bodies = [error.clone(), nested, unknown, long].map(|body| body.to_string());
    let plain = [401, 500].into_iter().flat_map(|status| {
        let kinds = bodies.iter().map(move |body| Plan::plain(status, "application/json", body));
        kinds.chain([Plan::plain(status, "text/plain", &words), Plan::plain(status, "text/html", &format!("<b>{KEY}"))])
    });
    let in_stream = Sent::json(Mark::Other, &error);
    let spoiled = [Place::Start, Place::Text, Place::End].map(|place| {
        let frames = Frames::of(protocol, &said);
        let at = frames.index(place);
        let mut frames = frames;
        frames.events.insert(at, in_stream.clone());
        frames.plan()
    });
    let headers = [Plan::whole(protocol, &said), Plan::trouble(protocol, Trouble::WrongKey)].map(|plan| {
        let plan = plan.header("x-seen", KEY).header("x-api-key", KEY).header("warning", &format!("199 - {KEY:?}"));
        plan.header("x-nested", &json!({ "key": KEY }).to_string())
    });
    let redirect = Plan::plain(307, "text/plain", "").header("location", &format!("https://elsewhere.example/{KEY}"));
    plain.chain(spoiled).chain(headers).chain([redirect]).map(|plan| plan.header("retry-after-ms", "1")).collect()
}
