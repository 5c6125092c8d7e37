//! TLS with certificate files. Certificates are made and renewed elsewhere; the server reads them when it starts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// Why TLS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or has other contents.
    #[error("{} cannot be used as {what}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the file should contain.
        what: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The certificate and the key do not belong together.
    #[error("the certificate and the key cannot be used together: {0}")]
    Pair(#[from] rustls::Error),
}

/// A certificate with its chain, and its key.
#[derive(Clone)]
pub struct Tls(pub(super) TlsAcceptor);

impl Tls {
    /// Reads certificate and key from PEM files. The protocol is HTTP/1.1.
    pub fn of(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let unusable = |path: &Path, what: &'static str| {
            let path = path.to_owned();
            move |error: rustls::pki_types::pem::Error| TlsError::File { path, what, reason: error.to_string() }
        };
        let what = "a certificate";
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(unusable(certificate, what))?;
        if chain.is_empty() {
            let reason = "it holds none in PEM, between BEGIN CERTIFICATE and END CERTIFICATE".to_owned();
            return Err(TlsError::File { path: certificate.to_owned(), what, reason });
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(unusable(key, "a private key"))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(config))))
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
