//! Every request is bounded in time, size and number, and ends with its call.

use std::time::{Duration, Instant};

use seam_plugins::Settings;
use seam_tests::bed::wait;

use super::server::Server;
use super::{bed, told};

/// What became of one order, with these limits.
async fn of(server: &Server, order: &str, limits: impl FnOnce(&mut Settings)) -> String {
    let session = bed(&[&server.site()]).set("web", limits).start().await;
    told(&session, order).await
}

fn short(settings: &mut Settings) {
    settings.limits.network_ms = 300;
}

/// The guest has 250 ms and the server takes longer.
#[tokio::test]
async fn waiting_for_the_network_is_not_the_guests_time() {
    let server = Server::start();
    let order = format!("GET {}", server.url("/slow?1000"));
    let began = Instant::now();
    assert_eq!(of(&server, &order, |_| {}).await, "200 at last");
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_server_that_says_nothing_ends_at_the_time_for_the_network() {
    let server = Server::start();
    let order = format!("GET {}", server.url("/silent"));
    let began = Instant::now();
    assert_eq!(of(&server, &order, short).await, "ErrorCode::HttpResponseTimeout");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn so_does_one_that_never_stops() {
    let server = Server::start();
    let order = format!("GET {}", server.url("/drip"));
    let began = Instant::now();
    assert_eq!(of(&server, &order, short).await, "200 and then HTTP response timeout");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_guest_may_wait_less() {
    let server = Server::start();
    let order = format!("GET {} first=100", server.url("/silent"));
    assert_eq!(of(&server, &order, |_| {}).await, "ErrorCode::ConnectionReadTimeout");
}

/// The time for the network is none for computing.
#[tokio::test]
async fn the_guests_own_time_stays_what_it_is() {
    let server = Server::start();
    let began = Instant::now();
    let said = of(&server, &format!("GET {}; spin", server.url("/hello")), |_| {}).await;
    assert!(said.contains("it reached its time limit of 250 ms"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

/// Who waits for nothing that comes over the network has none of its time, 30 seconds here.
#[tokio::test]
async fn a_guest_that_sleeps_has_its_own_time_alone() {
    let server = Server::start();
    for order in ["sleep".to_owned(), format!("GET {}; sleep", server.url("/hello"))] {
        let began = Instant::now();
        let said = of(&server, &order, |_| {}).await;
        assert!(said.contains("it reached its time limit of 250 ms"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(10), "{order}: {:?}", began.elapsed());
    }
}

/// The time for the network is over when a request is, however long it is slept beside it.
#[tokio::test]
async fn a_guest_that_sleeps_beside_a_request_has_no_more_than_both() {
    let server = Server::start();
    let began = Instant::now();
    let said = of(&server, &format!("begin {}; sleep", server.url("/silent")), short).await;
    assert!(said.contains("it reached its time limit of 250 ms"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_body_that_is_too_large_ends_in_an_error() {
    let server = Server::start();
    let large = |bytes: usize| format!("GET {}", server.url(&format!("/large?{bytes}")));
    let roomy = |settings: &mut Settings| settings.limits.time_ms = 10_000;
    assert_eq!(of(&server, &large(8 << 20), roomy).await, "200 of 8388608 bytes");
    let error = "200 and then HTTP response body size exceeds limit: 8388608 bytes";
    assert_eq!(of(&server, &large((8 << 20) + 1), roomy).await, error);
    assert_eq!(of(&server, &format!("GET {}", server.url("/endless")), roomy).await, error);
}

#[tokio::test]
async fn what_goes_out_is_bounded_too() {
    let server = Server::start();
    let roomy = |settings: &mut Settings| settings.limits.time_ms = 10_000;
    let post = |bytes: usize| format!("POST {} body={bytes}", server.url("/sink"));
    assert_eq!(of(&server, &post(8 << 20), roomy).await, "200 8388608");
    let said = of(&server, &post((8 << 20) + 1), roomy).await;
    assert!(said.starts_with("ErrorCode::HttpRequestBodySize"), "{said}");
    let path = format!("GET {}", server.url(&format!("/{}", "x".repeat(9000))));
    assert_eq!(of(&server, &path, |_| {}).await, "ErrorCode::HttpRequestUriTooLong");
    let said = of(&server, &format!("GET {} many=1", server.url("/hello")), |_| {}).await;
    assert!(said.contains("it made headers that are larger than they may be"), "{said}");
}

#[tokio::test]
async fn a_head_that_is_too_large_is_an_error() {
    let server = Server::start();
    let head = |bytes: usize| format!("GET {}", server.url(&format!("/head?{bytes}")));
    assert_eq!(of(&server, &head(10_000), |_| {}).await, "200 ");
    let said = of(&server, &head(100_000), |_| {}).await;
    assert!(said.starts_with("ErrorCode::HttpResponseHeaderSectionSize"), "{said}");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_or_no_answer_is_an_error() {
    let server = Server::start();
    let get = |path: &str| format!("GET {}", server.url(path));
    assert_eq!(of(&server, &get("/cut"), |_| {}).await, "200 and then incomplete HTTP response");
    assert_eq!(of(&server, &get("/nonsense"), |_| {}).await, "ErrorCode::HttpProtocolError");
}

#[tokio::test]
async fn a_call_sends_no_more_than_so_many() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    let order = vec![format!("GET {}", server.url("/hello")); 17].join("; ");
    let said = told(&session, &order).await;
    let said: Vec<&str> = said.split("; ").collect();
    assert_eq!((&said[..16], said[16]), (&["200 hello"; 16][..], "ErrorCode::ConnectionLimitReached"));
    assert_eq!(server.heads().len(), 16);
    // The next call begins anew.
    assert_eq!(told(&session, &format!("GET {}", server.url("/hello"))).await, "200 hello");
}

/// A guest that keeps an answer it never reads keeps no connection by that.
#[tokio::test]
async fn a_connection_ends_with_the_call_too() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    assert_eq!(told(&session, &format!("half {}", server.url("/stops"))).await, "200");
    let began = Instant::now();
    while server.ended() == 0 {
        assert!(began.elapsed() < Duration::from_secs(10), "the connection is still there");
        wait(20).await;
    }
}

/// What a guest has not waited for does not go on behind the back of everybody.
#[tokio::test]
async fn a_request_ends_with_the_call_that_made_it() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    assert_eq!(told(&session, &format!("begin {}", server.url("/slow?300"))).await, "begun");
    assert_eq!(told(&session, "end").await, "ErrorCode::ConnectionTerminated");
}
