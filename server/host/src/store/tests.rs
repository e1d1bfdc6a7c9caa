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
