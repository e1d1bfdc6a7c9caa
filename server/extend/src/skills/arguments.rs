//! What a skill's text leaves open, filled in: the arguments it was called with, by number and by
//! name, and what `${CLAUDE_…}` stands for.
//!
//! `$ARGUMENTS` is all of them, `$ARGUMENTS[N]` and `$N` one, counted from zero, `$name` one that the
//! head names. A number that is not there stays as it is, a name becomes nothing. A backslash before
//! a placeholder keeps it. What is filled in is not looked at again.

use super::inline::Piece;

/// What can be filled in.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// As they were written.
    arguments: String,
    words: Vec<String>,
    names: Vec<String>,
    /// `CLAUDE_SKILL_DIR` and its like, without the first part.
    places: Vec<(&'static str, String)>,
}

impl Values {
    pub fn new(arguments: &str, names: &[String]) -> Values {
        let (arguments, names) = (arguments.trim().to_owned(), names.to_vec());
        Values { words: words(&arguments), arguments, names, places: Vec::new() }
    }

    /// `SKILL_DIR` fills in `${CLAUDE_SKILL_DIR}` and `${BOWLINE_SKILL_DIR}`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Values {
        self.places.push((name, value.into()));
        self
    }
}

/// Fills in all pieces of a text. Arguments that no piece asks for stand behind it.
pub fn substitute(pieces: &[Piece], values: &Values) -> Vec<Piece> {
    let mut used = false;
    let mut filled: Vec<Piece> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Text(fill(text, values, Within::Text, &mut used)),
            Piece::Shell(command) => {
                Piece::Shell(fill(command, values, Within::Command, &mut used))
            }
        })
        .collect();
    if !used && !values.arguments.is_empty() {
        filled.push(Piece::Text(format!("\n\nARGUMENTS: {}", values.arguments)));
    }
    filled
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Text,
    /// What is filled in stays data: it cannot end a word, begin a command or name a variable.
    Command,
}

/// Where a shell would be at a place in a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

