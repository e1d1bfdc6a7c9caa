//! Whom the client trusts besides the machine's own store, and who it says it is.
//!
//! | variable | what it names |
//! |---|---|
//! | `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` | more authorities, as PEM |
//! | `BOWLINE_CLIENT_CERT`, `BOWLINE_CLIENT_KEY` (or `CLAUDE_CODE_CLIENT_CERT`, `…_KEY`) | our own certificate and its key, as PEM |

use std::sync::Arc;

use agent::{ModelError, ModelErrorKind};
use reqwest::{Certificate, ClientBuilder, Identity};

use crate::outside::Outside;

pub(super) struct Trust {
    outside: Arc<dyn Outside>,
    /// Each with the variable that names it.
    authorities: Vec<(&'static str, String)>,
    /// The certificate, and the key where it is in a file of its own.
    identity: Vec<(&'static str, String)>,
}

impl Trust {
    pub(super) fn new(value: &impl Fn(&str) -> Option<String>, outside: Arc<dyn Outside>) -> Self {
        let named = |name: &'static str| {
            value(name).filter(|path| !path.trim().is_empty()).map(|path| (name, path))
        };
        let first = |names: [&'static str; 2]| names.into_iter().find_map(named);
        let authorities = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];
        let certificate = first(["BOWLINE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_CERT"]);
        let key = first(["BOWLINE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY"]);
        Self {
            outside,
            authorities: authorities.into_iter().filter_map(named).collect(),
            identity: certificate.into_iter().chain(key).collect(),
        }
    }

    /// A file that cannot be used is an error: without it, every request would fail with a riddle.
    pub(super) fn add_to(&self, mut builder: ClientBuilder) -> Result<ClientBuilder, ModelError> {
        for file in &self.authorities {
            let found = Certificate::from_pem_bundle(&self.read(file)?).ok();
            let found = found.filter(|found| !found.is_empty());
            let found = found.ok_or_else(|| failed(file, "holds no certificate"))?;
            builder = builder.tls_certs_merge(found);
        }
        let mut pem = Vec::new();
        for file in &self.identity {
            pem.extend(self.read(file)?);
            pem.push(b'\n');
        }
        let Some(named) = self.identity.first() else { return Ok(builder) };
        let identity = Identity::from_pem(&pem);
        let unusable = |_| failed(named, "holds no certificate with its key");
        Ok(builder.identity(identity.map_err(unusable)?))
    }

    fn read(&self, file: &(&'static str, String)) -> Result<Vec<u8>, ModelError> {
        let read = self.outside.read(&file.1);
        read.map_err(|why| failed(file, &format!("cannot be read: {why}")))
    }
}

fn failed((variable, path): &(&'static str, String), why: &str) -> ModelError {
    let text = format!("{variable} names {path}, which {why}; set it to a file of PEM.");
    ModelError::new(ModelErrorKind::Network, text)
}
