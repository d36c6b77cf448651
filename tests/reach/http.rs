//! `wasi:http`: requests to granted sites, and to nothing else.

mod bounds;
mod journal;
mod server;
mod tls;

use seam_plugins::{LoadProblem, Mode, Settings};
use seam_tests::bed::{Bed, Session, engine, text};
use seam_tests::files;
use seam_tests::recording::{Recording, answer};
use serde_json::{Value, json};

use server::Server;

/// A bed with a gate that sends what it is told to, where it may.
fn bed(sites: &[&str]) -> Bed {
    let sites = sites.iter().map(|&site| site.to_owned()).collect();
    Bed::new().plugin("web", &files::guest("reach-http"), json!({})).set("web", |settings| settings.grants.http = sites)
}

/// What became of what it was told to send.
async fn told(session: &Session, order: &str) -> String {
    let told = text(&session.echo(order).await);
    told.strip_prefix("Blocked by plugin `web`: ").unwrap_or(&told).to_owned()
}

#[tokio::test]
async fn a_granted_site_answers() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    assert_eq!(told(&session, &format!("GET {}", server.url("/hello?a=b"))).await, "200 hello");
    let [head] = &*server.heads() else { panic!("{:?}", server.heads()) };
    assert!(head.starts_with("GET /hello?a=b HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("host: 127.0.0.1:{}\r\n", server.port())), "{head}");
}

#[tokio::test]
async fn a_body_goes_out_as_it_is() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    assert_eq!(told(&session, &format!("POST {} body=100000", server.url("/sink"))).await, "200 100000");
}

#[tokio::test]
async fn without_the_grant_it_is_not_loaded_and_the_line_to_add_is_told() {
    let problem = engine().load(&files::guest("reach-http"), &Settings::default()).await.err().unwrap();
    let LoadProblem::NeedsGrants(needed) = &problem else { panic!("{problem}") };
    insta::assert_snapshot!(needed.lines().join("\n"), @r#"
    [plugins.reach-http.grants]
    http = ["api.example.com"]  # the hosts it may send to
    "#);
    assert!(problem.to_string().starts_with("it imports `wasi:http/outgoing-handler@"), "{problem}");
}

/// Another port, scheme, spelling of the address or host is another site.
#[tokio::test]
async fn what_is_not_granted_is_denied_and_not_connected_to() {
    let (server, other) = (Server::start(), Server::start());
    let session = bed(&[&server.site()]).start().await;
    for url in [
        other.url("/hello"),
        format!("https://127.0.0.1:{}/hello", server.port()),
        format!("http://127.0.0.2:{}/hello", server.port()),
        format!("http://localhost:{}/hello", server.port()),
        format!("http://[::ffff:127.0.0.1]:{}/hello", server.port()),
        format!("http://127.0.0.1.example.com:{}/hello", server.port()),
        "http://127.0.0.1/hello".to_owned(),
        "https://api.example.com/".to_owned(),
    ] {
        assert_eq!(told(&session, &format!("GET {url}")).await, "ErrorCode::HttpRequestDenied", "{url}");
    }
    assert_eq!((server.heads().len(), other.heads().len()), (0, 0));
}

#[tokio::test]
async fn a_spelling_that_hides_the_host_is_no_way_out() {
    let (server, other) = (Server::start(), Server::start());
    let session = bed(&[&server.site()]).start().await;
    let (here, there) = (format!("127.0.0.1:{}", server.port()), format!("127.0.0.1:{}", other.port()));
    for authority in [
        format!("{here}@{there}"),
        format!("user:word@{here}"),
        format!("0x7f.1:{}", server.port()),
        format!("2130706433:{}", server.port()),
        format!("127.1:{}", server.port()),
        format!("0177.0.0.1:{}", server.port()),
    ] {
        let said = told(&session, &format!("GET http://{authority}/hello")).await;
        assert!(["ErrorCode::HttpRequestUriInvalid", "bad authority"].contains(&&*said), "{authority}: {said}");
    }
    for path in [format!("http://{there}/hello"), format!("//{there}/hello"), format!("{there}/hello")] {
        let said = told(&session, &format!("GET http://{here}/{path}")).await;
        assert!(said.starts_with("404"), "{path}: {said}");
    }
    assert_eq!(other.heads().len(), 0);
}

/// One site has one spelling, and the server is told that one.
#[tokio::test]
async fn case_and_the_dot_at_the_end_do_not_matter() {
    let server = Server::start();
    let session = bed(&[&format!("HTTP://LocalHost.:{}", server.port())]).start().await;
    assert_eq!(told(&session, &format!("GET http://LOCALHOST.:{}/hello", server.port())).await, "200 hello");
    assert!(server.heads()[0].contains(&format!("host: localhost:{}\r\n", server.port())), "{:?}", server.heads());
}

/// Where a redirect leads is another request.
#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let (server, other) = (Server::start(), Server::start());
    let session = bed(&[&server.site()]).start().await;
    let there = other.url("/hello");
    let path = format!("/redirect?{there}");
    let said = told(&session, &format!("GET {} location; GET {there}", server.url(&path))).await;
    assert_eq!(said, format!("302 {there}; ErrorCode::HttpRequestDenied"));
    assert_eq!((server.heads().len(), other.heads().len()), (1, 0));
}

