//! What editors do wrong with an edit, one fault for each edit.

use serde_json::{Value, json};

/// A fault of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Says that it applied the edit, and did not.
    Drops,
    /// Applies it so many lines further down.
    Misplaces(u32),
    /// Applies it, and a formatter runs over what it wrote.
    Reformats,
    /// Applies only the first part.
    Halves,
    /// Refuses.
    Refuses,
    /// Says that it refuses, and applies it all the same.
    Lies,
    /// Tells its change first, whatever it usually does.
    ChangesFirst,
    /// The user types elsewhere, and both are told in one message.
    Mixes,
    /// Something else is written than was asked for.
    Garbles,
}

impl Fault {
    pub(crate) fn says_applied(self) -> bool {
        !matches!(self, Fault::Refuses | Fault::Lies)
    }

    /// What the editor makes of the edits.
    pub(crate) fn spoil(self, mut edits: Vec<Value>) -> Vec<Value> {
        let rewrite = |edits: &mut Vec<Value>, with: &dyn Fn(&str) -> String| {
            for edit in edits {
                let text = with(edit["newText"].as_str().unwrap());
                edit["newText"] = json!(text);
            }
        };
        match self {
            Fault::Drops | Fault::Refuses => edits.clear(),
            Fault::Halves => edits.truncate(1),
            Fault::Reformats => rewrite(&mut edits, &|text| format!("{text}\t")),
            Fault::Garbles => rewrite(&mut edits, &|text| format!("«garbled {}", text.len())),
            Fault::Misplaces(lines) => {
                for edit in &mut edits {
                    for end in ["start", "end"] {
                        let line = edit["range"][end]["line"].as_u64().unwrap();
                        edit["range"][end]["line"] = json!(line + u64::from(lines));
                    }
                }
            }
            Fault::Lies | Fault::ChangesFirst | Fault::Mixes => {}
        }
        edits
    }
}
