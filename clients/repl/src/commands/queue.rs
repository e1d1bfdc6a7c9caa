//! `/queue [remove N | move N M | edit N [text]]`: the prompts that wait for the turn to end.

use protocol::event::Severity;
use tokio::time::Instant;

use crate::app::{App, QueueWish};

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match understand(argument) {
        Ok(wish) => app.ask_queue(wish),
        Err(problem) => app.notice(Severity::Warning, &problem),
    }
}

fn understand(argument: &str) -> Result<QueueWish, String> {
    let (word, rest) = first_word(argument);
    if word.is_empty() || word == "list" {
        return Ok(QueueWish::List);
    }
    let (number, rest) = first_word(rest);
    let which = || format!("Which one? Say /queue {word} and its number.");
    let number = number.parse::<usize>();
    match word {
        "remove" => Ok(QueueWish::Remove(number.map_err(|_| which())?)),
        "move" => {
            let to = rest.parse::<usize>();
            let to = to.map_err(|_| "Where to? Say /queue move and two numbers.".to_owned());
            Ok(QueueWish::Move(number.map_err(|_| which())?, to?))
        }
        "edit" => {
            let text = Some(rest.to_owned()).filter(|text| !text.is_empty());
            Ok(QueueWish::Edit(number.map_err(|_| which())?, text))
        }
        _ => Err(format!("`/queue {word}` is unknown; say remove, move or edit.")),
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let check = |argument: &str, expect: Result<QueueWish, &str>| {
            assert_eq!(understand(argument), expect.map_err(str::to_owned), "{argument}");
        };
        check("", Ok(QueueWish::List));
        check("remove 2", Ok(QueueWish::Remove(2)));
        check("move 3  1", Ok(QueueWish::Move(3, 1)));
        check("edit 1", Ok(QueueWish::Edit(1, None)));
        check("edit 1 be brief, please", Ok(QueueWish::Edit(1, Some("be brief, please".into()))));
        check("remove", Err("Which one? Say /queue remove and its number."));
        check("move 1", Err("Where to? Say /queue move and two numbers."));
        check("drop 1", Err("`/queue drop` is unknown; say remove, move or edit."));
    }
}
