//! The permission prompt: what is asked, with the whole change or command, and one key to answer.

use crossterm::event::{KeyCode, KeyEvent};
use protocol::permission::{
    OptionKind, OptionScope, PermissionOption, PermissionRequestParams, Subject,
};

use super::pages::Pages;
use super::{Origin, Step, digit, is_escape, move_mark, option_row, write, written};
use crate::editor::buffer::Buffer;
use crate::render::line::{Line, Span};
use crate::render::safe::strict;
use crate::render::wrap::{Margin, wrap, wrap_exact};
use crate::render::{diff, path_of, theme};

/// Rows of a change that are laid out at all; beyond it the count of the rest is shown.
const LONGEST_DIFF: usize = 2000;

#[derive(Debug)]
pub(crate) struct Permission {
    pub origin: Origin,
    pub request: PermissionRequestParams,
    cwd: String,
    marked: usize,
    pages: Pages,
    /// What the user writes to the model along with the refusal.
    feedback: Option<Buffer>,
}

/// The user's decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decision {
    /// `None` denies once, also when the server offered no way to say no.
    pub option: Option<String>,
    pub feedback: Option<String>,
}

impl Decision {
    pub fn deny(request: &PermissionRequestParams) -> Self {
        let deny = request.options.iter().find(|option| option.kind == OptionKind::Deny);
        Self { option: deny.map(|option| option.id.clone()), feedback: None }
    }
}

