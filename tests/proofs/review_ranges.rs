//! Ranges of hunks: each client gets them in its own encoding and on its own text, and learns when
//! they moved.

use kit::{Buffer, Client, Dice, Encoding, Profile, Project, Server, Stage, model, session_in};
use model::{Scenario, TestServer};
use protocol::event::{EventBody, HunksMoved};
use protocol::lsp::{Position, Range};
use protocol::review::{Hunk, HunkState};
use protocol::session::Mode;
use protocol::tool::FileDiff;
use serde_json::json;

use super::review::{NEW, OLD, SPOTS, five_edits, hunks, staged, text_with};

/// A change at the end of a file without a last line break, so that its range has columns.
const BEFORE: &str = "first\nlast";
const AFTER: &str = "first\n☃𝄞 last";

fn one_edit() -> Scenario {
    let path = "{{cwd}}/a.txt";
    let edit = json!({ "file_path": path, "old_string": "last", "new_string": "☃𝄞 last" });
    Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done")
}

fn whole_last_line(encoding: Encoding) -> Range {
    let character = match encoding {
        Encoding::Utf8 => 12,
        Encoding::Utf16 => 8,
        Encoding::Utf32 => 7,
    };
    Range { start: Position { line: 1, character: 0 }, end: Position { line: 1, character } }
}

const UTF8: &[Encoding] = &[Encoding::Utf8];
const UTF16: &[Encoding] = &[Encoding::Utf16];
const UTF32: &[Encoding] = &[Encoding::Utf32];

fn added(client: &Client) -> Vec<Hunk> {
    let added = client.log.iter().filter_map(|event| match &event.body {
        EventBody::HunkAdded(added) => Some(added.hunk.clone()),
        _ => None,
    });
    added.collect()
}

fn check(found: &[Hunk], encoding: Encoding, version: Option<i32>) {
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].range, whole_last_line(encoding), "{encoding:?}");
    assert_eq!(found[0].version, version, "{encoding:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hunk_range_of_a_closed_file_is_in_the_clients_encoding() {
    for (offers, encoding) in
        [(UTF8, Encoding::Utf8), (UTF16, Encoding::Utf16), (UTF32, Encoding::Utf32)]
    {
        let project = Project::new(&format!("//- /a.txt\n{BEFORE}"));
        project.write("a.txt", BEFORE);
        let script = model(one_edit()).await;
        let server = Server::start(&project, Some(&script));
        let mut client = server.connect(Profile::NEOVIM.with_encoding(offers)).await;
        let session = client.session_with(session_in(Mode::AcceptEdits)).await;
        client.ask(&session, "go").await;
        assert_eq!(project.read("a.txt"), AFTER);
        check(&added(&client), encoding, None);
        check(&hunks(&mut client, &session).await, encoding, None);
    }
}

