//! The server does what it says, as a client of plain sockets sees it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::conversations::{SIGNATURE, conversations};
use super::overflows::{others, overflows};
use super::*;

/// A client of one connection.
struct Client(TcpStream);

impl Client {
    /// Sends a request with the headers that are needed.
    fn post(server: &Server, path: &str, key: &str, body: &Value) -> Self {
        let host = server.root().replace("http://", "");
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nanthropic-version: 2023-06-01\r\nx-api-key: {key}\r\n\
             authorization: Bearer {key}\r\nx-goog-api-key: {key}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut socket = TcpStream::connect(&host).expect("it listens");
        socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
        socket.write_all(format!("{head}{body}").as_bytes()).expect("it is sent");
        Self(socket)
    }

    fn ask(server: &Server, protocol: Protocol) -> Self {
        Self::post(server, path(protocol), "sk-right", &json!({ "hello": protocol.name() }))
    }

    /// Reads until there is this text.
    fn read_until(&mut self, text: &str) -> String {
        let mut read = Vec::new();
        while !String::from_utf8_lossy(&read).contains(text) {
            let mut more = [0; 1024];
            let count = self.0.read(&mut more).expect("there is more");
            assert_ne!(count, 0, "it ended before {text}: {}", String::from_utf8_lossy(&read));
            read.extend(&more[..count]);
        }
        String::from_utf8_lossy(&read).into_owned()
    }

    /// The whole answer: head, chunks, and whether the chunks are ended.
    fn answer(mut self) -> Answer {
        let mut read = Vec::new();
        // A cut connection may be reset.
        self.0.read_to_end(&mut read).ok();
        let head_end = find(&read, b"\r\n\r\n").expect("there is a head");
        let head = String::from_utf8(read[..head_end].to_vec()).expect("the head is text");
        let mut answer = Answer { head, chunks: Vec::new(), complete: false };
        let mut rest = &read[head_end + 4..];
        while let Some(end) = find(rest, b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).expect("a size"), 16).expect("a size");
            if size == 0 {
                answer.complete = true;
                break;
            }
            answer.chunks.push(rest[end + 2..end + 2 + size].to_vec());
            rest = &rest[end + 4 + size..];
        }
        answer
    }
}

struct Answer {
    head: String,
    chunks: Vec<Vec<u8>>,
    complete: bool,
}

impl Answer {
    fn body(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body()).expect("the body is JSON")
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn path(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => "/v1/messages",
        Protocol::Chat => "/v1/chat/completions",
        Protocol::Responses => "/v1/responses",
        Protocol::Gemini => "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    }
}

/// A text and a call.
fn said() -> Said {
    Said::new(vec![
        Block::text("Hello, 世界."),
        Block::call("call_1", "write", json!({ "path": "a", "content": "😀" })),
    ])
}

/// The texts at a place in all data, joined.
fn joined(protocol: Protocol, said: &Said, places: &[&str]) -> String {
    let values = events(protocol, said).into_iter().filter_map(|event| event.value());
    let text = |value: Value| {
        let found = places.iter().find_map(|place| value.pointer(place)?.as_str().map(str::to_owned));
        found.unwrap_or_default()
    };
    values.map(text).collect()
}

#[test]
fn all_data_of_all_conversations_is_json_and_ends_as_the_protocol_wants() {
    for (protocol, conversation) in Protocol::ALL.iter().flat_map(|one| conversations().into_iter().map(|c| (*one, c)))
    {
        for turn in &conversation.turns {
            let text = String::from_utf8(stream(protocol, &turn.said)).expect("a stream is UTF-8");
            let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            let values: Vec<Value> = data.iter().filter_map(|data| serde_json::from_str(data).ok()).collect();
            let (not_json, last) = match protocol {
                Protocol::Anthropic => (0, values.last().expect("an event")["type"] == "message_stop"),
                Protocol::Chat => (1, data.last() == Some(&"[DONE]")),
                Protocol::Responses => {
                    (0, values.last().expect("an event")["type"].as_str().expect("a type").len() > 17)
                }
                Protocol::Gemini => (0, values.last().expect("an event")["candidates"][0]["finishReason"].is_string()),
            };
            assert_eq!((values.len() + not_json, last), (data.len(), true), "{protocol:?}: {}", conversation.name);
        }
    }
}

#[test]
fn texts_come_whole_over_all_protocols() {
    let said = &conversations()[1].turns[0].said;
    let Block::Text(text) = &said.blocks[0] else { panic!("it is a text") };
    let places = |protocol| match protocol {
        Protocol::Anthropic => "/delta/text",
        Protocol::Chat => "/choices/0/delta/content",
        Protocol::Responses => "/delta",
        Protocol::Gemini => "/candidates/0/content/parts/0/text",
    };
    for protocol in Protocol::ALL {
        assert_eq!(&joined(protocol, said, &[places(protocol)]), text, "{protocol:?}");
        assert!(events(protocol, said).len() >= 60, "{protocol:?}");
    }
}

#[test]
fn pieces_of_mixed_calls_come_by_turns() {
    let said = Said::new(vec![
        Block::call("call_a", "write", json!({ "path": "aaaa" })),
        Block::call("call_b", "write", json!({ "path": "bbbb" })),
    ]);
    let order = |said: &Said, protocol, place: &str| -> Vec<u64> {
        let pieces = events(protocol, said).into_iter().filter(|event| event.mark == Mark::Arguments);
        pieces
            .map(|event| event.value().expect("JSON").pointer(place).expect("an index").as_u64().expect("one"))
            .collect()
    };
    let places = [
        (Protocol::Anthropic, "/index"),
        (Protocol::Chat, "/choices/0/delta/tool_calls/0/index"),
        (Protocol::Responses, "/output_index"),
    ];
    for (protocol, place) in places {
        assert_eq!(order(&said, protocol, place), [0, 0, 0, 1, 1, 1], "{protocol:?}");
        assert_eq!(order(&said.clone().mixed(), protocol, place), [0, 1, 0, 1, 0, 1], "{protocol:?}");
    }
}

#[test]
fn the_proof_of_thinking_is_where_the_protocol_has_it() {
    let said = &conversations()[9].turns[0].said;
    let has = |protocol| String::from_utf8(stream(protocol, said)).expect("UTF-8").contains(SIGNATURE);
    assert_eq!(Protocol::ALL.map(has), [true, false, true, true]);
    let details = chat::events_with(said, chat::Thoughts::ReasoningDetails);
    assert!(details.iter().any(|event| event.lines[0].1.contains(SIGNATURE)));
    let mistral = chat::events_with(said, chat::Thoughts::Content);
    let part = mistral[1].value().expect("JSON")["choices"][0]["delta"]["content"][0].take();
    assert_eq!(part, json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "I have " }] }));
}

