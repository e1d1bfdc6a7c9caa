//! What the ledger costs: a change of the agent and a key stroke in a large file with many hunks,
//! and the memory of open documents.

use std::time::Instant;

use anyhow::{Context as _, anyhow};
use serde_json::json;
use text::{Author, Edit, Ledger, Splice, Step, Text};

use super::Outcome;
use super::start::millis;
use crate::contenders::{Contender, Role};
use crate::lsp::Client;
use crate::process;
use crate::stage::Stage;
use crate::table::percentile;

const LINE: &str = "The quick brown fox jumps over the lazy dog, says the text.\n";
const DOCUMENTS: usize = 10;

/// In this process, because no message could be timed as finely: the agent's edit is moved over a
/// key stroke, and both go into the ledger.
pub fn edits(stage: &Stage, contender: &Contender) -> Outcome {
    if contender.role != Role::Bowline {
        return Ok(None);
    }
    let lines = stage.sizes.document_bytes / LINE.len();
    let hunks = stage.sizes.hunks.min(lines / 4);
    let mut ledger = Ledger::new(Text::from(LINE.repeat(lines)));
    let apart = lines / (hunks + 1);
    let spread = (1..=hunks).map(|hunk| hunk * apart * LINE.len());
    let splices = spread.map(|at| Splice::new(at..at + 9, "The agent")).collect();
    let edit = edit(&ledger, splices)?;
    ledger.apply(&agent(edit))?;
    let mut times = Vec::new();
    for stroke in 0..stage.sizes.keystrokes.min(500) {
        let len = ledger.text().len_bytes();
        let at = |number: usize| (number * 7_919 * LINE.len()) % (len - LINE.len());
        let typed = edit_at(&ledger, at(stroke), "x")?;
        let wanted = edit_at(&ledger, at(stroke + 13), "the agent's words ")?;
        let started = Instant::now();
        let moved = wanted.rebase(&typed).map_err(|_| anyhow!("the places are apart"))?;
        ledger.apply(&Step::Foreign { edit: typed })?;
        ledger.apply(&agent(moved))?;
        times.push(millis(started.elapsed()));
    }
    Ok(Some(vec![percentile(&mut times, 0.5), percentile(&mut times, 0.99)]))
}

fn edit(ledger: &Ledger, splices: Vec<Splice>) -> anyhow::Result<Edit> {
    Ok(Edit::new(ledger.text().len_bytes(), splices)?)
}

fn edit_at(ledger: &Ledger, at: usize, typed: &str) -> anyhow::Result<Edit> {
    edit(ledger, vec![Splice::new(at..at, typed)])
}

fn agent(edit: Edit) -> Step {
    let [session, turn, call] = ["session", "turn", "call"].map(str::to_owned);
    Step::Agent { edit, author: Author { session, turn, call }, creates: false }
}

/// Documents that were typed in, and how many times their size they cost.
pub fn memory(stage: &Stage, contender: &Contender) -> Outcome {
    if contender.role == Role::Floor {
        return Ok(None);
    }
    let Some(mut client) = Client::start(stage, contender, None)? else { return Ok(None) };
    let rss = |client: &Client| process::memory(client.pid(), "VmRSS:").context("the server ended");
    client.request("agent/status", &json!({}))?;
    let before = rss(&client)?;
    let size = stage.sizes.document_bytes;
    let text = LINE.repeat(size / LINE.len());
    for number in 0..DOCUMENTS {
        let uri = format!("file://{}/open-{number}.txt", stage.project().display());
        let item = json!({"uri": uri, "languageId": "plaintext", "version": 0, "text": text});
        client.notify("textDocument/didOpen", &json!({"textDocument": item}))?;
        for version in 1..=50 {
            let at = json!({"line": version * 11, "character": 3});
            let change = json!({"range": {"start": at, "end": at}, "text": "typed"});
            let document = json!({"uri": uri, "version": version});
            let params = json!({"textDocument": document, "contentChanges": [change]});
            client.notify("textDocument/didChange", &params)?;
        }
    }
    client.request("agent/status", &json!({}))?;
    let megabytes = (size * DOCUMENTS) as f64 / 1e6;
    Ok(Some(vec![(rss(&client)? - before) / megabytes]))
}
