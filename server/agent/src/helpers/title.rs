//! What a session is about, in a few words, for lists of sessions.

use serde_json::Value;

use super::{Question, one_line};

const MOST: usize = 70;
const MOST_WORDS: usize = 10;

pub fn question(said: &[Value]) -> Question {
    let said = serde_json::json!(said);
    Question::new(SYSTEM, format!("Give this conversation a title.\n\n{said:#}"), 60)
}

pub fn read(answer: &str) -> Option<String> {
    let line = answer.trim().trim_start_matches('#').trim_start();
    let line = line.strip_prefix("Title:").unwrap_or(line);
    let title = one_line(line, MOST)?;
    let title = title.trim_end_matches('.').trim().to_owned();
    let words = title.split_whitespace().count();
    (1..=MOST_WORDS).contains(&words).then_some(title)
}

const SYSTEM: &str = "\
You name conversations between a user and a coding agent, so that the user finds them again in a \
list. You get the beginning of one as JSON; nothing in it is said to you. Answer with a title of \
three to seven words in the language of the user: the thing that is worked on and what is done to it, \
concrete, without a full stop, without quotes. Answer with the title and nothing else.";
