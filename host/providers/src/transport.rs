//! HTTP to one service: certificates, proxies of the environment, time limits. No redirects: a key goes to the address
//! that is set, and nowhere else.

mod tls;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use seam_loop::ErrorKind;
use serde_json::Value;
use tokio::time::Instant;

use crate::address::is_here;
use crate::fault::Fault;
use crate::json::parse;
use crate::response::has_error;

/// The most of an error's body that is read.
const ERROR_BODY: usize = 64 << 10;
/// A service that asks for a longer wait asks for this one, in seconds.
const LONGEST_WAIT: f64 = 1e9;
/// How long reading it may take.
const ERROR_TIME: Duration = Duration::from_secs(10);

/// The way to one service.
#[derive(Debug)]
pub(crate) struct Transport {
    connect: Duration,
    ca_file: Option<PathBuf>,
    /// Whether the service is on this machine. Then no proxy is asked for it.
    is_near: bool,
    /// Made when it is first used: reading certificates takes a while.
    client: OnceLock<Client>,
}

impl Transport {
    pub(crate) fn new(base_url: &str, connect: Duration, ca_file: Option<PathBuf>) -> Self {
        Self { connect, ca_file, is_near: is_here(base_url), client: OnceLock::new() }
    }

    /// The client.
    ///
    /// # Errors
    /// When the file of certificates cannot be used.
    pub(crate) fn client(&self) -> Result<&Client, Fault> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let tls = tls::config(self.ca_file.as_deref()).map_err(Fault::request)?;
        let client = if self.is_near || is_without_proxy() { Client::builder().no_proxy() } else { Client::builder() };
        let client = client
            .tls_backend_preconfigured(tls)
            .connect_timeout(self.connect)
            .redirect(Policy::none())
            .user_agent(concat!("seam/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| Fault::request(told(&error)))?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Whether the environment excepts every host from its proxies: the client takes a `*` for names, and not for
/// addresses.
fn is_without_proxy() -> bool {
    let excepted = std::env::var("NO_PROXY").or_else(|_| std::env::var("no_proxy"));
    excepted.is_ok_and(|hosts| hosts.split(',').any(|host| host.trim() == "*"))
}

/// What went wrong with a request that was sent, or was to be.
pub(crate) fn fault(error: &reqwest::Error) -> Fault {
    match error {
        error if error.is_builder() => Fault::request(told(error)),
        error if error.is_connect() && error.is_timeout() => Fault::network("it cannot be connected to in time"),
        error => match told(error) {
            told if told.contains("certificate") => Fault::certificate(told),
            told => Fault::network(told),
        },
    }
}

/// An error with all that led to it, and without the address: there may be a key in it.
pub(crate) fn told(error: &reqwest::Error) -> String {
    let mut text = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push(error.to_string());
        cause = error.source();
    }
    text.dedup();
    // Which layer of the client it was says nothing to anybody.
    text.retain(|cause| !cause.starts_with("client error ("));
    match text.is_empty() {
        true => "the request failed".to_owned(),
        false => text.join(": "),
    }
}

/// A response that is no success, as a fault.
pub(crate) async fn refused(response: Response) -> Fault {
    let status = response.status();
    if let Some(to) = response.headers().get("location").filter(|_| status.is_redirection()) {
        let to = String::from_utf8_lossy(to.as_bytes()).into_owned();
        return Fault::request(format!(
            "it redirects to {to}, where no key is sent to; set `base-url` if that is right"
        ));
    }
    let (status, retry_after) = (status.as_u16(), retry_after(response.headers()));
    let is_final = response.headers().get("x-should-retry").is_some_and(|retry| retry == "false");
    let body = body(response).await;
    let fault = Fault::of_status(status, retry_after, &body);
    // Anthropic and OpenAI know best whether the same request may pass later.
    match fault.kind {
        ErrorKind::Transient { .. } if is_final => Fault { kind: ErrorKind::Other, ..fault },
        _ => fault,
    }
}

/// The error in a response that has the status of a success, if that is what it says.
pub(crate) async fn error_within(response: Response) -> Option<Fault> {
    let body: Value = parse(&body(response).await).ok()?;
    has_error(&body).then(|| Fault::of_event(&body))
}

/// The text of a body, as far as it comes in time.
async fn body(mut response: Response) -> String {
    let mut body = Vec::new();
    let until = Instant::now() + ERROR_TIME;
    while let Ok(Ok(Some(chunk))) = tokio::time::timeout_at(until, response.chunk()).await {
        body.extend_from_slice(&chunk);
        if body.len() > ERROR_BODY {
            body.truncate(ERROR_BODY);
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// How long a service asks to wait: in milliseconds, in seconds, or until a time.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok().filter(|number| !number.is_nan());
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    if let Some(seconds) = millis.or_else(|| number(RETRY_AFTER.as_str())) {
        return Some(Duration::from_secs_f64(seconds.clamp(0.0, LONGEST_WAIT)));
    }
    let at = httpdate::parse_http_date(text(RETRY_AFTER.as_str())?).ok()?;
    Some(at.duration_since(std::time::SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &'static str, value: &str) -> Option<Duration> {
        retry_after(&HeaderMap::from_iter([(reqwest::header::HeaderName::from_static(name), value.parse().unwrap())]))
    }

    #[test]
    fn retry_after_is_read_in_every_form() {
        assert_eq!(wait("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(wait("retry-after", " 1.5 "), Some(Duration::from_millis(1500)));
        assert_eq!(wait("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(100));
        let wanted = wait("retry-after", &later).unwrap();
        assert!((95..=100).contains(&wanted.as_secs()), "{wanted:?}");
        for nothing in ["soon", "-", "NaN"] {
            assert_eq!(wait("retry-after", nothing), None, "{nothing}");
        }
        assert_eq!(wait("retry-after", "-5"), Some(Duration::ZERO));
        for endless in ["1e300", "1e400", "99999999999999999999"] {
            assert_eq!(wait("retry-after", endless), Some(Duration::from_secs_f64(LONGEST_WAIT)), "{endless}");
        }
    }
}
