//! Whom to trust: the certificate authorities of the system, those of Mozilla, and those of a file.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// TLS with these authorities.
///
/// # Errors
/// A text that names the file, when it cannot be used.
pub(super) fn config(file: Option<&Path>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    // A system may have none, and some of which we can make nothing.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = file {
        let unusable = |what: String| {
            format!("the `ca-file` {} cannot be used: {what}; give a file of certificates in PEM form", file.display())
        };
        let certificates = CertificateDer::pem_file_iter(file).map_err(|error| unusable(error.to_string()))?;
        let mut number = 0;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
            number += 1;
        }
        if number == 0 {
            return Err(unusable("it holds no certificate".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
