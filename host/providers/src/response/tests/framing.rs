//! How bytes become events.

use super::*;

/// Bug log 147.
#[tokio::test]
async fn events_are_read_by_the_rules() {
    for (name, body) in [
        ("usual", format!("{}{OVER}", says("hi"))),
        ("carriage returns", format!("{}{OVER}", says("hi")).replace('\n', "\r\n")),
        ("carriage returns alone", format!("{}{OVER}", says("hi")).replace('\n', "\r")),
        ("no blank behind the colon", format!("{}{OVER}", says("hi")).replace("data: ", "data:")),
        ("a mark of the byte order", format!("\u{feff}{}{OVER}", says("hi"))),
        ("comments", format!(": hello\n\n:\n{}: OPENROUTER PROCESSING\n\n{OVER}", says("hi"))),
        ("several lines", format!("data: {{\"say\":\ndata:  \"hi\"\ndata: }}\n\n{OVER}")),
        ("a name and more", format!("event: piece\nid: 1\nretry: 10\ncolour: blue\n{}{OVER}", says("hi"))),
        ("a ping without data", format!("event: ping\n\n{}event: ping\n\n{OVER}", says("hi"))),
        ("no data", format!("data:\n\ndata\n\ndata: \n\n{}{OVER}", says("hi"))),
        ("null", format!("data: null\n\n{}data:null\n\n{OVER}", says("hi"))),
        ("an error that is none", format!("data: {{\"error\":null,\"say\":\"hi\"}}\n\n{OVER}")),
        ("events that nobody knows", format!("data: {{\"new\":[1]}}\n\n{}data: 7\n\n{OVER}", says("hi"))),
        ("done", format!("{}data: {{\"stop\":1}}\n\ndata: [DONE]\n\n", says("hi"))),
        ("the end of the body", format!("{}data: {{\"stop\":1}}\n\n", says("hi"))),
    ] {
        assert_eq!(tells(&body).await, Ok("hi".to_owned()), "{name}");
    }
}

/// Bug log 141: every split of a stream, within characters, line ends and names of fields.
#[tokio::test]
async fn a_split_anywhere_changes_nothing() {
    let text = "日本語 😀 \u{2028} e\u{301}\r\n\\";
    let body = format!(": x\r\n\r\nevent: é\r\n{}\r\n\r\n{}{OVER}", says(text).trim_end(), says("2"));
    let body = body.as_bytes();
    let whole: Vec<_> = read(chunks([body]), reading()).collect().await;
    assert_eq!(told(&whole), Ok(format!("{text}2")));
    for at in 0..=body.len() {
        let (before, behind) = body.split_at(at);
        let events: Vec<_> = read(chunks([before, &[], behind]), reading()).collect().await;
        assert_eq!(events.len(), whole.len(), "{at}");
        assert_eq!(told(&events), told(&whole), "{at}");
    }
    let events: Vec<_> = read(chunks(body.chunks(1)), reading()).collect().await;
    assert_eq!(told(&events), told(&whole));
}

/// Bug log 143: what is cut anywhere before the end is an error, never a shorter answer.
#[tokio::test]
async fn what_is_cut_off_is_an_error() {
    let body = format!("{}{}{OVER}", says("日本"), says("2"));
    for at in 0..body.len() {
        let events: Vec<_> = read(chunks([&body.as_bytes()[..at]]), reading()).collect().await;
        let truncated = "p: the response ended before the answer was complete".to_owned();
        assert_eq!(told(&events), Err(truncated), "{at}");
        assert_eq!(message(&events).error_kind, seam_loop::ErrorKind::Transient { retry_after: None });
    }
}
