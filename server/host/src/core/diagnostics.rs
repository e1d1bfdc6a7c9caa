//! What others find wrong in open documents, each finding with the version it is about.
//!
//! A finding about an older text is never taken for one about the present: who wants to know waits,
//! for a bounded time, for those who have looked at the version in question or a later one. What
//! comes after that goes to the model as a note.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use language::{Finding, Severity};
use protocol::lsp::Diagnostic;
use tokio::sync::oneshot;
use tools::{Findings, Verified};
use workspace::DocumentUri;

use super::event::{CoreHandle, Event};

/// Language servers that answer while one types do so within this.
const WAIT: Duration = Duration::from_millis(2_000);
/// Once one has spoken about the new text, the others have this long.
const OTHERS: Duration = Duration::from_millis(250);
/// The most findings of one source in one document that are kept.
const KEPT: usize = 500;
/// An edit may be a few versions old by the time somebody asks what was known before it.
const VERSIONS: usize = 8;
/// So many edits are remembered whose findings may still come.
const OWED: usize = 64;
/// The most new problems a late note names.
const NAMED: usize = 10;

pub struct Diagnostics {
    core: CoreHandle,
    documents: HashMap<DocumentUri, BTreeMap<String, Reports>>,
    /// What was seen of other servers' findings at single places of a document.
    glimpses: HashMap<DocumentUri, Report>,
    waiting: Vec<Question>,
    owed: Vec<Owed>,
    next: u64,
}

/// What one source said of the last versions, oldest first; never empty.
type Reports = Vec<Report>;

struct Report {
    version: i32,
    findings: Vec<Finding>,
}

impl Report {
    fn new(version: i32) -> Report {
        Report { version, findings: Vec::new() }
    }
}

/// Somebody waits for findings about a version.
struct Question {
    id: u64,
    about: About,
    /// Some source has spoken, and the others are given a moment.
    closing: bool,
    reply: oneshot::Sender<Findings>,
}

/// Which text, and what was known before it.
#[derive(Clone)]
struct About {
    uri: DocumentUri,
    version: i32,
    session: String,
    before: Vec<Finding>,
}

/// An answer that came too late, and may still be of use.
struct Owed {
    about: About,
}

/// A note for the model of a session.
pub struct Late {
    pub session: String,
    pub text: String,
}

impl Diagnostics {
    pub fn new(core: CoreHandle) -> Self {
        let (documents, glimpses) = (HashMap::new(), HashMap::new());
        Self { core, documents, glimpses, waiting: Vec::new(), owed: Vec::new(), next: 0 }
    }

    /// A source spoke: this replaces what it said before. Returns what sessions should be told.
    pub fn note(
        &mut self,
        uri: &DocumentUri,
        source: String,
        version: i32,
        items: &[Diagnostic],
    ) -> Vec<Late> {
        let findings = items.iter().take(KEPT).map(finding).collect();
        let sources = self.documents.entry(uri.clone()).or_default();
        let reports = sources.entry(source).or_default();
        // What arrives late about an old text is of no use to anybody.
        if reports.last().is_none_or(|known| known.version <= version) {
            reports.retain(|known| known.version < version);
            reports.push(Report { version, findings });
            let old = reports.len().saturating_sub(VERSIONS);
            reports.drain(..old);
        }
        self.answer_waiting(uri);
        self.late(uri)
    }

    /// Somebody showed what is wrong at one place. That is not all there is, so nobody waits for
    /// more of it, and it answers only who would get nothing otherwise.
    pub fn glimpse(&mut self, uri: &DocumentUri, version: i32, items: &[Diagnostic]) {
        let seen = self.glimpses.entry(uri.clone()).or_insert_with(|| Report::new(version));
        if seen.version != version {
            *seen = Report::new(version);
        }
        for finding in items.iter().map(finding) {
            if seen.findings.len() < KEPT && !seen.findings.contains(&finding) {
                seen.findings.push(finding);
            }
        }
    }

    /// What was seen at places of this text; nothing when nobody showed any.
    pub fn glimpsed(&self, uri: &DocumentUri, version: i32) -> Option<Vec<Finding>> {
        let seen = self.glimpses.get(uri).filter(|seen| seen.version == version);
        seen.map(|seen| seen.findings.clone())
    }

    pub fn closed(&mut self, uri: &DocumentUri) {
        self.documents.remove(uri);
        self.glimpses.remove(uri);
        self.owed.retain(|owed| owed.about.uri != *uri);
    }

