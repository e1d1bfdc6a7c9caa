//! Magic docs: pages that the model has read and that want to be kept up to date. After a turn the
//! quick model says what to change, and the change goes the way of every change of the agent:
//! policy, hooks, journal, editor, ledger. Nobody is asked: where a question would be, nothing is
//! changed.

use std::path::PathBuf;
use std::sync::Arc;

use agent::Usage;
use agent::helpers::Question;
use agent::helpers::doc::{self, Doc};
use agent::turn::ToolCall;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Subject, Verdict};
use protocol::event::ToolStarted;
use protocol::tool::ToolKind;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::{
    Answer, CallReport, Context, Gate, Guards, Judgement, Problem, Progress, Proposal, Registry,
    SessionState, World as _, run_call,
};
use workspace::{FileText, View};

use super::{Helper, HelperNews, Outcome};
use crate::session::gate::SessionGate;
use crate::session::quick::Quick;
use crate::session::world::SessionWorld;
use crate::session::{Msg, Session};

/// What clients see as the name of the call.
const MAGIC_DOC: &str = "MagicDoc";
const SAID: usize = 24_000;
/// So many of the files that were read last are looked at.
const FILES: usize = 20;
/// So many pages are brought up to date after one turn.
const PAGES: usize = 3;
const TOOL: &str = "Write";

/// What happens to a page.
pub enum PageNews {
    Started { call: String, title: String, path: PathBuf },
    Ended { call: String, report: Box<CallReport> },
}

/// What bringing pages up to date needs.
struct Pages {
    quick: Quick,
    said: Vec<Value>,
    state: Arc<SessionState>,
    registry: Arc<Registry>,
    own: mpsc::Sender<Msg>,
    /// One for each page that may be changed.
    hands: Vec<(Arc<SessionWorld>, Unasked)>,
}

/// A page as it is.
struct Page {
    path: PathBuf,
    file: FileText,
    text: String,
}

impl Session {
    pub(super) fn keep_pages(&mut self) {
        let wanted = self.helpers.wants.magic_docs.unwrap_or(true);
        if !wanted || self.helpers.is_running(Helper::MagicDocs) {
            return;
        }
        let Some(quick) = self.helper(Helper::MagicDocs) else { return };
        let hands = (0..PAGES).map(|_| self.hands()).collect();
        let model = quick.model.clone();
        let pages = Pages {
            quick,
            said: self.last_said(SAID),
            state: self.state.clone(),
            registry: self.registry.clone(),
            own: self.own.clone(),
            hands,
        };
        self.run_helper(Helper::MagicDocs, model, move |stop, usage| pages.keep(stop, usage));
    }

    fn hands(&mut self) -> (Arc<SessionWorld>, Unasked) {
        let call = self.next_id("doc");
        // Nobody is asked, so what could be chosen does not matter.
        let gate = self.gate(call.clone(), CancellationToken::new());
        (Arc::new(self.world(call.clone(), call)), Unasked(gate))
    }

    pub(super) fn on_page(&mut self, news: PageNews) {
        match news {
            PageNews::Started { call, title, path } => self.emit(ToolStarted {
                tool_call_id: call,
                name: MAGIC_DOC.to_owned(),
                title,
                kind: ToolKind::Edit,
                input: Some(json!({ "file_path": path.display().to_string() })),
                parent_tool_call_id: None,
            }),
            PageNews::Ended { call, report } => self.show_ended(&call, TOOL, &report, None),
        }
    }
}

impl Pages {
    async fn keep(mut self, stop: CancellationToken, mut usage: Usage) -> (Outcome, Usage) {
        let hands = std::mem::take(&mut self.hands);
        let Some((world, _)) = hands.first() else { return (Outcome::Stopped, usage) };
        let pages = self.find(world).await;
        let mut outcome = Outcome::Answered(String::new());
        for (page, (world, gate)) in pages.into_iter().zip(hands) {
            let Some(doc) = Doc::parse(&page.text) else { continue };
            let Question { system, text, max_tokens } = doc::question(&doc, &page.text, &self.said);
            let mut spent = Usage::default();
            let answer = tokio::select! {
                biased;
                () = stop.cancelled() => None,
                answer = self.quick.ask(system, &text, max_tokens, &mut spent) => Some(answer),
            };
            usage.add(spent);
            match answer {
                None => return (Outcome::Stopped, usage),
                Some(Err(error)) => outcome = Outcome::Failed(error),
                Some(Ok(answer)) => {
                    if let Some(new) = doc::read(&doc, &page.text, &answer) {
                        let title = format!("Keep {:?} up to date", doc.title);
                        self.write(&page, title, new, world, &gate).await;
                    }
                }
            }
        }
        (outcome, usage)
    }

