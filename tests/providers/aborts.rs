//! The user aborts: the run ends at once, the connection is closed, and the conversation can go on.

use std::io::Read as _;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use seam_harness::{Heard, RetrySettings, Upkeep};
use seam_loop::{CancellationToken, StopReason};
use seam_providers::ProviderSettings;
use seam_tests::bed::Bed;
use seam_tests::models::{Block, End, Frames, Place, Plan, Protocol, Said, Server};
use seam_tests::talk::Talk;
use serde_json::json;

use super::{again, run, service, services, talk};

/// How long it may take.
const SOON: Duration = Duration::from_millis(100);
/// A busy machine may take longer now and then: one of so many times it has to be soon.
const TIMES: usize = 5;

/// Says something, and aborts it when it has come so far. Gives when it was aborted, and how long it took then.
async fn aborted(talk: &mut Talk, far: impl Future<Output = ()>) -> (Instant, Duration) {
    let abort = CancellationToken::new();
    let aborting = async {
        far.await;
        abort.cancel();
        Instant::now()
    };
    let saying = async { (talk.say_until("go", &abort).await, Instant::now()) };
    let ((heard, ended), at) = tokio::join!(saying, aborting);
    match heard {
        Heard::Ran(outcome) => assert_eq!(outcome.stop_reason, StopReason::Aborted, "{outcome:?}"),
        other => panic!("{other:?}"),
    }
    (at, ended.saturating_duration_since(at))
}

fn said() -> Said {
    let call = Block::call("call_1", "echo", json!({ "text": "begun" }));
    Said::new(vec![Block::thinking("hm", Some("c2ln")), Block::text("I begin."), call])
}

/// The run and the connection are over soon after an abort, when the answer is this and that much of it was sent. Then
/// the next prompt is answered.
async fn ends_soon(protocol: Protocol, plan: &Plan) {
    let size = plan.body().len() as u64;
    let mut took = Vec::new();
    for _ in 0..TIMES {
        let server = Server::start();
        let mut talk = talk(Bed::new().upkeep(again(3)), &services(&server), protocol).await;
        server.push(plan.clone());
        let far = async {
            server.asked(1).await;
            if size > 0 {
                server.sent(0, size).await;
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        };
        let (at, ended) = aborted(&mut talk, far).await;
        let closed = server.gone(0).await.saturating_duration_since(at);
        took.push(ended.max(closed));
        assert_eq!(server.requests().len(), 1);
        assert!(talk.bed.echoed.lock().unwrap().is_empty());
        goes_on(&server, &mut talk, protocol).await;
        if ended.max(closed) <= SOON {
            return;
        }
    }
    panic!("{protocol:?}: {took:?}");
}

/// The next prompt is answered, and of what was aborted nothing is sent.
async fn goes_on(server: &Server, talk: &mut Talk, protocol: Protocol) {
    server.say(protocol, &Said::text("Here."));
    assert_eq!(run(talk, "and?").await.error, None);
    let body = server.requests().last().unwrap().body.to_string();
    for absent in
        ["hm", "I begin", "begun", "c2ln", r#""text":"""#, r#""content":"""#, r#""content":[]"#, r#""parts":[]"#]
    {
        assert!(!body.contains(absent), "{protocol:?} {absent}: {body}");
    }
    assert!(body.contains("go") && body.contains("and?"), "{body}");
}

#[tokio::test]
async fn while_the_answer_has_not_begun() {
    for protocol in Protocol::ALL {
        let plan = Plan { pieces: Vec::new(), ..Plan::whole(protocol, &said()) };
        ends_soon(protocol, &plan.clone().never()).await;
        // Its head is there, and nothing of its body.
        ends_soon(protocol, &plan.ending(End::Hang)).await;
    }
}

/// Also when there is nothing but reasoning (bug log 94), or half a call.
#[tokio::test]
async fn in_the_middle_of_an_answer() {
    for protocol in Protocol::ALL {
        let frames = Frames::of(protocol, &said());
        let thought = frames.events.iter().position(|event| event.mark == seam_tests::models::Mark::Thinking).unwrap();
        let reasoning = frames.plan().truncated(frames.ends()[thought], End::Hang);
        ends_soon(protocol, &reasoning).await;
        for place in [Place::Text, Place::HalfCall, Place::End] {
            ends_soon(protocol, &Frames::of(protocol, &said()).until(place).plan().ending(End::Hang)).await;
        }
        // In the middle of an event.
        let half = frames.ends()[frames.index(Place::Text)] - 5;
        ends_soon(protocol, &frames.plan().truncated(half, End::Hang)).await;
    }
}

/// A service that refuses, and does not end its reasons.
#[tokio::test]
async fn while_the_reasons_of_a_refusal_come() {
    let plan = Plan::plain(500, "application/json", "{\"error\":").ending(End::Hang);
    ends_soon(Protocol::Anthropic, &plan).await;
}

#[tokio::test]
async fn while_another_attempt_is_waited_for() {
    for (plan, base) in [
        (Plan::plain(529, "application/json", "").header("retry-after", "30"), 1),
        (Plan::plain(500, "application/json", ""), 30_000),
        (Frames::of(Protocol::Chat, &said()).until(Place::HalfCall).plan(), 30_000),
    ] {
        let mut took = Vec::new();
        for _ in 0..TIMES {
            let server = Server::start();
            let retry = RetrySettings { max: 3, base: Duration::from_millis(base) };
            let bed = Bed::new().upkeep(Upkeep { retry, ..Upkeep::default() });
            let mut talk = talk(bed, &services(&server), Protocol::Chat).await;
            server.push(plan.clone());
            let events = std::sync::Arc::clone(&talk.events);
            let waits = || events.lock().unwrap().iter().any(|event| event.seam() == Some("retry-scheduled"));
            let far = async {
                server.asked(1).await;
                for _ in 0..500 {
                    if waits() {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            };
            took.push(aborted(&mut talk, far).await.1);
            assert_eq!(server.requests().len(), 1);
            goes_on(&server, &mut talk, Protocol::Chat).await;
        }
        assert!(took.iter().min() <= Some(&SOON), "{took:?}");
    }
}

/// Somebody listens there who never says anything: the handshake of TLS does not end.
#[tokio::test]
async fn while_it_connects() {
    let mut took = Vec::new();
    for _ in 0..TIMES {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server::start();
        let base_url = Some(format!("https://{}/v1", listener.local_addr().unwrap()));
        let settings = ProviderSettings { base_url, ..service(&server, Protocol::Chat) };
        let settings = [(Protocol::Chat.name().to_owned(), settings)].into();
        let mut talk = talk(Bed::new().upkeep(again(3)), &settings, Protocol::Chat).await;
        let far = tokio::time::sleep(Duration::from_millis(200));
        let closed = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            socket.read_to_end(&mut Vec::new()).unwrap();
            Instant::now()
        });
        let (at, ended) = aborted(&mut talk, far).await;
        let closed = tokio::task::spawn_blocking(|| closed.join().unwrap()).await.unwrap();
        took.push(ended.max(closed.saturating_duration_since(at)));
    }
    assert!(took.iter().min() <= Some(&SOON), "{took:?}");
}
