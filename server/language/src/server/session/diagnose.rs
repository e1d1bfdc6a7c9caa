//! Findings: who waits for them, and what the server says about them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use text::Text;
use tokio::time::Instant;
use workspace::DocumentUri;

use super::job::FindingsReply;
use super::{Failure, Pending, Phase, Sent, Session};
use crate::Finding;
use crate::lsp::{self, Report};
use crate::server::verdict::Barrier;

/// How long a report or the answer at a barrier may take before it is forgotten.
const PATIENCE: Duration = Duration::from_secs(60);

/// Somebody who wants the findings about one version.
pub(super) struct Waiter {
    path: PathBuf,
    version: i32,
    until: Instant,
    /// The server will not tell.
    hopeless: bool,
    reply: FindingsReply,
}

impl Waiter {
    pub(super) fn refuse(self, failure: Failure) {
        drop(self.reply.send(Err(failure)));
    }
}

impl Session {
    pub(super) fn diagnose(
        &mut self,
        path: PathBuf,
        text: &Text,
        reply: FindingsReply,
        until: Instant,
        now: Instant,
    ) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        let Some(language) = self.config.language(&path) else {
            drop(reply.send(Err(Failure::Cannot)));
            return;
        };
        let mut send = |method: &str, params: Value| self.outgoing.notify(method, params);
        if let Err(sentence) = self.opened.bring(&path, text, language, capabilities, &mut send) {
            drop(reply.send(Err(Failure::Sentence(sentence))));
            return;
        }
        let pulls = capabilities.pull.is_some();
        let Some(document) = self.opened.get_mut(&path) else { return };
        let version = document.version;
        if pulls {
            // Asked each time: what it finds here may depend on other files that changed.
            document.verdict.verified = false;
        }
        let ask = pulls && !document.verdict.asking;
        let waiter = Waiter { path: path.clone(), version, until, hopeless: false, reply };
        self.waiters.push(waiter);
        if ask {
            self.ask_for_report(&path, version, Some(now + PATIENCE), 0);
        }
    }

    /// Answers those who waited long enough, or for something that is known now.
    pub(super) fn settle(&mut self, now: Instant) {
        let calm = self.calm.is_calm(now);
        for waiter in std::mem::take(&mut self.waiters) {
            let (answer, over) = match self.opened.get_mut(&waiter.path) {
                // The text has moved on, so what they asked about cannot be known any more.
                Some(document) if document.version != waiter.version => {
                    ((document.verdict.findings.clone(), false), true)
                }
                Some(document) => {
                    document.verdict.tick(now);
                    let verified = document.verdict.verified && calm;
                    let enough = now >= waiter.until || waiter.hopeless;
                    let over = verified || enough || waiter.reply.is_closed();
                    let findings =
                        if over { document.verdict.findings.clone() } else { Vec::new() };
                    ((findings, verified), over)
                }
                None => ((Vec::new(), false), true),
            };
            if over {
                drop(waiter.reply.send(Ok(answer)));
            } else {
                self.waiters.push(waiter);
            }
        }
    }

    /// When a waiter's patience ends, and when findings become sure.
    pub(super) fn diagnosis_wakes(&self) -> impl Iterator<Item = Instant> {
        self.waiters.iter().flat_map(|waiter| {
            let document = self.opened.get(&waiter.path);
            let quiet = document.and_then(|document| document.verdict.quiet_at());
            [Some(waiter.until), quiet, self.calm.wake()].into_iter().flatten()
        })
    }

    pub(super) fn hear_published(&mut self, mut params: Value, now: Instant) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        // Who is asked for reports is not listened to besides: two lists of one server would not
        // add up to one.
        if capabilities.pull.is_some() {
            return;
        }
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let Some(path) = DocumentUri::new(uri).to_path() else { return };
        let Some(document) = self.opened.get_mut(&path) else { return };
        let named = params.get("version").filter(|version| !version.is_null());
        let named = named.map(|version| version.as_i64());
        if named.is_some_and(|version| version != Some(i64::from(document.version))) {
            return;
        }
        let items = params.get_mut("diagnostics").map(Value::take).unwrap_or_default();
        let findings = match lsp::findings(items, &document.text, capabilities.encoding) {
            Ok(findings) => findings,
            Err(sentence) => {
                tracing::debug!(server = self.config.name, "{sentence}");
                return;
            }
        };
        if named.is_some() {
            document.verdict.settle(findings);
        } else if document.verdict.hear_unnamed(findings, now) {
            let version = document.version;
            match capabilities.barrier(&document.uri) {
                Some((method, params)) => {
                    document.verdict.barrier = Barrier::Asked;
                    let barrier = Pending::Barrier { path, version };
                    self.request(method, params, barrier, Some(now + PATIENCE));
                }
                None => document.verdict.barrier = Barrier::Answered(now),
            }
        }
    }

    pub(super) fn pass_barrier(&mut self, path: &Path, version: i32, now: Instant) {
        if let Some(document) = self.opened.get_mut(path)
            && document.version == version
        {
            document.verdict.barrier = Barrier::Answered(now);
        }
    }

    pub(super) fn ask_for_report(
        &mut self,
        path: &Path,
        version: i32,
        until: Option<Instant>,
        tries: u32,
    ) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        let Some(pull) = &capabilities.pull else { return };
        let Some(document) = self.opened.get_mut(path).filter(|it| it.version == version) else {
            return;
        };
        document.verdict.asking = true;
        let mut params = json!({ "textDocument": { "uri": document.uri.as_str() } });
        if let Some(identifier) = &pull.identifier {
            params["identifier"] = json!(identifier);
        }
        if let Some((result_id, _)) = &document.verdict.report {
            params["previousResultId"] = json!(result_id);
        }
        let what = Pending::Report { path: path.to_owned(), version };
        self.repeat("textDocument/diagnostic", params, Sent { until, tries, what });
    }

    pub(super) fn hear_report(&mut self, path: &Path, version: i32, report: Value) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        let encoding = capabilities.encoding;
        let Some(document) = self.opened.get_mut(path).filter(|it| it.version == version) else {
            return;
        };
        let known: Result<Vec<Finding>, String> =
            match lsp::report(report, &document.text, encoding) {
                Ok(Report::Full { findings, result_id }) => {
                    document.verdict.report = result_id.map(|id| (id, findings.clone()));
                    Ok(findings)
                }
                Ok(Report::Unchanged { result_id }) => match &document.verdict.report {
                    Some((id, findings)) if *id == result_id => Ok(findings.clone()),
                    _ => Err("It says that nothing changed since a report nobody has.".into()),
                },
                Err(sentence) => Err(sentence),
            };
        match known {
            Ok(findings) => {
                document.verdict.asking = false;
                document.verdict.settle(findings);
            }
            Err(sentence) => {
                tracing::debug!(server = self.config.name, "{sentence}");
                self.no_report(path, version);
            }
        }
    }

    /// There will be no report, so nobody needs to wait for it.
    pub(super) fn no_report(&mut self, path: &Path, version: i32) {
        if let Some(document) = self.opened.get_mut(path).filter(|it| it.version == version) {
            document.verdict.asking = false;
            document.verdict.report = None;
        }
        // Versions are never used twice, so these wait for the same document.
        let waiting = self.waiters.iter_mut().filter(|waiter| waiter.version == version);
        waiting.for_each(|waiter| waiter.hopeless = true);
    }

    /// A server that has found its bearings may have other findings than before. Those it sends
    /// by itself are waited for; the others have to be asked for.
    pub(super) fn hear_work(&mut self, method: &str, params: &Value, now: Instant) {
        if !self.calm.hear(method, params, now) {
            return;
        }
        let awaited: BTreeSet<_> =
            self.waiters.iter().map(|waiter| (waiter.path.clone(), waiter.version)).collect();
        for (path, version) in awaited {
            let pulls = matches!(&self.phase, Phase::Ready(offered) if offered.pull.is_some());
            let Some(document) = self.opened.get_mut(&path).filter(|_| pulls) else { continue };
            document.verdict.verified = false;
            if !document.verdict.asking {
                self.ask_for_report(&path, version, Some(now + PATIENCE), 0);
            }
        }
    }

    /// The server says that its reports do not hold any more.
    pub(super) fn refresh_reports(&mut self, now: Instant) {
        let Phase::Ready(capabilities) = &self.phase else { return };
        if capabilities.pull.is_none() {
            return;
        }
        // What was asked before may be answered with what was known before.
        let outdated = |sent: &Sent| matches!(sent.what, Pending::Report { .. });
        self.pending.retain(|_, sent| !outdated(sent));
        self.later.retain(|(_, sent)| !outdated(sent));
        for (path, version) in self.opened.awaited_reports() {
            self.ask_for_report(&path, version, Some(now + PATIENCE), 0);
        }
    }
}
