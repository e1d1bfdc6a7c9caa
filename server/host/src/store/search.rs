//! Sessions by their words: the title, the folder, and whatever the user said in them.

use std::path::Path;
use std::time::{Duration, Instant};

use agent::Block;
use serde::Deserialize;

use super::StoredSession;
use super::lines::Lines;

const USER: &[u8] = br#""type":"user""#;
const HEAD: usize = 64;

/// Those with all the words, in the order they came. After `within`, journals are no longer looked
/// into: what is known from the list still counts.
pub fn search(
    sessions: Vec<StoredSession>,
    query: &str,
    within: Option<Duration>,
) -> Vec<StoredSession> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let began = Instant::now();
    let fits = |session: &StoredSession| {
        let known = format!("{}\n{}", session.title, session.cwd.display()).to_lowercase();
        session.id.starts_with(&query)
            || words.iter().all(|word| known.contains(word))
            || (within.is_none_or(|within| began.elapsed() < within)
                && said(&session.path, &words, &known).unwrap_or(false))
    };
    sessions.into_iter().filter(|session| fits(session)).collect()
}

/// Whether the words that the list does not have are in the prompts.
fn said(path: &Path, words: &[&str], known: &str) -> std::io::Result<bool> {
    let mut missing: Vec<_> = words.iter().filter(|word| !known.contains(**word)).collect();
    let (mut lines, mut line) = (Lines::open(path)?, Vec::new());
    while lines.next(&mut line)?.is_some() {
        // The kind stands at the beginning; everything else need not be parsed.
        let kind = &line[..line.len().min(HEAD)];
        if !kind.windows(USER.len()).any(|bytes| bytes == USER) {
            continue;
        }
        let text = prompt(&line).to_lowercase();
        missing.retain(|word| !text.contains(**word));
        if missing.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn prompt(line: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Said {
        content: Vec<Block>,
    }
    let Ok(said) = serde_json::from_slice::<Said>(line) else { return String::new() };
    let texts = said.content.into_iter().filter_map(|block| match block {
        Block::Text { text } if !tools::is_reminder(&text) => Some(text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