#[test]
fn a_text_is_cut_into_pieces_of_characters() {
    assert_eq!(cut("aé日😀", 3), ["a", "é", "日😀"]);
    assert_eq!(cut("ab", 9), ["a", "b"]);
    assert_eq!(cut("", 3), [""; 0]);
}

#[test]
fn a_plan_is_played_and_the_request_is_kept() {
    let server = Server::start();
    for (place, protocol) in Protocol::ALL.into_iter().enumerate() {
        server.say(protocol, &said());
        let answer = Client::ask(&server, protocol).answer();
        assert!(answer.head.starts_with("HTTP/1.1 200 OK"), "{}", answer.head);
        assert!(answer.head.contains("content-type: text/event-stream"), "{}", answer.head);
        assert_eq!(answer.body(), stream(protocol, &said()));
        assert_eq!(answer.chunks.len(), events(protocol, &said()).len());
        assert!(answer.complete);
        let recorded = &server.requests()[place];
        assert_eq!(recorded.protocol, Some(protocol));
        assert_eq!((recorded.method.as_str(), recorded.path.as_str()), ("POST", path(protocol)));
        assert_eq!(recorded.header("x-api-key"), Some("sk-right"));
        assert_eq!(recorded.body, json!({ "hello": protocol.name() }));
        assert_eq!(recorded.gone, None);
    }
    let rest = Client::ask(&server, Protocol::Gemini).answer();
    assert_eq!(rest.body(), stream(Protocol::Gemini, &Said::text("That is all.")));
}

#[test]
fn each_byte_can_be_a_chunk() {
    let server = Server::start();
    server.push(Plan::whole(Protocol::Anthropic, &said()).bytewise());
    let answer = Client::ask(&server, Protocol::Anthropic).answer();
    assert_eq!(answer.body(), stream(Protocol::Anthropic, &said()));
    assert!(answer.chunks.iter().all(|chunk| chunk.len() == 1) && answer.complete);
}

#[test]
fn a_body_can_be_split_truncated_and_cut() {
    let server = Server::start();
    let (plan, whole) = (Plan::whole(Protocol::Chat, &said()), stream(Protocol::Chat, &said()));
    server.push(plan.clone().split_at(7));
    server.push(plan.clone().truncated(9, End::Clean));
    server.push(plan.truncated(11, End::Cut));
    let [split, clean, cut] = [0; 3].map(|_| Client::ask(&server, Protocol::Chat).answer());
    assert_eq!((split.chunks, split.complete), (vec![whole[..7].to_vec(), whole[7..].to_vec()], true));
    assert_eq!((clean.chunks, clean.complete), (vec![whole[..9].to_vec()], true));
    assert_eq!((cut.chunks, cut.complete), (vec![whole[..11].to_vec()], false));
    assert!(server.requests().iter().all(|request| request.gone.is_none()));
}

#[tokio::test]
async fn it_sees_at_once_when_a_client_leaves() {
    let server = Server::start();
    let plan = Plan::whole(Protocol::Anthropic, &said());
    server.push(plan.clone().truncated(30, End::Hang));
    server.push(plan.clone().never());
    server.push(plan.slowly(Duration::from_secs(60)));
    for request in 0..3 {
        let mut client = Client::ask(&server, Protocol::Anthropic);
        server.asked(request + 1).await;
        if request == 0 {
            client.read_until("message_start");
            server.sent(0, 30).await;
        }
        let left = Instant::now();
        drop(client);
        let gone = server.gone(request).await;
        assert!(gone.duration_since(left) < Duration::from_millis(100), "request {request}: {:?}", gone - left);
    }
}

