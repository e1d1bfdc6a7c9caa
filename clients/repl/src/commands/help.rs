//! `/help`: the commands, as the server lists them, and the keys.

use tokio::time::Instant;

use crate::app::App;
use crate::keymap::ROWS;
use crate::render::line::Line;
use crate::render::safe::safe;
use crate::render::theme;

/// Actions that everybody should know of; /keybindings has all of them.
const KEYS: &[&str] = &[
    "chat:submit",
    "chat:steer",
    "chat:newline",
    "chat:cancel",
    "app:interrupt",
    "app:exit",
    "chat:cycleMode",
    "chat:modelPicker",
    "app:toggleTranscript",
    "app:toggleTodos",
    "app:tasks",
    "app:sessions",
    "chat:externalEditor",
    "chat:imagePaste",
    "history:previous",
    "history:search",
    "chat:undo",
];

#[rustfmt::skip]
const SIGNS: &[(&str, &str)] = &[
    ("/ at the beginning",   "a command"),
    ("! at the beginning",   "a command for the shell, run here; the agent sees what it prints"),
    ("# at the beginning",   "a note to remember"),
    ("@",                    "files and pictures"),
    ("\\ at the end",        "one more line"),
    ("esc esc",              "go back to an earlier message"),
];

#[rustfmt::skip]
const VI: &[(&str, &str)] = &[
    ("esc",                  "move and change; again: stop the turn"),
    ("i a I A o O",          "write"),
    ("h j k l w b e 0 ^ $ gg G", "move, also by number; f F t T ; , to a letter"),
    ("d c y",                "cut, change, copy: dw, c$, yy, ci(, da\""),
    ("x s r ~ J p P u .",    "as in vi"),
];

#[rustfmt::skip]
const ANSWERS: &[(&str, &str)] = &[
    ("y, n or esc",          "allow once, deny"),
    ("t, a, p, u",           "allow for the turn, the session, the project, all projects"),
    ("1-9, arrows and enter","any answer"),
    ("e",                    "deny, and say what to do instead"),
    ("i",                    "change the command or the input first"),
    ("space, pgup, pgdn",    "read what does not fit"),
];

pub(super) fn run(app: &mut App, _: &str, _: Instant) {
    let mut rows = vec![Line::styled("Commands", theme::BOLD)];
    for command in app.session.iter().flat_map(|session| &session.commands) {
        let hint = command.argument_hint.as_deref().unwrap_or("");
        let name = format!("/{} {hint}", command.name);
        rows.push(row(&safe(&name), &safe(&command.description)));
    }
    rows.push(Line::default());
    rows.push(Line::styled("Keys", theme::BOLD));
    let keys = ROWS.iter().enumerate().filter(|(_, row)| KEYS.contains(&row.name));
    rows.extend(keys.map(|(at, found)| {
        let keys = app.keymap.keys_of(at);
        row(&keys[..keys.len().min(3)].join(", "), found.what)
    }));
    rows.extend(SIGNS.iter().map(|(keys, what)| row(keys, what)));
    rows.push(row("/keybindings", "all keys, and how to change them"));
    if app.start.editor.vim.is_some() {
        rows.push(Line::default());
        rows.push(Line::styled("Keys of vi (/vim switches them off)", theme::BOLD));
        rows.extend(VI.iter().map(|(keys, what)| row(keys, what)));
    }
    rows.push(Line::default());
    rows.push(Line::styled("Keys at a question", theme::BOLD));
    rows.extend(ANSWERS.iter().map(|(keys, what)| row(keys, what)));
    app.transcript.rows(rows);
}

fn row(left: &str, right: &str) -> Line {
    Line::styled(format!("  {left:<37} "), theme::ACCENT).with(right, theme::PLAIN)
}