/// The file is open in a client that counts bytes; another one counts UTF-16 units.
async fn two_clients() -> ((Project, TestServer, Server), String, String, Client, Client) {
    let project = Project::new(&format!("//- /a.txt\n{BEFORE}"));
    project.write("a.txt", BEFORE);
    let script = model(one_edit()).await;
    let server = Server::start(&project, Some(&script));
    let mut first = server.connect(Profile::NEOVIM.with_encoding(UTF8)).await;
    let session = first.session_with(session_in(Mode::AcceptEdits)).await;
    let mut second = server.connect(Profile::NEOVIM.with_encoding(UTF16)).await;
    second.attach(&session, None).await;
    let uri = project.uri("a.txt");
    first.open(&uri, BEFORE);
    ((project, script, server), uri, session, first, second)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_get_one_event_each_in_its_own_encoding() {
    let (held, uri, session, mut first, mut second) = two_clients().await;
    first.ask(&session, "go").await;
    assert_eq!(first.editor.text(&uri), AFTER);
    check(&added(&first), Encoding::Utf8, Some(2));
    check(&hunks(&mut first, &session).await, Encoding::Utf8, Some(2));
    second.turn_ended(&session).await;
    check(&added(&second), Encoding::Utf16, None);
    check(&hunks(&mut second, &session).await, Encoding::Utf16, None);

    // Who comes back and is told what was missed counts in yet another way.
    let mut third = held.2.connect(Profile::NEOVIM.with_encoding(UTF32)).await;
    third.attach(&session, Some(0)).await;
    check(&added(&third), Encoding::Utf32, None);
    let moved = next_moved(&mut third).await;
    assert_eq!((moved.version, moved.hunks.len()), (None, 1));
    assert_eq!(moved.hunks[0].range, whole_last_line(Encoding::Utf32));
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_its_own_copy_gets_ranges_on_its_own_text() {
    let (_held, uri, session, mut first, mut second) = two_clients().await;
    second.open(&uri, BEFORE);
    first.ask(&session, "go").await;
    second.turn_ended(&session).await;
    // Its own copy does not have the change yet: the range is what the change replaces there.
    let found = hunks(&mut second, &session).await;
    let last = Range { end: Position { line: 1, character: 4 }, ..whole_last_line(Encoding::Utf8) };
    assert_eq!((found[0].version, found[0].range), (Some(1), last));

    let change = second.editor.splice(&uri, 0..0, "mine ☃\nmine\n");
    second.notify("textDocument/didChange", change);
    let moved = next_moved(&mut second).await;
    assert_eq!((moved.uri.as_str(), moved.version), (uri.as_str(), Some(2)));
    assert_eq!(moved.hunks[0].range.start, Position { line: 3, character: 0 });
    assert_eq!(moved.hunks[0].range.end, Position { line: 3, character: 4 });
    let moved = next_moved(&mut first).await;
    assert_eq!((moved.version, moved.hunks[0].range), (Some(2), whole_last_line(Encoding::Utf8)));
}

async fn next_moved(client: &mut Client) -> HunksMoved {
    let is_moved = |event: &protocol::Event| matches!(event.body, EventBody::HunksMoved(_));
    match client.next_event("moved hunks", is_moved).await.body {
        EventBody::HunksMoved(moved) => moved,
        _ => unreachable!(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_above_hunks_sends_their_ranges_when_it_pauses() {
    let (mut stage, uri) = staged().await;
    let before = hunks(&mut stage.client, &stage.session).await;
    for line in 0..4 {
        let change = stage.client.editor.splice(&uri, 0..0, &format!("typed {line}\n"));
        stage.client.notify("textDocument/didChange", change);
    }
    let version = stage.client.editor.version(&uri);
    let mut moved = next_moved(&mut stage.client).await;
    while moved.version != Some(version) {
        moved = next_moved(&mut stage.client).await;
    }
    assert_eq!(moved.uri, uri);
    assert_eq!(moved.hunks.len(), SPOTS);
    for (now, was) in moved.hunks.iter().zip(&before) {
        assert_eq!(now.id, was.id);
        assert_eq!(now.range.start.line, was.range.start.line + 4);
        assert_eq!(now.range.end.line, was.range.end.line + 4);
    }

    // Only those that are elsewhere are named.
    stage.client.type_after(&uri, "agent 2\nfiller\n", "typed\n");
    let moved = next_moved(&mut stage.client).await;
    let ids: Vec<_> = moved.hunks.iter().map(|hunk| &hunk.id).collect();
    assert_eq!(ids, [&before[3].id, &before[4].id]);
    let listed = hunks(&mut stage.client, &stage.session).await;
    assert_eq!(moved.hunks[0].range, listed[3].range);
    assert!(listed.iter().all(|hunk| hunk.version == moved.version));
    assert!(listed.iter().all(|hunk| hunk.state == HunkState::Pending));
}

/// What the client has where a hunk is said to be.
fn text_at(client: &Client, uri: &str, range: Range, encoding: Encoding) -> String {
    let buffer = Buffer { text: client.editor.text(uri).to_owned(), version: 0 };
    let offset = |position: Position| {
        let position = json!({ "line": position.line, "character": position.character });
        buffer.offset(&position, encoding)
    };
    buffer.text[offset(range.start)..offset(range.end)].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_are_exact_in_every_encoding_whatever_is_typed() {
    for (offers, encoding) in
        [(UTF8, Encoding::Utf8), (UTF16, Encoding::Utf16), (UTF32, Encoding::Utf32)]
    {
        let mut text = text_with(OLD);
        // The last change is in a line without an end.
        text.truncate(text.rfind(OLD[4]).unwrap() + OLD[4].len());
        let project = Project::new("");
        project.write("a.txt", &text);
        let script = model(five_edits()).await;
        let server = Server::start(&project, Some(&script));
        let mut client = server.connect(Profile::NEOVIM.with_encoding(offers)).await;
        let uri = project.uri("a.txt");
        client.open(&uri, &text);
        let session = client.session_with(session_in(Mode::AcceptEdits)).await;
        client.ask(&session, "go").await;
        let mut dice = Dice::new(6);
        for round in 0..40 {
            for _ in 0..dice.below(5) {
                let now = client.editor.text(&uri).to_owned();
                let places: Vec<_> = now.char_indices().map(|(at, _)| at).collect();
                let (one, other) = (dice.below(places.len()), dice.below(4));
                let (start, end) = (places[one], places[(one + other).min(places.len() - 1)]);
                let typed = ["", "\n", "☃𝄞", "é\n\n", "x"][dice.below(5)];
                let change = client.editor.splice(&uri, start..end, typed);
                client.notify("textDocument/didChange", change);
            }
            for hunk in hunks(&mut client, &session).await {
                assert_eq!(hunk.version, Some(client.editor.version(&uri)));
                if hunk.state == HunkState::Pending {
                    let there = text_at(&client, &uri, hunk.range, encoding);
                    assert_eq!(there, hunk.new_text, "{encoding:?}, round {round}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn diff_of_an_edit_leaves_out_what_the_user_typed_meanwhile() {
    let path = "{{cwd}}/a.txt";
    let edit = json!({ "file_path": path, "old_string": OLD[2], "new_string": NEW[2] });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done");
    let fixture = format!("//- /a.txt\n{}", text_with(OLD));
    let mut stage = Stage::in_mode(&fixture, script, Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, &text_with(OLD));
    stage.client.editor.type_before_next_edit(&uri, OLD[0], "the user's\nown words");
    let turned = stage.client.ask(&stage.session, "go").await;
    let diffs: Vec<FileDiff> = turned
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ToolEnded(ended) => ended.diff.clone(),
            _ => None,
        })
        .collect();
    let typed = text_with(OLD).replace(OLD[0], "the user's\nown words");
    assert_eq!(diffs.len(), 1);
    assert_eq!(diffs[0].old_text.as_deref(), Some(typed.as_str()));
    assert_eq!(diffs[0].new_text, Some(typed.replace(OLD[2], NEW[2])));
    let (result, _) = stage.last_results().pop().unwrap();
    assert!(result.contains("(+1 −1 lines)"), "{result}");
}
