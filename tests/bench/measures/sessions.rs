//! Long sessions: opened again, and gone on with.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde_json::json;

use super::Outcome;
use super::start::millis;
use crate::contenders::{Contender, Role};
use crate::lsp::Client;
use crate::process;
use crate::scenarios;
use crate::stage::Stage;
use crate::table::median;

const ID: &str = "0197aaaa-0000-7000-8000-00000000beef";
/// How much is said between two summaries: about what a window holds.
const WINDOW_BYTES: usize = 1 << 20;
const RESULT_BYTES: usize = 16 << 10;

/// A journal that was summed up whenever the window was full, as long ones are. The floor reads the
/// file, and nothing else.
pub fn resume(stage: &Stage, contender: &Contender) -> Outcome {
    let journal = long_journal(stage)?;
    if contender.role == Role::Floor {
        let began = Instant::now();
        let bytes = std::fs::read(&journal)?;
        ensure!(bytes.iter().filter(|byte| **byte == b'\n').count() > 1, "no lines");
        return Ok(Some(vec![millis(began.elapsed())]));
    }
    let server = stage.server(scenarios::hello())?;
    let started = Client::start(stage, contender, Some(server.url()))?;
    let Some(mut client) = started else { return Ok(None) };
    let began = Instant::now();
    let attached = client.request("agent/session/attach", &json!({"sessionId": ID}))?;
    let took = millis(began.elapsed());
    let title = &attached["snapshot"]["title"];
    ensure!(title == "question 0", "another session: {title}");
    client.prompt(ID, "Go on.")?;
    client.turn_ended()?;
    Ok(Some(vec![took]))
}

fn long_journal(stage: &Stage) -> anyhow::Result<PathBuf> {
    let path = stage.bowline_home().join("sessions/bench").join(format!("{ID}.jsonl"));
    if !path.exists() {
        write_journal(stage, &path)?;
    }
    Ok(path)
}

fn write_journal(stage: &Stage, path: &Path) -> anyhow::Result<()> {
    let mut text = String::new();
    let mut line = |record: serde_json::Value| {
        let rest = record.to_string();
        // As the journal writes it: the time first.
        let _ = writeln!(text, r#"{{"at":1794800000000,{}"#, &rest[1..]);
        text.len()
    };
    line(json!({"type": "session", "version": 1, "id": ID, "cwd": stage.project(),
        "model": "claude-sonnet-4-5", "mode": "default"}));
    let result = "    let value = compute(input, \"text\");\n".repeat(RESULT_BYTES / 40);
    let usage = json!({"input_tokens": 1000, "output_tokens": 100,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let (mut turn, mut since, mut size) = (0, 0, 0);
    while size < stage.sizes.journal_bytes {
        let id = format!("turn_bench_{turn}");
        line(json!({"type": "user", "id": format!("msg_bench_{turn}"), "turn": id,
            "content": [{"type": "text", "text": format!("question {turn}")}]}));
        let answer = |part: u32, content: serde_json::Value| {
            json!({"type": "assistant", "id": format!("{id}.{part}"), "turn": id,
                "model": "claude-sonnet-4-5", "content": [content], "usage": usage})
        };
        let call = format!("call_{turn}");
        line(answer(
            1,
            json!({"type": "tool_use", "id": call, "name": "Read",
            "input": {"file_path": "/a/file.rs"}}),
        ));
        line(json!({"type": "permission", "turn": id, "call": call, "tool": "Read",
            "input": {"file_path": "/a/file.rs"}, "allowed": true, "reason": "mode"}));
        line(json!({"type": "results", "turn": id, "content": [{"type": "tool_result",
            "tool_use_id": call, "content": [{"type": "text", "text": result}]}]}));
        line(answer(2, json!({"type": "text", "text": "It computes a value. ".repeat(40)})));
        size = line(json!({"type": "turn_ended", "turn": id, "reason": "end_turn", "usage": usage,
            "cost_usd": 0.001}));
        turn += 1;
        if size - since > WINDOW_BYTES {
            since =
                line(json!({"type": "compacted", "id": format!("sum_{turn}"), "trigger": "auto",
                "content": [{"type": "text", "text": "What it came to. ".repeat(200)}], "kept": 2,
                "before": 150_000, "after": 5_000, "model": "claude-sonnet-4-5", "usage": usage,
                "cost_usd": 0.01}));
        }
    }
    std::fs::create_dir_all(path.parent().context("a folder")?)?;
    Ok(std::fs::write(path, text)?)
}

/// A conversation of many turns, each with a call: what the last ones cost against earlier ones.
pub fn soak(stage: &Stage, contender: &Contender) -> Outcome {
    if contender.role == Role::Floor {
        return Ok(None);
    }
    let turns = stage.sizes.soak_turns;
    let server = stage.server(scenarios::soak(turns))?;
    let started = Client::start(stage, contender, Some(server.url()))?;
    let Some(mut client) = started else { return Ok(None) };
    let session = client.new_session(stage)?;
    let (mut overhead, mut memory) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        let asked = Instant::now();
        client.prompt(&session, "Go on.")?;
        client.turn_ended()?;
        let (requests, answered) = (server.take_requests(), server.answered());
        ensure!(requests.len() == 2, "{} requests in turn {turn}", requests.len());
        let first = requests[0].at.saturating_duration_since(asked);
        let answer = answered.get(turn * 2).context("no answer")?;
        let second = requests[1].at.saturating_duration_since(*answer);
        overhead.push(millis(first + second));
        memory.push(process::memory(client.pid(), "VmRSS:").context("the server has ended")?);
    }
    // The middle of the first fifth, and the end.
    let (early, some) = (turns / 5, (turns / 20).max(1));
    let middle = |values: &[f64]| median(values.to_vec()).context("no figures");
    let before = middle(&overhead[early..early + some])?;
    let after = middle(&overhead[turns - some..])?;
    let (small, large) = (middle(&memory[early..early + some])?, middle(&memory[turns - some..])?);
    let disk = folder_size(&stage.bowline_home().join("sessions"), &session)? / 1e6;
    Ok(Some(vec![large, large / small, before, after, after / before.max(1e-6), disk]))
}

/// What one session takes.
fn folder_size(sessions: &Path, id: &str) -> anyhow::Result<f64> {
    let mut bytes = 0;
    for project in std::fs::read_dir(sessions)? {
        let journal = project?.path().join(format!("{id}.jsonl"));
        bytes += journal.metadata().map_or(0, |metadata| metadata.len());
    }
    ensure!(bytes > 0, "the session is nowhere");
    Ok(bytes as f64)
}
