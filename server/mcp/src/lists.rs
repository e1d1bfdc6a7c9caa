//! Asking a server for its lists, page by page.

use std::error::Error;

use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, PaginatedRequestParams,
};
use rmcp::service::Peer;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
use rmcp::{RoleClient, ServiceError};
use serde_json::Value;

use crate::catalogue::{MOST_PROMPTS, MOST_RESOURCES, MOST_TOOLS};
use crate::transport::{Failure, one_line};

/// A server that has more pages than this counts wrongly.
const MOST_PAGES: usize = 100;

/// One of the lists a server may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl List {
    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        match self {
            List::Tools => ListToolsRequest::with_param(params).into(),
            List::Prompts => ListPromptsRequest::with_param(params).into(),
            List::Resources => ListResourcesRequest::with_param(params).into(),
            List::Templates => ListResourceTemplatesRequest::with_param(params).into(),
        }
    }

    fn key(self) -> &'static str {
        match self {
            List::Tools => "tools",
            List::Prompts => "prompts",
            List::Resources => "resources",
            List::Templates => "resourceTemplates",
        }
    }

    /// One page more than is used, so that the cut can be told.
    fn enough(self) -> usize {
        match self {
            List::Tools => 2 * MOST_TOOLS,
            List::Prompts => MOST_PROMPTS,
            List::Resources | List::Templates => MOST_RESOURCES,
        }
    }
}

/// The items as they came. Items are read one by one later, so the page is not read into the SDK's
/// types: there one bad item would spoil all.
pub(crate) async fn all(peer: &Peer<RoleClient>, list: List) -> Result<Vec<Value>, Failure> {
    let mut items: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let asked = peer.send_request(list.request(cursor.clone())).await;
        let page = match asked {
            Ok(page) => serde_json::to_value(page).unwrap_or_default(),
            // Some let anybody introduce themselves, and want to know who it is only now.
            Err(ServiceError::TransportSend(error)) if wants_sign_in(&error) => {
                return Err(Failure::SignIn { challenge: challenge(&error) });
            }
            Err(error) => return Err(unsaid(list, &why(&error))),
        };
        let Some(more) = page.get(list.key()).and_then(Value::as_array) else {
            return Err(unsaid(list, "the answer has no such list"));
        };
        items.extend(more.iter().cloned());
        let next = page["nextCursor"].as_str().map(str::to_owned);
        if next.is_none() || next == cursor || items.len() > list.enough() {
            break;
        }
        cursor = next;
    }
    Ok(items)
}

fn unsaid(list: List, why: &str) -> Failure {
    Failure::Passing(format!("It does not say what it offers ({}: {why}).", list.key()))
}

/// Whether a sign-in, or another one, would help.
pub(crate) fn wants_sign_in(error: &DynamicTransportError) -> bool {
    causes(error)
        .any(|cause| cause.is::<AuthRequiredError>() || cause.is::<InsufficientScopeError>())
}

/// What the server's `WWW-Authenticate` said.
fn challenge(error: &DynamicTransportError) -> Option<String> {
    let said = causes(error).find_map(|cause| cause.downcast_ref::<AuthRequiredError>());
    said.map(|said| said.www_authenticate_header.clone()).filter(|said| !said.is_empty())
}

fn causes(error: &DynamicTransportError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error.error.as_ref();
    std::iter::successors(Some(first), |cause| (*cause).source())
}

/// What went wrong, as the end of a sentence.
pub(crate) fn why(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => one_line(&error.message),
        ServiceError::TransportClosed => "the connection was closed".to_owned(),
        ServiceError::Timeout { timeout } => {
            format!("no sign of life for {} s", timeout.as_secs())
        }
        other => one_line(&other.to_string()),
    }
}
