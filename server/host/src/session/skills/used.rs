//! Skills in the conversation: how one is written there, and which the model has before its eyes.
//!
//! That is read from the conversation itself, so it is the same after a rewind, a summary or a
//! restart.

use agent::{Block, Role};

use crate::session::Session;

/// Of one skill and of all, in tokens, when the conversation is summed up.
const EACH: u64 = 5_000;
const ALL: u64 = 25_000;

const HEAD: &str = "<skill name=\"";
const TAIL: &str = "\n</skill>";

/// As the model reads it.
pub(super) fn written(name: &str, about: &str, text: &str) -> String {
    format!("{HEAD}{name}\">\n{about}\n\n{text}{TAIL}")
}

/// The name in such a note, and the note without its frame.
fn read(block: &Block) -> Option<(&str, &str)> {
    let Block::Text { text, .. } = block else { return None };
    let note = text.strip_prefix("<system-reminder>")?.strip_suffix("</system-reminder>")?;
    let name = note.strip_prefix(HEAD)?.split('"').next()?;
    note.ends_with(TAIL).then_some((name, note))
}

impl Session {
    /// The skills that stand in the conversation before its last `kept` entries, the latest copy of
    /// each, the oldest first.
    fn skills_said(&self, kept: usize) -> Vec<(String, String)> {
        let mut said: Vec<(String, String)> = Vec::new();
        let entries = self.conversation.entries();
        let users = entries[..entries.len().saturating_sub(kept)].iter();
        for entry in users.filter(|entry| entry.role == Role::User) {
            let Ok(message) = entry.message() else { continue };
            for (name, note) in message.content.iter().filter_map(read) {
                said.retain(|(known, _)| known != name);
                said.push((name.to_owned(), note.to_owned()));
            }
        }
        said
    }

    /// Whether the model has it before its eyes, word for word.
    pub(super) fn has_said(&self, name: &str, note: &str) -> bool {
        let waits = self.conversation.notes().iter().any(|waiting| waiting == note);
        waits || self.skills_said(0).iter().any(|(known, said)| known == name && said == note)
    }

    /// What of them is kept when the conversation is summed up: the latest first as far as they fit,
    /// each cut where it is long.
    pub(in crate::session) fn kept_skills(&self, kept: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut left = ALL;
        for (name, note) in self.skills_said(kept).into_iter().rev() {
            let note = cut(&name, note);
            let block = Block::text(tools::reminder(&note));
            let size = agent::tokens::of_blocks(std::slice::from_ref(&block));
            if size > left {
                break;
            }
            left -= size;
            blocks.push(block);
        }
        blocks.reverse();
        blocks
    }
}

/// About as many tokens as one may have.
fn cut(name: &str, note: String) -> String {
    let most = usize::try_from(EACH * 4).unwrap_or(usize::MAX);
    if note.len() <= most {
        return note;
    }
    let head = &note[..note.floor_char_boundary(most)];
    format!("{head}\n… The rest is left out; call the skill {name} again if you need it.{TAIL}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_found_in_what_was_said() {
        let note = written("deploy", "About it.", "Do it.\nThen stop.");
        let block = Block::text(tools::reminder(&note));
        assert_eq!(read(&block), Some(("deploy", note.as_str())));
        for other in ["<skill name=\"x\">", "<system-reminder>Hello.</system-reminder>"] {
            assert_eq!(read(&Block::text(other)), None, "{other}");
        }
        let long = cut("deploy", written("deploy", "", &"word ".repeat(10_000)));
        assert!(long.len() < 21_000 && long.ends_with(TAIL), "{}", long.len());
        assert_eq!(read(&Block::text(tools::reminder(&long))).unwrap().0, "deploy");
    }
}
