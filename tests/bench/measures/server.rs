//! A server with an editor at its door while the model speaks.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::Outcome;
use super::start::millis;
use crate::contenders::{Contender, Role};
use crate::lsp::Client;
use crate::process;
use crate::scenarios;
use crate::stage::Stage;
use crate::table::percentile;

pub fn long_answer(stage: &Stage, contender: &Contender) -> Outcome {
    if contender.role == Role::Floor {
        return Ok(None);
    }
    let server = stage.server(scenarios::long_answer(stage.sizes.deltas))?;
    let started = Client::start(stage, contender, Some(server.url()))?;
    let Some(mut client) = started else { return Ok(None) };
    let session = client.new_session(stage)?;
    let before = process::cpu_so_far(client.pid())?;
    client.prompt(&session, "Say much.")?;
    client.turn_ended()?;
    let used = process::cpu_so_far(client.pid())?.saturating_sub(before);
    let peak = process::memory(client.pid(), "VmHWM:").context("the server has ended")?;
    Ok(Some(vec![used.as_secs_f64(), peak]))
}

/// A key stroke is a change and then a request that is answered after it: the server reads and
/// answers in order, so the reply says that the change has arrived.
pub fn typing(stage: &Stage, contender: &Contender) -> Outcome {
    if contender.role == Role::Floor {
        return Ok(None);
    }
    let server = stage.server(scenarios::endless())?;
    let started = Client::start(stage, contender, Some(server.url()))?;
    let Some(mut client) = started else { return Ok(None) };
    let line = "The quick brown fox jumps over the lazy dog, says the text.\n";
    let lines = stage.sizes.document_bytes / line.len();
    let uri = format!("file://{}/big.txt", stage.project().display());
    let item = json!({
        "uri": uri, "languageId": "plaintext", "version": 0, "text": line.repeat(lines),
    });
    client.notify("textDocument/didOpen", &json!({"textDocument": item}))?;
    let session = client.new_session(stage)?;
    client.prompt(&session, "Say much, slowly.")?;
    let deadline = Instant::now() + Duration::from_secs(30);
    while server.requests().is_empty() {
        ensure!(Instant::now() < deadline, "the turn does not stream");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut times = Vec::with_capacity(stage.sizes.keystrokes);
    for stroke in 1..=stage.sizes.keystrokes {
        // All over the document, so that no cache of the last place helps.
        let change = keystroke(&uri, stroke, stroke * 7_919 % lines);
        let sent = Instant::now();
        client.notify("textDocument/didChange", &change)?;
        client.request("agent/status", &json!({}))?;
        times.push(millis(sent.elapsed()));
        // People pause between keys, and the stream goes on meanwhile.
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(Some(vec![percentile(&mut times, 0.5), percentile(&mut times, 0.99)]))
}

fn keystroke(uri: &str, version: usize, line: usize) -> Value {
    let at = json!({"line": line, "character": 10});
    json!({
        "textDocument": {"uri": uri, "version": version},
        "contentChanges": [{"range": {"start": at, "end": at}, "text": "x"}],
    })
}
