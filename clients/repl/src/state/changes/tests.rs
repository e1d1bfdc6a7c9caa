//! What waits, in which order, and how files are counted.

use protocol::lsp::{Position, Range};
use protocol::review::Author;

use super::*;

/// A hunk that replaces `old` by `new` at a line (from zero) of `/w/<file>`, made by `call-<id>`.
pub(crate) fn hunk(id: &str, file: &str, line: u32, old: &str, new: &str) -> Hunk {
    let rows = u32::try_from(new.lines().count()).unwrap_or(0);
    Hunk {
        id: id.into(),
        session_id: "s1".into(),
        turn_id: "t1".into(),
        tool_call_id: format!("call-{id}"),
        uri: format!("file:///w/{file}"),
        version: None,
        range: Range {
            start: Position { line, character: 0 },
            end: Position { line: line + rows, character: 0 },
        },
        old_text: old.into(),
        new_text: new.into(),
        author: Author::Agent,
        state: HunkState::Pending,
    }
}

fn with(mut hunk: Hunk, state: HunkState) -> Hunk {
    hunk.state = state;
    hunk
}

fn ids(changes: &Changes) -> String {
    changes.pending().iter().map(|hunk| hunk.id.as_str()).collect()
}

#[test]
fn what_waits_is_in_order_of_files_and_places() {
    let mut changes = Changes::default();
    changes.replace(vec![
        hunk("c", "b.rs", 1, "", "x\n"),
        hunk("b", "a.rs", 9, "", "x\n"),
        with(hunk("z", "a.rs", 0, "", "x\n"), HunkState::Accepted),
    ]);
    changes.update(hunk("a", "a.rs", 3, "", "x\n"));
    assert_eq!(ids(&changes), "abc");
    changes.update(hunk("a", "a.rs", 30, "", "x\n"));
    assert_eq!(ids(&changes), "bac");
    changes.update(with(hunk("b", "a.rs", 9, "", ""), HunkState::Rejected));
    let result = |id: &str, state| HunkResult { hunk_id: id.into(), state, reason: None };
    changes.settle(&[result("a", HunkState::Accepted), result("c", HunkState::Pending)]);
    assert_eq!(ids(&changes), "c");
}

#[test]
fn files_are_counted_from_the_message_on() {
    let mut said = Said::default();
    let mut changes = Changes::default();
    for (id, file) in [("a", "x.rs"), ("b", "y.rs"), ("c", "x.rs")] {
        said.add(id, "do it", None);
        said.call(&format!("call-{id}"));
        changes.update(with(hunk(id, file, 0, "", "1\n"), HunkState::Accepted));
    }
    changes.update(hunk("elsewhere", "z.rs", 0, "", "1\n"));
    let counts = |changes: &Changes| [0, 1, 2, 3].map(|at| changes.files_after(at, &said));
    assert_eq!(counts(&changes), [2, 2, 1, 0]);
    changes.update(with(hunk("c", "x.rs", 0, "", ""), HunkState::Rejected));
    assert_eq!(counts(&changes), [2, 1, 0, 0]);
}
