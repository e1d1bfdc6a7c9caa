//! What goes, what stays, and what comes back.

use super::*;

const HEAD: &str =
    r#"{"at":1,"type":"session","version":1,"id":"x","cwd":"/p","model":"m","mode":"default"}"#;

struct Home {
    folder: tempfile::TempDir,
    now: DateTime<Utc>,
}

impl Home {
    fn new() -> Self {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), now }
    }

    /// A session of this age in days, with this many bytes beside its journal.
    fn session(&self, id: &str, age: u64, beside: usize) -> PathBuf {
        let path = self.folder.path().join(format!("sessions/p/{id}.jsonl"));
        let tasks = super::super::belongings(&path).join("tasks");
        std::fs::create_dir_all(&tasks).unwrap();
        std::fs::write(tasks.join("b1.output"), "x".repeat(beside)).unwrap();
        let user = format!(
            r#"{{"at":2,"type":"user","id":"m","turn":"t","content":[{{"type":"text","text":"about {id}"}}]}}"#
        );
        std::fs::write(&path, format!("{HEAD}\n{user}\n")).unwrap();
        self.aged(&path, age);
        path
    }

    fn aged(&self, path: &Path, age: u64) {
        let used = SystemTime::from(self.now) - Duration::from_secs(age * 24 * 60 * 60 + 60);
        File::options().append(true).open(path).unwrap().set_modified(used).unwrap();
    }

    fn sweep(&self, days: u64, bytes: u64) -> Vec<String> {
        let swept = sweep(self.folder.path(), Retention { days, bytes }, self.now);
        swept.sessions.into_iter().map(|(id, _)| id).collect()
    }

    fn later(&mut self, days: i64) {
        self.now += TimeDelta::days(days);
    }
}

const ROOM: u64 = u64::MAX;

#[test]
fn what_is_old_goes_aside_comes_back_and_goes_for_good() {
    let mut home = Home::new();
    let old = home.session("old", 31, 10);
    let new = home.session("new", 29, 10);
    let ledger = home.folder.path().join("ledger/ab.jsonl");
    std::fs::create_dir_all(ledger.parent().unwrap()).unwrap();
    for name in ["ab.jsonl", "index.jsonl"] {
        std::fs::write(ledger.with_file_name(name), "{}\n").unwrap();
        home.aged(&ledger.with_file_name(name), 40);
    }
    assert_eq!(home.sweep(30, ROOM), ["old"]);
    assert!(!old.exists() && new.exists() && !ledger.exists());
    assert!(ledger.with_file_name("index.jsonl").exists());
    let told = take_notice(home.folder.path());
    assert!(told[0].contains("old (about old)") && told[0].contains("30 days"), "{told:?}");
    assert_eq!(take_notice(home.folder.path()), Vec::<String>::new(), "once");
    assert_eq!(aside(home.folder.path())[0].1, "about old");

    assert_eq!(restore(home.folder.path(), "old", home.now).unwrap(), old);
    assert!(super::super::belongings(&old).join("tasks/b1.output").exists());
    assert_eq!(home.sweep(30, ROOM), Vec::<String>::new(), "just brought back");
    assert!(restore(home.folder.path(), "old", home.now).is_err());

    home.later(31);
    assert_eq!(home.sweep(30, ROOM).len(), 2);
    home.later(7);
    home.sweep(30, ROOM);
    assert_eq!(aside(home.folder.path()).len(), 2);
    home.later(1);
    home.sweep(30, ROOM);
    assert_eq!(aside(home.folder.path()).len(), 0, "a week has passed");
}

#[test]
fn what_is_too_much_goes_oldest_first() {
    let mut home = Home::new();
    home.session("a", 5, 100_000);
    home.session("b", 3, 100_000);
    home.session("c", 2, 100_000);
    home.session("today", 0, 300_000);
    assert_eq!(home.sweep(30, 550_000), ["a"]);
    assert!(take_notice(home.folder.path())[0].contains("more than 0 MB"));
    // Even then what is in use today stays.
    assert_eq!(home.sweep(30, 10), ["b", "c"]);
    assert_eq!(aside(home.folder.path()).len(), 3, "for a day at least");
    home.later(1);
    home.sweep(30, 400_000);
    assert_eq!(aside(home.folder.path()).len(), 0, "the room is needed");
}

#[test]
fn what_somebody_has_open_stays() {
    let home = Home::new();
    let path = home.session("open", 90, 10);
    let file = File::options().append(true).open(&path).unwrap();
    file.try_lock().unwrap();
    assert_eq!(home.sweep(30, 1), Vec::<String>::new());
    drop(file);
    assert_eq!(home.sweep(30, 1), ["open"]);
}

#[test]
fn nothing_to_do_leaves_nothing() {
    let home = Home::new();
    assert_eq!(home.sweep(30, ROOM), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(home.folder.path()).unwrap().count(), 0);
}
