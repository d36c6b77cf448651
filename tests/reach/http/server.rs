//! A server on this machine, for requests of plugins.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// It answers as long as the process lives.
pub(super) struct Server {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicUsize>,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::with(serve)
    }

    /// The same, with TLS.
    pub(super) fn secure(config: ServerConfig) -> Self {
        let config = Arc::new(config);
        Self::with(move |stream, seen| {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("the settings are usable");
            let mut stream = StreamOwned::new(connection, stream);
            serve(&mut stream, seen)?;
            stream.conn.send_close_notify();
            stream.flush()
        })
    }

    /// One that says something else, at once.
    pub(super) fn other() -> Self {
        Self::with(|mut stream, _| stream.write_all(b"220 mail.example ESMTP\r\n"))
    }

    fn with(serve: impl Fn(TcpStream, &Mutex<Vec<String>>) -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        let serve = Arc::new(serve);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, heads) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Vec<String>>>::default());
        let ended = Arc::<AtomicUsize>::default();
        let (seen, counted) = (Arc::clone(&heads), Arc::clone(&ended));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, serve, counted) = (Arc::clone(&seen), Arc::clone(&serve), Arc::clone(&counted));
                thread::spawn(move || {
                    let _served = stream.and_then(|stream| serve(stream, &seen));
                    counted.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, heads, ended }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// It, as it is granted.
    pub(super) fn site(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.site())
    }

    /// How many connections are over.
    pub(super) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    /// The head of each request it got.
    pub(super) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// Answers one request, by its path.
fn serve(mut stream: impl Read + Write, seen: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let (head, begun) = head(&mut stream)?;
    seen.lock().unwrap().push(head.clone());
    let target = head.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match path {
        "/hello" => answer(&mut stream, "200 OK", "", "hello"),
        "/redirect" => answer(&mut stream, "302 Found", &format!("location: {query}\r\n"), ""),
        "/slow" => {
            thread::sleep(Duration::from_millis(query.parse().unwrap_or(0)));
            answer(&mut stream, "200 OK", "", "at last")
        }
        "/silent" => until_closed(&mut stream),
        "/drip" => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")?;
            loop {
                stream.write_all(b".")?;
                thread::sleep(Duration::from_millis(20));
            }
        }
        "/stops" => {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc")?;
            until_closed(&mut stream)
        }
        "/cut" => write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc"),
        "/large" => answer(&mut stream, "200 OK", "", &"x".repeat(query.parse().unwrap_or(0))),
        "/endless" => {
            write!(stream, "HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 1 << 16])?;
            }
        }
        "/head" => {
            answer(&mut stream, "200 OK", &format!("x-long: {}\r\n", "x".repeat(query.parse().unwrap_or(0))), "")
        }
        "/nonsense" => write!(stream, "SSH-2.0-OpenSSH\r\n\r\n"),
        "/sink" => {
            let length = chunked(&mut stream, begun)?;
            answer(&mut stream, "200 OK", "", &length.to_string())
        }
        _ => answer(&mut stream, "404 Not Found", "", "no"),
    }
}

fn answer(stream: &mut (impl Read + Write), status: &str, headers: &str, body: &str) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

fn until_closed(stream: &mut (impl Read + Write)) -> std::io::Result<()> {
    stream.read_to_end(&mut Vec::new()).map(drop)
}

/// The head of a request, and what came with it of the body.
fn head(stream: &mut (impl Read + Write)) -> std::io::Result<(String, Vec<u8>)> {
    let mut all = Vec::new();
    loop {
        let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        if let Some(end) = end {
            return Ok((String::from_utf8_lossy(&all[..end + 2]).into_owned(), all.split_off(end + 4)));
        }
        all.extend(more(stream)?);
    }
}

fn more(stream: &mut (impl Read + Write)) -> std::io::Result<Vec<u8>> {
    let mut piece = vec![0; 1 << 16];
    match stream.read(&mut piece)? {
        0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
        length => Ok(piece[..length].to_vec()),
    }
}

/// How many bytes a body has that comes in chunks.
fn chunked(stream: &mut (impl Read + Write), mut all: Vec<u8>) -> std::io::Result<usize> {
    while !all.ends_with(b"0\r\n\r\n") {
        all.extend(more(stream)?);
    }
    Ok(all.iter().filter(|byte| **byte == b'x').count())
}
