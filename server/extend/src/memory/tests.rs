//! Memory files on a real disk.

#![expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]

use std::fs;

use tempfile::TempDir;

use super::*;

/// A home, an administrator's folder and a project in a repository.
struct Disk {
    base: TempDir,
    locations: Locations,
}

impl Disk {
    fn new(files: &[(&str, &str)]) -> Disk {
        let base = tempfile::tempdir().unwrap();
        let root = files::real(base.path());
        let locations = Locations {
            bowline_home: root.join("home/.bowline"),
            home: Some(root.join("home")),
            managed: root.join("etc"),
        };
        let disk = Disk { base, locations };
        fs::create_dir_all(disk.at("home/work/repo/.git")).unwrap();
        fs::create_dir_all(disk.at("home/work/repo/app")).unwrap();
        for (name, text) in files {
            disk.write(name, text);
        }
        disk
    }

    fn at(&self, name: &str) -> PathBuf {
        files::real(self.base.path()).join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn with<T>(
        &self,
        trusted: bool,
        excludes: &[&str],
        run: impl FnOnce(&MemoryQuery<'_>) -> T,
    ) -> T {
        let excludes: Vec<String> = excludes.iter().map(|text| (*text).to_owned()).collect();
        run(&MemoryQuery {
            locations: &self.locations,
            cwd: &self.at("home/work/repo/app"),
            trusted,
            excludes: &excludes,
            may_read: &|path, reach| reach == Reach::Own || path.ends_with("allowed.md"),
        })
    }

    fn texts(&self, trusted: bool, excludes: &[&str]) -> Vec<String> {
        let memory = self.with(trusted, excludes, Memory::load);
        memory.files().iter().map(|file| file.text.clone()).collect()
    }
}

const EVERYWHERE: &[(&str, &str)] = &[
    ("etc/claude-code/CLAUDE.md", "managed"),
    ("home/.claude/CLAUDE.md", "user"),
    ("home/.claude/rules/a.md", "user rule"),
    ("home/.bowline/AGENTS.md", "own"),
    ("home/work/CLAUDE.md", "above"),
    ("home/work/repo/CLAUDE.md", "top"),
    ("home/work/repo/AGENTS.md", "not read beside CLAUDE.md"),
    ("home/work/repo/.claude/rules/b.md", "rule"),
    ("home/work/repo/app/AGENTS.md", "app"),
    ("home/work/repo/app/.bowline/AGENTS.md", "ours"),
    ("home/work/repo/app/CLAUDE.local.md", "local"),
    ("home/work/repo/app/deep/CLAUDE.md", "deep"),
];

#[test]
fn from_the_broad_to_the_special() {
    let disk = Disk::new(EVERYWHERE);
    let all =
        ["managed", "user", "user rule", "own", "above", "top", "rule", "app", "ours", "local"];
    assert_eq!(disk.texts(true, &[]), all);
    assert_eq!(disk.texts(false, &[]), all[..4]);
    let excludes = ["**/repo/CLAUDE.md", "**/rules/**", "**/etc/**"];
    assert_eq!(
        disk.texts(true, &excludes),
        ["managed", "user", "own", "above", "app", "ours", "local"]
    );
}

#[test]
fn what_others_could_have_written_above_the_project_does_not_count() {
    use std::os::unix::fs::PermissionsExt;
    let disk =
        Disk::new(&[("home/work/CLAUDE.md", "planted"), ("home/work/repo/CLAUDE.md", "top")]);
    fs::set_permissions(disk.at("home/work"), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(disk.texts(true, &[]), ["top"]);
}

#[test]
fn imports_follow_their_file_each_once() {
    let disk = Disk::new(&[
        ("home/work/repo/app/CLAUDE.md", "see @one.md and @../shared.md and @ann"),
        ("home/work/repo/app/one.md", "one @CLAUDE.md @one.md @two.md"),
        ("home/work/repo/app/two.md", "two"),
        ("home/work/repo/shared.md", "shared"),
    ]);
    let memory = disk.with(true, &[], Memory::load);
    let found: Vec<_> = memory.files().iter().map(|file| file.path.file_name().unwrap()).collect();
    assert_eq!(found, ["CLAUDE.md", "one.md", "two.md", "shared.md"]);
    assert_eq!(memory.files()[1].imported_by, Some(disk.at("home/work/repo/app/CLAUDE.md")));
    assert!(memory.problems.is_empty(), "{:?}", memory.problems);
}

#[test]
fn an_import_from_elsewhere_wants_a_rule_and_depth_ends() {
    let disk = Disk::new(&[
        ("home/work/repo/app/CLAUDE.md", "@/../../x @~/secret.md @~/allowed.md @0.md"),
        ("home/secret.md", "secret"),
        ("home/allowed.md", "allowed"),
        ("home/work/repo/app/0.md", "0 @1.md"),
        ("home/work/repo/app/1.md", "1 @2.md"),
        ("home/work/repo/app/2.md", "2 @3.md"),
        ("home/work/repo/app/3.md", "3 @4.md"),
        ("home/work/repo/app/4.md", "4"),
    ]);
    let memory = disk.with(true, &[], Memory::load);
    let found: Vec<_> = memory.files().iter().map(|file| &file.text[..1]).collect();
    assert_eq!(found, ["@", "a", "0", "1", "2", "3"]);
    assert_eq!(memory.problems.len(), 2, "{:?}", memory.problems);
    assert!(memory.problems[0].contains("secret.md") && memory.problems[0].contains("Read("));
    // The user's own file may name what it likes.
    let disk = Disk::new(&[("home/.claude/CLAUDE.md", "@~/secret.md"), ("home/secret.md", "s")]);
    assert_eq!(disk.texts(false, &[]), ["@~/secret.md", "s"]);
}

#[test]
fn deeper_files_and_rules_come_when_they_are_touched_and_once() {
    let disk = Disk::new(&[
        ("home/work/repo/app/.claude/rules/ts.md", "---\npaths: \"src/**/*.ts, *.mts\"\n---\nts"),
        ("home/work/repo/app/.claude/rules/list.md", "---\npaths:\n  - docs/**\n---\ndocs"),
        ("home/work/repo/app/.claude/rules/bad.md", "---\npaths: [\n---\nbad"),
        ("home/work/repo/app/src/CLAUDE.md", "src"),
        ("home/work/repo/app/src/a/AGENTS.md", "a"),
    ]);
    disk.with(true, &[], |query| {
        let mut memory = Memory::load(query);
        let texts =
            |files: &[MemoryFile]| files.iter().map(|file| file.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(memory.files()), ["bad"]);
        assert_eq!(memory.problems.len(), 1);
        let app = query.cwd;
        assert_eq!(texts(&memory.touch(&app.join("main.rs"), query)), Vec::<String>::new());
        assert_eq!(texts(&memory.touch(&app.join("src/a/x.ts"), query)), ["src", "a", "ts"]);
        assert_eq!(texts(&memory.touch(&app.join("src/a/y.ts"), query)), Vec::<String>::new());
        assert_eq!(texts(&memory.touch(&app.join("docs/x"), query)), ["docs"]);
        assert_eq!(
            texts(&memory.touch(Path::new("/elsewhere/src/a.ts"), query)),
            Vec::<String>::new()
        );
    });
}

#[test]
fn a_change_is_noticed_also_of_what_was_not_there() {
    let disk = Disk::new(&[("home/work/repo/app/CLAUDE.md", "@more.md")]);
    let stale_after = |change: &dyn Fn()| {
        let memory = disk.with(true, &[], Memory::load);
        assert!(!memory.is_stale());
        change();
        memory.is_stale()
    };
    assert!(stale_after(&|| disk.write("home/work/repo/app/more.md", "more")));
    assert!(stale_after(&|| disk.write("home/work/repo/app/CLAUDE.md", "something else")));
    assert!(stale_after(&|| disk.write("home/work/repo/AGENTS.md", "new")));
    assert!(!stale_after(&|| disk.write("home/work/repo/app/main.rs", "")));
}

#[test]
fn too_much_is_told_and_left_out() {
    let long = "x".repeat(TOTAL_CAP);
    let disk = Disk::new(&[
        ("home/work/repo/CLAUDE.md", "short"),
        ("home/work/repo/app/CLAUDE.md", &long),
    ]);
    let memory = disk.with(true, &[], Memory::load);
    assert_eq!(memory.files().len(), 1);
    assert_eq!(memory.problems.len(), 1);
}

#[test]
fn notes_go_to_the_file_there_is_and_never_to_claude_home() {
    let disk = Disk::new(&[("home/.claude/CLAUDE.md", "user")]);
    let cwd = disk.at("home/work/repo/app");
    let file = |scope| note_file(&disk.locations, &cwd, scope);
    assert_eq!(file(NoteScope::User), disk.at("home/.bowline/AGENTS.md"));
    assert_eq!(file(NoteScope::Project), disk.at("home/work/repo/AGENTS.md"));
    assert_eq!(file(NoteScope::Local), disk.at("home/work/repo/CLAUDE.local.md"));
    disk.write("home/work/repo/CLAUDE.md", "top");
    assert_eq!(file(NoteScope::Project), disk.at("home/work/repo/CLAUDE.md"));
}
