//! `keybindings.json`: comments and trailing commas are fine, a slip is told with its line and what was
//! probably meant, and the rest of the file counts all the same.

use std::fmt;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::spelling::nearest;
use super::table::{CONTEXTS, Context, ROWS, context, row};
use super::{Keymap, stroke};

/// Whose file it is. Another agent's may name contexts and actions that we do not have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Origin {
    Own,
    Foreign,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    line: usize,
    text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

/// Puts what the file says over what is there, and says what is wrong with it.
pub(crate) fn read(text: &str, origin: Origin, keymap: &mut Keymap) -> Vec<Problem> {
    let mut reader = Reader { text, origin, keymap, problems: Vec::new() };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        ..ParseOptions::default()
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => match parsed.value {
            Some(Value::Object(file)) => reader.file(&file),
            // An empty file says nothing.
            None => {}
            Some(other) => {
                reader.problem(&other, "the file is an object with `bindings`".to_owned());
            }
        },
        Err(error) => {
            let text = error.kind().to_string().to_lowercase();
            reader.problems.push(Problem { line: error.line_display(), text });
        }
    }
    reader.problems
}

struct Reader<'a> {
    text: &'a str,
    origin: Origin,
    keymap: &'a mut Keymap,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, place: &impl Ranged, text: String) {
        let before = self.text.get(..place.start()).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        self.problems.push(Problem { line, text });
    }

    /// What another agent may have that we have not.
    fn unknown(&mut self, place: &impl Ranged, text: String) {
        if self.origin == Origin::Own {
            self.problem(place, text);
        }
    }

    fn file(&mut self, file: &Object<'_>) {
        for property in &file.properties {
            match (property.name.as_str(), &property.value) {
                ("bindings", Value::Array(blocks)) => {
                    blocks.elements.iter().for_each(|block| self.block(block));
                }
                ("bindings", _) => self.problem(property, "`bindings` is a list".to_owned()),
                (name, _) if name.starts_with('$') => {}
                (name, _) => {
                    let text = format!("`{name}` means nothing here; the file has `bindings`");
                    self.unknown(property, text);
                }
            }
        }
    }

    fn block(&mut self, block: &Value<'_>) {
        let Value::Object(block) = block else {
            return self
                .problem(block, "a block is an object with `context` and `bindings`".to_owned());
        };
        let (Some(place), Some(bindings)) = (block.get("context"), block.get("bindings")) else {
            return self
                .problem(block, "a block is an object with `context` and `bindings`".to_owned());
        };
        let Value::StringLit(name) = &place.value else {
            return self.problem(place, "a context is a name in quotes".to_owned());
        };
        let Some(here) = context(&name.value) else {
            let names: Vec<&str> = CONTEXTS.iter().map(|(_, name, _)| *name).collect();
            let text =
                format!("there is no context `{}`{}", name.value, meant(&name.value, &names));
            return self.unknown(place, text);
        };
        match &bindings.value {
            Value::Object(bindings) => {
                bindings.properties.iter().for_each(|property| self.binding(here, property));
            }
            _ => self.problem(bindings, "`bindings` is an object of keys and actions".to_owned()),
        }
    }

    fn binding(&mut self, here: Context, property: &ObjectProp<'_>) {
        let keys = property.name.as_str();
        let strokes = match stroke::parse_chord(keys) {
            Ok(strokes) => strokes,
            Err(why) => return self.problem(property, format!("`{keys}`: {why}")),
        };
        if strokes.first().is_some_and(|stroke| stroke.is_reserved()) {
            let text =
                format!("`{keys}` always means the same, so that one can always stop and leave");
            return self.problem(property, text);
        }
        let action = match &property.value {
            Value::NullKeyword(_) => None,
            Value::StringLit(name) => match row(&name.value) {
                Some(row) => Some(row),
                None => {
                    let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
                    let text = format!(
                        "there is no action `{}`{}",
                        name.value,
                        meant(&name.value, &names)
                    );
                    return self.unknown(property, text);
                }
            },
            _ => {
                return self.problem(
                    property,
                    "an action is a name in quotes, or null for none".to_owned(),
                );
            }
        };
        if let Some(at) = action
            && let Some(found) = ROWS.get(at)
            && !fits(here, found.context)
        {
            let of = |wanted: Context| {
                CONTEXTS.iter().find(|(known, ..)| *known == wanted).map_or("", |(_, name, _)| name)
            };
            let text = format!(
                "`{}` does nothing in {}; it belongs to {}",
                found.name,
                of(here),
                of(found.context)
            );
            return self.unknown(property, text);
        }
        self.keymap.bind(here, strokes, action);
    }
}

/// At the prompt the contexts overlap; elsewhere each has its own actions.
fn fits(here: Context, home: Context) -> bool {
    use Context::{Autocomplete, Chat, Global, HistorySearch};
    let at_prompt = |context| matches!(context, Global | Chat | Autocomplete | HistorySearch);
    here == home || (at_prompt(here) && at_prompt(home))
}

fn meant(word: &str, known: &[&str]) -> String {
    nearest(word, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
