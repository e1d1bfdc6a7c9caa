//! What a server's error body says, whoever wrote it.

use serde::Deserialize;

/// What an error body says, in either provider's shape.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Detail {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) request_id: Option<String>,
    /// Somebody else answered: a proxy, a gateway, the login page of a network.
    pub(crate) is_page: bool,
}

impl Detail {
    /// Never fails: a page of HTML is an error message too, if a poor one.
    pub(crate) fn parse(body: &str) -> Self {
        #[derive(Deserialize)]
        struct Body {
            error: Said,
            request_id: Option<String>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Object {
                #[serde(rename = "type")]
                kind: Option<String>,
                code: Option<serde_json::Value>,
                message: Option<String>,
            },
            Text(String),
        }
        /// As AWS says it.
        #[derive(Deserialize)]
        struct Bare {
            #[serde(alias = "Message")]
            message: String,
        }
        match serde_json::from_str::<Body>(body) {
            Ok(Body { error: Said::Object { kind, code, message }, request_id }) => {
                let code = code.and_then(|code| code.as_str().map(str::to_owned));
                let kind = code.or(kind).unwrap_or_default();
                let message = one_line(message.as_deref().unwrap_or(&kind));
                Detail { kind, message, request_id, is_page: false }
            }
            Ok(Body { error: Said::Text(text), request_id }) => {
                Detail { message: one_line(&text), request_id, ..Detail::default() }
            }
            Err(_) if let Ok(said) = serde_json::from_str::<Bare>(body) => {
                Detail { message: one_line(&said.message), ..Detail::default() }
            }
            Err(_) if body.trim_start().starts_with('<') => {
                Detail { message: title(body), is_page: true, ..Detail::default() }
            }
            Err(_) => Detail { message: one_line(body), ..Detail::default() },
        }
    }
}

/// A page's own name for itself is the best hint at whose it is.
fn title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let found = lower.find("<title").and_then(|at| {
        let begin = at + lower[at..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        page.get(begin..end).map(str::trim).filter(|title| !title.is_empty())
    });
    match found {
        Some(title) => format!("a web page, `{}`", one_line(title)),
        None => "a web page".to_owned(),
    }
}

/// The first line that says something, short enough to read.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line =
        text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no reason given");
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short.truncate(short.trim_end_matches(['.', ' ']).len());
    short
}
