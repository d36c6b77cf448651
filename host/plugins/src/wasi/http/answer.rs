//! The body of a response: no larger than it may be, no longer than the call.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};
use wasmtime_wasi_http::Error;

use crate::waits::Waiting;
use crate::wasi::http::requests::Requests;
use crate::wasi::http::{MOST_BODY, faults};

/// A body that ends with an error when it is too large or too late.
pub(super) struct Answer {
    body: Incoming,
    /// How many bytes may still come.
    left: usize,
    over: Pin<Box<dyn Future<Output = Error> + Send>>,
    gap: Option<Gap>,
    requests: Arc<Requests>,
    /// While the guest asks for a piece that has not come.
    waiting: Option<Waiting>,
}

/// How long the guest waits for the next piece.
struct Gap {
    most: Duration,
    ends: Pin<Box<Sleep>>,
}

impl Answer {
    pub(super) fn new(body: Incoming, gap: Option<Duration>, requests: Arc<Requests>) -> Self {
        let ends = Arc::clone(&requests);
        let over = Box::pin(async move { ends.over().await });
        let gap = gap.map(|most| Gap { most, ends: Box::pin(tokio::time::sleep(most)) });
        Self { body, left: MOST_BODY, over, gap, requests, waiting: None }
    }

    /// A piece has come.
    fn took(&mut self, frame: Frame<Bytes>) -> Result<Frame<Bytes>, Error> {
        if let Some(Gap { most, ends }) = &mut self.gap
            && let Some(next) = Instant::now().checked_add(*most)
        {
            ends.as_mut().reset(next);
        }
        let length = frame.data_ref().map_or(0, Bytes::len);
        self.left = self.left.checked_sub(length).ok_or(Error::HttpResponseBodySize(Some(MOST_BODY as u64)))?;
        Ok(frame)
    }

    fn piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Poll::Ready(over) = self.over.as_mut().poll(cx) {
            return Poll::Ready(Some(Err(over)));
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(self.took(frame))),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(faults::of_exchange(error)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => match self.gap.as_mut().map(|gap| gap.ends.as_mut().poll(cx)) {
                Some(Poll::Ready(())) => Poll::Ready(Some(Err(Error::ConnectionReadTimeout))),
                _ => Poll::Pending,
            },
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = self.piece(cx);
        self.waiting = match polled {
            Poll::Ready(_) => None,
            Poll::Pending => self.waiting.take().or_else(|| Some(self.requests.waiting())),
        };
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
