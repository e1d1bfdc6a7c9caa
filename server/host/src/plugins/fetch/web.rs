//! A file over HTTPS.

use std::path::Path;

use ::web::{Body, Fetched, Web};
use extend::plugins::tree;
use url::Url;

const MOST_HOSTS: usize = 5;

/// Downloads an address that the user chose. Unlike a page that the model wants to see, it may lead
/// to another host, as downloads do, but never to one without encryption.
pub(super) async fn download(address: &str, to: &Path) -> Result<(), String> {
    let mut url = Url::parse(address).map_err(|error| format!("{address}: {error}."))?;
    let web = Web::default();
    for _ in 0..MOST_HOSTS {
        match web.get(&url).await.map_err(|error| error.to_string())? {
            Fetched::Elsewhere { to, .. } if to.scheme() == "https" => url = to,
            Fetched::Elsewhere { to, .. } => {
                return Err(format!("{address} leads to {to}, which is not encrypted."));
            }
            Fetched::Page(page) if page.status != 200 => {
                return Err(format!("{address} answers {}.", page.status));
            }
            Fetched::Page(page) => {
                let bytes = match &page.body {
                    Body::Text(text) => text.as_bytes(),
                    Body::Binary { bytes, .. } => bytes,
                };
                return tree::write_bytes(to, bytes).map_err(|error| error.to_string());
            }
        }
    }
    Err(format!("{address} leads from host to host."))
}
