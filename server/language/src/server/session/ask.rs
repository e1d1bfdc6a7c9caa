//! Questions: the server is brought to the texts they are about, and asked.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::Value;
use text::Text;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{Failure, Pending, Phase, Reply, Sent, Session, Step, words};
use crate::lsp;

/// A question under way.
pub(super) struct Ask {
    step: Step,
    reply: oneshot::Sender<Result<Reply, Failure>>,
    /// What the server has open as it is asked.
    texts: HashMap<PathBuf, Text>,
}

impl Ask {
    pub(super) fn refuse(self, failure: Failure) {
        drop(self.reply.send(Err(failure)));
    }

    /// Nobody waits for it any more.
    pub(super) fn is_unwanted(&self) -> bool {
        self.reply.is_closed()
    }
}

impl Session {
    pub(super) fn ask(
        &mut self,
        step: Step,
        texts: &[(PathBuf, Option<Text>)],
        reply: oneshot::Sender<Result<Reply, Failure>>,
        until: Instant,
    ) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        if !capabilities.offers(&step) {
            drop(reply.send(Err(Failure::Cannot)));
            return;
        }
        for (path, text) in texts {
            let mut send = |method: &str, params: Value| self.outgoing.notify(method, params);
            match (text, self.config.language(path)) {
                (Some(text), Some(language)) => {
                    // A path that has no address is refused below, if it is the one asked about.
                    drop(self.opened.bring(path, text, language, capabilities, &mut send));
                }
                _ => self.opened.close(path, &mut send),
            }
        }
        let ask = Ask { step, reply, texts: HashMap::new() };
        self.ask_again(Sent { until: Some(until), tries: 0, what: Pending::Ask(ask) });
    }

    /// Makes a request, for the first time or once more.
    pub(super) fn ask_again(&mut self, sent: Sent) {
        let Phase::Ready(capabilities) = &self.phase else {
            self.give_up(sent.what);
            return;
        };
        let encoding = capabilities.encoding;
        match sent.what {
            Pending::Ask(ask) => {
                let texts = self.opened.texts();
                let none = Text::default();
                let of = |path: &std::path::Path| texts.get(path).unwrap_or(&none);
                let request = match &ask.step {
                    Step::Query(query) => lsp::request(query, of(query.path()), encoding),
                    Step::PrepareRename(at) => lsp::prepare_rename(at, of(&at.path), encoding),
                };
                match request {
                    Ok((method, params)) => {
                        let what = Pending::Ask(Ask { texts, ..ask });
                        self.repeat(method, params, Sent { what, ..sent });
                    }
                    Err(sentence) => ask.refuse(Failure::Sentence(sentence)),
                }
            }
            Pending::Report { path, version } => {
                self.ask_for_report(&path, version, sent.until, sent.tries);
            }
            Pending::Initialize | Pending::Shutdown | Pending::Barrier { .. } => {}
        }
    }

    pub(super) fn finish(&mut self, ask: Ask, result: Result<Value, Value>) {
        let Phase::Ready(capabilities) = &self.phase else {
            ask.refuse(self.gone());
            return;
        };
        let encoding = capabilities.encoding;
        let reply = result.map(|value| Reply { value, encoding, texts: ask.texts });
        let name = &self.config.name;
        let reply = reply.map_err(|error| {
            let why = words(&error);
            Failure::Sentence(format!("The language server `{name}` refuses: {why}."))
        });
        drop(ask.reply.send(reply));
    }
}
