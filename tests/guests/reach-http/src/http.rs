//! Requests, straight with the functions of WASI.

use wasip2::http::outgoing_handler::{FutureIncomingResponse, handle};
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
};
use wasip2::io::streams::StreamError;

/// A request that is under way.
pub(crate) struct Kept(FutureIncomingResponse);

/// How much of an answer is told.
const TOLD: usize = 200;

impl Kept {
    /// Waits for its answer: the status, the headers asked for and the body.
    pub(crate) fn answer(self) -> String {
        self.waited().map_or_else(|error| format!("{error:?}"), |response| read(&response))
    }

    fn waited(self) -> Result<IncomingResponse, ErrorCode> {
        self.0.subscribe().block();
        let answer = self.0.get().and_then(Result::ok);
        answer.unwrap_or(Err(ErrorCode::InternalError(Some("it was taken".to_owned()))))
    }
}

/// Sends a request and gives its answer. `more`: `NAME=VALUE` is a header, `body=N` a body of so many bytes,
/// `location` says the header of that name of the answer too, `first=MS` how long to wait.
pub(crate) fn send(method: &str, url: &str, more: &[&str]) -> String {
    match begin(method, url, more) {
        Err(error) => error,
        Ok(kept) if more.contains(&"location") => match kept.waited() {
            Ok(response) => {
                let location = response.headers().get("location");
                format!("{} {}", response.status(), String::from_utf8_lossy(&location.concat()))
            }
            Err(error) => format!("{error:?}"),
        },
        Ok(kept) => kept.answer(),
    }
}

/// Sends it, waits for the beginning of its answer, and never reads the rest nor gives it back.
pub(crate) fn half(url: &str) -> String {
    match begin("GET", url, &[]).map(Kept::waited) {
        Ok(Ok(response)) => {
            let status = response.status();
            std::mem::forget(response);
            status.to_string()
        }
        Ok(Err(error)) => format!("{error:?}"),
        Err(error) => error,
    }
}

/// Sends it, and does not wait.
pub(crate) fn begin(method: &str, url: &str, more: &[&str]) -> Result<Kept, String> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let headers = Fields::new();
    let mut body = None;
    let options = RequestOptions::new();
    for (name, value) in more.iter().filter_map(|word| word.split_once('=')) {
        match name {
            "body" => body = value.parse::<usize>().ok(),
            "first" => {
                let _set = options.set_first_byte_timeout(value.parse::<u64>().ok().map(|ms| ms * 1_000_000));
            }
            "many" => {
                let value = "x".repeat(1000).into_bytes();
                for number in 0..value.len() {
                    headers.append(&format!("x-{number}"), &value).map_err(|error| format!("{error:?}"))?;
                }
            }
            _ => headers.append(name, value.as_bytes()).map_err(|error| format!("{error:?}"))?,
        }
    }
    let request = OutgoingRequest::new(headers);
    let set = |done: Result<(), ()>, what: &str| done.map_err(|()| format!("bad {what}"));
    let method = match method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "CONNECT" => Method::Connect,
        other => Method::Other(other.to_owned()),
    };
    set(request.set_method(&method), "method")?;
    let scheme = match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_owned()),
    };
    set(request.set_scheme(Some(&scheme)), "scheme")?;
    set(request.set_authority(Some(authority)), "authority")?;
    set(request.set_path_with_query(Some(path)), "path")?;
    let outgoing = body.map(|_| request.body());
    let future = handle(request, Some(options)).map_err(|error| format!("{error:?}"))?;
    if let (Some(Ok(outgoing)), Some(length)) = (outgoing, body) {
        write(outgoing, length);
    }
    Ok(Kept(future))
}

/// A body of so many bytes, or as many as are taken.
fn write(body: OutgoingBody, length: usize) {
    if let Ok(stream) = body.write() {
        let piece = [b'x'; 4096];
        let mut left = length;
        while left > 0 {
            let next = left.min(piece.len());
            if stream.blocking_write_and_flush(&piece[..next]).is_err() {
                break;
            }
            left -= next;
        }
    }
    let _finished = OutgoingBody::finish(body, None);
}

fn read(response: &IncomingResponse) -> String {
    let status = response.status();
    match response.consume() {
        Ok(body) => match whole(&body) {
            Ok(text) if text.len() > TOLD => format!("{status} of {} bytes", text.len()),
            Ok(text) => format!("{status} {}", String::from_utf8_lossy(&text)),
            Err(error) => format!("{status} and then {error}"),
        },
        Err(()) => format!("{status} and no body"),
    }
}

fn whole(body: &IncomingBody) -> Result<Vec<u8>, String> {
    let stream = body.stream().map_err(|()| "no stream".to_owned())?;
    let mut all = Vec::new();
    loop {
        match stream.blocking_read(1 << 16) {
            Ok(piece) => all.extend(piece),
            Err(StreamError::Closed) => return Ok(all),
            Err(StreamError::LastOperationFailed(error)) => return Err(error.to_debug_string()),
        }
    }
}
