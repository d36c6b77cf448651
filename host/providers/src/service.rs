//! One provider's service: how a request gets there.

mod request;

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::Response;
use reqwest::header::HeaderValue;
use seam_loop::provider::ResponseStream;
use seam_loop::{CancellationToken, Header, Model, ProviderError, Request};

use crate::address::address;
use crate::answer::Answer;
use crate::blame::Blame;
use crate::fault::{Class, Fault};
use crate::keys::{Key, Keys};
use crate::protocol::Protocol;
use crate::providers::InvalidProvider;
use crate::response::{self, Reading};
use crate::settings::{ProviderSettings, Quirk};
use crate::table::{Facts, ModelSettings};
use crate::transport::{self, Transport};

use request::Ready;

/// How long connecting may take, if nothing is set.
const CONNECT: Duration = Duration::from_secs(15);
/// For how long a service may be silent, if nothing is set: some think for minutes before the first word.
const SILENCE: Duration = Duration::from_secs(300);

/// One provider's service.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    pub(crate) base_url: String,
    pub(crate) keys: Keys,
    pub(crate) keys_at: Option<String>,
    /// What is said too when there is no key.
    pub(crate) key_hint: String,
    pub(crate) transport: Transport,
    silence: Duration,
    headers: Vec<Header>,
    quirks: Vec<Quirk>,
    models: std::collections::BTreeMap<String, ModelSettings>,
}

impl Service {
    /// The service with these settings.
    ///
    /// # Errors
    /// When it cannot be one.
    pub(crate) fn new(name: &str, set: ProviderSettings) -> Result<Self, InvalidProvider> {
        let invalid = |what: &str| InvalidProvider { provider: name.to_owned(), what: what.to_owned() };
        let protocol = set.protocol.ok_or_else(|| {
            invalid("has no `protocol`; give `openai-chat`, `openai-responses`, `anthropic-messages` or `gemini`")
        })?;
        let base_url = set.base_url.ok_or_else(|| invalid("has no `base-url`; give the address of its service"))?;
        let base_url = address(&base_url).map_err(|what| invalid(&what))?;
        let millis = |millis: Option<u32>, usual| millis.map_or(usual, |millis| Duration::from_millis(millis.into()));
        let headers = set.headers.into_iter().map(|(name, value)| Header { name, value }).collect();
        let transport = Transport::new(&base_url, millis(set.connect_ms, CONNECT), set.ca_file);
        Ok(Self {
            name: name.to_owned(),
            protocol,
            base_url,
            keys: Keys::new(set.key_command, set.key_env.unwrap_or_default()),
            keys_at: set.keys_at,
            key_hint: String::new(),
            transport,
            silence: millis(set.silence_ms, SILENCE),
            headers,
            quirks: set.quirks.unwrap_or_default(),
            models: set.models,
        })
    }

    /// What is known of a model.
    pub(crate) fn facts(&self, model: &str) -> Facts {
        Facts::of(&self.name, model, &self.models)
    }

    /// The models that are set.
    pub(crate) fn set_models(&self) -> impl Iterator<Item = &String> {
        self.models.keys()
    }

    /// The headers that are set.
    pub(crate) fn set_headers(&self) -> &[Header] {
        &self.headers
    }

    /// Sends a request, and gives its response as it arrives.
    ///
    /// # Errors
    /// When there is none: it could not be sent, the service refuses it, or plugins do.
    pub(crate) async fn stream(
        &self,
        request: Request<'_>,
        abort: &CancellationToken,
    ) -> Result<ResponseStream, ProviderError> {
        let begun = self.begin(&request, abort).await?;
        Ok(begun.unwrap_or_else(|| aborted(request.model)))
    }

    /// The response from its head on; none after an abort.
    async fn begin(
        &self,
        request: &Request<'_>,
        abort: &CancellationToken,
    ) -> Result<Option<ResponseStream>, ProviderError> {
        let Some(key) = unless(abort, self.key(request)).await.transpose()? else { return Ok(None) };
        let blame = self.blame(&request.model.id, key);
        let ready = self.ready(request, &blame).await?;
        let Some(sent) = unless(abort, self.send(&ready, &blame)).await else { return Ok(None) };
        let response = sent.map_err(|fault| blame.error(&fault))?;
        request.hooks.after_response(request.model, response.status().as_u16(), headers(&response, &blame));
        let Some(checked) = unless(abort, self.checked(response)).await else { return Ok(None) };
        let response = checked.map_err(|fault| blame.error(&fault))?;
        let reading = Reading {
            answer: Answer::new(request.model.clone()),
            reader: self.protocol.wire().reader(),
            silence: ready.silence,
            abort: abort.clone(),
            blame,
            facts: ready.facts,
        };
        Ok(Some(response::read(response.bytes_stream().map_err(|error| transport::told(&error)), reading)))
    }

    /// The key: a plugin's, or one of the provider's own.
    async fn key(&self, request: &Request<'_>) -> Result<Option<Key>, ProviderError> {
        let key = match request.api_key {
            Some(value) => Some(Key { value: value.to_owned(), from: "the plugin that gave it".to_owned() }),
            None => self.keys.get().await.map_err(|fault| ProviderError::new(format!("{}: {fault}", self.name)))?,
        };
        self.secrets().for_each(|secret| request.hooks.hide(secret));
        match &key {
            Some(key) => request.hooks.hide(&key.value),
            None if self.keys.are_needed() => return Err(self.no_key()),
            None => {}
        }
        Ok(key)
    }

