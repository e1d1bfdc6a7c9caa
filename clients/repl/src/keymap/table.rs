//! Every action of the client, where it counts, and its usual keys. What a key does is looked up here and
//! nowhere else; `/keybindings`, the template and `/help` are made from it.

use crate::editor::keys::Action;

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    Global,
    Chat,
    Autocomplete,
    HistorySearch,
    Select,
    Confirmation,
    Review,
    Sessions,
    Transcript,
    Tasks,
}

/// Each with the name that files use, and what it is.
pub(crate) const CONTEXTS: [(Context, &str, &str); 10] = [
    (Context::Global, "Global", "at the prompt, whatever is open there; app:redraw everywhere"),
    (Context::Chat, "Chat", "while a prompt is written"),
    (Context::Autocomplete, "Autocomplete", "while proposals are shown"),
    (Context::HistorySearch, "HistorySearch", "while an old prompt is looked for"),
    (Context::Select, "Select", "in a list to pick from"),
    (Context::Confirmation, "Confirmation", "at a question"),
    (Context::Review, "Review", "in /review"),
    (Context::Sessions, "Sessions", "in /resume"),
    (Context::Transcript, "Transcript", "in the whole conversation"),
    (Context::Tasks, "Tasks", "in /tasks"),
];

/// What the app does beside editing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Transcript,
    Todos,
    Tasks,
    Sessions,
    Models,
    ExternalEditor,
    PasteImage,
}

/// What an action is to who carries it out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Act {
    Edit(Action),
    Wish(Wish),
    /// For a list, a question or a page: what its first usual key means there.
    Press,
}

pub(crate) struct Row {
    pub context: Context,
    pub name: &'static str,
    /// The usual keys, with commas between them.
    pub keys: &'static str,
    pub act: Act,
    pub what: &'static str,
}

use Action as A;
use Context as C;

const fn edit(
    context: C,
    name: &'static str,
    keys: &'static str,
    action: A,
    what: &'static str,
) -> Row {
    Row { context, name, keys, act: Act::Edit(action), what }
}

const fn wish(
    context: C,
    name: &'static str,
    keys: &'static str,
    wish: Wish,
    what: &'static str,
) -> Row {
    Row { context, name, keys, act: Act::Wish(wish), what }
}

