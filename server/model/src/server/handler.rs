//! One request in, one response out.

use std::time::Instant;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::asked::Asked;
use super::dialect::Dialect;
use super::play::{self, BrokenOff, Part};
use super::testing::{Captured, Recorder};
use super::wire::shaped;
use super::{Brain, check};
use crate::rehearsal;
use crate::scenario::{ScriptedAnswer, Step, Wire};

const MAX_REQUEST: usize = 64 << 20;

type Body = UnsyncBoxBody<Bytes, BrokenOff>;

#[derive(Clone)]
pub(super) struct Handler {
    brain: Brain,
    recorder: Option<Recorder>,
}

/// No status of HTTP's: the connection is closed instead.
const HANG_UP: u16 = 0;

/// A refusal, as the API words it.
pub(super) struct Refusal {
    status: u16,
    body: String,
    headers: Vec<(String, String)>,
}

impl Refusal {
    pub(super) fn new(status: u16, kind: &str, message: &str) -> Self {
        Self { status, body: error_body(kind, message), headers: Vec::new() }
    }

    pub(super) fn invalid(message: &str) -> Self {
        Self::new(400, "invalid_request_error", message)
    }
}

pub(crate) fn error_body(kind: &str, message: &str) -> String {
    json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
}

impl Handler {
    pub(super) fn new(brain: Brain, recorder: Option<Recorder>) -> Self {
        Self { brain, recorder }
    }

    pub(super) fn connected(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.connected();
        }
    }

    /// An error closes the connection without a word.
    pub(super) async fn handle(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, BrokenOff> {
        Ok(match self.answer(request).await {
            Ok(response) => response,
            Err(Refusal { status: HANG_UP, .. }) => return Err(BrokenOff),
            Err(Refusal { status, body, headers }) => {
                let status =
                    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let mut builder =
                    Response::builder().status(status).header("request-id", "req_loopback");
                if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    builder = builder.header(CONTENT_TYPE, "application/json");
                }
                for (name, value) in headers {
                    builder = builder.header(name, value);
                }
                builder.body(whole(body)).unwrap_or_else(|_| Response::new(whole(String::new())))
            }
        })
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        let at = Instant::now();
        let (head, body) = request.into_parts();
        check_key(&head.headers)?;
        let path = head.uri.path().to_owned();
        match (&head.method, path.as_str()) {
            (&Method::GET, "/v1/models") => Ok(object(&model_list())),
            (&Method::POST, "/v1/messages") => {
                let body = self.read(at, &path, &head.headers, body).await?;
                check::messages(&body).map_err(|problem| Refusal::invalid(&problem))?;
                check::betas(&body, &head.headers).map_err(|problem| Refusal::invalid(&problem))?;
                self.complete(Asked::messages(&body)?, Dialect::messages(&body)).await
            }
            (&Method::POST, "/v1/messages/count_tokens") => {
                let body = self.read(at, &path, &head.headers, body).await?;
                check::counted(&body).map_err(|problem| Refusal::invalid(&problem))?;
                let rough = body.to_string().len() as u64 / 4 + 1;
                let scripted = match &self.brain {
                    Brain::Scenario(scenario) => scenario.counted,
                    Brain::Rehearsal => None,
                };
                Ok(object(&json!({"input_tokens": scripted.unwrap_or(rough)})))
            }
            (&Method::POST, "/v1/chat/completions") => {
                let body = self.read(at, &path, &head.headers, body).await?;
                check::completions(&body).map_err(|problem| Refusal::invalid(&problem))?;
                self.complete(Asked::completions(&body)?, Dialect::completions(&body)).await
            }
            (method, path) => {
                let message = format!("There is no {method} {path} here.");
                Err(Refusal::new(404, "not_found_error", &message))
            }
        }
    }

    async fn read(
        &self,
        at: Instant,
        path: &str,
        headers: &HeaderMap,
        body: Incoming,
    ) -> Result<Value, Refusal> {
        let collected = Limited::new(body, MAX_REQUEST).collect().await;
        let bytes = collected
            .map_err(|_| Refusal::new(413, "request_too_large", "The request exceeds 64 MB."))?
            .to_bytes();
        let body: Value = serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::invalid(&format!("The body is not JSON: {error}")))?;
        if let Some(recorder) = &self.recorder {
            let headers = headers.iter().map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            let (path, headers) = (path.to_owned(), headers.collect());
            recorder.record(Captured { path, headers, body: body.clone(), at });
        }
        if body["model"] == "no-such-model" {
            return Err(Refusal::new(404, "not_found_error", "model: no-such-model"));
        }
        Ok(body)
    }

    async fn complete(&self, asked: Asked, dialect: Dialect) -> Result<Response<Body>, Refusal> {
        let mut wire = Wire::default();
        let parts = match &self.brain {
            Brain::Rehearsal => {
                rehearsal::events(&asked.view()).into_iter().map(Part::Event).collect()
            }
            Brain::Scenario(scenario) => {
                let answer = scenario.take(&asked.last_words).ok_or_else(|| {
                    let words: String = asked.last_words.chars().take(80).collect();
                    let message = format!("The scenario has no answer left for: {words}");
                    Refusal::new(500, "api_error", &message)
                })?;
                let answer = answer.fill(&asked.directory(), &asked.last_words);
                wire = answer.wire.clone();
                tokio::time::sleep(wire.head_delay).await;
                refused(&answer)?;
                play::script(answer, &asked)
            }
        };
        if !asked.stream {
            return Ok(object(&dialect.whole(&parts)?));
        }
        let mut response = Response::builder()
            .header("cache-control", "no-cache")
            .header("request-id", "req_loopback");
        let kind = wire.content_type.clone();
        let kind = kind.unwrap_or_else(|| "text/event-stream; charset=utf-8".to_owned());
        if !kind.is_empty() {
            response = response.header(CONTENT_TYPE, kind);
        }
        let body = shaped(play::body(parts, dialect, self.recorder.clone()), wire);
        let response = response.body(StreamBody::new(body).boxed_unsync());
        response.map_err(|error| Refusal::new(500, "api_error", &error.to_string()))
    }
}

/// An answer that begins with an error is no answer.
fn refused(answer: &ScriptedAnswer) -> Result<(), Refusal> {
    match answer.steps.first() {
        Some(Step::Error { status, body, headers }) => {
            let (body, headers) = (body.clone(), headers.clone());
            Err(Refusal { status: *status, body, headers })
        }
        Some(Step::HangUp) => {
            Err(Refusal { status: HANG_UP, body: String::new(), headers: Vec::new() })
        }
        _ => Ok(()),
    }
}

/// Any key opens the door but one.
fn check_key(headers: &HeaderMap) -> Result<(), Refusal> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    if is("x-api-key", "wrong") || is("authorization", "Bearer wrong") {
        return Err(Refusal::new(401, "authentication_error", "invalid x-api-key"));
    }
    Ok(())
}

fn model_list() -> Value {
    let known = agent::models::MODELS.iter().map(|model| (model.id, model.name));
    let all = known.chain([(rehearsal::ID, "Rehearsal")]);
    let list: Vec<Value> = all
        .map(|(id, name)| json!({"type": "model", "object": "model", "id": id, "display_name": name}))
        .collect();
    json!({"object": "list", "data": list, "has_more": false})
}

fn object(value: &Value) -> Response<Body> {
    let mut response = Response::new(whole(value.to_string()));
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

fn whole(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed_unsync()
}
