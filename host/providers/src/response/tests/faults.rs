//! How a response may end otherwise than with an answer.

use std::sync::atomic::AtomicBool;

use futures_util::stream;
use seam_loop::ErrorKind;

use super::*;

const TRANSIENT: ErrorKind = ErrorKind::Transient { retry_after: None };

/// Bug log 145 and 147.
#[tokio::test]
async fn an_error_in_the_stream_is_one_wherever_it_comes() {
    let error = r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let top = r#"data: {"type":"error","code":"server_error","message":"Overloaded"}"#;
    for before in [String::new(), says("hi")] {
        for event in [
            format!("event: error\n{error}"),
            format!("event: error\n{top}"),
            error.to_owned(),
            "event: error\ndata: Overloaded".to_owned(),
        ] {
            let events = events_of(&format!("{before}{event}\n\n{OVER}")).await;
            assert_eq!(told(&events), Err("p: Overloaded".to_owned()), "{event}");
            assert_eq!(message(&events).error_kind, TRANSIENT, "{event}");
            assert_eq!(message(&events).stop_reason, StopReason::Error);
        }
        for event in ["event: error", "event: error\nid: 1", "event: error\ndata:", "event: error\ndata: null"] {
            let events = events_of(&format!("{before}{event}\n\n{OVER}")).await;
            let expected = Err("p: it reports an error and does not say which".to_owned());
            assert_eq!((told(&events), message(&events).error_kind), (expected, TRANSIENT), "{event}");
        }
    }
    let once = events_of(&format!("{}{error}\n\n{error}\n\n", says("hi"))).await;
    assert_eq!(once.iter().filter(|event| matches!(event, StreamEvent::End(_))).count(), 1);
}

#[tokio::test]
async fn what_is_no_json_or_no_utf_8_is_an_error() {
    let wrong = tells(&format!("{}data: <html>\n\n{OVER}", says("hi"))).await.unwrap_err();
    assert_eq!(wrong, "p: it sent an event that is no JSON (expected value at line 1 column 1)");
    let body = [b"data: {\"say\":\"".as_slice(), b"\xff", b"\"}\n\n"].concat();
    let events: Vec<_> = read(chunks([&*body]), reading()).collect().await;
    let wrong = told(&events).unwrap_err();
    assert!(wrong.starts_with("p: it sent an event that is no UTF-8 ("), "{wrong}");
}

/// Half a surrogate pair (bug log 96).
#[tokio::test]
async fn half_of_a_surrogate_pair_is_a_replacement_character() {
    let body = format!("data: {{\"say\":\"a\\ud83d\"}}\n\n{OVER}");
    assert_eq!(tells(&body).await, Ok("a\u{fffd}".to_owned()));
}

/// What is said twice: that the answer ended, and why.
#[tokio::test]
async fn an_end_without_a_reason_is_none() {
    for body in [format!("{}data: {{\"over\":1}}\n\n", says("hi")), format!("{}data: [DONE]\n\n", says("hi"))] {
        let wrong = tells(&body).await.unwrap_err();
        assert_eq!(wrong, "p: the response ended before the answer was complete");
    }
}

/// A chunk of 64 KiB for ever. Gives how many were taken.
fn endless(chunk: &'static [u8]) -> (Arc<AtomicUsize>, impl Stream<Item = Result<Bytes, Infallible>> + Send) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let chunk = Bytes::from(chunk.repeat((64 << 10) / chunk.len()));
    let body = stream::repeat_with(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(chunk.clone())
    });
    (taken, body)
}

/// Bug log 150.
#[tokio::test]
async fn what_never_becomes_an_event_is_cut_off() {
    for endlessly in [b"data: xxxxxxxxxx".as_slice(), b"data: xxxxxxxx\n", b": keep-alive\n\n", b"x"] {
        let (taken, body) = endless(endlessly);
        let events: Vec<_> = read(body, reading()).collect().await;
        let expected = Err("p: it sent more than 16 MiB that are no event".to_owned());
        assert_eq!(told(&events), expected);
        let taken = taken.load(Ordering::Relaxed);
        assert!((256..=258).contains(&taken), "{taken}");
    }
}

#[tokio::test]
async fn long_events_and_long_answers_are_read() {
    let long = "x".repeat(10 << 20);
    let body = format!("{}{}{OVER}", says(&long), says(&long));
    let events: Vec<_> = read(chunks(body.as_bytes().chunks(64 << 10)), reading()).collect().await;
    assert_eq!(told(&events).unwrap().len(), 20 << 20);
}

/// Bytes, then nothing any more.
fn stuck(body: &str) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    chunks([body.as_bytes()]).chain(stream::pending())
}

#[tokio::test(start_paused = true)]
async fn silence_is_an_error() {
    for body in [String::new(), says("hi"), "data: half".to_owned()] {
        let began = tokio::time::Instant::now();
        let events: Vec<_> = read(stuck(&body), reading()).collect().await;
        let expected = "p: it was silent for 30 s. Look whether http://here/v1 can be reached: `seam doctor` tries it";
        assert_eq!(told(&events), Err(expected.to_owned()));
        assert_eq!(message(&events).error_kind, TRANSIENT);
        assert_eq!(began.elapsed().as_secs(), 30);
    }
}

