//! The requests of one call: how many, until when, and what is written down of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Request, Response};
use seam_loop::CancellationToken;
use seam_session::journal::{HostCall, Json};
use serde_json::json;
use tokio::time::Instant;
use wasmtime_wasi_http::{Error, WasiBody};

use crate::waits::{Waiting, Waits};
use crate::wasi::http::MOST_REQUESTS;

/// As what a request stands in the journal.
const IMPORT: &str = "wasi:http/outgoing-handler.handle";
/// How much of a path is written down, in bytes.
const PATH: usize = 1 << 10;

/// The requests of one call.
#[derive(Debug)]
pub(crate) struct Requests {
    plugin: Arc<str>,
    over: CancellationToken,
    until: Instant,
    waits: Arc<Waits>,
    made: Mutex<Vec<Made>>,
}

#[derive(Debug)]
struct Made {
    method: String,
    scheme: String,
    authority: String,
    path: String,
    /// The status, or what went wrong. Nothing: it was given up before.
    answer: Option<Result<u16, String>>,
}

impl Requests {
    /// Those of a call that begins now and waits for the network so long at most.
    pub(crate) fn new(plugin: &Arc<str>, most: Duration, waits: &Arc<Waits>) -> Self {
        let (over, until) = (CancellationToken::new(), Instant::now() + most);
        Self { plugin: Arc::clone(plugin), over, until, waits: Arc::clone(waits), made: Mutex::default() }
    }

    /// The call waits for the network from now on, until this is dropped.
    pub(super) fn waiting(&self) -> Waiting {
        self.waits.begin()
    }

    /// Nothing goes on beyond the call.
    pub(super) fn end(&self) {
        self.over.cancel();
    }

    /// When nothing of them goes on any more, and what that is for a request.
    pub(super) async fn over(&self) -> Error {
        tokio::select! {
            () = self.over.cancelled() => Error::ConnectionTerminated,
            () = tokio::time::sleep_until(self.until) => Error::HttpResponseTimeout,
        }
    }

    /// Writes down a request, unless there were enough.
    pub(super) fn note(&self, request: &Request<WasiBody>) -> Option<usize> {
        let uri = request.uri();
        let path = uri.path_and_query().map(|path| path.as_str()).unwrap_or("/");
        let mut made = self.made();
        if made.len() == MOST_REQUESTS {
            return None;
        }
        made.push(Made {
            method: cut(request.method().as_str()).to_owned(),
            scheme: uri.scheme_str().unwrap_or_default().to_owned(),
            authority: uri.authority().map(|authority| cut(authority.as_str()).to_owned()).unwrap_or_default(),
            path: cut(path).to_owned(),
            answer: None,
        });
        Some(made.len() - 1)
    }

    /// Writes down how it ended.
    pub(super) fn answered<T>(&self, place: usize, answer: &Result<(Response<WasiBody>, T), Error>) {
        let answer = answer.as_ref().map(|(response, _)| response.status().as_u16()).map_err(ToString::to_string);
        if let Some(made) = self.made().get_mut(place) {
            let Made { method, scheme, authority, .. } = &*made;
            let plugin = &*self.plugin;
            tracing::debug!(target: "seam::plugin", plugin, "{method} {scheme}://{authority}: {answer:?}");
            made.answer = Some(answer);
        }
    }

    /// Host calls as the journal has them. Of a path that may hold a key nothing is kept.
    pub(crate) fn host_calls(&self, is_secret: bool) -> Vec<HostCall<'static>> {
        let call = |made: &Made| {
            let path = if is_secret { "" } else { &made.path };
            let arguments = json!([made.method, made.scheme, made.authority, path]);
            let answer = match &made.answer {
                None => json!(null),
                Some(Ok(status)) => json!({ "ok": status }),
                Some(Err(error)) => json!({ "err": error }),
            };
            HostCall {
                import: IMPORT.into(),
                arguments: Json::new(arguments.to_string()),
                answer: Json::new(answer.to_string()),
            }
        };
        self.made().iter().map(call).collect()
    }

    fn made(&self) -> MutexGuard<'_, Vec<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(PATH)).unwrap_or(text)
}
