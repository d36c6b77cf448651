//! Time limits: a connection that is not made, an answer that does not begin, and one that stops.

use std::io::Read as _;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use seam_providers::ProviderSettings;
use seam_tests::models::{End, Frames, Place, Plan, Said};

use super::super::{Settings, failed, run, service};
use super::*;

fn named(settings: ProviderSettings, protocol: Protocol) -> Settings {
    [(protocol.name().to_owned(), settings)].into()
}

/// A conversation with a service that may be silent for 200 ms.
async fn impatient(protocol: Protocol, max: u32) -> (Server, Talk) {
    let server = Server::start();
    let settings = ProviderSettings { silence_ms: Some(200), ..service(&server, protocol) };
    let talk = talk(Bed::new().upkeep(again(max)), &named(settings, protocol), protocol).await;
    (server, talk)
}

#[tokio::test]
async fn a_service_that_does_not_begin_to_answer_is_given_up_and_asked_again() {
    for protocol in Protocol::ALL {
        let (server, mut talk) = impatient(protocol, 1).await;
        server.push(Plan::whole(protocol, &Said::text("never")).never());
        server.say(protocol, &Said::text("Here."));
        assert_eq!(run(&mut talk, "go").await.error, None);
        let why = retries(&talk).remove(0).1.replace(&server.root(), "http://SERVICE");
        let expected = format!(
            "{}: it did not answer within 0.2 s. Look whether {} can be reached: `seam doctor` tries it",
            protocol.name(),
            server.base_url(protocol).replace(&server.root(), "http://SERVICE")
        );
        assert_eq!(why, expected);
        server.gone(0).await;
    }
}

#[tokio::test]
async fn a_service_that_stops_in_the_middle_is_given_up_and_asked_again() {
    let said = Said::new(vec![Block::text("I begin."), echo("call_1", "begun")]);
    for protocol in Protocol::ALL {
        for place in [Place::Start, Place::Text, Place::HalfCall, Place::End] {
            let (server, mut talk) = impatient(protocol, 1).await;
            server.push(Frames::of(protocol, &said).until(place).plan().ending(End::Hang));
            server.say(protocol, &Said::text("Here."));
            assert_eq!(run(&mut talk, "go").await.error, None);
            let (_, why) = retries(&talk).remove(0);
            assert!(why.starts_with(&format!("{}: it was silent for 0.2 s. Look whether", protocol.name())), "{why}");
            assert!(echoed(&talk).is_empty(), "{protocol:?} {place:?}");
            server.gone(0).await;
        }
    }
}

/// It thinks, and says now and then that it is there.
#[tokio::test]
async fn a_service_that_shows_that_it_is_there_is_waited_for() {
    for protocol in Protocol::ALL {
        let (server, mut talk) = impatient(protocol, 0).await;
        let frames = Frames::of(protocol, &Said::text("Here.")).comments();
        let (count, each) = (frames.events.len() as u32, Duration::from_millis(60));
        server.push(frames.plan().slowly(each));
        let began = Instant::now();
        assert_eq!(run(&mut talk, "go").await.error, None, "{protocol:?}");
        assert!(began.elapsed() >= each * (count - 3), "{protocol:?}");
    }
}

/// Somebody listens there who never says anything: the handshake of TLS does not end.
#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::start();
    let settings = ProviderSettings {
        base_url: Some(format!("https://{address}/v1")),
        connect_ms: Some(200),
        ..service(&server, Protocol::Chat)
    };
    let bed = Bed::new().upkeep(again(1));
    let mut talk = talk(bed, &named(settings, Protocol::Chat), Protocol::Chat).await;
    let began = Instant::now();
    let error = failed(&mut talk, "go").await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(
        error.replace(&address.to_string(), "HOST"),
        "openai-chat: it cannot be connected to in time. Look whether https://HOST/v1 can be reached: `seam doctor` tries \
         it"
    );
    assert_eq!(retries(&talk).len(), 1);
    // And it is closed.
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap();
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_told_with_its_address() {
    let server = Server::start();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = ProviderSettings { base_url: Some(format!("http://{free}/v1")), ..service(&server, Protocol::Chat) };
    let bed = Bed::new().upkeep(again(0));
    let mut talk = talk(bed, &named(settings, Protocol::Chat), Protocol::Chat).await;
    let error = failed(&mut talk, "go").await.replace(&free.to_string(), "HOST");
    insta::assert_snapshot!(error, @"openai-chat: tcp connect error: Connection refused (os error 111). Look whether http://HOST/v1 can be reached: `seam doctor` tries it");
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_told() {
    let server = Server::start();
    let settings = ProviderSettings {
        base_url: Some("http://no.such.host.invalid/v1".to_owned()),
        ..service(&server, Protocol::Chat)
    };
    let bed = Bed::new().upkeep(again(0));
    let mut talk = talk(bed, &named(settings, Protocol::Chat), Protocol::Chat).await;
    let error = failed(&mut talk, "go").await;
    assert!(error.contains("dns error") && error.contains("no.such.host.invalid/v1 can be reached"), "{error}");
}