    fn no_key(&self) -> ProviderError {
        let Self { name, keys, keys_at, key_hint, .. } = self;
        let at = keys_at.as_ref().map(|place| format!(" Keys are made at {place}.")).unwrap_or_default();
        ProviderError::new(format!(
            "{name}: there is no key. Set the variable {}, or `key-command` under `[providers.{name}]` in your seam.toml.{at}{key_hint}",
            keys.place()
        ))
    }

    pub(crate) fn blame(&self, model: &str, key: Option<Key>) -> Blame {
        Blame {
            provider: self.name.clone(),
            model: model.to_owned(),
            base_url: self.base_url.clone(),
            keys_at: self.keys_at.clone(),
            key,
            secrets: self.secrets().map(str::to_owned).collect(),
        }
    }

    /// What stands in those headers of the settings that are nobody's business; of `Bearer TOKEN` the token too.
    fn secrets(&self) -> impl Iterator<Item = &str> {
        let values = self.headers.iter().filter(|header| header.is_secret()).map(|header| &*header.value);
        values.flat_map(|value| [Some(value), value.rsplit_once(' ').map(|(_, token)| token)]).flatten()
    }

    /// Sends it, and waits for the head of the response.
    async fn send(&self, ready: &Ready, blame: &Blame) -> Result<Response, Fault> {
        let url = format!("{}{}", self.base_url, self.protocol.wire().path(&blame.model));
        let mut request = self.transport.client()?.post(url).body(ready.body.clone());
        let key = blame.key.as_ref().map(|key| self.protocol.wire().key_header(&key.value));
        let key = key.map(|(name, value)| Header { name: name.to_owned(), value });
        // A header that the user sets goes in its place.
        let is_set = |key: &Header| ready.headers.iter().any(|set| set.name.eq_ignore_ascii_case(&key.name));
        let key = key.filter(|key| !is_set(key));
        for header in ready.headers.iter().chain(&key) {
            request = request.header(&header.name, sent(header)?);
        }
        match tokio::time::timeout(ready.silence, request.send()).await {
            Ok(sent) => sent.map_err(|error| transport::fault(&error)),
            Err(_) => Err(Fault::network(format!("it did not answer within {} s", ready.silence.as_secs_f64()))),
        }
    }

    /// A response that is a stream of events.
    async fn checked(&self, response: Response) -> Result<Response, Fault> {
        if !response.status().is_success() {
            let fault = transport::refused(response).await;
            if fault.class == Class::Key {
                self.keys.forget().await;
            }
            return Err(fault);
        }
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        match kind.split(';').next().map(str::trim) {
            Some(kind @ ("application/json" | "text/html")) => {
                let no_stream = Fault::request(format!(
                    "it answered with {kind} and not with a stream; look whether `base-url` is right ({}), and whether a \
                     plugin took `stream` away",
                    self.base_url
                ));
                Err(transport::error_within(response).await.unwrap_or(no_stream))
            }
            _ => Ok(response),
        }
    }
}

/// A header's value as it is sent. One with a key is marked: it is written nowhere else.
fn sent(header: &Header) -> Result<HeaderValue, Fault> {
    let mut value = HeaderValue::try_from(&header.value)
        .map_err(|_| Fault::request(format!("the value of the header `{}` cannot be sent", header.name)))?;
    value.set_sensitive(header.is_secret());
    Ok(value)
}

/// The headers of a response, for hooks.
fn headers(response: &Response, blame: &Blame) -> Vec<Header> {
    let header = |(name, value): (&reqwest::header::HeaderName, &reqwest::header::HeaderValue)| Header {
        name: name.as_str().to_owned(),
        value: blame.without_keys(String::from_utf8_lossy(value.as_bytes()).into_owned()),
    };
    response.headers().iter().map(header).collect()
}

/// What is waited for; none after an abort.
async fn unless<T>(abort: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = abort.cancelled() => None,
        done = work => Some(done),
    }
}

/// An answer of which nothing came.
fn aborted(model: &Model) -> ResponseStream {
    let mut answer = Answer::new(model.clone());
    answer.abort();
    stream::iter(std::iter::from_fn(move || answer.next_event())).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_shows_a_key_or_a_secret_header_by_accident() {
        let headers = [("X-Gateway-Token".to_owned(), "gateway-secret".to_owned())];
        let settings = ProviderSettings {
            protocol: Some(Protocol::OpenaiChat),
            base_url: Some("http://127.0.0.1:1".to_owned()),
            key_command: Some(["sh", "-c", "echo sk-printed"].map(str::to_owned).to_vec()),
            headers: headers.into(),
            ..ProviderSettings::default()
        };
        let service = Service::new("x", settings).unwrap();
        assert_eq!(service.keys.get().await.unwrap().unwrap().value, "sk-printed");
        let shown = format!("{service:?}");
        assert!(!shown.contains("sk-printed") && !shown.contains("gateway-secret"), "{shown}");
    }
}
