//! The table is whole, keys find their action, and what files say counts.

use crossterm::event::{KeyCode, KeyModifiers};

use super::*;

fn press(keymap: &mut Keymap, contexts: &[Context], words: &str) -> Meaning {
    let strokes = stroke::parse_chord(words).expect(words);
    let found = strokes.iter().map(|stroke| keymap.look_up(contexts, stroke.event(), false)).last();
    found.expect("a key")
}

fn name(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Act(Act::Press, key) => format!("press {}", Stroke::of(*key)),
        Meaning::Act(act, _) => format!("{act:?}"),
        Meaning::Raw(key) => format!("raw {}", Stroke::of(*key)),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_table_is_whole() {
    for (at, row) in ROWS.iter().enumerate() {
        assert!(ROWS[..at].iter().all(|earlier| earlier.name != row.name), "{} twice", row.name);
        for keys in row.keys.split(", ") {
            let strokes = stroke::parse_chord(keys).expect(keys);
            let same = |other: &&table::Row| {
                other.context == row.context && other.keys.split(", ").any(|known| known == keys)
            };
            assert_eq!(ROWS.iter().filter(same).count(), 1, "{keys} in {:?}", row.context);
            assert!(!strokes.is_empty());
        }
        assert!(CONTEXTS.iter().any(|(context, ..)| *context == row.context));
    }
}

#[test]
fn keys_people_have_in_their_fingers() {
    let chat = [Context::Chat, Context::Global];
    let mut keymap = Keymap::default();
    for (keys, expect) in [
        ("enter", "Edit(Submit)"),
        ("alt+enter", "Edit(Newline)"),
        ("shift+tab", "Edit(CycleMode)"),
        ("ctrl+w", "Edit(KillBigWord)"),
        ("ctrl+7", "Edit(Undo)"),
        ("ctrl+o", "Wish(Transcript)"),
        ("ctrl+x ctrl+e", "Wish(ExternalEditor)"),
        ("ctrl+x x", "Nothing(Some(\"ctrl+x x\"))"),
        ("ctrl+x", "Pending"),
    ] {
        assert_eq!(name(&press(&mut keymap, &chat, keys)), expect, "{keys}");
    }
    assert_eq!(keymap.pending().as_deref(), Some("ctrl+x"));
    assert_eq!(
        usual_edit(KeyEvent::new(KeyCode::Char('A'), KeyModifiers::SHIFT)),
        Some(Action::Insert('A'))
    );
    assert_eq!(usual_edit(KeyEvent::new(KeyCode::F(5), KeyModifiers::NONE)), None);
}

#[test]
fn a_page_hears_the_usual_key_of_what_is_meant() {
    let mut keymap = Keymap::default();
    let here = [Context::Transcript];
    assert_eq!(name(&press(&mut keymap, &here, "down")), "press j");
    assert_eq!(name(&press(&mut keymap, &here, "5")), "raw 5");
    // What is written is written, whatever the letters usually do.
    let letter = KeyEvent::new(KeyCode::Char('j'), KeyModifiers::NONE);
    assert_eq!(keymap.look_up(&here, letter, true), Meaning::Raw(letter));
}

#[test]
fn what_a_file_says_counts() {
    let text = r#"{
      // mine
      "bindings": [
        {"context": "Chat", "bindings": {"ctrl+e": "chat:externalEditor", "ctrl+u": null,
                                         "ctrl+k ctrl+t": "app:tasks",}},
        {"context": "Transcript", "bindings": {"s": "transcript:search"}}
      ]
    }"#;
    let mut keymap = Keymap::default();
    assert_eq!(read(text, Origin::Own, &mut keymap), []);
    let chat = [Context::Chat, Context::Global];
    assert_eq!(name(&press(&mut keymap, &chat, "ctrl+e")), "Wish(ExternalEditor)");
    assert_eq!(name(&press(&mut keymap, &chat, "ctrl+u")), "Nothing(None)");
    // A key that begins keys in a row now is no action of its own any more.
    assert_eq!(name(&press(&mut keymap, &chat, "ctrl+k")), "Pending");
    assert_eq!(
        name(&keymap.look_up(&chat, KeyEvent::from(KeyCode::Esc), false)),
        "Nothing(Some(\"ctrl+k escape\"))"
    );
    assert_eq!(name(&press(&mut keymap, &chat, "ctrl+k ctrl+t")), "Wish(Tasks)");
    assert_eq!(name(&press(&mut keymap, &[Context::Transcript], "s")), "press /");
    let row = table::row("chat:externalEditor").expect("a row");
    assert_eq!(keymap.keys_of(row), ["ctrl+g", "ctrl+x ctrl+e", "ctrl+e"]);
    assert!(keymap.is_changed(row));
}

#[test]
fn slips_are_told_with_their_line_and_what_was_meant() {
    let text = r#"{
      "bindings": [
        {"context": "Chatt", "bindings": {}},
        {"context": "Chat", "bindings": {
          "ctrl+e": "chat:externalEditr",
          "hyper+x": "chat:undo",
          "ctrl+c": "chat:undo",
          "f5": 7
        }},
        {"context": "Select", "bindings": {"j": "chat:submit"}},
        "no"
      ],
      "keys": {}
    }"#;
    let mut keymap = Keymap::default();
    let problems: Vec<String> =
        read(text, Origin::Own, &mut keymap).iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "line 3: there is no context `Chatt`; did you mean `Chat`?",
            "line 5: there is no action `chat:externalEditr`; did you mean `chat:externalEditor`?",
            "line 6: `hyper+x`: there is no `hyper` to hold down",
            "line 7: `ctrl+c` always means the same, so that one can always stop and leave",
            "line 8: an action is a name in quotes, or null for none",
            "line 10: `chat:submit` does nothing in Select; it belongs to Chat",
            "line 11: a block is an object with `context` and `bindings`",
            "line 13: `keys` means nothing here; the file has `bindings`",
        ]
    );
    // Another agent's file may name what we do not have; only what is broken is told.
    let mut keymap = Keymap::default();
    let foreign: Vec<String> =
        read(text, Origin::Foreign, &mut keymap).iter().map(ToString::to_string).collect();
    assert_eq!(foreign.len(), 4, "{foreign:?}");
    let broken = read("{\"bindings\": [", Origin::Own, &mut keymap);
    assert!(broken[0].to_string().starts_with("line 1: "), "{broken:?}");
}

#[test]
fn the_template_changes_nothing_and_names_everything() {
    let text = template(&Keymap::default());
    let mut keymap = Keymap::default();
    assert_eq!(read(&text, Origin::Own, &mut keymap), []);
    for (at, row) in ROWS.iter().enumerate() {
        assert!(text.contains(row.name), "{}", row.name);
        assert!(!keymap.is_changed(at), "{}", row.name);
    }
    // Without its comment signs it says the same as the table.
    let spoken: String = text.lines().map(|line| line.replacen("// \"", "\"", 1) + "\n").collect();
    let mut keymap = Keymap::default();
    let problems = read(&spoken, Origin::Own, &mut keymap);
    assert!(
        problems.iter().all(|problem| problem.to_string().contains("ctrl+c")
            || problem.to_string().contains("ctrl+d")),
        "{problems:?}"
    );
}