#[tokio::test(start_paused = true)]
async fn who_sends_signs_of_life_is_not_silent() {
    let every_20_s = |text: String| async move {
        tokio::time::sleep(Duration::from_secs(20)).await;
        Ok::<_, Infallible>(Bytes::from(text))
    };
    for sign in [": keep-alive\n\n", "event: ping\n\n", "data: null\n\n", "\n"] {
        let texts = (0..10).map(|_| sign.to_owned()).chain([says("hi"), OVER.to_owned()]);
        let events: Vec<_> = read(stream::iter(texts).then(every_20_s), reading()).collect().await;
        assert_eq!(told(&events), Ok("hi".to_owned()), "{sign}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_off_is_an_error() {
    let broken = chunks([says("hi").as_bytes()]).map(|chunk| chunk.map_err(|_| "")).chain(stream::iter([Err("reset")]));
    let events: Vec<_> = read(broken, reading()).collect().await;
    let expected =
        "p: the connection broke off: reset. Look whether http://here/v1 can be reached: `seam doctor` tries it";
    assert_eq!((told(&events), message(&events).error_kind), (Err(expected.to_owned()), TRANSIENT));
    assert_eq!(text(&message(&events).content[0]), "hi");
}

/// Says so when it is given up.
struct Given(Arc<AtomicBool>);

impl Drop for Given {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn an_abort_closes_the_connection_at_once() {
    for body in [String::new(), says("hi"), format!("{}data: half", says("hi"))] {
        let closed = Arc::new(AtomicBool::new(false));
        let given = Given(Arc::clone(&closed));
        let body = stuck(&body).inspect(move |_| {
            let _kept_as_long_as_the_body = &given;
        });
        let reading = reading();
        let abort = reading.abort.clone();
        let mut response = read(body, reading);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            abort.cancel();
        });
        let events: Vec<_> = response.by_ref().collect().await;
        assert_eq!(told(&events), Err("Request was aborted".to_owned()));
        assert_eq!(message(&events).stop_reason, StopReason::Aborted);
        assert!(closed.load(Ordering::Relaxed), "while the response itself is still there");
        drop(response);
    }
}

#[tokio::test]
async fn an_abort_before_anything_came_reads_nothing() {
    let (taken, body) = endless(b"x");
    let reading = reading();
    reading.abort.cancel();
    let events: Vec<_> = read(body, reading).collect().await;
    assert_eq!(message(&events).stop_reason, StopReason::Aborted);
    assert_eq!(taken.load(Ordering::Relaxed), 0);
}

/// What comes behind it changes nothing, and of much of it the most is not read.
#[tokio::test(start_paused = true)]
async fn nothing_behind_the_end_is_part_of_the_answer() {
    let body = format!("{}{OVER}{}event: error\ndata: {{\"message\":\"no\"}}\n\n{OVER}", says("hi"), says("more"));
    let events = events_of(&body).await;
    assert_eq!(told(&events), Ok("hi".to_owned()));
    assert_eq!(events.len(), 5, "{events:?}");
    let (taken, rest) = endless(b"data: 1\n\n");
    let events: Vec<_> = read(chunks([says("hi").as_bytes(), OVER.as_bytes()]).chain(rest), reading()).collect().await;
    assert_eq!(told(&events), Ok("hi".to_owned()));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken <= 2, "{taken}");
}

/// An endless line is no event: it counts all the same.
#[tokio::test(start_paused = true)]
async fn of_what_comes_behind_the_answer_little_is_read() {
    let (taken, rest) = endless(b"x");
    let events: Vec<_> = read(chunks([says("hi").as_bytes(), OVER.as_bytes()]).chain(rest), reading()).collect().await;
    assert_eq!(told(&events), Ok("hi".to_owned()));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken <= 2, "{taken}");
}

#[tokio::test(start_paused = true)]
async fn an_abort_behind_the_answer_closes_the_connection_too() {
    let closed = Arc::new(AtomicBool::new(false));
    let given = Given(Arc::clone(&closed));
    let body = stuck(&format!("{}{OVER}", says("hi"))).inspect(move |_| {
        let _kept_as_long_as_the_body = &given;
    });
    let reading = reading();
    let abort = reading.abort.clone();
    let _events: Vec<_> = read(body, reading).collect().await;
    abort.cancel();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(closed.load(Ordering::Relaxed));
}

/// Some services have the field always.
#[tokio::test]
async fn an_error_that_is_none_is_none() {
    for none in ["null", "false", "\"\"", "{}"] {
        let body = format!("data: {{\"say\":\"hi\",\"error\":{none}}}\n\n{OVER}");
        assert_eq!(tells(&body).await, Ok("hi".to_owned()), "{none}");
    }
}

/// A body that does not end is given up soon, so that its connection is closed.
#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_behind_the_answer_is_given_up() {
    let closed = Arc::new(AtomicBool::new(false));
    let given = Given(Arc::clone(&closed));
    let body = stuck(&format!("{}{OVER}", says("hi"))).inspect(move |_| {
        let _kept_as_long_as_the_body = &given;
    });
    let events: Vec<_> = read(body, reading()).collect().await;
    assert_eq!(told(&events), Ok("hi".to_owned()));
    tokio::time::sleep(REST.1 + Duration::from_millis(1)).await;
    assert!(closed.load(Ordering::Relaxed));
}
