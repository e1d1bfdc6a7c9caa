//! Which lines of a transcript are the conversation as it stands.
//!
//! Each line names the one before it. The last line of the main conversation is its end; from there
//! the names lead back to the beginning. Calls that ran side by side fork the chain, so all parts of
//! an answer, and the results of its calls, belong to it. Where a name leads nowhere or in circles,
//! the order of the file stands in.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use agent::{Block, TitleOrigin};
use serde::Deserialize;
use serde_json::Value;

use super::best_title;
use super::records::{blocks, is_machinery};
use crate::store::lines::Lines;
use crate::store::read::title_of;

#[derive(Default)]
pub(super) struct Chain {
    pub(super) cwd: PathBuf,
    pub(super) model: String,
    pub(super) skipped: usize,
    nodes: Vec<Node>,
    /// The nodes of the conversation, in the order of the file.
    kept: Vec<usize>,
    given_title: Option<String>,
    generated_title: Option<String>,
    first_words: Option<String>,
}

struct Node {
    place: Place,
    uuid: String,
    parent: Option<String>,
    /// What the answer that this is a part of is called.
    answer: Option<String>,
    is_said: bool,
    is_result: bool,
    is_main: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) start: u64,
    pub(super) len: usize,
}

/// As much of a line as decides about it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Peek {
    #[serde(rename = "type")]
    kind: String,
    uuid: Option<String>,
    parent_uuid: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_api_error_message: bool,
    team_name: Option<String>,
    message: Option<PeekMessage>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct PeekMessage {
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    content: Value,
}

impl Chain {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let unreadable =
            |error: std::io::Error| format!("{} cannot be read ({error}).", path.display());
        let mut chain = Self::default();
        let (mut lines, mut buffer) = (Lines::open(path).map_err(unreadable)?, Vec::new());
        while let Some(line) = lines.next(&mut buffer).map_err(unreadable)? {
            let place = Place { start: line.start, len: buffer.len() };
            match serde_json::from_slice::<Peek>(&buffer) {
                Ok(peek) => chain.take(peek, place),
                Err(_) if !line.too_long && buffer.iter().all(u8::is_ascii_whitespace) => {}
                // Torn or damaged: it costs only itself.
                Err(_) => chain.skipped += 1,
            }
        }
        chain.kept = chain.follow();
        Ok(chain)
    }

    fn take(&mut self, peek: Peek, place: Place) {
        if self.cwd.as_os_str().is_empty() {
            self.cwd = peek.cwd.unwrap_or_default();
        }
        self.given_title = peek.custom_title.or(self.given_title.take());
        self.generated_title = peek.ai_title.or(peek.summary).or(self.generated_title.take());
        let Some(uuid) = peek.uuid else { return };
        let is_main = !peek.is_sidechain && !peek.is_meta && peek.team_name.is_none();
        let is_said =
            matches!(peek.kind.as_str(), "user" | "assistant") && !peek.is_api_error_message;
        let mut node = Node {
            place,
            uuid,
            parent: peek.parent_uuid,
            answer: None,
            is_said: is_said && peek.message.is_some(),
            is_result: false,
            is_main,
        };
        if let Some(message) = peek.message.filter(|_| is_said && is_main) {
            if peek.kind == "assistant" {
                node.answer = message.id;
                let model = message.model.filter(|model| !model.starts_with('<'));
                self.model = model.unwrap_or(std::mem::take(&mut self.model));
            } else {
                let content = blocks(message.content);
                node.is_result =
                    content.iter().any(|block| matches!(block, Block::ToolResult { .. }));
                let title = title_of(&content).filter(|title| !is_machinery(title));
                if self.first_words.is_none() && !node.is_result {
                    self.first_words = title;
                }
            }
        }
        self.nodes.push(node);
    }

    /// From the end to the beginning, and back in the order of the file.
    fn follow(&self) -> Vec<usize> {
        let by_name: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(at, node)| (node.uuid.as_str(), at)).collect();
        let is_end = |node: &Node| node.is_main && node.is_said;
        let Some(end) = self.nodes.iter().rposition(is_end) else { return Vec::new() };
        let mut on_chain = HashSet::new();
        let mut next = Some(end);
        while let Some(at) = next {
            if !on_chain.insert(at) {
                break;
            }
            let before = |at: usize| self.nodes[..at].iter().rposition(is_end);
            next = match &self.nodes[at].parent {
                None => None,
                // A name that leads nowhere, or forward: the line before stands in.
                Some(name) => match by_name.get(name.as_str()) {
                    Some(parent) if *parent < at => Some(*parent),
                    _ => before(at),
                },
            };
        }
        let answers: HashSet<_> =
            on_chain.iter().filter_map(|at| self.nodes[*at].answer.as_deref()).collect();
        let is_part = |node: &Node| {
            node.is_main && node.answer.as_deref().is_some_and(|answer| answers.contains(answer))
        };
        let parts: HashSet<&str> =
            self.nodes.iter().filter(|node| is_part(node)).map(|node| node.uuid.as_str()).collect();
        let mut seen = HashSet::new();
        let kept = self.nodes.iter().enumerate().filter(|(at, node)| {
            let answers_a_part =
                node.is_result && node.parent.as_deref().is_some_and(|name| parts.contains(name));
            let belongs = on_chain.contains(at) || is_part(node) || answers_a_part;
            // The same line may have been written twice.
            belongs && node.is_main && node.is_said && seen.insert(node.uuid.as_str())
        });
        kept.map(|(at, _)| at).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        self.kept.iter().map(|at| self.nodes[*at].place)
    }

    pub(super) fn title(&self) -> Option<(String, TitleOrigin)> {
        best_title(self.given_title.clone(), self.generated_title.clone(), self.first_words.clone())
    }
}
