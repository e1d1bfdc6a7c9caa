//! Looking for sessions, and what may happen to one.

use super::*;
use crate::keymap::Keymap;
use crate::prompt::tests::key;
use crate::render::line::plain_text;
use protocol::session::SessionStatus;

fn session(id: &str, title: &str, minutes: u64, branch: Option<&str>, cwd: &str) -> SessionInfo {
    SessionInfo {
        session_id: id.into(),
        title: title.into(),
        cwd: cwd.into(),
        branch: branch.map(str::to_owned),
        updated_at: 1_000_000_000 - minutes * 60_000,
        messages: 4,
        live: id == "a",
        status: SessionStatus::Idle,
    }
}

fn view() -> SessionsView {
    let mut view = SessionsView::new(Some("a".into()), Some("main".into()), || 1_000_000_000);
    let folder = vec![
        session("a", "the one here", 0, Some("main"), "/w"),
        session("b", "Fix the 日本語 parser 🚀", 5, Some("main"), "/w"),
        session("c", "write docs", 70, Some("docs"), "/w"),
    ];
    view.add(folder, true, true);
    view.add(vec![session("d", "elsewhere", 3000, None, "/other/place")], false, true);
    view
}

fn rows(view: &mut SessionsView) -> String {
    plain_text(&view.draw(&Keymap::default(), (60, 20)).0)
}

fn titles(view: &mut SessionsView) -> Vec<String> {
    let text = rows(view);
    let list = text.lines().skip(3).take(9).filter(|row| !row.trim().is_empty());
    list.map(|row| {
        row.split("  ").map(str::trim).find(|part| !part.is_empty()).unwrap_or("").to_owned()
    })
    .collect()
}

#[test]
fn the_page_as_it_looks() {
    let mut view = view();
    view.preview("b", Some("**User**\n\nfix it".into()));
    expect_test::expect![[r#"
        Sessions [this folder] all folders  this branch  ope… 2 of 3
        › 
        ────────────────────────────────────────────────────────────
          the one here                 this one · just now · 4 mess…
        ❯ Fix the 日本語 parser 🚀        5m ago · 4 messages · main
          write docs                      1h ago · 4 messages · docs






        ────────────────────────────────────────────────────────────
        User

        fix it



        enter go on · escape leave · tab filter · ctrl+r rename
    "#]]
    .assert_eq(&rows(&mut view));
}

#[test]
fn words_and_filters() {
    let mut view = view();
    assert_eq!(titles(&mut view).len(), 3);
    for letter in "PARS".chars() {
        assert_eq!(view.on_key(key(&letter.to_string())), Asked::Look);
    }
    assert_eq!(view.wanted(), Some("PARS"));
    assert_eq!(view.marked_session().map(|one| one.session_id.as_str()), Some("b"));
    // What stands in the text of a session counts as much as its title.
    view.found("PARS".into(), vec![session("c", "write docs", 70, Some("docs"), "/w")], true);
    assert_eq!(view.wanted(), None);
    assert_eq!(view.listed.len(), 2);
    assert_eq!(view.on_key(key("esc")), Asked::Nothing);
    assert_eq!(view.on_key(key("tab")), Asked::Look);
    assert_eq!((view.filter, view.listed.len()), (Filter::All, 4));
    view.on_key(key("tab"));
    assert_eq!((view.filter, view.listed.len()), (Filter::Branch, 2));
    view.on_key(key("tab"));
    assert_eq!((view.filter, view.listed.len()), (Filter::Live, 1));
    assert_eq!(view.on_key(key("esc")), Asked::Close);
}

#[test]
fn renamed_copied_and_deleted() {
    let mut view = view();
    assert_eq!(view.on_key(key("enter")), Asked::Resume("b".into()));
    assert_eq!(view.on_key(key("ctrl-f")), Asked::Fork("b".into()));
    view.on_key(key("ctrl-r"));
    view.on_key(key("!"));
    assert_eq!(
        view.on_key(key("enter")),
        Asked::Rename("b".into(), "Fix the 日本語 parser 🚀!".into())
    );
    let delete = KeyEvent::new(KeyCode::Delete, KeyModifiers::NONE);
    view.on_key(delete);
    assert!(rows(&mut view).contains("Delete “Fix the"), "it is asked first");
    assert_eq!(view.on_key(key("n")), Asked::Nothing);
    view.on_key(delete);
    assert_eq!(view.on_key(key("y")), Asked::Delete("b".into()));
    view.deleted("b");
    assert!(!rows(&mut view).contains("parser"));
    // The one that is open cannot go.
    view.on_key(key("up"));
    view.on_key(key("up"));
    view.marked = 0;
    view.on_key(delete);
    assert_eq!(view.on_key(key("y")), Asked::Look, "y is a word to look for");
}

#[test]
fn thousands_of_sessions() {
    let mut view = SessionsView::new(None, None, || 1_000_000_000);
    let many =
        (0..2000).map(|n| session(&format!("s{n}"), &format!("session number {n}"), n, None, "/w"));
    view.add(many.collect(), true, true);
    for letter in "number 1999".chars() {
        view.on_key(KeyEvent::from(KeyCode::Char(letter)));
    }
    assert_eq!(view.listed.len(), 1);
    view.on_key(key("ctrl-u"));
    view.on_key(key("up"));
    let text = rows(&mut view);
    assert!(
        text.contains("❯ session number 1999") || text.contains("❯ session number 1998"),
        "{text}"
    );
}
