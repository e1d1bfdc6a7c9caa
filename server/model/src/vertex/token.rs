//! Google's access tokens: from a service account's key, or from a user's refresh token. Kept until
//! shortly before they run out.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use agent::{ModelError, ModelErrorKind};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

use crate::env::Env;
use crate::http::Http;
use crate::outside::Outside;

const USUAL_FILE: &str = "~/.config/gcloud/application_default_credentials.json";
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// A token is renewed this long before its end.
const EARLY: Duration = Duration::from_secs(120);
const WITHIN: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub(super) struct Tokens {
    http: Http,
    outside: Arc<dyn Outside>,
    file: String,
    given: Option<String>,
    kept: Arc<Mutex<Option<(String, SystemTime)>>>,
}

/// The files that Google's own tools write.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Credentials {
    ServiceAccount {
        client_email: String,
        private_key: String,
        token_uri: Option<String>,
    },
    AuthorizedUser {
        client_id: String,
        client_secret: String,
        refresh_token: String,
        token_uri: Option<String>,
    },
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: u64,
}

impl Tokens {
    pub(super) fn new(env: &Env) -> Self {
        let file = env.get("GOOGLE_APPLICATION_CREDENTIALS").unwrap_or(USUAL_FILE);
        Self {
            http: env.http().clone(),
            outside: env.outside(),
            file: file.to_owned(),
            given: env.get("CLOUDSDK_AUTH_ACCESS_TOKEN").map(str::to_owned),
            kept: Arc::default(),
        }
    }

    /// The value of the `authorization` header.
    pub(super) async fn bearer(&self) -> Result<HeaderValue, ModelError> {
        let token = match &self.given {
            Some(token) => token.clone(),
            None => self.token().await?,
        };
        let value = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut value = value.map_err(|_| failed("the token is no plain text"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    async fn token(&self) -> Result<String, ModelError> {
        let mut kept = self.kept.lock().await;
        let now = self.outside.now();
        if let Some((token, end)) = &*kept
            && now + EARLY < *end
        {
            return Ok(token.clone());
        }
        let file = &self.file;
        let bytes = self.outside.read(file).map_err(|why| failed(&format!("{file} ({why})")))?;
        let credentials = serde_json::from_slice(&bytes)
            .map_err(|_| failed(&format!("{file} is not of a kind that is known here")))?;
        let granted = self.ask(&credentials, now).await?;
        let end = now + Duration::from_secs(granted.expires_in);
        *kept = Some((granted.access_token.clone(), end));
        Ok(granted.access_token)
    }

    async fn ask(&self, credentials: &Credentials, now: SystemTime) -> Result<Granted, ModelError> {
        let (address, form) = request(credentials, now)?;
        let url = Url::parse(&address).map_err(|_| failed("its token_uri is no address"))?;
        let request = self
            .http
            .client(&url)?
            .post(url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let answered = async {
            let response = request.send().await?;
            let is_success = response.status().is_success();
            Ok::<_, reqwest::Error>((is_success, response.bytes().await?))
        };
        let answered = tokio::time::timeout(WITHIN, answered).await;
        let (is_success, bytes) = answered
            .map_err(|_| failed("the token's server did not answer"))?
            .map_err(|error| failed(&crate::fault::cause(&error)))?;
        if !is_success {
            return Err(failed("the credentials were refused"));
        }
        serde_json::from_slice(&bytes).map_err(|_| failed("the token's server made no sense"))
    }
}

fn request(credentials: &Credentials, now: SystemTime) -> Result<(String, String), ModelError> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    let address = match credentials {
        Credentials::ServiceAccount { client_email, private_key, token_uri } => {
            let address = token_uri.as_deref().unwrap_or(TOKEN_URL);
            let assertion = assertion(client_email, private_key, address, now)?;
            form.append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
            form.append_pair("assertion", &assertion);
            address
        }
        Credentials::AuthorizedUser { client_id, client_secret, refresh_token, token_uri } => {
            form.append_pair("grant_type", "refresh_token");
            form.append_pair("client_id", client_id);
            form.append_pair("client_secret", client_secret);
            form.append_pair("refresh_token", refresh_token);
            token_uri.as_deref().unwrap_or(TOKEN_URL)
        }
    };
    Ok((address.to_owned(), form.finish()))
}

/// A signed statement of who asks, good for an hour.
fn assertion(
    email: &str,
    key: &str,
    audience: &str,
    now: SystemTime,
) -> Result<String, ModelError> {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let head = json!({"alg": "RS256", "typ": "JWT"});
    let claims = json!({"iss": email, "scope": SCOPE, "aud": audience,
        "iat": since, "exp": since + 3600});
    let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let said = format!("{}.{}", part(&head), part(&claims));
    let body: String = key.lines().filter(|line| !line.starts_with("-----")).collect();
    let unusable = || failed("its private key cannot be used");
    let der = STANDARD.decode(body.trim()).map_err(|_| unusable())?;
    let pair = RsaKeyPair::from_pkcs8(&der).map_err(|_| unusable())?;
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), said.as_bytes(), &mut signature)
        .map_err(|_| unusable())?;
    Ok(format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn failed(why: &str) -> ModelError {
    let text = format!(
        "There is no token for Google Cloud: {why}. Run `gcloud auth application-default login`, \
         or set GOOGLE_APPLICATION_CREDENTIALS."
    );
    ModelError::new(ModelErrorKind::Authentication, text)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::encoding::AsDer;
    use aws_lc_rs::encoding::Pkcs8V1Der;
    use aws_lc_rs::rsa::{KeyPair, KeySize};
    use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    use super::*;

    #[test]
    fn a_service_account_signs_who_it_is() {
        let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let der: Pkcs8V1Der<'_> = pair.as_der().unwrap();
        let body = STANDARD.encode(der.as_ref());
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let assertion = assertion("a@b", &pem, "https://t", now).unwrap();
        let (said, signature) = assertion.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key());
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        public.verify(said.as_bytes(), &signature).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(said.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["exp"], 4600);
        assert_eq!(
            (claims["iss"].as_str(), claims["aud"].as_str()),
            (Some("a@b"), Some("https://t"))
        );
    }

    #[test]
    fn a_key_that_is_none_is_no_panic() {
        for key in ["", "-----BEGIN\n!!\n", "AAAA"] {
            let error = assertion("a", key, "b", SystemTime::UNIX_EPOCH).unwrap_err();
            assert!(error.message.contains("private key"), "{error}");
        }
    }
}
