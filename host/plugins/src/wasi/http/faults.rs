//! What went wrong, as `wasi:http` names it.

use std::error::Error as _;
use std::io;

use http_body_util::LengthLimitError;
use tokio_rustls::rustls;
use wasmtime_wasi_http::Error;

use crate::wasi::http::MOST_BODY;

/// Of a connection that could not be made.
pub(super) fn of_connecting(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
        io::ErrorKind::TimedOut => Error::ConnectionTimeout,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => Error::DestinationIpUnroutable,
        _ => Error::DestinationUnavailable,
    }
}

/// Of TLS.
pub(super) fn of_tls(error: &io::Error) -> Error {
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented) => {
            Error::TlsCertificateError
        }
        Some(rustls::Error::AlertReceived(alert)) => {
            Error::TlsAlertReceived { alert_id: Some(u8::from(*alert)), alert_message: Some(format!("{alert:?}")) }
        }
        Some(_) => Error::TlsProtocolError,
        None => Error::ConnectionTerminated,
    }
}

/// Of a request or its answer.
pub(super) fn of_exchange(error: hyper::Error) -> Error {
    let cause = error.source();
    let lost = cause.and_then(|cause| cause.downcast_ref()).map(io::Error::kind);
    if cause.is_some_and(|cause| cause.is::<LengthLimitError>()) {
        Error::HttpRequestBodySize(Some(MOST_BODY as u64))
    } else if error.is_user() {
        // The guest gave up its own body.
        Error::HttpProtocolError
    } else if error.is_parse_too_large() {
        Error::HttpResponseHeaderSectionSize(None)
    } else if error.is_incomplete_message() || lost == Some(io::ErrorKind::UnexpectedEof) {
        Error::HttpResponseIncomplete
    } else if error.is_canceled() || error.is_closed() || lost.is_some() {
        Error::ConnectionTerminated
    } else {
        Error::HttpProtocolError
    }
}
