//! Proxies of the environment. Each run is a process of its own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use assert_cmd::Command;
use seam_tests::files;
use seam_tests::models::{Said, stream};
use tempfile::TempDir;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;

/// What is spoken before the request.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Http,
    Socks,
    Tls,
}

/// A server that gives every request the same answer, over TLS or not: a service, or a proxy that says what it was
/// asked.
pub(super) struct Front {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    folder: TempDir,
}

impl Front {
    /// A proxy. What it is asked to connect to speaks TLS, and is itself.
    pub(super) fn proxy(protocol: Protocol, said: &Said) -> Self {
        Self::start(protocol, said, Kind::Http)
    }

    /// A SOCKS proxy, which says what it was asked to connect to.
    fn socks(protocol: Protocol, said: &Said) -> Self {
        Self::start(protocol, said, Kind::Socks)
    }

    /// A service at `localhost`.
    pub(super) fn secure(protocol: Protocol, said: &Said) -> Self {
        Self::start(protocol, said, Kind::Tls)
    }

    fn start(protocol: Protocol, said: &Said, kind: Kind) -> Self {
        let folder = TempDir::new().unwrap();
        let tls = Arc::new(identity(folder.path()));
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let answer: Arc<[u8]> = [head.as_bytes(), &stream(protocol, said)].concat().into();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, heads) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (tls, answer, seen) = (Arc::clone(&tls), Arc::clone(&answer), Arc::clone(&seen));
                // A client that does not trust it goes away.
                thread::spawn(move || serve(socket, &tls, kind, &answer, &seen).ok());
            }
        });
        Self { port, heads, folder }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The file of its certificate.
    pub(super) fn certificate(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// The head of each request.
    pub(super) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The first line of each request.
    fn lines(&self) -> Vec<String> {
        self.heads().iter().map(|head| head.lines().next().unwrap().to_owned()).collect()
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// A certificate for `localhost` and `api.example`, which is written there too.
fn identity(folder: &Path) -> ServerConfig {
    let names = vec!["localhost".to_owned(), "api.example".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    std::fs::write(folder.join("ca.pem"), made.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    config.with_single_cert(vec![made.cert.der().clone()], key).unwrap()
}

fn serve(
    mut socket: TcpStream,
    tls: &Arc<ServerConfig>,
    kind: Kind,
    answer: &[u8],
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    if kind == Kind::Socks {
        seen.lock().unwrap().push(socks(&mut socket)?);
    }
    if kind != Kind::Tls && !exchange(&mut socket, answer, seen)?.starts_with("CONNECT ") {
        return Ok(());
    }
    let mut secure = StreamOwned::new(ServerConnection::new(Arc::clone(tls)).unwrap(), socket);
    exchange(&mut secure, answer, seen)?;
    secure.conn.send_close_notify();
    secure.flush()
}

/// A handshake without a password. Gives the host that is to be connected to, which has to be a name.
fn socks(socket: &mut TcpStream) -> std::io::Result<String> {
    let mut head = [0; 2];
    socket.read_exact(&mut head)?;
    socket.read_exact(&mut vec![0; head[1].into()])?;
    socket.write_all(&[5, 0])?;
    let mut request = [0; 5];
    socket.read_exact(&mut request)?;
    assert_eq!(request[..4], [5, 1, 0, 3], "it connects to a name");
    let mut rest = vec![0; usize::from(request[4]) + 2];
    socket.read_exact(&mut rest)?;
    socket.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    Ok(String::from_utf8_lossy(&rest[..rest.len() - 2]).into_owned())
}

/// Reads a request and answers. Gives its head.
fn exchange(socket: &mut (impl Read + Write), answer: &[u8], seen: &Mutex<Vec<String>>) -> std::io::Result<String> {
    let mut read = Vec::new();
    let mut byte = [0];
    while !read.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte)?;
        read.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&read).into_owned();
    seen.lock().unwrap().push(head.clone());
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    socket.read_exact(&mut body)?;
    let answer = if head.starts_with("CONNECT ") { b"HTTP/1.1 200 OK\r\n\r\n" } else { answer };
    socket.write_all(answer)?;
    socket.flush()?;
    Ok(head)
}

/// The variables that a machine may have set.
const VARIABLES: [&str; 8] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];

/// What a run prints that asks a service at this address, with these variables.
fn run(base_url: &str, more: &str, variables: &[(&str, &str)]) -> String {
    let home = TempDir::new().unwrap();
    std::fs::create_dir_all(home.path().join("config/seam")).unwrap();
    std::fs::create_dir_all(home.path().join("project")).unwrap();
    let settings = format!("[providers.far]\nprotocol = \"openai-chat\"\nbase-url = \"{base_url}\"\n{more}");
    let settings = format!("{settings}\n[retry]\nmax = 0\n");
    std::fs::write(home.path().join("config/seam/seam.toml"), settings).unwrap();
    let mut seam = Command::new(files::root().join("target/debug/seam"));
    VARIABLES.iter().for_each(|name| {
        seam.env_remove(name);
    });
    seam.env_remove("SEAM_LOG").env("NO_COLOR", "1").envs(variables.iter().copied());
    seam.env("XDG_CONFIG_HOME", home.path().join("config")).env("XDG_STATE_HOME", home.path().join("state"));
    seam.env("XDG_CACHE_HOME", files::root().join("target/test-cache")).current_dir(home.path().join("project"));
    let output = seam.args(["run", "--no-session", "--model", "far/m", "go"]).output().unwrap();
    (String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr)).into_owned()
}

