//! `wasi:http`: requests to granted sites, each checked by itself, each to an address that was checked.
//!
//! Nothing is followed: a redirect is an answer, and where it leads is another request.

mod address;
mod answer;
mod connect;
mod faults;
mod requests;
mod resolve;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use http::uri::{PathAndQuery, Scheme, Uri};
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::client::conn::http1;
use wasmtime_wasi::runtime::spawn;
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::grants::site::Site;
use answer::Answer;
use connect::Net;

pub(crate) use requests::Requests;

/// How many requests there may be in one call.
const MOST_REQUESTS: usize = 16;
/// How large the body of a request or a response may be, in bytes.
const MOST_BODY: usize = 8 << 20;
/// How large the head of a response may be, in bytes.
const MOST_HEAD: usize = 64 << 10;
/// How long a path may be, with what is behind its `?`, in bytes.
const MOST_PATH: usize = 8 << 10;
/// How much of a body the guest may write before the network has taken it, in bytes.
const PIECE: usize = 64 << 10;

/// A response, and what has to go on while it is read.
type Answered = (Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

/// What an instance sends with.
pub(super) struct Sender {
    net: Arc<Net>,
    /// Those of the running call; outside of one nothing is sent.
    requests: Option<Arc<Requests>>,
}

impl Sender {
    pub(super) fn new(sites: Arc<[Site]>, sends: bool) -> Self {
        Self { net: Arc::new(Net::new(sites, sends)), requests: None }
    }

    pub(super) fn begin(&mut self, requests: Requests) -> Arc<Requests> {
        Arc::clone(self.requests.insert(Arc::new(requests)))
    }

    pub(super) fn end(&mut self) {
        if let Some(requests) = self.requests.take() {
            requests.end();
        }
    }
}

impl WasiHttpHooks for Sender {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Answered, Error>> + Send> {
        let Some(requests) = self.requests.clone() else { return Box::new(async { Err(Error::HttpRequestDenied) }) };
        let Some(place) = requests.note(&request) else {
            return Box::new(async { Err(Error::ConnectionLimitReached) });
        };
        let (net, waiting) = (Arc::clone(&self.net), requests.waiting());
        Box::new(async move {
            let _waiting = waiting;
            let sent = net.send(request, options.unwrap_or_default(), &requests).await;
            requests.answered(place, &sent);
            sent
        })
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        PIECE
    }
}

impl Net {
    /// Sends one request. It ends with the call that it is made in.
    async fn send(
        &self,
        request: Request<WasiBody>,
        options: RequestOptions,
        requests: &Arc<Requests>,
    ) -> Result<Answered, Error> {
        let site = self.site(&request)?;
        tokio::select! {
            biased;
            over = requests.over() => Err(over),
            answered = self.exchange(&site, outgoing(&site, request), options, requests) => answered,
        }
    }

    /// Where it goes, if it may go there.
    fn site(&self, request: &Request<WasiBody>) -> Result<Site, Error> {
        let uri = request.uri();
        if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
            return Err(Error::HttpRequestMethodInvalid);
        }
        if uri.path_and_query().is_some_and(|path| path.as_str().len() > MOST_PATH) {
            return Err(Error::HttpRequestUriTooLong);
        }
        let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
        let tls = uri.scheme() == Some(&Scheme::HTTPS);
        let site = Site::of(tls, authority.as_str()).map_err(|_| Error::HttpRequestUriInvalid)?;
        if self.is_granted(&site) { Ok(site) } else { Err(Error::HttpRequestDenied) }
    }

    async fn exchange(
        &self,
        site: &Site,
        request: Request<Limited<WasiBody>>,
        options: RequestOptions,
        requests: &Arc<Requests>,
    ) -> Result<Answered, Error> {
        let stream = within(options.connect_timeout, self.connect(site), || Error::ConnectionTimeout).await?;
        let mut http = http1::Builder::new();
        http.max_buf_size(MOST_HEAD);
        let (mut sender, connection) = http.handshake(TokioIo::new(stream)).await.map_err(faults::of_exchange)?;
        let connection = spawn(connection);
        let sending = async { sender.send_request(request).await.map_err(faults::of_exchange) };
        let response = within(options.first_byte_timeout, sending, || Error::ConnectionReadTimeout).await?;
        if size(response.headers()) > MOST_HEAD {
            return Err(Error::HttpResponseHeaderSectionSize(None));
        }
        let gap = options.between_bytes_timeout;
        let response = response.map(|body| Answer::new(body, gap, Arc::clone(requests)).boxed_unsync());
        let requests = Arc::clone(requests);
        let goes_on = async move {
            tokio::select! {
                biased;
                over = requests.over() => Err(over),
                ended = connection => ended.map_err(faults::of_exchange),
            }
        };
        Ok((response, Box::new(goes_on)))
    }
}

/// What is sent: the path alone, and the host that was checked, however the guest wrote it.
fn outgoing(site: &Site, request: Request<WasiBody>) -> Request<Limited<WasiBody>> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    parts.uri = Uri::from(path);
    if let Ok(host) = HeaderValue::try_from(site.authority()) {
        parts.headers.insert(header::HOST, host);
    }
    Request::from_parts(parts, Limited::new(body, MOST_BODY))
}

/// How many bytes headers have.
fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// Waits for something, no longer than the guest wants to.
async fn within<T>(
    most: Option<Duration>,
    work: impl Future<Output = Result<T, Error>>,
    late: impl FnOnce() -> Error,
) -> Result<T, Error> {
    match most {
        None => work.await,
        Some(most) => tokio::time::timeout(most, work).await.unwrap_or_else(|_| Err(late())),
    }
}
