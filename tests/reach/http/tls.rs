//! TLS: whoever answers has to prove that it is the host.

use std::path::{Path, PathBuf};

use rcgen::{CertifiedKey, KeyPair};
use tempfile::TempDir;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::server::Server;
use crate::reach::child::Child;

/// A server with a certificate for this name, and the file of that certificate.
fn server(name: &str, folder: &Path) -> (Server, PathBuf) {
    let CertifiedKey { cert, signing_key } = certificate(name);
    let file = folder.join(format!("{name}.pem"));
    std::fs::write(&file, cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    (Server::secure(config.with_single_cert(vec![cert.der().clone()], key).unwrap()), file)
}

fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap()
}

/// What a plugin got for a request, in a run of its own that trusts these certificates too.
fn got(site: &str, trusted: Option<&Path>) -> String {
    let child = Child::new("reach-http", &format!("http = [\"{site}\"]"));
    let variables: Vec<(&str, &Path)> = trusted.map(|file| ("SSL_CERT_FILE", file)).into_iter().collect();
    child.refused(&format!("GET {site}/hello"), &variables)
}

#[test]
fn a_certificate_that_is_trusted_is_enough() {
    let folder = TempDir::new().unwrap();
    let (server, certificate) = server("localhost", folder.path());
    let site = format!("https://localhost:{}", server.port());
    assert_eq!(got(&site, Some(&certificate)), "200 hello");
    assert!(server.heads()[0].contains(&format!("host: localhost:{}\r\n", server.port())), "{:?}", server.heads());
}

#[test]
fn one_that_nobody_vouches_for_or_of_another_name_is_not() {
    let folder = TempDir::new().unwrap();
    let (unknown, _) = server("localhost", folder.path());
    let (other, certificate) = server("other.example", folder.path());
    for (server, trusted) in [(&unknown, None), (&other, Some(&*certificate))] {
        let site = format!("https://localhost:{}", server.port());
        assert_eq!(got(&site, trusted), "ErrorCode::TlsCertificateError");
        assert_eq!(server.heads(), [""; 0]);
    }
}

#[test]
fn a_server_without_tls_is_not_taken_for_one_with_it() {
    let server = Server::other();
    let site = format!("https://localhost:{}", server.port());
    assert_eq!(got(&site, None), "ErrorCode::TlsProtocolError");
}
