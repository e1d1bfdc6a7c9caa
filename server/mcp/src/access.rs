//! What a remote server is shown so that it lets us in, whatever the transport: the headers of its
//! configuration, those of its helper, and the token of a sign-in.

use std::sync::{Mutex, PoisonError};

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use crate::auth::OAuth;
use crate::config::{ServerConfig, Transport};
use crate::headers_helper::{HeadersHelper, header_map};

const UNAUTHORIZED: u16 = 401;
const FORBIDDEN: u16 = 403;

/// The way into one server.
pub struct Access {
    server: String,
    url: String,
    headers: HeaderMap,
    helper: Option<HeadersHelper>,
    oauth: Option<OAuth>,
    /// What the server said when it last refused us for good. Told to whoever signs in.
    challenge: Mutex<Option<String>>,
}

/// What we were told instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// `WWW-Authenticate`.
    pub(crate) challenge: Option<String>,
}

/// Why there is no way in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAccess {
    #[error("the user has to sign in first")]
    SignIn,
    #[error("{0}")]
    Failed(String),
}

impl Access {
    /// With nothing but what the configuration says; it must be expanded.
    pub fn by_headers(config: &ServerConfig) -> Result<Access, String> {
        let Transport::Remote { url, headers, .. } = &config.transport else {
            return Err("It has no address.".to_owned());
        };
        let bad = |name| format!("The header {name:?} cannot be sent; write it anew.");
        let headers = header_map(headers).map_err(bad)?;
        Ok(Access {
            server: config.name.clone(),
            url: url.clone(),
            headers,
            helper: None,
            oauth: None,
            challenge: Mutex::default(),
        })
    }

    pub fn with_helper(mut self, helper: HeadersHelper) -> Access {
        self.helper = Some(helper);
        self
    }

    pub fn with_oauth(mut self, oauth: OAuth) -> Access {
        self.oauth = Some(oauth);
        self
    }

    pub fn oauth(&self) -> Option<&OAuth> {
        self.oauth.as_ref()
    }

    /// What the server said when it refused us for good, if it did.
    pub fn challenge(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The headers for a request.
    pub(crate) async fn headers(&self) -> Result<HeaderMap, NoAccess> {
        self.made(None).await
    }

    /// The headers for one more try, after the server refused those that were sent.
    pub(crate) async fn again(
        &self,
        sent: &HeaderMap,
        refusal: &Refusal,
    ) -> Result<HeaderMap, NoAccess> {
        let headers = self.made(Some(sent)).await?;
        if headers != *sent {
            return Ok(headers);
        }
        let challenge = refusal.challenge.as_deref().unwrap_or_default();
        let lacks = refusal.status == FORBIDDEN && challenge.contains("insufficient_scope");
        let oauth = self.oauth.as_ref().filter(|_| self.is_ours(sent));
        if let Some(oauth) = oauth {
            if refusal.status == UNAUTHORIZED {
                if let Some(headers) = self.renewed(oauth, sent).await? {
                    return Ok(headers);
                }
            } else if lacks {
                // Somebody may have signed in for more meanwhile.
                let latest = oauth.latest().await.map_err(NoAccess::Failed)?;
                if let Some(headers) = with_token(sent, latest)? {
                    return Ok(headers);
                }
                oauth.needs_more(challenge).await.map_err(NoAccess::Failed)?;
            }
            if refusal.status == UNAUTHORIZED || lacks {
                let mut last = self.challenge.lock().unwrap_or_else(PoisonError::into_inner);
                *last = Some(challenge.to_owned()).filter(|challenge| !challenge.is_empty());
                return Err(NoAccess::SignIn);
            }
        }
        Err(NoAccess::Failed(format!("the server refused us with status {}", refusal.status)))
    }

    async fn made(&self, refused: Option<&HeaderMap>) -> Result<HeaderMap, NoAccess> {
        let mut headers = self.headers.clone();
        if let Some(helper) = &self.helper {
            let more = helper.headers(&self.server, &self.url, refused).await;
            // One by one: `extend` would keep the old value beside the new one.
            for (name, value) in &more.map_err(NoAccess::Failed)? {
                headers.insert(name, value.clone());
            }
        }
        let oauth = self.oauth.as_ref().filter(|_| !headers.contains_key(AUTHORIZATION));
        if let Some(oauth) = oauth
            && let Some(token) = oauth.token().await.map_err(NoAccess::Failed)?
        {
            headers.insert(AUTHORIZATION, bearer(&token)?);
        }
        Ok(headers)
    }

    async fn renewed(
        &self,
        oauth: &OAuth,
        sent: &HeaderMap,
    ) -> Result<Option<HeaderMap>, NoAccess> {
        let Some(refused) = sent.get(AUTHORIZATION).and_then(token_of) else { return Ok(None) };
        let token = oauth.renew(refused).await.map_err(NoAccess::Failed)?;
        with_token(sent, token)
    }

    /// Whether what was sent was not the user's own way to sign in.
    fn is_ours(&self, sent: &HeaderMap) -> bool {
        !self.headers.contains_key(AUTHORIZATION)
            && (self.helper.is_none() || !sent.contains_key(AUTHORIZATION))
    }
}

/// The same headers with another token; nothing when it is no other.
fn with_token(sent: &HeaderMap, token: Option<String>) -> Result<Option<HeaderMap>, NoAccess> {
    let shown = sent.get(AUTHORIZATION).and_then(token_of);
    let Some(token) = token.filter(|token| Some(token.as_str()) != shown) else { return Ok(None) };
    let mut headers = sent.clone();
    headers.insert(AUTHORIZATION, bearer(&token)?);
    Ok(Some(headers))
}

fn bearer(token: &str) -> Result<HeaderValue, NoAccess> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
        .map_err(|_| NoAccess::Failed("the token that is kept cannot be sent".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn token_of(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()?.strip_prefix("Bearer ")
}
