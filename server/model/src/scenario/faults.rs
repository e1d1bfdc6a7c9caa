//! Accidents, in code. `fixtures/model/README.md` has the same as data, and says which fault of the
//! network or the provider is written how.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::{End, Scenario, Step};

impl Scenario {
    /// Refuses the request with an error body in the shape of the Messages API.
    #[must_use]
    pub fn error(self, status: u16, kind: &str, message: &str) -> Self {
        let body = crate::server::error_body(kind, message);
        self.refuse(status, &body, &[])
    }

    #[must_use]
    pub fn refuse(self, status: u16, body: &str, headers: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers = headers.iter().map(owned).collect();
        self.step(Step::Error { status, body: body.to_owned(), headers })
    }

    #[must_use]
    pub fn error_event(self, kind: &str, message: &str) -> Self {
        self.step(Step::ErrorEvent { kind: kind.to_owned(), message: message.to_owned() })
    }

    #[must_use]
    pub fn raw(self, bytes: impl Into<Bytes>) -> Self {
        self.step(Step::Raw(bytes.into()))
    }

    #[must_use]
    pub fn reset(self) -> Self {
        self.step(Step::Reset)
    }

    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    #[must_use]
    pub fn truncate(self) -> Self {
        self.step(Step::Truncate)
    }

    /// The current answer is given this many times before the next one's turn comes.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.current().times = times;
        self
    }

    /// What `count_tokens` answers, to whatever request.
    #[must_use]
    pub fn count_tokens(mut self, tokens: u64) -> Self {
        self.counted = Some(tokens);
        self
    }

    /// A call whose input breaks off or is no JSON at all.
    #[must_use]
    pub fn raw_tool(self, name: &str, json: &str) -> Self {
        self.step(Step::RawTool { name: name.to_owned(), json: json.to_owned() })
    }

    /// A call with an id of the test's choice, which may be one that was there before.
    #[must_use]
    pub fn tool_with_id(self, id: &str, name: &str, input: Value) -> Self {
        self.step(Step::Tool { name: name.to_owned(), input, id: Some(id.to_owned()) })
    }

    /// A block of any kind: what the provider's own tools leave in an answer.
    #[must_use]
    pub fn block(self, block: Value) -> Self {
        self.step(Step::Block(block))
    }

    #[must_use]
    pub fn pings(self, count: usize, every: Duration) -> Self {
        self.step(Step::Pings { count, every })
    }

    /// Closes the connection before a byte of the answer, as a server that goes away does.
    #[must_use]
    pub fn hang_up(self) -> Self {
        self.step(Step::HangUp)
    }

    /// A web page in place of the API, with whatever status.
    #[must_use]
    pub fn page(self, status: u16, html: &str) -> Self {
        self.refuse(status, html, &[("content-type", "text/html; charset=utf-8")])
    }

    /// Nothing, not even the head of the response, for this long.
    #[must_use]
    pub fn head_delay(mut self, time: Duration) -> Self {
        self.current().wire.head_delay = time;
        self
    }

    /// The answer comes this many bytes at a time, this far apart.
    #[must_use]
    pub fn drip(mut self, bytes: usize, every: Duration) -> Self {
        self.current().wire.drip = Some((bytes, every));
        self
    }

    /// The response ends properly after this many bytes.
    #[must_use]
    pub fn truncate_at(mut self, bytes: usize) -> Self {
        self.current().wire.end_at = Some((bytes, End::Truncate));
        self
    }

    /// The connection is cut after this many bytes.
    #[must_use]
    pub fn reset_at(mut self, bytes: usize) -> Self {
        self.current().wire.end_at = Some((bytes, End::Reset));
        self
    }

    /// What a proxy made of the stream's content type; empty for nothing at all.
    #[must_use]
    pub fn content_type(mut self, kind: &str) -> Self {
        self.current().wire.content_type = Some(kind.to_owned());
        self
    }
}
