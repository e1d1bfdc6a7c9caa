//! The answers of a permission prompt: which keys they have, how long they hold, and which rule
//! they would store.

use protocol::permission::{
    OptionKind, OptionScope, PermissionOption, PermissionRequestParams, Subject,
};

use super::input::what_changes;
use super::{Hears, capped};
use crate::prompt::option_row;
use crate::render::line::{Line, Span};
use crate::render::safe::{literal, strict};
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};

/// Rows of one answer; a rule that is longer says how much longer.
const OPTION_ROWS: usize = 4;

/// The answer that is marked at first: the safest yes. A folder is never trusted by Enter alone.
pub(super) fn first_mark(request: &PermissionRequestParams) -> usize {
    let deny = request.options.iter().position(|option| option.kind == OptionKind::Deny);
    if is_trust(request) { deny.unwrap_or(0) } else { 0 }
}

pub(super) fn with_letter(
    request: &PermissionRequestParams,
    letter: char,
) -> Option<&PermissionOption> {
    let at = letters(request).iter().position(|one| *one == Some(letter))?;
    request.options.get(at)
}

/// The key of each answer. The first that asks for a letter has it; any other has its number.
fn letters(request: &PermissionRequestParams) -> Vec<Option<char>> {
    let is_once = |option: &PermissionOption| option.scope == OptionScope::Once;
    let denies = |option: &PermissionOption| option.kind == OptionKind::Deny;
    // `n` is a no for now, wherever there is one.
    let brief = request.options.iter().any(|option| denies(option) && is_once(option));
    let mut taken = Vec::new();
    let of = |option: &PermissionOption| {
        let letter = match (&option.kind, &option.scope) {
            (OptionKind::Deny, scope) if *scope == OptionScope::Once || !brief => 'n',
            (OptionKind::Allow, _) if is_trust(request) => 'y',
            (OptionKind::Allow, OptionScope::Once) => 'y',
            (OptionKind::Allow, OptionScope::Turn) => 't',
            (OptionKind::Allow, OptionScope::Session) => 'a',
            (OptionKind::Allow, OptionScope::Project) => 'p',
            (OptionKind::Allow, OptionScope::User) => 'u',
            _ => return None,
        };
        if taken.contains(&letter) {
            return None;
        }
        taken.push(letter);
        Some(letter)
    };
    request.options.iter().map(of).collect()
}

/// A question about a folder: no call waits for it, and no model reads the answer.
pub(super) fn is_trust(request: &PermissionRequestParams) -> bool {
    matches!(request.subject, Subject::Trust(_))
}

/// The rows. The keys are named only while they count.
pub(super) fn draw(
    request: &PermissionRequestParams,
    marked: usize,
    hears: Hears,
    width: usize,
) -> Vec<Line> {
    let letters = letters(request);
    let mut rows = Vec::new();
    for (at, (option, letter)) in request.options.iter().zip(letters).enumerate() {
        let mut row = option_row(at, at == marked, &strict(&option.label));
        match letter.filter(|_| hears != Hears::Nothing) {
            Some('n') if option.scope == OptionScope::Once => {
                row.push(" (n, esc)", theme::DIM);
            }
            Some(letter) => row.push(&format!(" ({letter})"), theme::DIM),
            None => {}
        }
        // Trust holds for the folder, whatever it is filed under.
        if !is_trust(request) {
            row.push(&detail(option), theme::DIM);
        }
        rows.extend(capped(
            wrap(&row.spans, width, &Margin::new(Line::default(), Line::plain("     "))),
            OPTION_ROWS,
        ));
    }
    let hint = [Span::new(hint(request, hears), theme::DIM)];
    rows.extend(wrap(&hint, width, &Margin::indent(2)));
    rows
}

fn hint(request: &PermissionRequestParams, hears: Hears) -> String {
    match hears {
        Hears::Nothing => return "…".to_owned(),
        Hears::Lines => return "any other line denies, and says what to do instead".to_owned(),
        Hears::Keys => {}
    }
    if is_trust(request) {
        return "esc: not now; /trust decides about it later".to_owned();
    }
    let change = match what_changes(request) {
        Some(what) => format!(" · i: change the {what}"),
        None => String::new(),
    };
    format!("e: deny and say why{change}")
}

/// How long the answer holds and the rule it stores, as far as its label does not say so.
fn detail(option: &PermissionOption) -> String {
    let label = option.label.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| label.contains(word));
    let scope = match &option.scope {
        OptionScope::Turn if !says(&["turn"]) => "until this turn ends",
        OptionScope::Session if !says(&["session"]) => "in this session",
        OptionScope::Project if !says(&["project"]) => "in this project",
        OptionScope::User if !says(&["user", "everywhere", "all projects"]) => {
            "in all your projects"
        }
        _ => "",
    };
    let rule = option.rule.as_deref().map(literal).filter(|rule| !option.label.contains(rule));
    let mut detail = String::new();
    for part in [scope, rule.as_deref().unwrap_or_default()] {
        if !part.is_empty() {
            detail.push_str(" · ");
            detail.push_str(part);
        }
    }
    detail
}