// The name of the service exists nowhere: it is the proxy that has to find it.
const FAR: &str = "http://api.example/v1";

#[test]
fn a_proxy_of_the_environment_is_asked() {
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        let proxy = Front::proxy(Protocol::Chat, &Said::text("Through."));
        let told = run(FAR, "", &[(variable, &proxy.url())]);
        assert!(told.contains("Through."), "{variable}: {told}");
        assert_eq!(proxy.lines(), ["POST http://api.example/v1/chat/completions HTTP/1.1"], "{variable}");
    }
}

/// With the `h` it is the proxy that finds the name.
#[test]
fn a_socks_proxy_is_asked() {
    let proxy = Front::socks(Protocol::Chat, &Said::text("Through."));
    let told = run(FAR, "", &[("ALL_PROXY", &proxy.url().replace("http://", "socks5h://"))]);
    assert!(told.contains("Through."), "{told}");
    assert_eq!(proxy.lines(), ["api.example", "POST /v1/chat/completions HTTP/1.1"]);
}

#[test]
fn a_service_over_tls_is_reached_through_a_tunnel() {
    for variable in ["HTTPS_PROXY", "ALL_PROXY"] {
        let proxy = Front::proxy(Protocol::Chat, &Said::text("Through."));
        let trusted = format!("ca-file = {:?}", proxy.certificate());
        let told = run("https://api.example/v1", &trusted, &[(variable, &proxy.url())]);
        assert!(told.contains("Through."), "{variable}: {told}");
        let lines = ["CONNECT api.example:443 HTTP/1.1", "POST /v1/chat/completions HTTP/1.1"];
        assert_eq!(proxy.lines(), lines, "{variable}");
    }
}

#[test]
fn what_is_excepted_is_not_asked_through_the_proxy() {
    for exceptions in ["api.example", "other.example, api.example", "*"] {
        let proxy = Front::proxy(Protocol::Chat, &Said::text("Through."));
        let told = run(FAR, "", &[("HTTP_PROXY", &proxy.url()), ("NO_PROXY", exceptions)]);
        assert!(told.contains("http://api.example/v1 can be reached"), "{exceptions}: {told}");
        assert!(proxy.lines().is_empty(), "{exceptions}");
    }
    let proxy = Front::proxy(Protocol::Chat, &Said::text("Through."));
    let told = run(FAR, "", &[("HTTP_PROXY", &proxy.url()), ("NO_PROXY", "other.example")]);
    assert!(told.contains("Through."), "{told}");
}

/// A server of one's own is nothing that a company's proxy could reach.
#[test]
fn a_service_on_this_machine_is_asked_without_the_proxy() {
    let server = Server::start();
    server.always(seam_tests::models::Plan::whole(Protocol::Chat, &Said::text("Directly.")));
    let proxy = Front::proxy(Protocol::Chat, &Said::text("Through."));
    let told = run(&server.base_url(Protocol::Chat), "", &[("HTTP_PROXY", &proxy.url()), ("ALL_PROXY", &proxy.url())]);
    assert!(told.contains("Directly."), "{told}");
}

#[test]
fn a_proxy_that_is_not_there_is_an_error() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let told = run(FAR, "", &[("HTTP_PROXY", &format!("http://{free}"))]);
    assert!(told.contains("far: ") && told.contains("http://api.example/v1 can be reached"), "{told}");
}
