//! Methods as types: what a request and a notification are, and the table of all of them.

use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    ask, complete, diff, edit, editor, event, mcp, memory, permission, review, session, status,
    tasks, terminal, trust,
};

/// A method that is answered.
pub trait Request {
    /// The name on the wire, for example `agent/session/new`.
    const METHOD: &'static str;
    /// Who sends it.
    const DIRECTION: Direction;
    /// What is sent.
    type Params: DeserializeOwned + Serialize + JsonSchema;
    /// What is answered.
    type Result: DeserializeOwned + Serialize + JsonSchema;
}

/// A method that is not answered.
pub trait Notification {
    /// The name on the wire, for example `agent/event`.
    const METHOD: &'static str;
    /// Who sends it.
    const DIRECTION: Direction;
    /// What is sent.
    type Params: DeserializeOwned + Serialize + JsonSchema;
}

/// Who sends a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The client sends, the server receives.
    ToServer,
    /// The server sends, the client receives.
    ToClient,
}

impl Direction {
    /// The direction as the schema writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToServer => "clientToServer",
            Self::ToClient => "serverToClient",
        }
    }
}

/// Whether a method is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// It is answered.
    Request,
    /// It is not.
    Notification,
}

impl MethodKind {
    /// The kind as the schema writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Notification => "notification",
        }
    }
}

type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One row of the method table.
#[derive(Clone, Copy)]
pub struct MethodInfo {
    /// The name on the wire.
    pub method: &'static str,
    /// Whether it is answered.
    pub kind: MethodKind,
    /// Who sends it.
    pub direction: Direction,
    /// The lines of the marker type's doc comment.
    pub(crate) doc: &'static [&'static str],
    pub(crate) params: SchemaOf,
    /// None for a notification.
    pub(crate) result: Option<SchemaOf>,
}

impl MethodInfo {
    pub(crate) const fn request<R: Request>(doc: &'static [&'static str]) -> Self {
        Self {
            method: R::METHOD,
            kind: MethodKind::Request,
            direction: R::DIRECTION,
            doc,
            params: SchemaGenerator::subschema_for::<R::Params>,
            result: Some(SchemaGenerator::subschema_for::<R::Result>),
        }
    }

    pub(crate) const fn notification<N: Notification>(doc: &'static [&'static str]) -> Self {
        Self {
            method: N::METHOD,
            kind: MethodKind::Notification,
            direction: N::DIRECTION,
            doc,
            params: SchemaGenerator::subschema_for::<N::Params>,
            result: None,
        }
    }
}

/// Every `agent/*` method of the contract, family by family.
pub fn methods() -> &'static [MethodInfo] {
    static ALL: LazyLock<Vec<MethodInfo>> = LazyLock::new(|| {
        [
            session::METHODS,
            edit::METHODS,
            review::METHODS,
            permission::METHODS,
            ask::METHODS,
            diff::METHODS,
            editor::METHODS,
            terminal::METHODS,
            complete::METHODS,
            tasks::METHODS,
            mcp::METHODS,
            memory::METHODS,
            trust::METHODS,
            status::METHODS,
            event::METHODS,
        ]
        .concat()
    });
    &ALL
}

/// Parameters or a result without content: written as `{}`, read from anything.
///
/// Editors answer such requests with null as often as with an object, and both mean "done".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Empty {}

impl<'de> Deserialize<'de> for Empty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self {})
    }
}
