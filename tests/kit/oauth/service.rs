//! The sign-in service itself. It checks what it is sent as strictly as the specifications allow.

use std::collections::HashMap;
use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::Full;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Answer, Quirks, empty, json_answer};

pub(crate) struct Service {
    address: SocketAddr,
    quirks: Quirks,
    pub(crate) log: Vec<String>,
    pub(crate) secrets: Vec<String>,
    /// Access token → scopes.
    pub(crate) access: HashMap<String, Vec<String>>,
    /// Refresh token → client and scopes. Each is good once.
    pub(crate) refresh: HashMap<String, (String, Vec<String>)>,
    /// Client → its redirect address.
    clients: HashMap<String, String>,
    codes: HashMap<String, Code>,
    count: usize,
}

struct Code {
    client: String,
    redirect: String,
    challenge: String,
    scopes: Vec<String>,
}

type Fields = HashMap<String, String>;

impl Service {
    pub(crate) fn new(address: SocketAddr, quirks: Quirks) -> Service {
        Service {
            address,
            quirks,
            log: Vec::new(),
            secrets: Vec::new(),
            access: HashMap::new(),
            refresh: HashMap::new(),
            // Registered by hand.
            clients: HashMap::from([("by-hand".to_owned(), String::new())]),
            codes: HashMap::new(),
            count: 0,
        }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn serve(&mut self, path: &str, query: &str, body: &[u8]) -> Answer {
        match path {
            "/.well-known/oauth-protected-resource/mcp" => json_answer(&json!({
                "resource": format!("{}/mcp", self.base()),
                "authorization_servers": [self.base()],
                "scopes_supported": ["files:read", "files:write"],
            })),
            "/.well-known/oauth-authorization-server" => self.metadata(),
            "/register" => self.register(body),
            "/authorize" => self.authorize(&fields(query.as_bytes())),
            "/token" => self.token(&fields(body)),
            _ => empty(StatusCode::NOT_FOUND),
        }
    }

    fn metadata(&self) -> Answer {
        if let Some(to) = &self.quirks.metadata_redirect {
            return redirect(to);
        }
        let base = self.base();
        let page = self.quirks.authorization_endpoint.clone();
        let mut metadata = json!({
            "issuer": self.quirks.issuer.clone().unwrap_or_else(|| base.clone()),
            "authorization_endpoint": page.unwrap_or_else(|| format!("{base}/authorize")),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "padding": "x".repeat(self.quirks.padding),
        });
        if self.quirks.no_registration
            && let Some(metadata) = metadata.as_object_mut()
        {
            metadata.remove("registration_endpoint");
        }
        json_answer(&metadata)
    }

    fn register(&mut self, body: &[u8]) -> Answer {
        let asked: Value = serde_json::from_slice(body).unwrap();
        let redirect = asked["redirect_uris"][0].as_str().unwrap().to_owned();
        assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
        let client = self.next("client");
        self.clients.insert(client.clone(), redirect.clone());
        self.log.push(format!("registered {}", asked["client_name"].as_str().unwrap()));
        json_answer(&json!({ "client_id": client, "redirect_uris": [redirect] }))
    }

    fn authorize(&mut self, asked: &Fields) -> Answer {
        let redirect_uri = &asked["redirect_uri"];
        let known = self.clients.get(&asked["client_id"]).unwrap();
        assert!(known.is_empty() || known == redirect_uri, "{redirect_uri}");
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["resource"], format!("{}/mcp", self.base()));
        let scopes = asked.get("scope").cloned().unwrap_or_default();
        self.log.push(format!("signed in for {scopes}"));
        let code = self.next("code");
        let given = Code {
            client: asked["client_id"].clone(),
            redirect: redirect_uri.clone(),
            challenge: asked["code_challenge"].clone(),
            scopes: scopes.split(' ').map(str::to_owned).collect(),
        };
        self.codes.insert(code.clone(), given);
        let issuer = self.quirks.callback_issuer.clone().unwrap_or_else(|| self.base());
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("code", &code), ("state", &asked["state"]), ("iss", &issuer)])
            .finish();
        redirect(&format!("{redirect_uri}?{query}"))
    }

    fn token(&mut self, asked: &Fields) -> Answer {
        assert_eq!(asked["resource"], format!("{}/mcp", self.base()));
        match asked["grant_type"].as_str() {
            "authorization_code" => {
                let code = self.codes.remove(&asked["code"]).unwrap();
                let digest = Sha256::digest(asked["code_verifier"].as_bytes());
                assert_eq!(URL_SAFE_NO_PAD.encode(digest), code.challenge, "PKCE");
                assert_eq!(asked["redirect_uri"], code.redirect);
                assert_eq!(asked["client_id"], code.client);
                self.grant(&code.client, code.scopes)
            }
            "refresh_token" => match self.refresh.remove(&asked["refresh_token"]) {
                Some((client, scopes)) => {
                    assert_eq!(asked["client_id"], client);
                    self.log.push("renewed".to_owned());
                    self.grant(&client, scopes)
                }
                None => {
                    self.log.push("not renewed".to_owned());
                    let body = json!({ "error": "invalid_grant" }).to_string();
                    let answer = Response::builder().status(StatusCode::BAD_REQUEST);
                    let answer = answer.header("content-type", "application/json");
                    answer.body(Full::from(body)).unwrap()
                }
            },
            other => panic!("{other}"),
        }
    }

    fn grant(&mut self, client: &str, scopes: Vec<String>) -> Answer {
        let (access, refresh) = (self.next("access"), self.next("refresh"));
        self.access.insert(access.clone(), scopes.clone());
        self.refresh.insert(refresh.clone(), (client.to_owned(), scopes.clone()));
        self.secrets.extend([access.clone(), refresh.clone()]);
        json_answer(&json!({
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": self.quirks.expires_in.unwrap_or(3600),
            "refresh_token": refresh,
            "scope": scopes.join(" "),
        }))
    }

    fn next(&mut self, what: &str) -> String {
        self.count += 1;
        format!("canary-{what}-{:04}", self.count)
    }
}

fn fields(text: &[u8]) -> Fields {
    url::form_urlencoded::parse(text).into_owned().collect()
}

fn redirect(to: &str) -> Answer {
    let answer = Response::builder().status(StatusCode::FOUND).header("location", to);
    answer.body(Full::default()).unwrap()
}
