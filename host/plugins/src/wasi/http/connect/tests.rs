use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

use async_trait::async_trait;

use super::*;

/// Answers each look-up with the next of these, as a server does that changes its mind.
struct Changing(Mutex<VecDeque<Vec<&'static str>>>);

#[async_trait]
impl Resolve for Changing {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let next = self.0.lock().unwrap().pop_front().ok_or(io::ErrorKind::NotFound)?;
        Ok(next.into_iter().map(|address| address.parse().unwrap()).collect())
    }
}

fn net(grants: &[&str], answers: &[&[&'static str]]) -> Net {
    let sites = grants.iter().map(|entry| Site::parse(entry).unwrap()).collect();
    let answers = answers.iter().map(|answer| answer.to_vec()).collect();
    Net { sites, sends: true, resolver: Arc::new(Changing(Mutex::new(answers))) }
}

async fn addresses(net: &Net, site: &str) -> String {
    match net.addresses(&Site::parse(site).unwrap()).await {
        Ok(addresses) => addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

const PROHIBITED: &str = "destination IP address is prohibited";

#[tokio::test]
async fn a_name_that_leads_inside_is_refused() {
    for inside in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"] {
        let net = net(&["api.example.com"], &[&[inside]]);
        assert_eq!(addresses(&net, "api.example.com").await, PROHIBITED, "{inside}");
    }
}

#[tokio::test]
async fn one_address_inside_among_others_is_enough() {
    let net = net(&["a.example"], &[&["1.1.1.1", "10.0.0.1"], &["10.0.0.1", "1.1.1.1"], &["1.1.1.1", "2606::1"]]);
    assert_eq!(addresses(&net, "a.example").await, PROHIBITED);
    assert_eq!(addresses(&net, "a.example").await, PROHIBITED);
    assert_eq!(addresses(&net, "a.example").await, "1.1.1.1 2606::1");
}

/// A name is looked up once for a connection: what it would lead to the next time is not connected to.
#[tokio::test]
async fn a_name_that_changes_its_address_after_the_check_leads_nowhere_else() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (name, address) = (format!("http://a.example:{port}"), format!("http://127.0.0.1:{port}"));
    let net = net(&[&name, &address], &[&["127.0.0.1"], &["10.0.0.1"]]);
    let stream = net.reach(&Site::parse(&name).unwrap()).await.unwrap();
    assert_eq!(stream.peer_addr().unwrap(), listener.local_addr().unwrap());
    assert_eq!(net.reach(&Site::parse(&name).unwrap()).await.unwrap_err().to_string(), PROHIBITED);
}

#[tokio::test]
async fn an_address_inside_is_reached_when_it_is_named_with_its_scheme_and_port() {
    let inside: &[&str] = &["10.0.0.1"];
    let net = net(&["wiki.example", "10.0.0.1", "http://wiki.example"], &[inside, inside]);
    assert_eq!(addresses(&net, "wiki.example").await, "10.0.0.1");
    assert_eq!(addresses(&net, "http://wiki.example").await, PROHIBITED);
    assert_eq!(addresses(&net, "10.0.0.1").await, "10.0.0.1");
}

#[tokio::test]
async fn localhost_is_this_machine_and_nothing_else() {
    let net = net(&["localhost", "x.localhost"], &[&["127.0.0.1", "::1"], &["192.168.0.1"], &["127.0.0.1"]]);
    assert_eq!(addresses(&net, "localhost").await, "127.0.0.1 ::1");
    assert_eq!(addresses(&net, "localhost").await, PROHIBITED);
    assert_eq!(addresses(&net, "x.localhost").await, PROHIBITED);
}

#[test]
fn only_what_is_granted_is_granted() {
    let net = net(&["api.example.com", "http://localhost:8080"], &[]);
    let is_granted = |entry: &str| net.is_granted(&Site::parse(entry).unwrap());
    assert!(is_granted("https://API.example.com.:443") && is_granted("http://localhost:8080"));
    for other in [
        "http://api.example.com",
        "api.example.com:8443",
        "example.com",
        "x.api.example.com",
        "api.example.com.evil.example",
        "https://localhost:8080",
        "http://localhost",
        "http://127.0.0.1:8080",
    ] {
        assert!(!is_granted(other), "{other}");
    }
}
