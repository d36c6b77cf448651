//! What goes wrong between us and a provider's service, and what can be done about it.

mod overflow;

use std::time::Duration;

use seam_loop::{ErrorKind, ProviderError};
use serde_json::{Map, Value};

use crate::json::parse;

/// How much of what a service says is told, in characters.
const TOLD: usize = 600;

/// What went wrong. It becomes an error once it is known whose service it was, see [`Fault::told`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) class: Class,
    /// The HTTP status, if there was one that says something.
    pub(crate) status: Option<u16>,
    /// What happened, in the service's words or in ours.
    pub(crate) text: String,
}

/// What a fault is about: what can be done depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// The key is wrong, or may not do this.
    Key,
    /// There is no such model, or no such address.
    Model,
    /// There is nothing left to pay with.
    Credit,
    /// The conversation is too long.
    Overflow,
    /// The service is busy, or we ask too often.
    Busy,
    /// The service failed.
    Service,
    /// The service cannot be reached.
    Network,
    /// Nobody whom we trust vouches for the service.
    Certificate,
    /// What came is not what the protocol says.
    Stream,
    /// The model will not answer this.
    Refusal,
    /// The service refuses this request.
    Request,
}

/// What a service says of a failure, wherever in its JSON that stands.
#[derive(Debug, Default)]
struct Said {
    message: String,
    /// The message is no more than the JSON that came. What was sent may be quoted there.
    is_dump: bool,
    /// Its names for the kind of failure: `type`, `code`, `status`.
    names: Vec<String>,
    /// How long to wait.
    retry_after: Option<Duration>,
}

impl Fault {
    fn new(class: Class, kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, class, status: None, text: text.into() }
    }

    /// The service cannot be reached.
    pub(crate) fn network(text: impl Into<String>) -> Self {
        Self::new(Class::Network, TRANSIENT, text)
    }

    /// Nobody whom we trust vouches for the service: this is what its certificate lacks.
    pub(crate) fn certificate(text: impl Into<String>) -> Self {
        Self::new(Class::Certificate, ErrorKind::Other, text)
    }

    /// The service's response is none. It may be one next time.
    pub(crate) fn stream(text: impl Into<String>) -> Self {
        Self::new(Class::Stream, TRANSIENT, text)
    }

    /// The service does not do this, and will not.
    pub(crate) fn request(text: impl Into<String>) -> Self {
        Self::new(Class::Request, ErrorKind::Other, text)
    }

    /// The model will not answer this, and would not if it were asked again.
    pub(crate) fn refusal(text: impl Into<String>) -> Self {
        Self::new(Class::Refusal, ErrorKind::Other, text)
    }

    /// The response ended before the answer did.
    pub(crate) fn truncated() -> Self {
        Self::stream("the response ended before the answer was complete")
    }

    /// A response with a status that is no success. `retry_after` is what its headers say.
    pub(crate) fn of_status(status: u16, retry_after: Option<Duration>, body: &str) -> Self {
        let said = parse::<Value>(unframed(body)).map_or_else(|_| Said::plain(body), |body| Said::of(&body));
        Self { status: Some(status), ..said.fault(status, retry_after) }
    }

    /// An error that came in the stream of a response with the status of a success.
    pub(crate) fn of_event(event: &Value) -> Self {
        let said = Said::of(event);
        let status = said.names.iter().find_map(|name| name.parse().ok().filter(|code| (400..600).contains(code)));
        said.fault(status.unwrap_or(0), None)
    }

    /// The same, in words.
    pub(crate) fn of_text(text: &str) -> Self {
        Said::plain(text).fault(0, None)
    }

    /// The error as it is told: whose, what, and what to do.
    pub(crate) fn told(&self, who: &Who<'_>) -> ProviderError {
        let status = self.status.map(|status| format!(" answered {status}")).unwrap_or_default();
        let (said, todo) = (self.said(), self.todo(who));
        let text = format!("{}{status}: {said}{}{todo}", who.provider, if todo.is_empty() { "" } else { ". " });
        ProviderError { text, kind: self.kind }
    }

    /// What happened, cut if it is long.
    pub(crate) fn said(&self) -> String {
        let said = self.text.trim().trim_end_matches('.');
        short(if said.is_empty() { "no reason was given" } else { said })
    }

    /// What can be done about it; nothing when that is clear, or for others.
    pub(crate) fn todo(&self, who: &Who<'_>) -> String {
        let Who { provider, model, key, keys_at, base_url } = who;
        let keys_at = keys_at.map(|place| format!(" (keys are made at {place})")).unwrap_or_default();
        match self.class {
            Class::Key => match key {
                Some(variable) if variable.starts_with('`') => {
                    format!("Look whether {variable} is a valid key for it{keys_at}")
                }
                Some(giver) => format!("Look whether {giver} gives a valid key for it{keys_at}"),
                None => format!(
                    "It wants a key: set `key-env`, the name of a variable, or `key-command` under \
                     `[providers.{provider}]`{keys_at}"
                ),
            },
            Class::Model => format!(
                "Look whether it has the model `{model}` (`seam models {provider}` lists those that are known), and \
                 whether `base-url` is right ({base_url})"
            ),
            Class::Credit => {
                let whose = match key {
                    Some(variable) if variable.starts_with('`') => format!("that {variable} belongs to"),
                    Some(giver) => format!("of the key that {giver} gives"),
                    None => "that pays for it".to_owned(),
                };
                format!("Look at the account {whose}{keys_at}, or choose another model")
            }
            Class::Certificate => format!(
                "If an authority of your own vouches for it, give the PEM file of that authority as `ca-file` under \
                 `[providers.{provider}]`"
            ),
            Class::Network => format!("Look whether {base_url} can be reached: `seam doctor` tries it"),
            Class::Refusal => "Ask otherwise, take back what it refuses, or choose another model".to_owned(),
            Class::Overflow | Class::Busy | Class::Service | Class::Stream | Class::Request => String::new(),
        }
    }
}

