//! Journals on a real disk.

use agent::{Block, Record};

use super::*;
use crate::context::Clock;

fn user(text: &str) -> Record {
    Record::User { id: "m1".into(), turn: "t1".into(), content: vec![Block::text(text)] }
}

fn head(cwd: &Path) -> Record {
    Record::Session {
        version: agent::journal::VERSION,
        id: "x".into(),
        cwd: cwd.display().to_string(),
        model: "rehearsal".into(),
        mode: "default".into(),
        forked_from: None,
    }
}

async fn written(folder: &Path, id: &str, records: &[Record]) -> PathBuf {
    let path = journal_path(folder, Path::new("/work/project"), id);
    let mut journal = Journal::new(Some(path.clone()), Clock::system());
    assert!(journal.is_new());
    journal.create(&records[0]).await.unwrap();
    for record in &records[1..] {
        journal.append(record).unwrap();
    }
    journal.sync().await.unwrap();
    path
}

#[tokio::test]
async fn what_was_synced_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = Path::new("/work/project");
    let path = written(folder.path(), "0190-aa", &[head(cwd), user("hello\nworld")]).await;
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.cwd, cwd);
    assert_eq!(loaded.title.text(), Some("hello"));
    assert_eq!(loaded.conversation.entries().len(), 1);
    assert_eq!(find(folder.path(), "0190-aa"), Some(path.clone()));
    assert_eq!(find(folder.path(), "0190"), Some(path));
    assert_eq!(find(folder.path(), "../../etc"), None);
    let listed = list(folder.path(), Some(&[cwd.to_owned()]));
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].title.as_str(), listed[0].messages), ("hello", 1));
    assert_eq!(list(folder.path(), Some(&[PathBuf::from("/elsewhere")])), []);
}

#[tokio::test]
async fn a_torn_line_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "0190-bb", &[head(Path::new("/p")), user("one")]).await;
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(br#"{"at":1,"type":"user","id":"m2","tu"#);
    std::fs::write(&path, &bytes).unwrap();
    let mut journal = Journal::resume(path.clone(), Clock::system()).unwrap();
    journal.append(&user("two")).unwrap();
    journal.sync().await.unwrap();
    let loaded = load(&path).unwrap();
    assert_eq!((loaded.conversation.entries().len(), loaded.skipped), (2, 1));
}

#[tokio::test]
async fn one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "0190-cc", &[head(Path::new("/p"))]).await;
    let first = Journal::resume(path.clone(), Clock::system()).unwrap();
    assert!(matches!(Journal::resume(path.clone(), Clock::system()), Err(JournalError::Locked)));
    drop(first);
    assert!(Journal::resume(path, Clock::system()).is_ok());
}

#[test]
fn a_newer_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let line =
        r#"{"at":1,"type":"session","version":99,"id":"x","cwd":"/","model":"m","mode":"d"}"#;
    std::fs::write(&path, line).unwrap();
    assert!(load(&path).unwrap_err().contains("newer"));
}

/// Whatever happened to the first line, the session is found with what is left, and the file stays as
/// it is.
#[tokio::test]
async fn a_damaged_first_line_hides_no_session() {
    let cwd = Path::new("/work/project");
    let whole = |path: &Path| std::fs::read(path).unwrap();
    let first = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'\n').unwrap();
    type Damage = fn(Vec<u8>, usize) -> Vec<u8>;
    let damages: [(&str, bool, Damage); 8] = [
        ("byte order mark", false, |bytes, _| [b"\xef\xbb\xbf", bytes.as_slice()].concat()),
        ("flipped first byte", true, |mut bytes, _| {
            bytes[0] ^= 0x10;
            bytes
        }),
        ("byte that is not UTF-8", true, |mut bytes, end| {
            bytes[end - 3] = 0xff;
            bytes
        }),
        ("flipped byte in the folder", false, |bytes, _| {
            let at = bytes.windows(5).position(|window| window == b"/work").unwrap();
            [&bytes[..=at], b"v", &bytes[at + 2..]].concat()
        }),
        ("no first line", true, |bytes, end| bytes[end + 1..].to_vec()),
        ("half of the first line", true, |bytes, end| bytes[end / 2..].to_vec()),
        ("noise before it", true, |bytes, _| [b"\x00\x00", bytes.as_slice()].concat()),
        ("empty first line", true, |bytes, end| bytes[end..].to_vec()),
    ];
    for (name, head_lost, damage) in damages {
        let folder = tempfile::tempdir().unwrap();
        let said = user("look at \"/work/project/src/main.rs\"");
        let call = Block::ToolUse {
            id: "c1".into(),
            name: "Read".into(),
            input: serde_json::json!({ "file_path": "/work/project/src/main.rs" }),
        };
        let answer = Record::Assistant {
            id: "m2".into(),
            turn: "t1".into(),
            model: "m".into(),
            asked: None,
            content: vec![call],
            stop_reason: None,
            usage: agent::Usage::default(),
        };
        let path = written(folder.path(), "0190-dd", &[head(cwd), said, answer]).await;
        let bytes = whole(&path);
        let end = first(&bytes);
        let damaged = damage(bytes, end);
        std::fs::write(&path, &damaged).unwrap();

        let loaded = load(&path).unwrap();
        assert_eq!((loaded.cwd.as_path(), loaded.head_lost), (cwd, head_lost), "{name}");
        assert!(loaded.conversation.entries().len() >= 2, "{name}");
        for folders in [None, Some([cwd.to_owned()].as_slice())] {
            let listed = list(folder.path(), folders);
            assert_eq!(listed.len(), 1, "{name}");
            assert_eq!(
                (listed[0].id.as_str(), listed[0].cwd.as_path()),
                ("0190-dd", cwd),
                "{name}"
            );
            assert!(listed[0].title.starts_with("look at"), "{name}");
        }
        assert_eq!(History::read(&path).unwrap().cwd, cwd, "{name}");
        let found = search(list(folder.path(), None), "main.rs", None);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(whole(&path), damaged, "{name}");
    }
}

#[tokio::test]
async fn the_folder_of_a_damaged_journal_is_known_from_another_session() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = Path::new("/work/project");
    let path = written(folder.path(), "0190-dd", &[head(cwd), user("hello")]).await;
    let bytes = std::fs::read(&path).unwrap();
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    std::fs::write(&path, &bytes[end..]).unwrap();
    assert_eq!(load(&path).unwrap().cwd, Path::new(""));
    // It is listed all the same: its id and its words are known.
    assert_eq!(list(folder.path(), None).len(), 1);
    written(folder.path(), "0190-ee", &[head(cwd), user("hello")]).await;
    assert_eq!(load(&path).unwrap().cwd, cwd);
}
