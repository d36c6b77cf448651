//! TLS: what a server has to prove.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{TlsConnector, rustls};
use wasmtime_wasi_http::Error;

use crate::grants::site::Host;
use crate::wasi::http::faults;

/// Names a file with further certificates that are trusted, as for most programs.
const MORE_ROOTS: &str = "SSL_CERT_FILE";

/// Made once: reading the certificates takes time. Nothing, when there can be none.
static CONNECTOR: LazyLock<Option<TlsConnector>> = LazyLock::new(|| {
    let configured = config().inspect_err(|error| tracing::warn!(target: "seam::plugin", "no TLS: {error}"));
    configured.ok().map(|config| TlsConnector::from(Arc::new(config)))
});

/// Makes sure that it is this host that answers, and nobody else listens.
pub(super) async fn secure(stream: TcpStream, host: &Host) -> Result<TlsStream<TcpStream>, Error> {
    let name = match host {
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| Error::HttpRequestUriInvalid)?,
        Host::Address(address) => ServerName::from(*address),
    };
    let connector = CONNECTOR.as_ref().ok_or(Error::ConfigurationError)?;
    connector.connect(name, stream).await.map_err(|error| faults::of_tls(&error))
}

fn config() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = std::env::var_os(MORE_ROOTS) {
        add(&mut roots, Path::new(&file));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(config.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth())
}

/// Adds the certificates of a file. What cannot be read there is not trusted.
fn add(roots: &mut RootCertStore, file: &Path) {
    let found = CertificateDer::pem_file_iter(file).map(|certificates| certificates.flatten().collect::<Vec<_>>());
    match found {
        Ok(certificates) => {
            let (added, left) = roots.add_parsable_certificates(certificates);
            tracing::debug!(target: "seam::plugin", "{}: {added} certificates, {left} not usable", file.display());
        }
        Err(error) => {
            tracing::warn!(target: "seam::plugin", "{MORE_ROOTS}: {} cannot be read: {error}", file.display());
        }
    }
}
