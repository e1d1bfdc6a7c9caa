//! A server behind an address: streamable HTTP.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::{Connected, Failure, MESSAGE_CAP, Surroundings, handshake};
use crate::client::Client;
use crate::config::{ServerConfig, Transport};

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let Transport::Remote { url, headers, .. } = &config.transport else {
        return Err(Failure::Final("It has no address.".to_owned()));
    };
    let http = around.http(url).map_err(Failure::Final)?;
    let settings = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(header_map(headers)?)
        .max_sse_event_size(MESSAGE_CAP)
        // A session that the server has forgotten is begun again, once for each request.
        .reinit_on_expired_session(true);
    let transport = StreamableHttpClientTransport::with_client(http, settings);
    Ok(Connected { service: handshake(transport, client).await?, process: None })
}

/// The headers of a configuration. A value is never repeated in an error: it may be a key.
pub(super) fn header_map(
    headers: &BTreeMap<String, String>,
) -> Result<HashMap<HeaderName, HeaderValue>, Failure> {
    let header = |(name, value): (&String, &String)| {
        let bad = || Failure::Final(format!("The header {name:?} cannot be sent; write it anew."));
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        Ok((header, HeaderValue::from_str(value).map_err(|_| bad())?))
    };
    headers.iter().map(header).collect()
}