    /// Whether anybody looks at this document.
    pub fn has_source(&self, uri: &DocumentUri) -> bool {
        self.documents.get(uri).is_some_and(|sources| !sources.is_empty())
    }

    /// Everything known about a document, and whether it is about this version.
    pub fn known(&self, uri: &DocumentUri, version: i32) -> (Vec<Finding>, bool) {
        let latest: Vec<_> = self.sources(uri).filter_map(|reports| reports.last()).collect();
        let fresh = latest.iter().any(|report| report.version >= version);
        let wanted = latest.into_iter().filter(|report| !fresh || report.version >= version);
        (wanted.flat_map(|report| report.findings.clone()).collect(), fresh)
    }

    /// What others found in these lines of the present text.
    pub fn within(
        &self,
        uri: &DocumentUri,
        version: i32,
        range: &protocol::lsp::Range,
    ) -> Vec<Diagnostic> {
        let (findings, fresh) = self.known(uri, version);
        let lines = range.start.line + 1..=range.end.line + 1;
        let here = findings.into_iter().filter(|finding| {
            fresh && finding.start.0 <= *lines.end() && finding.end.0 >= *lines.start()
        });
        here.map(diagnostic).collect()
    }

    /// Waits for findings about a version of a document that a session has just made.
    pub fn ask(
        &mut self,
        uri: DocumentUri,
        version: i32,
        session: String,
        reply: oneshot::Sender<Findings>,
    ) {
        if !self.has_source(&uri) {
            let _ = reply.send(Findings::default());
            return;
        }
        let before = self.before(&uri, version);
        self.next += 1;
        let id = self.next;
        let about = About { uri: uri.clone(), version, session, before };
        self.waiting.push(Question { id, about, closing: false, reply });
        self.expire(id, WAIT);
        self.answer_waiting(&uri);
    }

    /// What was known about the text before a version.
    fn before(&self, uri: &DocumentUri, version: i32) -> Vec<Finding> {
        let older = self
            .sources(uri)
            .filter_map(|reports| reports.iter().rev().find(|report| report.version < version));
        older.flat_map(|report| report.findings.clone()).collect()
    }

    fn sources(&self, uri: &DocumentUri) -> impl Iterator<Item = &Reports> {
        self.documents.get(uri).into_iter().flat_map(BTreeMap::values)
    }

    /// Sources that have looked at a version answer at once when all have; else a little later.
    fn answer_waiting(&mut self, uri: &DocumentUri) {
        let Some(sources) = self.documents.get(uri) else { return };
        let mut closing = Vec::new();
        let mut done = Vec::new();
        for question in self.waiting.iter_mut().filter(|question| question.about.uri == *uri) {
            let fresh = |reports: &&Reports| {
                reports.last().is_some_and(|report| report.version >= question.about.version)
            };
            match sources.values().filter(fresh).count() {
                0 => {}
                count if count == sources.len() => done.push(question.id),
                _ if question.closing => {}
                _ => {
                    question.closing = true;
                    closing.push(question.id);
                }
            }
        }
        closing.into_iter().for_each(|id| self.expire(id, OTHERS));
        done.into_iter().for_each(|id| self.expired(id));
    }

    /// Time is up for a question: whoever has spoken by now counts.
    pub fn expired(&mut self, id: u64) {
        let Some(at) = self.waiting.iter().position(|question| question.id == id) else { return };
        let Question { about, reply, .. } = self.waiting.swap_remove(at);
        let (now, fresh) = self.known(&about.uri, about.version);
        let findings = if fresh {
            compare(&about.before, now)
        } else {
            Findings { state: Verified::Unverified, ..Findings::default() }
        };
        if !fresh {
            self.owed.push(Owed { about });
            if self.owed.len() > OWED {
                self.owed.remove(0);
            }
        }
        let _ = reply.send(findings);
    }

    fn expire(&self, id: u64, after: Duration) {
        let core = self.core.clone();
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            core.send(Event::FindingsDue { question: id }).await;
        });
    }

    /// Findings about a version that somebody gave up waiting for.
    fn late(&mut self, uri: &DocumentUri) -> Vec<Late> {
        let owed = std::mem::take(&mut self.owed);
        let (due, rest): (Vec<_>, Vec<_>) = owed
            .into_iter()
            .partition(|owed| owed.about.uri == *uri && self.known(uri, owed.about.version).1);
        self.owed = rest;
        let notes = due.into_iter().filter_map(|Owed { about }| {
            let (now, _) = self.known(uri, about.version);
            let new = compare(&about.before, now).new;
            let path = uri.to_path().unwrap_or_default();
            let text = describe(&path.display().to_string(), &new)?;
            Some(Late { session: about.session, text })
        });
        notes.collect()
    }
}