#[tokio::test]
async fn headers_that_name_another_host_or_another_length_cannot_be_set() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    for header in ["host=evil.example", "Host=evil.example", "connection=upgrade", "transfer-encoding=chunked"] {
        let said = told(&session, &format!("GET {} {header}", server.url("/hello"))).await;
        assert_eq!(said, "HeaderError::Forbidden", "{header}");
    }
    let said = told(&session, &format!("POST {} content-length=5 body=0", server.url("/sink"))).await;
    assert!(said.starts_with("ErrorCode::"), "{said}");
    assert_eq!(told(&session, &format!("GET {} x-mine=1", server.url("/hello"))).await, "200 hello");
    assert!(server.heads().last().unwrap().contains("x-mine: 1\r\n"));
}

/// Who is asked learns something too.
#[tokio::test]
async fn a_plugin_in_the_shadow_sends_nothing() {
    let (server, recording) = (Server::start(), Recording::new());
    let bed = bed(&[&server.site()]).set("web", |settings| settings.mode = Mode::Shadow);
    let session = bed.journal(recording.journal.clone()).start().await;
    session.echo(&format!("GET {}; POST {} body=3", server.url("/hello"), server.url("/sink"))).await;
    let said: Vec<Value> = recording.crossings().iter().map(answer).collect();
    let reason = "ErrorCode::HttpRequestDenied; ErrorCode::HttpRequestDenied";
    assert_eq!(said, [json!({ "block": { "reason": reason, "terminate": false } })]);
    assert_eq!(server.heads().len(), 0);
}

#[tokio::test]
async fn a_way_through_is_not_opened() {
    let server = Server::start();
    let session = bed(&[&server.site()]).start().await;
    for method in ["CONNECT", "TRACE"] {
        let said = told(&session, &format!("{method} {}", server.url("/hello"))).await;
        assert_eq!(said, "ErrorCode::HttpRequestMethodInvalid");
    }
    assert_eq!(server.heads().len(), 0);
}

/// Before a name is looked up it has to be granted, and what it leads to is looked at after.
#[tokio::test]
async fn a_name_that_does_not_exist_and_a_port_where_nobody_listens_are_told_apart() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let closed = format!("http://127.0.0.1:{free}");
    let session = bed(&["http://nowhere.invalid", &closed]).start().await;
    let said = told(&session, "GET http://nowhere.invalid/").await;
    assert!(said.starts_with("ErrorCode::DnsError"), "{said}");
    assert_eq!(told(&session, &format!("GET {closed}/")).await, "ErrorCode::ConnectionRefused");
}
