//! The agent's questions for the ear: said in words, answered by a line.

use protocol::ask::{AskAction, AskResult};

use super::field::Field;
use super::{Asking, Step};
use crate::render::safe::strict;

impl Asking {
    /// What is asked now, line by line.
    pub fn speak(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.request.message.as_deref().map(|text| strict(text).into_owned()));
        lines.extend(self.request.url.as_deref().map(|url| format!("Open {}", strict(url))));
        let Some(field) = self.fields.get(self.at) else {
            lines.push("Press Enter when it is done; type no to decline.".to_owned());
            return lines.join("\n") + "\n";
        };
        let place = match self.fields.len() {
            1 => String::new(),
            count => format!("{} of {count}. ", self.at + 1),
        };
        lines.push(format!("{place}{}", strict(&field.text)));
        for (at, option) in field.options.iter().enumerate() {
            let about = match option.description.is_empty() {
                true => String::new(),
                false => format!(", {}", strict(&option.description)),
            };
            lines.push(format!("{}. {}{about}", at + 1, strict(&option.label)));
        }
        lines.extend(self.problem.clone());
        let words = if field.free { ", or write an answer of your own" } else { "" };
        lines.push(match (field.options.is_empty(), field.multi) {
            (true, _) => "Write your answer; an empty line declines.".to_owned(),
            (false, false) => format!("Type a number{words}; an empty line declines."),
            (false, true) => {
                format!("Type numbers with blanks between them{words}; an empty line declines.")
            }
        });
        lines.join("\n") + "\n"
    }

    /// A line in answer to what was said.
    pub fn reply(&mut self, line: &str) -> Step<AskResult> {
        let line = line.trim();
        let Some(field) = self.fields.get(self.at) else {
            let done = !matches!(line, "no" | "n");
            let action = if done { AskAction::Accept } else { AskAction::Decline };
            return Step::Answered(AskResult { action, content: None });
        };
        if line.is_empty() {
            return Step::Answered(AskResult { action: AskAction::Decline, content: None });
        }
        match numbers(line, field) {
            Some(chosen) if field.multi => {
                self.chosen = (0..field.options.len()).map(|at| chosen.contains(&at)).collect();
                self.finish_choices()
            }
            Some(chosen) => match chosen.first() {
                Some(at) => {
                    let value = field.value_of_choice(*at);
                    self.answer(value)
                }
                None => Step::Open,
            },
            None if field.options.is_empty() || field.free => {
                self.text.take();
                self.text.insert(line);
                self.finish_text()
            }
            None => {
                let text = format!("{line} is none of the numbers.");
                self.problem = Some(text);
                Step::Open
            }
        }
    }
}

/// The places that numbers name: one, or several where several may be.
fn numbers(line: &str, field: &Field) -> Option<Vec<usize>> {
    let place = |word: &str| {
        let at = word.parse::<usize>().ok()?.checked_sub(1)?;
        (at < field.options.len()).then_some(at)
    };
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    match words.len() {
        1 => Some(vec![place(words[0])?]),
        _ if field.multi => words.into_iter().map(place).collect(),
        _ => None,
    }
}