/// What is new is what was not said before, as often as it is said; where it stands does not
/// count, because an edit moves what is below it.
pub fn compare(before: &[Finding], now: Vec<Finding>) -> Findings {
    let name = |finding: &Finding| {
        let Finding { severity, code, source, message, .. } = finding;
        (*severity, code.clone(), source.clone(), message.clone())
    };
    let mut known: HashMap<_, usize> = HashMap::new();
    for finding in before {
        *known.entry(name(finding)).or_default() += 1;
    }
    let mut new = Vec::new();
    for finding in now {
        match known.get_mut(&name(&finding)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => new.push(finding),
        }
    }
    new.sort_by_key(|finding| (finding.severity, finding.start));
    let gone = known.values().sum();
    Findings { state: Verified::Yes, new, gone }
}

fn describe(path: &str, new: &[Finding]) -> Option<String> {
    if new.is_empty() {
        return None;
    }
    let mut text = format!("New problems in {path} since you edited it:");
    for finding in new.iter().take(NAMED) {
        let (line, column) = finding.start;
        text.push_str(&format!("\n{path}:{line}:{column} {}", finding.message));
    }
    if new.len() > NAMED {
        text.push_str(&format!("\n… and {} more", new.len() - NAMED));
    }
    Some(text)
}

fn finding(item: &Diagnostic) -> Finding {
    let place = |position: protocol::lsp::Position| (position.line + 1, position.character + 1);
    let code = item.code.as_ref().map(|code| match code {
        serde_json::Value::String(code) => code.clone(),
        code => code.to_string(),
    });
    Finding {
        start: place(item.range.start),
        end: place(item.range.end),
        severity: match item.severity {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            _ => Severity::Error,
        },
        code,
        source: item.source.clone(),
        message: item.message.clone(),
    }
}

/// The way back.
fn diagnostic(finding: Finding) -> Diagnostic {
    let place = |(line, character): (u32, u32)| protocol::lsp::Position {
        line: line.saturating_sub(1),
        character: character.saturating_sub(1),
    };
    let (start, end) = (place(finding.start), place(finding.end));
    Diagnostic {
        range: protocol::lsp::Range { start, end },
        severity: Some(match finding.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Information => 3,
            Severity::Hint => 4,
        }),
        code: finding.code.map(serde_json::Value::String),
        source: finding.source,
        message: finding.message,
        tags: None,
        related_information: None,
        data: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: u32, message: &str) -> Finding {
        let (code, source) = (None, None);
        let place = (line, 1);
        let severity = if message.starts_with("w") { Severity::Warning } else { Severity::Error };
        Finding { start: place, end: place, severity, code, source, message: message.to_owned() }
    }

    #[test]
    fn new_is_what_was_not_said_before_as_often_as_it_is_said() {
        let check = |before: &[(u32, &str)], now: &[(u32, &str)], new: &[&str], gone: usize| {
            let list = |items: &[(u32, &str)]| {
                items.iter().map(|(line, message)| found(*line, message)).collect::<Vec<_>>()
            };
            let findings = compare(&list(before), list(now));
            let messages: Vec<_> = findings.new.iter().map(|found| &*found.message).collect();
            assert_eq!((messages.as_slice(), findings.gone), (new, gone));
        };
        check(&[], &[], &[], 0);
        check(&[(1, "a")], &[(9, "a")], &[], 0);
        check(&[(1, "a")], &[(1, "a"), (2, "a")], &["a"], 0);
        check(&[(1, "a"), (2, "b")], &[(1, "b")], &[], 1);
        check(&[], &[(1, "warn"), (2, "error")], &["error", "warn"], 0);
    }

    #[test]
    fn late_notes_name_a_few() {
        assert_eq!(describe("a.rs", &[]), None);
        let many: Vec<_> = (1..=12).map(|line| found(line, "broken")).collect();
        let text = describe("a.rs", &many).unwrap();
        assert!(text.contains("a.rs:10:1 broken") && !text.contains("a.rs:11:1"), "{text}");
        assert!(text.ends_with("… and 2 more"));
    }
}