#[tokio::test]
async fn an_endless_line_goes_on_until_the_client_leaves() {
    let server = Server::start();
    server.push(Plan::whole(Protocol::Chat, &said()).endless_line());
    let client = Client::ask(&server, Protocol::Chat);
    server.sent(0, 100_000).await;
    drop(client);
    server.gone(0).await;
    assert!(server.requests()[0].sent < ENDLESS_ENOUGH);
}

/// More than the sockets hold.
const ENDLESS_ENOUGH: u64 = 64 << 20;

#[test]
fn faults_of_events_are_where_they_belong() {
    for protocol in Protocol::ALL {
        let frames = || Frames::of(protocol, &said());
        let text = |frames: Frames| String::from_utf8(frames.bytes()).expect("UTF-8");
        let count = frames().events.len();
        assert_eq!(text(frames().comments()).matches(": keep-alive").count(), count + 1);
        assert_eq!(frames().unknown_events().events.len(), 2 * count + 1);
        assert!(text(frames().unknown_fields()).contains("brand_new"));
        assert!(!text(frames().no_blank()).contains("data: "));
        assert!(text(frames().line_end("\r\n")).lines().count() > count);
        assert!(text(frames().many_lines()).contains("data: {\n") || protocol == Protocol::Gemini);
        assert_eq!(frames().ends().last(), Some(&frames().bytes().len()));
        for place in [Place::Start, Place::Text, Place::HalfCall, Place::End] {
            let spoiled = frames().error(place, Trouble::Overloaded);
            let last = spoiled.events.last().expect("an event").value().expect("JSON");
            let error = last.get("error").or_else(|| last["response"].get("error")).expect("an error");
            let message = error["message"].as_str().expect("a message");
            assert!(message.to_lowercase().contains("overloaded"), "{protocol:?}: {message}");
            assert!(spoiled.events.iter().all(|event| event.mark != Mark::End));
            assert!(
                text(frames().bare_error(place)).ends_with("event: error\nid: 1\n\n") || protocol == Protocol::Gemini
            );
        }
        // In Gemini a call is one piece, and the last before the end.
        let half = frames().index(Place::HalfCall);
        assert_eq!(half < frames().index(Place::End), protocol != Protocol::Gemini);
        assert!(text(frames().replace("世", "\\ud83d")).contains("\\ud83d"));
    }
}

#[test]
fn many_lines_of_data_are_the_same_data() {
    let text = String::from_utf8(Frames::of(Protocol::Chat, &said()).many_lines().bytes()).expect("UTF-8");
    let event = text.split("\n\n").next().expect("an event");
    let data: Vec<&str> = event.lines().map(|line| line.strip_prefix("data: ").expect("data")).collect();
    let value: Value = serde_json::from_str(&data.join("\n")).expect("JSON");
    assert_eq!(Some(value), events(Protocol::Chat, &said())[0].value());
}

#[test]
fn each_trouble_has_a_status_and_a_body() {
    let server = Server::start();
    for (protocol, trouble) in Protocol::ALL.iter().flat_map(|one| Trouble::ALL.iter().map(move |t| (*one, *t))) {
        server.push(Plan::trouble(protocol, trouble));
        let answer = Client::ask(&server, protocol).answer();
        let status: u16 = answer.head[9..12].parse().expect("a status");
        assert!((400..600).contains(&status), "{protocol:?} {trouble:?}: {}", answer.head);
        let page = answer.head.contains("text/html");
        let body = answer.body();
        let message =
            serde_json::from_slice::<Value>(&body).ok().and_then(|body| Some(body["error"]["message"].as_str()?.len()));
        assert!(page || message.is_some_and(|length| length > 9), "{protocol:?} {trouble:?}");
    }
    let names = overflows().len() + others().len();
    assert_eq!(
        names,
        overflows().iter().chain(&others()).map(|one| one.name).collect::<std::collections::HashSet<_>>().len()
    );
}

#[test]
fn without_the_key_it_refuses_as_the_service_does() {
    let server = Server::with_key("sk-right");
    let status = |answer: &Answer| answer.head[9..12].to_owned();
    for (protocol, refused) in Protocol::ALL.into_iter().zip(["401", "401", "401", "400"]) {
        let wrong = Client::post(&server, path(protocol), "sk-wrong-0123456789", &json!({})).answer();
        assert_eq!(status(&wrong), refused, "{protocol:?}");
        assert!(wrong.json()["error"]["message"].is_string());
        assert_eq!(status(&Client::ask(&server, protocol).answer()), "200");
    }
    let told = Client::post(&server, path(Protocol::Chat), "sk-wrong-0123456789", &json!({})).answer();
    let message = told.json()["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("sk-wrong*******6789"), "{message}");
    let nowhere = Client::post(&server, "/v2/messages", "sk-right", &json!({})).answer();
    assert_eq!((status(&nowhere), server.requests().len()), ("404".to_owned(), 10));
}