/// Whose service a fault is of.
pub(crate) struct Who<'a> {
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    /// Where the key came from, such as "`ANTHROPIC_API_KEY`" or "the command `pass`"; none when none was sent.
    pub(crate) key: Option<String>,
    pub(crate) keys_at: Option<&'a str>,
    pub(crate) base_url: &'a str,
}

const TRANSIENT: ErrorKind = ErrorKind::Transient { retry_after: None };

impl Said {
    /// A text that is no JSON. Of a page for people, its title.
    fn plain(text: &str) -> Self {
        let message = title(text).map_or_else(|| words(text), |title| format!("a page for people, \"{title}\""));
        Self { message, ..Self::default() }
    }

    /// Services put it at `error`, in a list, or at the top.
    fn of(body: &Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").or_else(|| body.pointer("/response/error")).filter(|error| !error.is_null());
        let error = error.unwrap_or(body);
        let texts = |names: &[&str]| {
            let found = names.iter().filter_map(|name| error.get(name).or_else(|| body.get(name)));
            found.filter_map(text).collect::<Vec<_>>()
        };
        let message = error.as_str().map(str::to_owned);
        let message = message.or_else(|| texts(&["message", "detail", "error_description"]).into_iter().next());
        let is_empty = error.as_object().is_some_and(Map::is_empty) || error.is_null();
        let is_dump = message.is_none();
        let message = message.unwrap_or_else(|| if is_empty { String::new() } else { error.to_string() });
        // OpenRouter wraps what the service behind it says.
        let behind = error.pointer("/metadata/raw").and_then(text).map(|raw| format!(": {raw}")).unwrap_or_default();
        let (names, retry_after) = (texts(&["code", "status", "type"]), retry_delay(error));
        Self { message: message + &behind, is_dump, names, retry_after }
    }

    fn fault(self, status: u16, retry_after: Option<Duration>) -> Fault {
        let class = self.class(status);
        let retry_after = retry_after.or(self.retry_after);
        let kind = match class {
            Class::Overflow => ErrorKind::Overflow,
            Class::Busy | Class::Service | Class::Network | Class::Stream => ErrorKind::Transient { retry_after },
            Class::Key | Class::Model | Class::Credit | Class::Certificate | Class::Refusal | Class::Request => {
                ErrorKind::Other
            }
        };
        Fault::new(class, kind, self.message)
    }

