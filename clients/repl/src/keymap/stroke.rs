//! One key with what is held down beside it, as people write it: `ctrl+x`, `shift+tab`, `f5`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stroke {
    code: KeyCode,
    control: bool,
    alt: bool,
    /// Of a letter it is part of the letter, so this is for other keys only.
    shift: bool,
}

/// Keys with a name; the first name of a key is the one that is shown.
const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("return", KeyCode::Enter),
    ("escape", KeyCode::Esc),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("del", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
];

impl Stroke {
    pub fn of(key: KeyEvent) -> Self {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Char(letter) if control || alt => Self {
                code: KeyCode::Char(letter.to_ascii_lowercase()),
                control,
                alt,
                shift: false,
            },
            KeyCode::Char(_) => Self { code: key.code, control, alt, shift: false },
            KeyCode::BackTab => Self { code: KeyCode::Tab, control, alt, shift: true },
            code => Self { code, control, alt, shift },
        }
    }

    /// The error is the end of a sentence about the word.
    pub fn parse(word: &str) -> Result<Self, String> {
        let mut stroke = Self { code: KeyCode::Null, control: false, alt: false, shift: false };
        let mut rest = word.trim();
        while let Some((modifier, after)) =
            rest.split_once('+').filter(|(_, after)| !after.is_empty())
        {
            match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => stroke.control = true,
                "alt" | "opt" | "option" | "meta" => stroke.alt = true,
                "shift" => stroke.shift = true,
                "cmd" | "super" | "win" => {
                    return Err(format!("`{modifier}` does not reach a program in a terminal"));
                }
                other => return Err(format!("there is no `{other}` to hold down")),
            }
            rest = after;
        }
        stroke.code = code(rest)?;
        if let (KeyCode::Char(letter), true) = (stroke.code, stroke.shift) {
            stroke.code = KeyCode::Char(letter.to_ascii_uppercase());
            stroke.shift = false;
        }
        if let (KeyCode::Char(letter), true) = (stroke.code, stroke.control || stroke.alt) {
            stroke.code = KeyCode::Char(letter.to_ascii_lowercase());
        }
        match stroke.twin() {
            Some(twin) => Err(format!("a terminal cannot tell it from {twin}")),
            None => Ok(stroke),
        }
    }

    /// What a terminal sends for some keys is what it sends for others.
    fn twin(self) -> Option<&'static str> {
        match self.code {
            KeyCode::Char('m') if self.control => Some("enter"),
            KeyCode::Char('i') if self.control => Some("tab"),
            KeyCode::Char('[') if self.control => Some("escape"),
            _ => None,
        }
    }

    /// The key as the terminal would have told it.
    pub fn event(self) -> KeyEvent {
        let mut modifiers = KeyModifiers::NONE;
        modifiers.set(KeyModifiers::CONTROL, self.control);
        modifiers.set(KeyModifiers::ALT, self.alt);
        modifiers.set(KeyModifiers::SHIFT, self.shift);
        let code =
            if self.code == KeyCode::Tab && self.shift { KeyCode::BackTab } else { self.code };
        KeyEvent::new(code, modifiers)
    }

    /// The letter, where it is one and would be written.
    pub fn letter(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if !self.control && !self.alt => Some(letter),
            _ => None,
        }
    }

    /// Keys that always mean the same, so that one can always stop and leave.
    pub fn is_reserved(self) -> bool {
        self.control && !self.alt && matches!(self.code, KeyCode::Char('c' | 'd'))
    }
}

fn code(name: &str) -> Result<KeyCode, String> {
    let lower = name.to_ascii_lowercase();
    if let Some((_, code)) = NAMED.iter().find(|(known, _)| *known == lower) {
        return Ok(*code);
    }
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Ok(KeyCode::Char(letter));
    }
    let number = lower.strip_prefix('f').and_then(|number| number.parse::<u8>().ok());
    match number {
        Some(number @ 1..=24) => Ok(KeyCode::F(number)),
        _ => {
            let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
            let near = super::spelling::nearest(&lower, &names);
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(format!("there is no key `{name}`{meant}"))
        }
    }
}

impl fmt::Display for Stroke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.control, "ctrl+"), (self.alt, "alt+"), (self.shift, "shift+")] {
            if held {
                f.write_str(name)?;
            }
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(letter)) => write!(f, "{letter}"),
            (None, KeyCode::F(number)) => write!(f, "f{number}"),
            (None, other) => write!(f, "{other:?}"),
        }
    }
}

/// Keys one after the other: `ctrl+x ctrl+e`.
pub(crate) fn parse_chord(words: &str) -> Result<Vec<Stroke>, String> {
    let strokes: Vec<Stroke> =
        words.split_whitespace().map(Stroke::parse).collect::<Result<_, _>>()?;
    match strokes.len() {
        0 => Err("no key is named".to_owned()),
        1..=4 => Ok(strokes),
        _ => Err("more than four keys in a row are too many".to_owned()),
    }
}

pub(crate) fn show_chord(strokes: &[Stroke]) -> String {
    let words: Vec<String> = strokes.iter().map(ToString::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_keys_and_back() {
        for (word, shown) in [
            ("ctrl+x ctrl+e", "ctrl+x ctrl+e"),
            ("Control+X", "ctrl+x"),
            ("meta+p", "alt+p"),
            ("shift+tab", "shift+tab"),
            ("shift+g", "G"),
            ("esc", "escape"),
            ("ctrl++", "ctrl++"),
            ("F5", "f5"),
            ("space", "space"),
            ("ü", "ü"),
        ] {
            let strokes = parse_chord(word).expect(word);
            assert_eq!(show_chord(&strokes), shown, "{word}");
            let again: Vec<Stroke> =
                strokes.iter().map(|stroke| Stroke::of(stroke.event())).collect();
            assert_eq!(again, strokes, "{word}");
        }
    }

    #[test]
    fn what_is_no_key_is_told() {
        for (word, expect) in [
            ("", "no key is named"),
            ("hyper+x", "there is no `hyper` to hold down"),
            ("cmd+k", "`cmd` does not reach a program in a terminal"),
            ("escpe", "there is no key `escpe`; did you mean `escape`?"),
            ("ctrl+m", "a terminal cannot tell it from enter"),
            ("a b c d e", "more than four keys in a row are too many"),
        ] {
            assert_eq!(parse_chord(word), Err(expect.to_owned()), "{word}");
        }
    }
}