const fn press(context: C, name: &'static str, keys: &'static str, what: &'static str) -> Row {
    Row { context, name, keys, act: Act::Press, what }
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    edit(C::Global, "app:interrupt",         "ctrl+c",                       A::Interrupt,         "clear the prompt, stop the turn, or leave"),
    edit(C::Global, "app:exit",              "ctrl+d",                       A::EndOfInput,        "leave, or delete the next letter"),
    edit(C::Global, "app:redraw",            "ctrl+l",                       A::Redraw,            "draw the screen again"),
    wish(C::Global, "app:toggleTranscript",  "ctrl+o",                       Wish::Transcript,     "the whole conversation, with everything in it"),
    wish(C::Global, "app:toggleTodos",       "ctrl+t",                       Wish::Todos,          "show or hide the list of steps"),
    wish(C::Global, "app:tasks",             "alt+t",                        Wish::Tasks,          "what runs in the background"),
    wish(C::Global, "app:sessions",          "alt+r",                        Wish::Sessions,       "older sessions"),
    edit(C::Global, "history:search",        "ctrl+r",                       A::Search,            "look for an old prompt"),

    edit(C::Chat, "chat:submit",             "enter",                        A::Submit,            "send; while a turn runs: wait in the queue"),
    edit(C::Chat, "chat:steer",              "ctrl+s",                       A::Steer,             "say it into the running turn"),
    edit(C::Chat, "chat:newline",            "alt+enter, ctrl+j, shift+enter, ctrl+enter", A::Newline, "new line"),
    edit(C::Chat, "chat:cancel",             "escape",                       A::Escape,            "close what is open, stop the turn; twice: back to an earlier message"),
    edit(C::Chat, "chat:cycleMode",          "shift+tab",                    A::CycleMode,         "next mode"),
    wish(C::Chat, "chat:modelPicker",        "alt+p",                        Wish::Models,         "pick the model and its effort"),
    wish(C::Chat, "chat:externalEditor",     "ctrl+g, ctrl+x ctrl+e",        Wish::ExternalEditor, "write the prompt in your editor"),
    wish(C::Chat, "chat:imagePaste",         "ctrl+v",                       Wish::PasteImage,     "put the clipboard's picture or text into the prompt"),
    edit(C::Chat, "chat:complete",           "tab",                          A::Complete,          "take the proposal, or what is suggested"),
    edit(C::Chat, "chat:undo",               "ctrl+_, ctrl+-, ctrl+7, ctrl+/", A::Undo,            "undo"),
    edit(C::Chat, "history:previous",        "up, ctrl+p",                   A::Up,                "a line up, then the prompt before"),
    edit(C::Chat, "history:next",            "down, ctrl+n",                 A::Down,              "a line down, then the prompt after"),
    edit(C::Chat, "edit:left",               "left, ctrl+b",                 A::Left,              "a letter to the left"),
    edit(C::Chat, "edit:right",              "right, ctrl+f",                A::Right,             "a letter to the right"),
    edit(C::Chat, "edit:wordLeft",           "alt+b, alt+left, ctrl+left",   A::WordLeft,          "a word to the left"),
    edit(C::Chat, "edit:wordRight",          "alt+f, alt+right, ctrl+right", A::WordRight,         "a word to the right"),
    edit(C::Chat, "edit:lineStart",          "ctrl+a, home",                 A::LineStart,         "to the beginning of the line"),
    edit(C::Chat, "edit:lineEnd",            "ctrl+e, end",                  A::LineEnd,           "to the end of the line"),
    edit(C::Chat, "edit:backspace",          "backspace, ctrl+h, shift+backspace", A::Backspace,   "delete the letter before"),
    edit(C::Chat, "edit:delete",             "delete",                       A::Delete,            "delete the letter behind"),
    edit(C::Chat, "edit:killToEnd",          "ctrl+k",                       A::KillToEnd,         "cut the rest of the line"),
    edit(C::Chat, "edit:killToStart",        "ctrl+u",                       A::KillToStart,       "cut the line up to here"),
    edit(C::Chat, "edit:killWord",           "alt+backspace, ctrl+backspace", A::KillWord,         "cut the word before"),
    edit(C::Chat, "edit:killBigWord",        "ctrl+w",                       A::KillBigWord,       "cut back to the last blank"),
    edit(C::Chat, "edit:killWordRight",      "alt+d, alt+delete, ctrl+delete", A::KillWordRight,   "cut the word behind"),
    edit(C::Chat, "edit:yank",               "ctrl+y",                       A::Yank,              "put back what was cut"),

    edit(C::Autocomplete, "autocomplete:accept",   "tab",                    A::Complete,          "take the marked proposal"),
    edit(C::Autocomplete, "autocomplete:dismiss",  "escape",                 A::Escape,            "close the proposals"),
    edit(C::Autocomplete, "autocomplete:previous", "up, ctrl+p",             A::Up,                "mark the one before"),
    edit(C::Autocomplete, "autocomplete:next",     "down, ctrl+n",           A::Down,              "mark the next one"),

    edit(C::HistorySearch, "historySearch:next",   "ctrl+r",                 A::Search,            "an older prompt with these words"),
    edit(C::HistorySearch, "historySearch:accept", "tab, enter",             A::Complete,          "take it, to be changed"),
    edit(C::HistorySearch, "historySearch:cancel", "escape, ctrl+g",         A::Escape,            "back to what was written"),

    press(C::Select, "select:next",          "down, ctrl+n",                 "the next entry"),
    press(C::Select, "select:previous",      "up, ctrl+p",                   "the entry before"),
    press(C::Select, "select:accept",        "enter",                        "take it; a number takes one, too"),
    press(C::Select, "select:less",          "left",                         "less effort"),
    press(C::Select, "select:more",          "right",                        "more effort"),
    press(C::Select, "select:pageDown",      "pagedown, space",              "read on"),
    press(C::Select, "select:pageUp",        "pageup",                       "read back"),
    press(C::Select, "select:cancel",        "escape",                       "leave it as it is"),

    press(C::Confirmation, "confirm:yes",      "y",                          "allow once"),
    press(C::Confirmation, "confirm:no",       "n",                          "deny"),
    press(C::Confirmation, "confirm:cancel",   "escape",                     "deny, or back from what is written"),
    press(C::Confirmation, "confirm:turn",     "t",                          "allow for this turn"),
    press(C::Confirmation, "confirm:session",  "a",                          "allow for this session"),
    press(C::Confirmation, "confirm:project",  "p",                          "allow for this project"),
    press(C::Confirmation, "confirm:user",     "u",                          "allow for all projects"),
    press(C::Confirmation, "confirm:feedback", "e",                          "deny, and say what to do instead"),
    press(C::Confirmation, "confirm:change",   "i, E",                       "change the command or the input first"),
    press(C::Confirmation, "confirm:accept",   "enter",                      "the marked answer; a number takes one, too"),
    press(C::Confirmation, "confirm:next",     "down, ctrl+n",               "the next answer"),
    press(C::Confirmation, "confirm:previous", "up, ctrl+p",                 "the answer before"),
    press(C::Confirmation, "confirm:toggle",   "space",                      "tick it, or read on"),
    press(C::Confirmation, "confirm:pageDown", "pagedown",                   "read on"),
    press(C::Confirmation, "confirm:pageUp",   "pageup",                     "read back"),

    press(C::Review, "review:accept",        "a",                            "accept the change"),
    press(C::Review, "review:reject",        "r",                            "reject it"),
    press(C::Review, "review:acceptFile",    "A",                            "accept all of the file"),
    press(C::Review, "review:rejectFile",    "R",                            "reject all of the file"),
    press(C::Review, "review:comment",       "c",                            "reject it, and say why"),
    press(C::Review, "review:lines",         "l",                            "decide about some of its lines"),
    press(C::Review, "review:undo",          "u",                            "take the last decision back"),
    press(C::Review, "review:next",          "n, down, right, tab",          "the next change"),
    press(C::Review, "review:previous",      "p, up, left, shift+tab",       "the change before"),
    press(C::Review, "review:confirm",       "enter",                        "what is written is meant"),
    press(C::Review, "review:pageDown",      "pagedown, space",              "read on"),
    press(C::Review, "review:pageUp",        "pageup",                       "read back"),
    press(C::Review, "review:close",         "escape, q",                    "leave; what is not decided stays"),

    press(C::Sessions, "sessions:accept",    "enter",                        "go on with it"),
    press(C::Sessions, "sessions:next",      "down, ctrl+n",                 "the next session"),
    press(C::Sessions, "sessions:previous",  "up, ctrl+p",                   "the session before"),
    press(C::Sessions, "sessions:pageDown",  "pagedown",                     "a page on"),
    press(C::Sessions, "sessions:pageUp",    "pageup",                       "a page back"),
    press(C::Sessions, "sessions:filter",    "tab",                          "this folder, all folders, this branch, open ones"),
    press(C::Sessions, "sessions:filterBack", "shift+tab",                   "the same, backwards"),
    press(C::Sessions, "sessions:rename",    "ctrl+r",                       "give it another title"),
    press(C::Sessions, "sessions:fork",      "ctrl+f",                       "go on in a copy"),
    press(C::Sessions, "sessions:delete",    "delete, ctrl+x",               "delete it, after a question"),
    press(C::Sessions, "sessions:previewDown", "ctrl+e, alt+down",           "read on in the preview"),
    press(C::Sessions, "sessions:previewUp", "ctrl+y, alt+up",               "read back in the preview"),
    press(C::Sessions, "sessions:close",     "escape",                       "clear the words, then leave"),

    press(C::Transcript, "transcript:down",     "j, down",                   "a row down"),
    press(C::Transcript, "transcript:up",       "k, up",                     "a row up"),
    press(C::Transcript, "transcript:pageDown", "space, pagedown, ctrl+f",   "a page on"),
    press(C::Transcript, "transcript:pageUp",   "b, pageup, ctrl+b",         "a page back"),
    press(C::Transcript, "transcript:top",      "g, home",                   "to the beginning"),
    press(C::Transcript, "transcript:bottom",   "G, end",                    "to the end, and stay there"),
    press(C::Transcript, "transcript:search",   "/",                         "look for words"),
    press(C::Transcript, "transcript:searchNext", "n",                       "the next place with them"),
    press(C::Transcript, "transcript:searchPrevious", "N",                   "the place before"),
    press(C::Transcript, "transcript:nextPrompt", "]",                       "the next prompt"),
    press(C::Transcript, "transcript:previousPrompt", "[",                   "the prompt before"),
    press(C::Transcript, "transcript:toggleDetails", "x",                    "calls in short, or with everything"),
    press(C::Transcript, "transcript:copy",     "y",                         "copy the last answer"),
    press(C::Transcript, "transcript:copyAll",  "Y",                         "copy everything"),
    press(C::Transcript, "transcript:export",   "e",                         "write the session to a file"),
    press(C::Transcript, "transcript:enter",    "enter",                     "look for what is written"),
    press(C::Transcript, "transcript:close",    "escape, q, ctrl+o",         "back to the prompt"),

    press(C::Tasks, "tasks:next",            "j, down, ctrl+n",              "the next task, or a row down"),
    press(C::Tasks, "tasks:previous",        "k, up, ctrl+p",                "the task before, or a row up"),
    press(C::Tasks, "tasks:open",            "enter, right",                 "what it printed"),
    press(C::Tasks, "tasks:stop",            "x",                            "stop it, after a question"),
    press(C::Tasks, "tasks:pageDown",        "pagedown, space",              "a page on"),
    press(C::Tasks, "tasks:pageUp",          "pageup, b",                    "a page back"),
    press(C::Tasks, "tasks:bottom",          "G, end",                       "to the end, and stay there"),
    press(C::Tasks, "tasks:top",             "g, home",                      "to the beginning"),
    press(C::Tasks, "tasks:close",           "escape, q, left, alt+t",       "back"),
];

/// A context by the name that files use.
pub(crate) fn context(name: &str) -> Option<Context> {
    CONTEXTS.iter().find(|(_, known, _)| *known == name).map(|(context, ..)| *context)
}

/// The row of an action; the same name may count in several contexts, but has one row.
pub(crate) fn row(name: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.name == name)
}