fn fill(text: &str, values: &Values, within: Within, used: &mut bool) -> String {
    let (mut filled, mut rest, mut quotes) = (String::new(), text, Quotes::None);
    while let Some(next) = rest.chars().next() {
        let escaped =
            rest.strip_prefix('\\').and_then(|after| Some((after, placeholder(after, values)?)));
        if let Some((after, found)) = escaped {
            filled.push_str(&after[..found.length]);
            rest = &after[found.length..];
            continue;
        }
        if let Some(found) = placeholder(rest, values) {
            *used |= found.is_argument;
            match (found.value, within) {
                (None, _) => filled.push_str(&rest[..found.length]),
                (Some(value), Within::Text) => filled.push_str(&value.joined()),
                (Some(value), Within::Command) => filled.push_str(&value.quoted(quotes)),
            }
            rest = &rest[found.length..];
            continue;
        }
        // A shell takes the next character as it is.
        let taken = match (within, next, quotes) {
            (Within::Command, '\\', Quotes::None | Quotes::Double) => {
                rest.chars().take(2).map(char::len_utf8).sum()
            }
            _ => next.len_utf8(),
        };
        quotes = match (next, quotes) {
            ('\'', Quotes::None) => Quotes::Single,
            ('\'', Quotes::Single) | ('"', Quotes::Double) => Quotes::None,
            ('"', Quotes::None) => Quotes::Double,
            (_, quotes) => quotes,
        };
        filled.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    filled
}

struct Found {
    length: usize,
    /// `None` stays as it is.
    value: Option<Value>,
    is_argument: bool,
}

enum Value {
    /// As written, and word by word.
    All(String, Vec<String>),
    One(String),
}

impl Value {
    fn joined(&self) -> String {
        match self {
            Value::All(written, _) => written.clone(),
            Value::One(word) => word.clone(),
        }
    }

    fn quoted(&self, quotes: Quotes) -> String {
        let quote = |word: &str| match quotes {
            Quotes::None if is_plain(word) => word.to_owned(),
            Quotes::None => format!("'{}'", word.replace('\'', r"'\''")),
            Quotes::Single => word.replace('\'', r"'\''"),
            Quotes::Double => word.chars().fold(String::new(), |mut quoted, c| {
                if "\"\\$`".contains(c) {
                    quoted.push('\\');
                }
                quoted.push(c);
                quoted
            }),
        };
        match self {
            Value::One(word) => quote(word),
            Value::All(_, words) => {
                words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c))
}

/// The placeholder that a text begins with.
fn placeholder(text: &str, values: &Values) -> Option<Found> {
    let after = text.strip_prefix('$')?;
    if let Some(inner) = after.strip_prefix('{') {
        let name = inner.split('}').next()?;
        let place = name.strip_prefix("CLAUDE_").or_else(|| name.strip_prefix("BOWLINE_"))?;
        let (_, value) = values.places.iter().find(|(known, _)| *known == place)?;
        inner.get(name.len()..)?.strip_prefix('}')?;
        let value = Some(Value::One(value.clone()));
        return Some(Found { length: name.len() + 3, value, is_argument: false });
    }
    let word: usize = after.chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
    let word = &after[..word];
    let argument = |length: usize, value: Option<Value>| Found { length, value, is_argument: true };
    if word == "ARGUMENTS" {
        let bracket = after[word.len()..].strip_prefix('[').and_then(|inner| inner.split_once(']'));
        let number = bracket.and_then(|(number, _)| Some((number, number.parse::<usize>().ok()?)));
        return Some(match number {
            Some((digits, at)) => {
                let length = 1 + word.len() + digits.len() + 2;
                argument(length, values.words.get(at).cloned().map(Value::One))
            }
            None => {
                let all = Value::All(values.arguments.clone(), values.words.clone());
                argument(1 + word.len(), Some(all))
            }
        });
    }
    if !word.is_empty() && word.chars().all(|c| c.is_ascii_digit()) {
        let at = word.parse::<usize>().ok()?;
        return Some(argument(1 + word.len(), values.words.get(at).cloned().map(Value::One)));
    }
    let at = values.names.iter().position(|name| name == word)?;
    let value = values.words.get(at).cloned().unwrap_or_default();
    Some(argument(1 + word.len(), Some(Value::One(value))))
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words of a line, as a shell would split them. Quotes that are never closed hold the rest.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quotes) = (Vec::new(), None::<String>, Quotes::None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let taken = match (letter, quotes) {
            ('\'', Quotes::None) => {
                quotes = Quotes::Single;
                None
            }
            ('"', Quotes::None) => {
                quotes = Quotes::Double;
                None
            }
            ('\'', Quotes::Single) | ('"', Quotes::Double) => {
                quotes = Quotes::None;
                None
            }
            ('\\', Quotes::None | Quotes::Double) => letters.next(),
            (blank, Quotes::None) if blank.is_whitespace() => {
                words.extend(word.take());
                continue;
            }
            (letter, _) => Some(letter),
        };
        word.get_or_insert_default().extend(taken);
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::inline::pieces;
    use proptest::prelude::*;

    fn filled(text: &str, arguments: &str, names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let values = Values::new(arguments, &names).with("SKILL_DIR", "/s").with("SESSION_ID", "7");
        let pieces = substitute(&pieces(text), &values);
        let shown = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Shell(command) => format!("<{command}>"),
        };
        pieces.iter().map(shown).collect()
    }

    #[test]
    fn what_is_filled_in() {
        let check = |text: &str, arguments: &str, expect: &str| {
            assert_eq!(filled(text, arguments, &["issue", "branch"]), expect, "{text} {arguments}");
        };
        check("fix $ARGUMENTS now", " 12 main ", "fix 12 main now");
        check("fix $ARGUMENTS[0] in $ARGUMENTS[1]", "12 main", "fix 12 in main");
        check("fix $0 in $1", "12 'the main'", "fix 12 in the main");
        check("fix $0 in $1 $2", "12", "fix 12 in $1 $2");
        check("$ARGUMENTS[9]", "a", "$ARGUMENTS[9]");
        check("$ARGUMENTS[x]", "a b", "a b[x]");
        check("$issue on $branch.", "12 main", "12 on main.");
        check("$issue on $branch.", "12", "12 on .");
        check("$issues $issue_x", "12", "$issues $issue_x\n\nARGUMENTS: 12");
        check(
            r"costs \$1, \$ARGUMENTS, \$issue",
            "9",
            "costs $1, $ARGUMENTS, $issue\n\nARGUMENTS: 9",
        );
        check(r"\$HOME and $HOME", "", r"\$HOME and $HOME");
        check("no place", "a b", "no place\n\nARGUMENTS: a b");
        check("no place", "", "no place");
        check("${CLAUDE_SKILL_DIR}/x ${BOWLINE_SESSION_ID}", "", "/s/x 7");
        check("${CLAUDE_NOTHING} ${CLAUDE_SKILL_DIR", "", "${CLAUDE_NOTHING} ${CLAUDE_SKILL_DIR");
        check("$ARGUMENTS", "$0 ${CLAUDE_SKILL_DIR}", "$0 ${CLAUDE_SKILL_DIR}");
        check("a $ b", "", "a $ b");
        check("ü$0ü", "é", "üéü");
    }

    #[test]
    fn arguments_stay_data_in_a_command() {
        let check = |text: &str, arguments: &str, expect: &str| {
            assert_eq!(filled(text, arguments, &[]), expect, "{text} {arguments}");
        };
        check("!`git log $ARGUMENTS`", "--oneline -5", "<git log --oneline -5>");
        check("!`git log $0`", "'a; rm -rf /'", "<git log 'a; rm -rf /'>");
        check("!`echo \"$0\"`", "'$(id)`x`\"'", r#"<echo "\$(id)\`x\`\"">"#);
        check("!`echo '$0'`", "\"it's\"", r"<echo 'it'\''s'>");
        check("!`echo \\\" $0`", "';'", r#"<echo \" ';'>"#);
        check("$ARGUMENTS", "!`id`", "!`id`");
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let check = |line: &str, expect: &[&str]| assert_eq!(words(line), expect, "{line}");
        check("a  b", &["a", "b"]);
        check("'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]);
        check("a'b'c \"\"", &["abc", ""]);
        check("'open to the end", &["open to the end"]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_plain_text_stays(text in any::<String>(), arguments in any::<String>()) {
            let _ = filled(&text, &arguments, &["a", "b"]);
            let plain = text.replace(['$', '\\', '!', '`'], "");
            prop_assert_eq!(filled(&plain, "", &[]), plain);
        }
    }
}