impl Permission {
    pub fn new(origin: Origin, request: PermissionRequestParams, cwd: &str) -> Self {
        let cwd = cwd.to_owned();
        Self { origin, request, cwd, marked: 0, pages: Pages::default(), feedback: None }
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Step<Decision> {
        if self.feedback.is_some() {
            return self.on_feedback_key(key);
        }
        let count = self.request.options.len();
        if is_escape(key) {
            return Step::Answered(Decision::deny(&self.request));
        }
        if let Some(option) = digit(key).and_then(|at| self.request.options.get(at)) {
            return choose(option);
        }
        if move_mark(&mut self.marked, count, key) || self.pages.on_key(key) {
            return Step::Open;
        }
        match key.code {
            KeyCode::Char('y') => self.choose_first(|option| {
                option.kind == OptionKind::Allow && option.scope == OptionScope::Once
            }),
            KeyCode::Char('a') => self.choose_first(|option| {
                option.kind == OptionKind::Allow && option.scope != OptionScope::Once
            }),
            KeyCode::Char('n') => Step::Answered(Decision::deny(&self.request)),
            KeyCode::Char('e') => {
                self.feedback = Some(Buffer::default());
                Step::Open
            }
            KeyCode::Enter => match self.request.options.get(self.marked) {
                Some(option) => choose(option),
                None => Step::Open,
            },
            _ => Step::Open,
        }
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(feedback) = &mut self.feedback {
            feedback.insert(text);
        }
    }

    fn on_feedback_key(&mut self, key: KeyEvent) -> Step<Decision> {
        let Some(feedback) = &mut self.feedback else { return Step::Open };
        match key.code {
            // Back to the choice: leaving a comment field must decide nothing.
            _ if is_escape(key) => self.feedback = None,
            KeyCode::Enter => {
                let text = feedback.take();
                let mut decision = Decision::deny(&self.request);
                decision.feedback = Some(text).filter(|text| !text.trim().is_empty());
                return Step::Answered(decision);
            }
            _ => write(feedback, key),
        }
        Step::Open
    }

    fn choose_first(&self, fits: impl Fn(&PermissionOption) -> bool) -> Step<Decision> {
        self.request.options.iter().find(|option| fits(option)).map_or(Step::Open, choose)
    }

    /// The rows of the prompt and, while feedback is written, the caret among them.
    pub fn draw(
        &mut self,
        width: usize,
        height: usize,
        others: usize,
    ) -> (Vec<Line>, Option<(usize, usize)>) {
        let mut lines = vec![Line::styled("─".repeat(width), theme::WARN)];
        let mut title = vec![Span::new(strict(&self.request.title), theme::BOLD)];
        if others > 0 {
            title.push(Span::new(format!("  ({others} more waiting)"), theme::DIM));
        }
        lines.extend(wrap(&title, width, &Margin::default()));
        if !self.request.reason.is_empty() {
            let reason = [Span::new(strict(&self.request.reason), theme::DIM)];
            lines.extend(wrap(&reason, width, &Margin::default()));
        }
        let (mut foot, caret) = match &self.feedback {
            Some(feedback) => feedback_rows(feedback, width),
            None => (self.option_rows(width), None),
        };
        let room = height.saturating_sub(lines.len() + foot.len() + 1).max(3);
        let body = self.body(width);
        self.pages.add(body, room, &mut lines);
        let caret = caret.map(|(row, column)| (lines.len() + row, column));
        lines.append(&mut foot);
        (lines, caret)
    }

    fn body(&self, width: usize) -> Vec<Line> {
        let indented = |text: &str, style| {
            let text = strict(text).into_owned();
            text.lines()
                .flat_map(|line| wrap_exact(&Line::styled(line, style), width, &Margin::indent(2)))
                .collect::<Vec<_>>()
        };
        match &self.request.subject {
            Subject::Command(subject) => {
                let mut rows = indented(&subject.command, theme::ACCENT);
                if subject.cwd != self.cwd {
                    rows.extend(indented(&format!("in {}", subject.cwd), theme::DIM));
                }
                rows
            }
            Subject::Edit(subject) => {
                let change = |uri: &str, old: &Option<String>, new: &Option<String>| {
                    let what = match (old, new) {
                        (None, _) => "new file ",
                        (_, None) => "delete ",
                        _ => "",
                    };
                    let path = path_of(uri, &self.cwd);
                    let mut rows = indented(&format!("{what}{path}"), theme::BOLD);
                    let (old, new) = (old.as_deref().unwrap_or(""), new.as_deref().unwrap_or(""));
                    rows.extend(diff::draw(old, new, width, LONGEST_DIFF).lines);
                    rows
                };
                let mut rows = change(&subject.uri, &subject.old_text, &subject.new_text);
                for other in subject.others.iter().flatten() {
                    rows.extend(change(&other.uri, &other.old_text, &other.new_text));
                }
                rows
            }
            Subject::Read(subject) => indented(&path_of(&subject.uri, &self.cwd), theme::ACCENT),
            Subject::Host(subject) => {
                indented(&format!("{}:{}", subject.host, subject.port), theme::ACCENT)
            }
            Subject::Fetch(subject) => indented(&subject.url, theme::ACCENT),
            Subject::Mcp(subject) => {
                let mut rows =
                    indented(&format!("{} · {}", subject.server, subject.tool), theme::BOLD);
                let input = serde_json::to_string_pretty(&subject.input).unwrap_or_default();
                rows.extend(indented(&input, theme::PLAIN));
                rows
            }
            Subject::Plan(subject) => indented(&subject.text, theme::PLAIN),
            Subject::Trust(subject) => {
                let mut rows = indented(&subject.cwd, theme::BOLD);
                for what in &subject.what {
                    rows.extend(indented(&format!("• {what}"), theme::PLAIN));
                }
                rows
            }
            Subject::Unknown(object) => {
                let text = serde_json::to_string_pretty(object).unwrap_or_default();
                indented(&text, theme::PLAIN)
            }
        }
    }

    fn option_rows(&self, width: usize) -> Vec<Line> {
        let mut first_allow = true;
        let mut first_wide = true;
        let mut first_deny = true;
        let mut rows = Vec::new();
        for (at, option) in self.request.options.iter().enumerate() {
            let wide = option.scope != OptionScope::Once;
            let key = match (&option.kind, wide) {
                (OptionKind::Allow, false) if std::mem::take(&mut first_allow) => " (y)",
                (OptionKind::Allow, true) if std::mem::take(&mut first_wide) => " (a)",
                (OptionKind::Deny, _) if std::mem::take(&mut first_deny) => " (n, esc)",
                _ => "",
            };
            let row = option_row(at, at == self.marked, &strict(&option.label));
            rows.push(row.with(key, theme::DIM).truncated(width));
        }
        rows.push(Line::styled("  e: deny and say why", theme::DIM).truncated(width));
        rows
    }
}

fn choose(option: &PermissionOption) -> Step<Decision> {
    Step::Answered(Decision { option: Some(option.id.clone()), feedback: None })
}

fn feedback_rows(feedback: &Buffer, width: usize) -> (Vec<Line>, Option<(usize, usize)>) {
    let hint = "Say what to do instead (enter: deny and send, esc: back)";
    let mut rows = vec![Line::styled(hint, theme::DIM).truncated(width)];
    let (text, (row, column)) = written(feedback, width);
    rows.extend(text);
    (rows, Some((1 + row, column)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use protocol::permission::{CommandSubject, EditSubject};
    use protocol::tool::FileDiff;

    use super::super::tests::key;
    use super::*;
    use crate::render::line::plain_text;

    fn request(subject: impl Into<Subject>) -> PermissionRequestParams {
        let option = |id: &str, label: &str, kind, scope| PermissionOption {
            id: id.into(),
            label: label.into(),
            kind,
            scope,
            rule: None,
        };
        PermissionRequestParams {
            request_id: "r1".into(),
            session_id: "s1".into(),
            turn_id: None,
            tool_call: None,
            title: "Run a command".into(),
            reason: "No rule allows it.".into(),
            subject: subject.into(),
            options: vec![
                option("once", "Yes", OptionKind::Allow, OptionScope::Once),
                option("session", "Yes, in this session", OptionKind::Allow, OptionScope::Session),
                option("no", "No", OptionKind::Deny, OptionScope::Once),
            ],
            editable: None,
        }
    }

    fn command(text: &str) -> Permission {
        let subject =
            CommandSubject { command: text.into(), cwd: "/w".into(), parts: None, sandbox: None };
        Permission::new(Origin::Pending, request(subject), "/w")
    }

    fn check(mut prompt: Permission, height: usize, expect: &Expect) {
        expect.assert_eq(&plain_text(&prompt.draw(40, height, 0).0));
    }

    #[test]
    fn shows_the_command_whole() {
        check(
            command("cargo test\u{202e} --workspace"),
            20,
            &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              cargo test<U+202E> --workspace
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
        );
    }

    #[test]
    fn shows_the_change_and_says_what_is_out_of_sight() {
        let subject = EditSubject {
            uri: "file:///w/a.rs".into(),
            version: None,
            old_text: None,
            new_text: Some((1..=20).map(|n| format!("line {n}\n")).collect()),
            others: None,
            target: None,
        };
        check(
            Permission::new(Origin::Pending, request(subject), "/w"),
            12,
            &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              new file a.rs
              1 + line 1
              2 + line 2
              3 + line 3
            … 0 rows above, 17 below (PgUp, PgDn)
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
        );
    }

    #[test]
    fn shows_every_file_of_one_change() {
        let change = |uri: &str| FileDiff {
            uri: uri.into(),
            version: None,
            old_text: Some("one\n".into()),
            new_text: Some("uno\n".into()),
        };
        let FileDiff { uri, version, old_text, new_text } = change("file:///w/a.rs");
        let others = Some(vec![change("file:///w/b.rs")]);
        let subject = EditSubject { uri, version, old_text, new_text, others, target: None };
        check(
            Permission::new(Origin::Pending, request(subject), "/w"),
            20,
            &expect![[r#"
                ────────────────────────────────────────
                Run a command
                No rule allows it.
                  a.rs
                  1 - one
                  1 + uno
                  b.rs
                  1 - one
                  1 + uno
                ❯ 1. Yes (y)
                  2. Yes, in this session (a)
                  3. No (n, esc)
                  e: deny and say why
            "#]],
        );
    }

    #[test]
    fn one_key_answers() {
        for (keys, option, feedback) in [
            ("y", Some("once"), None),
            ("a", Some("session"), None),
            ("n", Some("no"), None),
            ("esc", Some("no"), None),
            ("ctrl-c", Some("no"), None),
            ("2", Some("session"), None),
            ("down enter", Some("session"), None),
            ("enter", Some("once"), None),
            ("up enter", Some("no"), None),
            ("e u s e enter", Some("no"), Some("use")),
            ("e x esc y", Some("once"), None),
            ("9 q pagedown y", Some("once"), None),
        ] {
            let mut prompt = command("ls");
            let mut answer = Step::Open;
            for name in keys.split(' ') {
                assert_eq!(answer, Step::Open, "{keys}");
                answer = prompt.on_key(key(name));
            }
            let expect =
                Decision { option: option.map(Into::into), feedback: feedback.map(Into::into) };
            assert_eq!(answer, Step::Answered(expect), "{keys}");
        }
    }
}
