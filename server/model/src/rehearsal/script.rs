//! A command's work, written as if tools answered at once.
//!
//! The brain is asked anew after every tool call and remembers nothing. So a command runs from its
//! beginning each time: a call that was made already gives its recorded result, the first that was
//! not stops the run and becomes the answer. What was said before a recorded call was said then.

use serde_json::Value;

use super::Call;
use super::view::View;

pub(super) struct Script<'a> {
    pub(super) view: &'a View,
    /// How many of the recorded calls have been used up.
    used: usize,
    said: Vec<String>,
}

/// Why a command does not go on.
#[derive(Debug, PartialEq)]
pub(super) enum Pause {
    /// It waits for these.
    Calls(Vec<Call>),
    /// It cannot be done; the sentence says why.
    Failed(String),
}

/// What a tool said: its result or its error.
pub(super) type Outcome = Result<String, String>;

impl<'a> Script<'a> {
    pub(super) fn new(view: &'a View) -> Self {
        Self { view, used: 0, said: Vec::new() }
    }

    /// Adds a paragraph to the answer.
    pub(super) fn say(&mut self, paragraph: impl Into<String>) {
        self.said.push(paragraph.into());
    }

    pub(super) fn text(&self) -> String {
        self.said.join("\n\n")
    }

    /// A call whose failure ends the command.
    pub(super) fn call(&mut self, name: &'static str, input: Value) -> Result<String, Pause> {
        let outcome = self.attempt(name, input)?;
        outcome.map_err(|error| failed(name, &error))
    }

    /// A call whose failure the command looks at itself.
    pub(super) fn attempt(&mut self, name: &'static str, input: Value) -> Result<Outcome, Pause> {
        let outcomes = self.together(vec![Call { name, input }])?;
        outcomes.into_iter().next().ok_or_else(|| failed(name, "it gave no result"))
    }

    /// Several calls of one answer.
    pub(super) fn together(&mut self, calls: Vec<Call>) -> Result<Vec<Outcome>, Pause> {
        let mut outcomes = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            if !self.view.has_tool(call.name) {
                let text =
                    format!("I would need the {} tool, which is not offered here.", call.name);
                return Err(Pause::Failed(text));
            }
            let recorded = self.view.done[self.used..].iter();
            let Some(found) = recorded.clone().position(|done| done.name == call.name) else {
                return Err(Pause::Calls(calls[at..].to_vec()));
            };
            let done = &self.view.done[self.used + found];
            self.used += found + 1;
            self.said.clear();
            outcomes.push(if done.is_error {
                Err(done.text.clone())
            } else {
                Ok(done.text.clone())
            });
        }
        Ok(outcomes)
    }

    /// The path as tools want it.
    pub(super) fn absolute(&self, path: &str) -> String {
        let path = path.strip_prefix("./").unwrap_or(path);
        let directory = self.view.directory.trim_end_matches('/');
        match path {
            _ if path.starts_with('/') || directory.is_empty() => path.to_owned(),
            "" | "." => directory.to_owned(),
            _ => format!("{directory}/{path}"),
        }
    }

    /// The path as people want it.
    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        let directory = self.view.directory.trim_end_matches('/');
        let inside = path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path)
    }

    /// Everything tools have said: in this turn, latest first, then before it.
    pub(super) fn tool_texts(&self) -> impl Iterator<Item = &str> {
        let now = self.view.done[..self.used].iter().rev().map(|done| done.text.as_str());
        now.chain(self.view.earlier_results.iter().map(String::as_str))
    }
}

fn failed(name: &str, error: &str) -> Pause {
    let line = error.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("no reason was given").trim_end_matches('.');
    Pause::Failed(format!("{name} did not work: {line}."))
}
