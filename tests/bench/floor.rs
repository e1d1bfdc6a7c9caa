//! The floor: what the same work costs with no agent around it. A bare client that sends the same
//! requests, parses the same stream and reads the same files; a bare server that answers.

mod http;

use std::io::{BufReader, Write as _};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::lsp::read_frame;
use http::Connection;

/// The bench starts itself with this to play the floor.
pub const COMMAND: &str = "play-the-floor";

pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match arguments.first().map(String::as_str) {
        Some("version") => writeln!(out, "floor {}", env!("CARGO_PKG_VERSION"))?,
        Some("print") => {
            let prompt = arguments.get(1).context("a prompt")?;
            writeln!(out, "{}", print(prompt)?)?;
        }
        Some("serve") => serve(&mut out)?,
        _ => bail!("the floor has the commands version, print and serve."),
    }
    Ok(())
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    content_block: Option<Block>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(default, borrow)]
    text: std::borrow::Cow<'a, str>,
    #[serde(default, borrow)]
    partial_json: std::borrow::Cow<'a, str>,
}

struct Call {
    id: String,
    name: String,
    input: String,
}

#[derive(Deserialize)]
struct ReadInput {
    file_path: String,
    offset: usize,
    limit: usize,
}

/// The loop of every agent: ask, do what the answer says, ask again.
fn print(prompt: &str) -> anyhow::Result<String> {
    let url = std::env::var("ANTHROPIC_BASE_URL").context("ANTHROPIC_BASE_URL")?;
    let cwd = std::env::current_dir()?;
    let mut connection = Connection::open(&url)?;
    let system = format!("Working directory: {}", cwd.display());
    let mut head =
        json!({"model": "floor", "max_tokens": 1000, "stream": true, "system": system}).to_string();
    head.truncate(head.len() - 1);
    // What was said once is kept as it was sent.
    let mut messages = json!({"role": "user", "content": prompt}).to_string();
    loop {
        let (text, calls) = ask(&mut connection, &format!("{head},\"messages\":[{messages}]}}"))?;
        if calls.is_empty() {
            return Ok(text);
        }
        let (mut used, mut results) = (Vec::new(), Vec::new());
        for call in calls {
            let input: &RawValue = serde_json::from_str(&call.input)?;
            let result = read(serde_json::from_str(input.get())?)?;
            let Call { id, name, .. } = &call;
            used.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
            results.push(json!({"type": "tool_result", "tool_use_id": id, "content": result}));
        }
        messages.push(',');
        messages.push_str(&json!({"role": "assistant", "content": used}).to_string());
        messages.push(',');
        messages.push_str(&json!({"role": "user", "content": results}).to_string());
    }
}

fn ask(connection: &mut Connection, body: &str) -> anyhow::Result<(String, Vec<Call>)> {
    let mut text = String::new();
    let mut calls: Vec<Call> = Vec::new();
    connection.post("/v1/messages", body, |line| {
        let Some(data) = line.strip_prefix("data: ") else { return Ok(()) };
        let event: Event<'_> = serde_json::from_str(data)?;
        match (event.kind, event.content_block, event.delta) {
            ("content_block_start", Some(Block { id, name }), _) if !id.is_empty() => {
                calls.push(Call { id, name, input: String::new() });
            }
            ("content_block_delta", _, Some(delta)) => {
                text.push_str(&delta.text);
                if let Some(call) = calls.last_mut() {
                    call.input.push_str(&delta.partial_json);
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((text, calls))
}

fn read(input: ReadInput) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(&input.file_path)?;
    let lines = text.lines().enumerate().skip(input.offset - 1).take(input.limit);
    Ok(lines.map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect())
}

/// Answers every request, and does nothing.
fn serve(out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut body = Vec::new();
    while read_frame(&mut input, &mut body)? {
        let message: Value = serde_json::from_slice(&body)?;
        let Some(id) = message.get("id") else { continue };
        let answer =
            json!({"jsonrpc": "2.0", "id": id, "result": {"capabilities": {}}}).to_string();
        write!(out, "Content-Length: {}\r\n\r\n{answer}", answer.len())?;
        out.flush()?;
    }
    Ok(())
}
