//! The corpus in `fixtures/skills`: every form, place and mistake, with a table of what is made of it.

#![expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

fn corpus() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/skills")).unwrap()
}

/// The folders of a corpus, and what is known of them.
struct Set {
    root: PathBuf,
    locations: Locations,
    given: Given,
    cwd: PathBuf,
    added: Vec<(PathBuf, Standing)>,
    more: Vec<SkillRoot>,
}

impl Set {
    fn new(root: PathBuf) -> Set {
        let at = |name: &str| root.join(name);
        let (folder, data) = (at("plugin"), Some(PathBuf::from("/data")));
        Set {
            locations: Locations {
                bowline_home: at("home/.bowline"),
                home: Some(at("home")),
                managed: at("etc"),
            },
            given: Given::default(),
            cwd: at("project"),
            added: vec![(at("added"), Standing::vouched())],
            more: vec![SkillRoot {
                skills: vec![folder.join("skills")],
                commands: vec![folder.join("commands")],
                folder,
                label: "sailing".to_owned(),
                data,
            }],
            root,
        }
    }

    fn with<T>(&self, standing: &Standing, look: impl FnOnce(&SkillQuery<'_>) -> T) -> T {
        look(&SkillQuery {
            locations: &self.locations,
            given: &self.given,
            cwd: &self.cwd,
            standing,
            added: &self.added,
            more: &self.more,
            bundled: false,
            may_read: &|_, reach| reach == Reach::Own,
        })
    }

    fn load(&self, standing: &Standing) -> Skills {
        self.with(standing, |query| Skills::load(query, Awake::default()))
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

fn row(skill: &Skill, skills: &Skills, set: &Set) -> String {
    let head = &skill.head;
    let mut facts = vec![skill.source.to_string(), format!("{:?}", skill.form).to_lowercase()];
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push(format!("{name}={value}"));
        }
    };
    let rules = |rules: &[policy::Rule]| {
        rules.iter().map(ToString::to_string).collect::<Vec<_>>().join("+")
    };
    fact("also", skill.alias.clone().unwrap_or_default());
    fact("hint", head.argument_hint.clone().unwrap_or_default());
    fact("arguments", head.arguments.join("+"));
    fact("allows", rules(&head.allowed_tools));
    fact("denies", rules(&head.disallowed_tools));
    fact("model", head.model.clone().unwrap_or_default());
    fact("effort", head.effort.map(|effort| effort.name().to_owned()).unwrap_or_default());
    let fork = head.fork.as_ref().map(|fork| format!("{:?}/{}", fork.agent, fork.background));
    fact("fork", fork.unwrap_or_default());
    fact("paths", head.paths.join("+"));
    for (name, is_so) in [
        ("not-for-model", head.not_for_model),
        ("not-for-user", head.not_for_user),
        ("no-shell", head.no_shell),
        ("asleep", !skills.is_awake(skill)),
        ("unapproved", skill.unapproved),
    ] {
        if is_so {
            facts.push(name.to_owned());
        }
    }
    let file = skill.file.as_deref().map(|file| set.shown(file)).unwrap_or_default();
    let when = head.when_to_use.as_ref().map(|when| format!(" - {when}")).unwrap_or_default();
    format!("{}: {}{when}\n    {}\n    {file}\n", skill.name, head.description, facts.join(", "))
}

/// Compared with the table beside the corpus; `BOWLINE_BLESS=1` writes it anew.
fn check(name: &str, found: &str) {
    let file = corpus().join("expected").join(name);
    if std::env::var_os("BOWLINE_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(expected == found, "{name} is not as expected:\n{found}");
}

#[test]
fn the_corpus_is_read_as_the_table_says() {
    let set = Set::new(corpus());
    let skills = set.load(&Standing::vouched());
    check("skills.txt", &skills.iter().map(|it| row(it, &skills, &set)).collect::<String>());
    let problem = |problem: &SkillProblem| {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}: {}\n", set.shown(&problem.file), problem.message)
    };
    check("problems.txt", &skills.problems.iter().map(problem).collect::<String>());
}

#[test]
fn nothing_of_a_project_counts_before_it_is_trusted_or_approved() {
    let mut set = Set::new(corpus());
    set.added[0].1 = Standing::untrusted();
    let names = |skills: &Skills| skills.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let skills = set.load(&Standing::untrusted());
    assert!(skills.find("morning").is_some() && skills.find("audit").is_some());
    for name in ["release", "fix-issue", "shared", "sql"] {
        assert!(skills.find(name).is_none(), "{name} in {:?}", names(&skills));
    }
    assert!(skills.problems.is_empty(), "{:?}", skills.problems);
    // Trusted, but what it allows was not approved.
    let base = tempfile::tempdir().unwrap();
    let (mut store, _) = crate::TrustStore::load(base.path(), None);
    store.set(&set.cwd, crate::Decision::Trust, 1).unwrap();
    let skills = set.load(&store.standing(&set.cwd));
    let release = skills.find("release").unwrap();
    assert!(release.unapproved && release.head.allowed_tools.is_empty());
    let grants = crate::bring(&set.locations, &set.cwd).items;
    let hashes = grants.iter().filter(|it| it.line.contains("git tag")).map(|it| it.hash.clone());
    store.approve(&set.cwd, hashes).unwrap();
    let skills = set.load(&store.standing(&set.cwd));
    assert_eq!(skills.find("release").unwrap().head.allowed_tools.len(), 1);
    // Approved was that one and no other.
    assert!(skills.find("lists").unwrap().unapproved);
}

#[test]
fn a_touched_file_wakes_up_what_is_about_it() {
    let set = Set::new(corpus());
    let trusted = Standing::vouched();
    let mut skills = set.load(&trusted);
    let touch = |skills: &mut Skills, file: &str| {
        set.with(&trusted, |query| skills.touch(&set.cwd.join(file), query))
    };
    assert_eq!(touch(&mut skills, "db/sail/query.sql"), ["sql"]);
    assert_eq!(touch(&mut skills, "db/sail/query.sql"), Vec::<String>::new());
    assert_eq!(touch(&mut skills, "packages/boat/src/hull.txt"), ["packages/boat:release", "rig"]);
    assert_eq!(skills.find("packages/boat:rig").unwrap().name, "rig");
    assert_eq!(skills.find("release").unwrap().source, SkillSource::Project);
    // What is awake stays so when the files are read again.
    let again = set.with(&trusted, |query| Skills::load(query, skills.awake()));
    assert!(again.is_awake(again.find("sql").unwrap()) && again.find("rig").is_some());
}

#[test]
fn one_file_counts_once_and_changes_are_noticed() {
    let base = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(base.path()).unwrap();
    let write = |name: &str, text: &str| {
        let file = root.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("project/.git/HEAD", "");
    write("project/.claude/skills/a/SKILL.md", "One.");
    write("project/.claude/commands/b.md", "Two.");
    let link = |from: &str, to: &str| std::os::unix::fs::symlink(root.join(from), root.join(to));
    fs::hard_link(
        root.join("project/.claude/commands/b.md"),
        root.join("project/.claude/commands/c.md"),
    )
    .unwrap();
    link("project/.claude/skills/a", "project/.claude/skills/same").unwrap();
    write("elsewhere/SKILL.md", "From outside.");
    link("elsewhere", "project/.claude/skills/stray").unwrap();
    let set = Set::new(root.clone());
    let load = || set.load(&Standing::vouched());
    let names = |skills: &Skills| skills.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let skills = load();
    assert_eq!(names(&skills), ["a", "b"]);
    assert!(skills.problems[0].message.contains("outside the project"), "{:?}", skills.problems);
    assert!(!skills.is_stale());
    write("project/.claude/skills/a/SKILL.md", "One, changed.");
    assert!(skills.is_stale());
    let skills = load();
    assert_eq!(skills.find("a").unwrap().head.description, "One, changed.");
    write("project/.claude/skills/d/SKILL.md", "New.");
    assert!(skills.is_stale());
    let skills = load();
    write("project/.claude/commands/deep/e.md", "New.");
    assert!(skills.is_stale());
    let skills = load();
    assert_eq!(names(&skills), ["a", "d", "b", "e"]);
    fs::remove_file(root.join("project/.claude/commands/deep/e.md")).unwrap();
    assert!(skills.is_stale());
}

#[test]
fn a_list_keeps_within_its_budget() {
    let set = Set::new(corpus());
    let skills = set.load(&Standing::vouched());
    let listed: Vec<_> = skills.iter().map(|skill| (skill, true)).collect();
    let list = |all: usize, each: usize| listing(&listed, ListingLimits { all, each });
    let whole = list(100_000, 1_536);
    assert!(whole.contains("- house-rules: How this company wants commits to be written - Before"));
    assert!(list(100_000, 10).contains("- house-rules: How this …\n"));
    for budget in [0, 40, 100, 400, 800, 1_200, 2_000] {
        let text = list(budget, 1_536);
        let told: String = text.lines().filter(|line| !line.starts_with("- …")).collect();
        assert!(told.chars().count() <= budget, "{budget}: {text}");
    }
    assert!(list(500, 1_536).contains("- house-rules\n"));
    assert!(list(100, 1_536).contains("more, which the user can name"));
}
