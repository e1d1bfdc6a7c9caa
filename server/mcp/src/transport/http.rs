//! A server behind an address: streamable HTTP.

use std::sync::Arc;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::admitted::Admitted;
use super::{Connected, Failure, MESSAGE_CAP, Surroundings, handshake};
use crate::client::Client;
use crate::config::ServerConfig;

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let (url, access) = super::way_in(config, around)?;
    let http = around.http(url).map_err(Failure::Final)?;
    let settings = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MESSAGE_CAP)
        // A session that the server has forgotten is begun again, once for each request.
        .reinit_on_expired_session(true);
    let transport = StreamableHttpClientTransport::with_client(Admitted { http, access }, settings);
    Ok(Connected { service: handshake(transport, client).await?, process: None })
}