    /// The pages that the model has read and that may be changed without a question.
    async fn find(&self, world: &SessionWorld) -> Vec<Page> {
        let (view, state) = (View::new(world.snapshot().await), self.state.clone());
        let find = move || {
            let read = state.with_reads(|reads| reads.latest(FILES));
            let page = |path: PathBuf| {
                let file = view.read(&path).ok()?;
                let text = file.text.to_string();
                Doc::parse(&text)?;
                may_change(&state, path.clone()).then_some(Page { path, file, text })
            };
            read.into_iter().filter_map(page).take(PAGES).collect()
        };
        tokio::task::spawn_blocking(find).await.unwrap_or_default()
    }

    async fn write(
        &self,
        page: &Page,
        title: String,
        content: String,
        world: Arc<SessionWorld>,
        gate: &Unasked,
    ) {
        let (call, path) = (world.call.clone(), page.path.clone());
        self.tell(PageNews::Started { call: call.clone(), title, path }).await;
        // The quick model has seen the whole page as it is now. Ours has not, and must read it
        // again before it changes it.
        let lines = page.text.lines().count();
        let before = self.state.with_reads(|reads| {
            let before = reads.known(&page.path);
            reads.note_lines(&page.path, page.file.fingerprint(), 0..lines, lines);
            reads.note_own_change(&page.path, None, page.file.fingerprint());
            before
        });
        let input = json!({ "file_path": page.path.display().to_string(), "content": content });
        let cx = Context {
            world,
            session: self.state.clone(),
            call_id: call.clone(),
            cancel: CancellationToken::new(),
            progress: Progress::new(|_| ()),
            also: Arc::default(),
        };
        let made = ToolCall { id: call.clone(), name: TOOL.to_owned(), input };
        let report = run_call(&self.registry, made, cx, gate).await;
        if let Some(before) = before {
            self.state.with_reads(|reads| reads.restore(&page.path, before));
        }
        self.tell(PageNews::Ended { call, report: Box::new(report) }).await;
    }

    async fn tell(&self, news: PageNews) {
        let _ = self.own.send(Msg::Helper(Box::new(HelperNews::Page(news)))).await;
    }
}

/// Whether the page may be changed as things stand, without a question. Asked before the model is,
/// so that nothing is paid for in vain; the call itself is decided about as every other.
fn may_change(state: &SessionState, path: PathBuf) -> bool {
    let Ok(found) = workspace::locate(&path) else { return false };
    let links = found.stamp.map_or(0, |stamp| stamp.links());
    let subject = Subject::Edit { path, resolved: found.path, links };
    let permissions = state.permissions();
    let decision = policy::decide(
        &policy::Request { tool: TOOL, subjects: &[subject], params: &[] },
        &policy::Context {
            mode: permissions.mode,
            rules: &permissions.rules,
            roots: &permissions.roots,
            home: permissions.home.as_deref(),
        },
    );
    decision.verdict == Verdict::Allow
}

/// The session's gate, where nobody is asked: a question is a no.
struct Unasked(SessionGate);

impl Gate for Unasked {
    fn planned<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, ()> {
        self.0.planned(proposal)
    }

    fn guards(&self) -> &Guards {
        self.0.guards()
    }

    fn judge<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Judgement> {
        self.0.judge(proposal)
    }

    fn tell_user<'a>(&'a self, call: &'a ToolCall, text: String) -> BoxFuture<'a, ()> {
        self.0.tell_user(call, text)
    }

    fn ask<'a>(&'a self, _: &'a Proposal<'_>) -> BoxFuture<'a, Answer> {
        let reason = "Nobody is asked about a page that is kept in the background.".to_owned();
        async { Answer::Deny { reason, feedback: None } }.boxed()
    }

    fn record<'a>(
        &'a self,
        call: &'a ToolCall,
        allowed: bool,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        self.0.record(call, allowed, reason)
    }

    fn running<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ()> {
        self.0.running(call)
    }
}
