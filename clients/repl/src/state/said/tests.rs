//! Messages, calls and rewinds.

use super::*;

fn said() -> Said {
    let mut said = Said::default();
    for id in ["a", "b", "c"] {
        said.add(id, &format!("\n message {id} \nmore"), None);
        said.call(&format!("call-{id}"));
    }
    said
}

fn ids(said: &Said) -> String {
    said.messages().iter().map(|message| message.id.as_str()).collect()
}

#[test]
fn messages_are_kept_once_and_calls_know_theirs() {
    let mut said = said();
    said.add("b", "again", None);
    assert_eq!(ids(&said), "abc");
    assert_eq!(said.find("b").map(Message::line), Some("message b"));
    assert_eq!(said.before_call("call-b"), Some(1));
    assert_eq!(said.before_call("unknown"), None);
}

#[test]
fn a_rewind_cuts_once() {
    let mut said = said();
    assert!(said.rewound("b", &RewindWhat::Both, Some("u1")));
    assert!(!said.rewound("b", &RewindWhat::Both, Some("u1")));
    assert!(!said.rewound("b", &RewindWhat::Both, None));
    assert_eq!(ids(&said), "a");
    assert_eq!([said.before_call("call-a"), said.before_call("call-b")], [Some(0), None]);
    assert_eq!(said.last_rewind(), Some(&("u1".to_owned(), RewindWhat::Both)));
    said.unrewound("u1");
    assert_eq!(said.last_rewind(), None);
    assert!(said.rewound("a", &RewindWhat::Conversation, None));
    assert_eq!(ids(&said), "");
}

#[test]
fn files_alone_cut_nothing() {
    let mut said = said();
    assert!(said.rewound("a", &RewindWhat::Files, Some("u1")));
    assert!(!said.rewound("a", &RewindWhat::Files, None));
    assert!(said.rewound("unknown", &RewindWhat::Both, Some("u2")));
    assert_eq!(ids(&said), "abc");
}

#[test]
fn what_comes_back_has_its_time() {
    let mut said = Said::default();
    said.add("a", "text", Some(7));
    said.start_over();
    said.add("a", "text", None);
    assert_eq!(said.find("a").and_then(|message| message.at), Some(7));
}
