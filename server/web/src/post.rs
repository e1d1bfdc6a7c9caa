//! One POST of JSON to an address that the user chose, such as a hook's. It may be on this machine:
//! what a page must not reach, the user's own settings may. Redirects are not followed.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Certificate, Client};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// A longer answer is none.
const LONGEST: usize = 1024 * 1024;

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub status: u16,
    pub body: String,
}

/// The error is the end of a sentence that begins with who wanted it.
pub async fn post_json(
    url: &str,
    headers: &[(String, String)],
    body: String,
    within: Duration,
) -> Result<Posted, String> {
    let mut request = client().map_err(|error| failed(&error))?.post(url).timeout(within);
    request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json");
    for (name, value) in headers {
        let wrong = |_| format!("has a header {name:?} that cannot be sent");
        let named = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(()))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong(()))?;
        value.set_sensitive(true);
        request = request.header(named, value);
    }
    let mut answer = request.body(body).send().await.map_err(|error| failed(&error))?;
    let status = answer.status().as_u16();
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| failed(&error))? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > LONGEST {
            return Err("answered with far too much".to_owned());
        }
    }
    let body = String::from_utf8(bytes).map_err(|_| "answered with something else than text")?;
    Ok(Posted { status, body })
}

fn failed(error: &reqwest::Error) -> String {
    match error {
        error if error.is_timeout() => "did not answer in time".to_owned(),
        error if error.is_connect() => "could not be reached".to_owned(),
        error if error.is_builder() => "has an address that cannot be used".to_owned(),
        _ => "broke off".to_owned(),
    }
}

fn client() -> reqwest::Result<Client> {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    if let Some(client) = CLIENT.get() {
        return Ok(client.clone());
    }
    let bundled = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
    let roots =
        bundled.map(|der| Certificate::from_der(der)).collect::<reqwest::Result<Vec<_>>>()?;
    let client = Client::builder()
        .user_agent(concat!("bowline/", env!("CARGO_PKG_VERSION"), " (a hook of its user)"))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .tls_certs_merge(roots)
        .build()?;
    Ok(CLIENT.get_or_init(|| client).clone())
}
