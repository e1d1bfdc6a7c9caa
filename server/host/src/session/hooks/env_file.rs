//! `CLAUDE_ENV_FILE`: a file in which hooks that set something up write down variables for the
//! commands to come, as a shell would (`export NAME="value"`). It is read, never run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::hooks::HookEvent;

use super::Hooks;
use crate::store;

/// More is no list of variables.
const LONGEST: usize = 256 * 1024;

impl Hooks {
    /// A fresh file for an event that has one.
    pub(super) async fn env_file(&self, event: HookEvent) -> Option<Arc<Path>> {
        if !event.has_env_file() {
            return None;
        }
        let (shelter, name) = (self.0.around.shelter.clone(), self.runs().begin());
        let made = tokio::task::spawn_blocking(move || {
            let path: PathBuf = shelter.temp_folder()?.join(format!("{name}.env"));
            store::append(&path, "").map_err(|error| error.to_string())?;
            Ok::<_, String>(path)
        });
        match made.await.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(path) => Some(path.into()),
            Err(error) => {
                tracing::warn!(error, "there is no file for the variables of hooks");
                None
            }
        }
    }

    /// Takes over what was written there.
    pub(super) async fn take_env(&self, file: Option<PathBuf>) {
        let Some(file) = file else { return };
        let read = tokio::task::spawn_blocking(move || store::read_start(&file, LONGEST));
        let text = read.await.ok().flatten().unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let state = &self.0.around.state;
        let env = state.env();
        let known = |name: &str| {
            let found = env.iter().find(|(key, _)| key == name);
            found.and_then(|(_, value)| value.to_str().map(str::to_owned))
        };
        let variables = parse(&text, known).into_iter();
        let variables =
            variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        // What would make a shell run something first is left out, as everywhere.
        state.set_env(policy::scrub(variables));
    }
}

/// The assignments in a text. Lines that are none are passed over.
fn parse(text: &str, known: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let bare = line.strip_prefix("export ").or_else(|| line.strip_prefix("declare -x "));
        let Some((name, value)) = bare.unwrap_or(line).trim().split_once('=') else { continue };
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || name.starts_with(|c: char| c.is_ascii_digit())
            || !name.chars().all(letter)
        {
            continue;
        }
        let look = |name: &str| {
            let new = found.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            new.or_else(|| known(name)).unwrap_or_default()
        };
        let value = unquoted(value.trim(), look);
        found.retain(|(key, _)| key != name);
        found.push((name.to_owned(), value));
    }
    found
}

/// A word as a shell reads it: quotes, backslashes and variables, and nothing that runs.
fn unquoted(text: &str, known: impl Fn(&str) -> String) -> String {
    let mut value = String::new();
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => value.extend(chars.next()),
            ('$', None | Some('"')) => {
                let braced = chars.next_if_eq(&'{').is_some();
                let mut name = String::new();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                if braced {
                    chars.next_if_eq(&'}');
                }
                match name.is_empty() {
                    true => value.push('$'),
                    false => value.push_str(&known(&name)),
                }
            }
            (c, None) if c.is_whitespace() || c == ';' => break,
            (c, _) => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_nothing_runs() {
        let known = |name: &str| (name == "PATH").then(|| "/bin".to_owned());
        let check = |text: &str, expect: &[(&str, &str)]| {
            let found = parse(text, known);
            let found: Vec<_> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("export A=1\nB='two words'\n", &[("A", "1"), ("B", "two words")]);
        check("export PATH=\"$PATH:./bin\"\n", &[("PATH", "/bin:./bin")]);
        check("A=1\nB=${A}2\nA=3\n", &[("B", "12"), ("A", "3")]);
        check("declare -x C=\"a \\\"b\\\"\"", &[("C", "a \"b\"")]);
        check("D=$(rm -rf /)\n", &[("D", "$(rm")]);
        check("rm -rf x\n1A=2\nA-B=3\n# E=1\n", &[]);
        check("F='$PATH'; echo", &[("F", "$PATH")]);
    }
}
