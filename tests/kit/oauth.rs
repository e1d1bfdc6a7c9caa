//! An MCP server that wants a token, and the sign-in service that gives it: discovery, registration,
//! PKCE, rotation of refresh tokens, and a tool that needs more than the first sign-in grants.

mod service;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

use service::Service;

/// What may be wrong with it.
#[derive(Clone, Default)]
pub struct Quirks {
    /// Says this is where the user signs in.
    pub authorization_endpoint: Option<String>,
    /// Says it is somebody else.
    pub issuer: Option<String>,
    /// Says who it is when the browser comes back, and lies.
    pub callback_issuer: Option<String>,
    /// Sends whoever looks for its metadata here.
    pub metadata_redirect: Option<String>,
    /// Registers nobody.
    pub no_registration: bool,
    /// Metadata of this many bytes.
    pub padding: usize,
    /// Seconds that a token holds; an hour when nothing is said.
    pub expires_in: Option<u64>,
}

/// The server and its sign-in service, on one port.
pub struct Doorway {
    address: SocketAddr,
    service: Arc<Mutex<Service>>,
    task: JoinHandle<()>,
}

impl Drop for Doorway {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a first sign-in is for.
const FIRST: &str = "scope=\"files:read\"";

pub(crate) type Answer = Response<Full<Bytes>>;

impl Doorway {
    pub async fn open(quirks: Quirks) -> Doorway {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = Arc::new(Mutex::new(Service::new(address, quirks)));
        let shared = service.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = shared.clone();
                let handler = service_fn(move |request| {
                    let service = service.clone();
                    async move { Ok::<_, std::convert::Infallible>(answer(&service, request).await) }
                });
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(stream), handler));
            }
        });
        Doorway { address, service, task }
    }

    /// The MCP server's address.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What happened, a line each, without secrets.
    pub fn log(&self) -> Vec<String> {
        self.service().log.clone()
    }

    /// Every token given so far, also those that do not hold any more.
    pub fn secrets(&self) -> Vec<String> {
        self.service().secrets.clone()
    }

    /// From now on no access token holds; what renews them does.
    pub fn expire(&self) {
        self.service().access.clear();
    }

    /// From now on no token of any kind holds.
    pub fn revoke(&self) {
        let mut service = self.service();
        service.access.clear();
        service.refresh.clear();
    }

    /// What a user does who agrees: opens the page, and goes where it leads.
    pub async fn agree(&self, page: &str) {
        let (status, location) = get(page).await;
        assert_eq!(status, 302, "{page}");
        let (status, _) = get(&location.unwrap()).await;
        assert_eq!(status, 200, "the way back");
    }

    fn service(&self) -> MutexGuard<'_, Service> {
        self.service.lock().unwrap()
    }
}

/// A page of this machine: its status and where it leads.
pub async fn get(address: &str) -> (u16, Option<String>) {
    let url = Url::parse(address).unwrap();
    let to = (url.host_str().unwrap(), url.port().unwrap());
    let mut stream = TcpStream::connect(to).await.unwrap();
    let target = &url[url::Position::BeforePath..];
    let head =
        format!("GET {target} HTTP/1.1\r\nhost: {}:{}\r\nconnection: close\r\n\r\n", to.0, to.1);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).await.unwrap();
    let status = said.split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = said.lines().take_while(|line| !line.is_empty());
    let location = headers.find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("location").then(|| value.to_owned())
    });
    (status, location)
}

async fn answer(service: &Mutex<Service>, request: Request<Incoming>) -> Answer {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let token = head.headers.get("authorization").and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    let mut service = service.lock().unwrap();
    match head.uri.path() {
        "/mcp" if head.method == "POST" => mcp(&mut service, token, &body),
        "/mcp" => refused(&service, StatusCode::UNAUTHORIZED, FIRST),
        path => service.serve(path, head.uri.query().unwrap_or_default(), &body),
    }
}

fn mcp(service: &mut Service, token: &str, body: &[u8]) -> Answer {
    let Some(scopes) = service.access.get(token).cloned() else {
        return refused(service, StatusCode::UNAUTHORIZED, FIRST);
    };
    let message: Value = serde_json::from_slice(body).unwrap();
    let Some(id) = message.get("id") else { return empty(StatusCode::ACCEPTED) };
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "doorway", "version": "1" },
        }),
        "tools/list" => {
            let schema = json!({ "type": "object" });
            let tool = |name| json!({ "name": name, "description": name, "inputSchema": schema });
            json!({ "tools": [tool("look"), tool("change")] })
        }
        "tools/call" => {
            let name = message["params"]["name"].as_str().unwrap_or_default().to_owned();
            if name == "change" && !scopes.iter().any(|scope| scope == "files:write") {
                service.log.push("403 change".to_owned());
                let lacks = "error=\"insufficient_scope\", scope=\"files:write\"";
                return refused(service, StatusCode::FORBIDDEN, lacks);
            }
            service.log.push(format!("called {name}"));
            json!({ "content": [{ "type": "text", "text": format!("did {name}") }] })
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("no {method}") });
            return json_answer(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
        }
    };
    json_answer(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn refused(service: &Service, status: StatusCode, more: &str) -> Answer {
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", service.base());
    let challenge = format!("Bearer resource_metadata=\"{metadata}\", {more}");
    let answer = Response::builder().status(status).header("www-authenticate", challenge);
    answer.body(Full::default()).unwrap()
}

pub(crate) fn json_answer(value: &Value) -> Answer {
    let answer = Response::builder().header("content-type", "application/json");
    answer.body(Full::from(value.to_string())).unwrap()
}

pub(crate) fn empty(status: StatusCode) -> Answer {
    Response::builder().status(status).body(Full::default()).unwrap()
}
