//! Commands within a skill's text, whose output takes their place: ``!`command` `` at the beginning
//! of a line or after a blank, and blocks fenced with ```` ```! ````.

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// For the shell.
    Shell(String),
}

const FENCE: &str = "```";

/// A text in parts. Whatever is not closed is text.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    let mut rest = text;
    let mut begins_line = true;
    let mut after_blank = true;
    while !rest.is_empty() {
        if let Some((command, after)) = begins_line.then(|| block(rest)).flatten() {
            pieces.shell(command);
            (rest, begins_line, after_blank) = (after, false, false);
            continue;
        }
        if let Some((command, after)) = after_blank.then(|| in_line(rest)).flatten() {
            pieces.shell(command);
            (rest, begins_line, after_blank) = (after, false, false);
            continue;
        }
        let Some(letter) = rest.chars().next() else { break };
        pieces.text.push(letter);
        begins_line = letter == '\n';
        after_blank = letter.is_whitespace();
        rest = &rest[letter.len_utf8()..];
    }
    pieces.flush();
    pieces.all
}

#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
    text: String,
}

impl Pieces {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.all.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    fn shell(&mut self, command: &str) {
        self.flush();
        self.all.push(Piece::Shell(command.trim().to_owned()));
    }
}

/// The command and what follows it.
fn in_line(text: &str) -> Option<(&str, &str)> {
    let (command, after) = text.strip_prefix("!`")?.split_once('`')?;
    (!command.trim().is_empty() && !command.contains('\n')).then_some((command, after))
}

/// The same for a block; the line that closes it stands alone.
fn block(text: &str) -> Option<(&str, &str)> {
    let (first, inner) = text.split_once('\n')?;
    if first.trim_end().strip_prefix(FENCE)? != "!" {
        return None;
    }
    let mut at = 0;
    for line in inner.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let end = at + line.trim_end().len();
            let command = &inner[..at];
            return (!command.trim().is_empty()).then_some((command, &inner[end..]));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let one = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Shell(command) => format!("<{command}>"),
        };
        pieces(text).iter().map(one).collect()
    }

    #[test]
    fn commands_in_a_text() {
        let check = |text: &str, expect: &str| assert_eq!(shown(text), expect, "{text:?}");
        check("!`git status`", "<git status>");
        check("now: !`git status`!\n", "now: <git status>!\n");
        check("a\n!`b`\nc", "a\n<b>\nc");
        check("wow!`b`", "wow!`b`");
        check("(!`b`)", "(!`b`)");
        check("!`never closed", "!`never closed");
        check("!`over\nlines`", "!`over\nlines`");
        check("!`` x", "!`` x");
        check("```!\ngit log\ngit diff\n```\nafter", "<git log\ngit diff>\nafter");
        check("```sh\n!`id`\n```", "```sh\n<id>\n```");
        check("```!\nnever closed", "```!\nnever closed");
        check(" ```!\nid\n```", " ```!\nid\n```");
    }

    proptest! {
        #[test]
        fn text_without_commands_stays(text in "[a-z`$ \n!]{0,60}") {
            let all = pieces(&text);
            if all.iter().all(|piece| matches!(piece, Piece::Text(_))) {
                prop_assert_eq!(shown(&text), text);
            }
        }
    }
}
