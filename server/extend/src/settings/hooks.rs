//! The `hooks` of a settings file: `{Event: [{matcher?, hooks: [handler]}]}`, with the places of
//! what is wrong in it.
//!
//! A hook may be a guard, so one that cannot be read is a lost restriction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use policy::Source;

use super::parse::{CONSEQUENCE, Located, Reader, at, json};
use super::spelling;
use crate::hooks::{HookAction, HookEvent, HookHandler, HookSetting};
use crate::{files, hash};

/// A hook of one file, before it is known whose.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    pub(super) handler: HookHandler,
}

/// A script that a hook names counts as part of it up to this many files.
const MOST_SCRIPTS: usize = 8;

pub(super) fn read(reader: &mut Reader<'_>, events: &Object<'_>) {
    for property in &events.properties {
        let event = property.name.as_str();
        if HookEvent::parse(event).is_none()
            && let Some(near) = spelling::nearest(event, HookEvent::NAMES)
        {
            let event = event.escape_debug();
            let message = format!("There is no event `{event}`; write `{near}`, {CONSEQUENCE}.");
            reader.broken(property.start(), message);
        }
        let Ast::Array(groups) = &property.value else {
            let message = format!(
                "The hooks of `{}` must be a list, such as [{{\"hooks\": [{{\"type\": \
                 \"command\", \"command\": \"…\"}}]}}], {CONSEQUENCE}.",
                event.escape_debug()
            );
            reader.broken(property.value.start(), message);
            continue;
        };
        for group in &groups.elements {
            self::group(reader, event, group);
        }
    }
}

fn group(reader: &mut Reader<'_>, event: &str, group: &Ast<'_>) {
    let malformed = |reader: &mut Reader<'_>, offset: usize, what: &str| {
        let message =
            format!("A hook of `{}` {what}; mend it here, {CONSEQUENCE}.", event.escape_debug());
        reader.broken(offset, message);
    };
    let Ast::Object(group) = group else {
        return malformed(reader, group.start(), "must be an object with a list `hooks`");
    };
    let matcher = match group.get("matcher").map(|property| &property.value) {
        None | Some(Ast::NullKeyword(_)) => None,
        Some(Ast::StringLit(matcher)) => Some((matcher.value.to_string(), matcher.start())),
        Some(other) => {
            return malformed(reader, other.start(), "needs a `matcher` that is a string");
        }
    };
    if let Some((matcher, offset)) = &matcher
        && let Some(problem) = wrong_matcher(event, matcher)
    {
        reader.problem(*offset, problem);
    }
    let matcher = matcher.map(|(matcher, _)| matcher);
    let matcher = matcher.filter(|matcher| !matcher.is_empty() && matcher != "*");
    let Some(Ast::Array(handlers)) = group.get("hooks").map(|property| &property.value) else {
        return malformed(reader, group.start(), "needs a list `hooks`");
    };
    for handler in &handlers.elements {
        let place = at(reader.text, handler.start());
        match HookHandler::read(json(reader.text, handler).unwrap_or_default()) {
            Ok(read) => {
                for problem in doubts(event, &read) {
                    reader.problem(handler.start(), problem);
                }
                let (event, matcher) = (event.to_owned(), matcher.clone());
                let value = Handler { event, matcher, handler: read };
                reader.parsed.hooks.push(Located { at: place, value });
            }
            Err(what) => malformed(reader, handler.start(), what),
        }
    }
}

/// What is sound and yet will not do what was meant.
fn doubts(event: &str, handler: &HookHandler) -> Vec<String> {
    let mut doubts = Vec::new();
    let Some(event) = HookEvent::parse(event) else { return doubts };
    let (name, kind) = (event.name(), handler.kind());
    if !event.takes(kind) {
        doubts.push(format!(
            "A hook of `{name}` cannot be of the type {}; use a command. It does not run.",
            kind.name()
        ));
    }
    match &handler.condition {
        Some(_) if !event.is_about_a_call() => doubts.push(format!(
            "`if` is for events of calls, and `{name}` is none, so this hook never runs; leave it out."
        )),
        Some(Err(written)) => doubts.push(format!(
            "`if` must be a permission rule, such as Bash(git *), but {} is none; the hook is \
             asked about every call.",
            written.escape_debug()
        )),
        _ => {}
    }
    doubts
}

/// A pattern that cannot be read is about everything.
fn wrong_matcher(event: &str, matcher: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "_- ,|".contains(c);
    if matcher == "*" || matcher.chars().all(plain) {
        return None;
    }
    regex::Regex::new(matcher).err().map(|_| {
        format!(
            "The matcher {} of `{}` is no pattern that can be read, so the hook is asked about \
             everything; mend it here.",
            matcher.escape_debug(),
            event.escape_debug()
        )
    })
}

impl Handler {
    /// `project` is the folder whose files the command may name; nobody else's are looked at.
    pub(super) fn hash(&self, project: Option<&Path>) -> String {
        let Handler { event, matcher, handler } = self;
        let scripts: Vec<_> = project.map_or_else(Vec::new, |cwd| {
            scripts(&handler.action, cwd)
                .into_iter()
                .map(|file| {
                    let content = files::fingerprint(&file).unwrap_or_default();
                    serde_json::json!([file.display().to_string(), hash::of_bytes(&content)])
                })
                .collect()
        });
        hash::of("hook", &serde_json::json!([event, matcher, handler.definition, scripts]))
    }

    pub(super) fn setting(
        self,
        (source, file, line): (Source, PathBuf, usize),
        hash: String,
    ) -> HookSetting {
        let Handler { event, matcher, handler } = self;
        HookSetting {
            event: HookEvent::parse(&event),
            event_name: event,
            matcher,
            handler,
            env: BTreeMap::new(),
            source,
            of: None,
            file,
            line,
            hash,
        }
    }
}

/// The files of the project that a command names: when one changes, the hook has changed.
fn scripts(action: &HookAction, cwd: &Path) -> Vec<PathBuf> {
    let HookAction::Command { command, args, .. } = action else { return Vec::new() };
    let texts = std::iter::once(command).chain(args.iter().flatten());
    let here = cwd.display().to_string();
    let mut found = Vec::new();
    for text in texts {
        let plain = text.replace(['"', '\''], "");
        let plain = plain.replace("${CLAUDE_PROJECT_DIR}", &here);
        let plain = plain.replace("$CLAUDE_PROJECT_DIR", &here);
        let ends = |c: char| c.is_whitespace() || ";|&()<>`".contains(c);
        for word in plain.split(ends).filter(|word| !word.is_empty()) {
            let file = cwd.join(word);
            let inside = file.starts_with(cwd) && !found.contains(&file);
            if inside && found.len() < MOST_SCRIPTS && files::is_file(&file) {
                found.push(file);
            }
        }
    }
    found
}
