//! What a server wants to know from the user: put to every client that can show it (`agent/ask`),
//! answered by the first. Plain clients get a box with buttons where that will do. Where nobody can
//! be asked, the answer is no.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp::{Elicitation, Elicited};
use protocol::ask::{AskAction, AskParams, AskResult, Form};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::{ServerNews, form, hooked};
use crate::core::Door;
use crate::session::ask::{message_box, request_id};
use crate::session::hooks::Hooks;
use crate::session::{Msg, asking};

/// How often a form comes back because what was filled in does not fit.
const TRIES: u32 = 3;
const OPENED: &str = "I have opened it";
const DECLINE: &str = "Decline";

/// Who can be asked.
#[derive(Default)]
pub struct Askable {
    /// There are clients that show forms and links.
    pub with_forms: bool,
    /// Clients that show a box with buttons.
    pub with_boxes: Vec<Arc<Door>>,
    /// Who may answer in the user's place.
    pub(super) hooks: Option<Hooks>,
}

/// The one place where a server's question goes by. Hooks may answer in the user's place
/// (`Elicitation`), and see what the user answered (`ElicitationResult`).
pub(super) async fn elicit(
    own: &mpsc::Sender<Msg>,
    session: &str,
    server: &str,
    asked: Elicitation,
) -> Elicited {
    let (reply, askable) = oneshot::channel();
    let _ = own.send(Msg::Server(ServerNews::Asks { reply })).await;
    let askable = askable.await.unwrap_or_default();
    let hooks = askable.hooks.as_ref();
    let by_hook = match hooks {
        Some(hooks) => hooked::before(hooks, server, &asked).await,
        None => None,
    };
    let answer = match by_hook {
        Some(answer) => answer,
        None => {
            hooks.inspect(|hooks| hooked::notify(hooks, server, &asked));
            ask(&askable, own, session, server, &asked).await
        }
    };
    let answer = match hooks {
        Some(hooks) => hooked::after(hooks, server, &asked, answer).await,
        None => answer,
    };
    let _ = own.send(Msg::Server(ServerNews::Answered)).await;
    answer
}

async fn ask(
    askable: &Askable,
    own: &mpsc::Sender<Msg>,
    session: &str,
    server: &str,
    asked: &Elicitation,
) -> Elicited {
    if askable.with_forms {
        return ask_form(own, session, server, asked).await;
    }
    match askable.with_boxes.first() {
        Some(door) => ask_box(door, server, asked).await,
        None => Elicited::Declined,
    }
}

async fn ask_form(
    own: &mpsc::Sender<Msg>,
    session: &str,
    server: &str,
    asked: &Elicitation,
) -> Elicited {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut problem = String::new();
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (message, form, url) = match asked {
            Elicitation::Form { message, schema } => {
                (message, Some(Form { schema: schema.clone() }), None)
            }
            Elicitation::Page { message, url } => (message, None, Some(url.clone())),
        };
        let message = format!("{problem}The MCP server {server} asks: {message}");
        let params = AskParams {
            request_id: request_id(session, &format!("mcp:{number}")),
            session_id: session.to_owned(),
            message: Some(policy::visible(&message).into_owned()),
            questions: None,
            form,
            url,
        };
        let Some(result) = asking::put(own, params).await else { return Elicited::Cancelled };
        match read(asked, result) {
            Ok(answer) => return answer,
            Err(why) => problem = format!("{why} "),
        }
    }
    Elicited::Cancelled
}

/// The error is a sentence for whoever filled the form in.
fn read(asked: &Elicitation, result: AskResult) -> Result<Elicited, String> {
    match (result.action, asked) {
        (AskAction::Accept, Elicitation::Page { .. }) => Ok(Elicited::Accepted(None)),
        (AskAction::Accept, Elicitation::Form { schema, .. }) => {
            let filled = form::complete(schema, result.content.unwrap_or_default())?;
            Ok(Elicited::Accepted(Some(filled)))
        }
        (AskAction::Decline, _) => Ok(Elicited::Declined),
        _ => Ok(Elicited::Cancelled),
    }
}

/// A page, or a form with one choice: more does not go into a box.
async fn ask_box(door: &Arc<Door>, server: &str, asked: &Elicitation) -> Elicited {
    match asked {
        Elicitation::Page { message, url } => {
            let text = format!("The MCP server {server} asks you to open {url}: {message}");
            match message_box(door, &text, &[OPENED, DECLINE]).await.as_deref() {
                Some(OPENED) => Elicited::Accepted(None),
                Some(_) => Elicited::Declined,
                None => Elicited::Cancelled,
            }
        }
        Elicitation::Form { message, schema } => {
            let Some((field, choices)) = form::one_choice(schema) else {
                return Elicited::Declined;
            };
            let text = format!("The MCP server {server} asks: {message}");
            let labels: Vec<&str> = choices.iter().map(|(label, _)| label.as_str()).collect();
            let buttons: Vec<&str> = labels.into_iter().chain([DECLINE]).collect();
            let Some(chosen) = message_box(door, &text, &buttons).await else {
                return Elicited::Cancelled;
            };
            let value = choices.into_iter().find(|(label, _)| *label == chosen);
            let Some((_, value)) = value else { return Elicited::Declined };
            let content: BTreeMap<String, Value> = [(field, value)].into();
            match form::complete(schema, content) {
                Ok(filled) => Elicited::Accepted(Some(filled)),
                Err(_) => Elicited::Declined,
            }
        }
    }
}