    /// Names and status say what it is. Words are only looked at for what some services have no names for: any request
    /// may be quoted among them.
    fn class(&self, status: u16) -> Class {
        let names = self.names.join(" ").to_ascii_lowercase();
        let message = self.message.to_ascii_lowercase();
        let is_named = |kinds: &[&str]| kinds.iter().any(|kind| names.contains(kind));
        // A request that is refused for what it says may be quoted.
        let quotes = self.is_dump || message.contains("input_value");
        let may_overflow = matches!(status, 0 | 400 | 413 | 422 | 500..=599);
        let is_too_long = may_overflow && overflow::is(&names, if quotes { "" } else { &message });
        // Of a request that is refused for itself, no name makes one that may be tried again.
        let may_pass = matches!(status, 0 | 413 | 429..);
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        match status {
            _ if is_too_long => Class::Overflow,
            501 | 505 => Class::Request,
            402 => Class::Credit,
            _ if is_named(&CREDIT) || says(&NO_CREDIT) => Class::Credit,
            _ if says(&FORBIDDEN) => Class::Refusal,
            401 | 403 => Class::Key,
            _ if is_named(&KEY) || says(&WRONG_KEY) => Class::Key,
            404 => Class::Model,
            _ if is_named(&MODEL) || says(&NO_MODEL) => Class::Model,
            408 | 409 | 425 | 429 | 503 | 529 => Class::Busy,
            _ if may_pass && is_named(&BUSY) => Class::Busy,
            413 => Class::Overflow,
            500.. => Class::Service,
            _ if may_pass && is_named(&SERVICE) => Class::Service,
            0 if says(&TOO_BUSY) => Class::Busy,
            0 if says(&FAILED) => Class::Service,
            // It had begun to answer, and does not say that the request is wrong.
            0 if names.is_empty() || names == "error" => Class::Service,
            _ => Class::Request,
        }
    }
}

const CREDIT: [&str; 3] = ["insufficient_quota", "billing", "insufficient_balance"];
const NO_CREDIT: [&str; 10] = [
    "credit balance",
    "insufficient balance",
    "insufficient credits",
    "more credits",
    "any credits",
    "available credits",
    "billing to be enabled",
    "billing hard limit",
    "spending limit",
    "specified api usage limits",
];
/// What nobody may ask, whatever the key.
const FORBIDDEN: [&str; 2] = ["was flagged", "requires moderation"];
const KEY: [&str; 6] = [
    "authentication_error",
    "invalid_api_key",
    "permission_error",
    "permission_denied",
    "unauthenticated",
    // LiteLLM without a database: every key but its own is one that it would have to look up.
    "no_db_connection",
];
const WRONG_KEY: [&str; 4] = ["api key not valid", "api key expired", "incorrect api key", "invalid api key"];
const MODEL: [&str; 3] = ["model_not_found", "not_found_error", "invalid_model"];
const NO_MODEL: [&str; 4] =
    ["does not exist or you do not have access", "invalid model", "not a valid model", "model not exist"];
const BUSY: [&str; 6] =
    ["overloaded", "rate_limit", "resource_exhausted", "unavailable", "too_many_requests", "capacity"];
const SERVICE: [&str; 6] = ["api_error", "server_error", "internal", "timeout", "deadline_exceeded", "bad_gateway"];
const TOO_BUSY: [&str; 4] = ["overloaded", "rate limit", "unavailable", "too many requests"];
const FAILED: [&str; 4] = ["server error", "internal error", "timeout", "bad gateway"];

/// What a body says. Some services refuse with an event of the stream that they were asked for, as LiteLLM does.
fn unframed(body: &str) -> &str {
    body.lines().find_map(|line| line.strip_prefix("data:")).unwrap_or(body)
}

/// The words of a text, one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The title of a page for people.
fn title(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let is_page = lower.trim_start().starts_with('<') && lower.contains("<html");
    let (from, to) = (lower.find("<title>")? + "<title>".len(), lower.find("</title>")?);
    is_page.then(|| text.get(from..to).map(words)).flatten()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Gemini says in the body how long to wait: `"retryDelay": "34.5s"`.
fn retry_delay(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// A text, cut if it is long.
fn short(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
