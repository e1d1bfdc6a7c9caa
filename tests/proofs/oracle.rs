//! What policy lets run without a question is really run, in a throw-away sandbox under strace, and
//! must have no effect: nothing written, nobody called, no foreign program, no secret read.
//!
//! The command lines come from a grammar that knows the tricks: options that write or execute,
//! substitutions, redirections, quoting, wrappers. Most are asked about; those that are not are the
//! ones at stake. `BOWLINE_ORACLE=100000` makes a longer run, `BOWLINE_SEED` another one.

#![expect(clippy::disallowed_methods, reason = "the oracle itself starts what it judges")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use kit::{Dice, files};
use policy::{Context, Mode, Request, Rules, Run, Subject, Verdict};

const PROGRAMS: [&str; 46] = [
    "ls", "cat", "head", "tail", "wc", "grep", "egrep", "rg", "find", "sed", "sort", "uniq", "cut",
    "tr", "awk", "echo", "printf", "pwd", "date", "stat", "du", "df", "file", "diff", "cmp", "nl",
    "tac", "rev", "paste", "column", "basename", "dirname", "realpath", "readlink", "which",
    "type", "test", "[", "true", "seq", "git", "jq", "env", "id", "uname", "tree",
];

const WRAPPERS: [&str; 12] = [
    "timeout 5",
    "nice",
    "nice -n 5",
    "nohup",
    "env",
    "env -i",
    "command",
    "builtin",
    "time",
    "stdbuf -o0",
    "xargs",
    "xargs -n1",
];

const GIT: [&str; 16] = [
    "status",
    "log",
    "log --oneline",
    "diff",
    "show",
    "branch",
    "branch -a",
    "remote -v",
    "rev-parse HEAD",
    "ls-files",
    "blame a.txt",
    "grep x",
    "config --list",
    "stash list",
    "tag",
    "describe --all",
];

/// Harmless, and not.
const WORDS: [&str; 86] = [
    "a.txt",
    "b.txt",
    "dir",
    ".",
    "..",
    "*.txt",
    "'a.txt'",
    "\"a.txt\"",
    "a\\.txt",
    "{a,b}.txt",
    "-n",
    "-l",
    "-a",
    "-r",
    "-R",
    "-v",
    "-c",
    "-i",
    "-e",
    "x",
    "-1",
    "--",
    "-la",
    "-lh",
    "--help",
    "-o",
    "-oPWN",
    "--output=PWN",
    "-o PWN",
    "-i.bak",
    "--in-place",
    "-w",
    "PWN",
    "-f",
    "-f prog.awk",
    "--files0-from=a.txt",
    "-delete",
    "-exec ./pwn {} \\;",
    "-execdir ./pwn {} +",
    "-fprint PWN",
    "-fls PWN",
    "-ok ./pwn \\;",
    "--pre=./pwn",
    "--pre ./pwn",
    "-z",
    "--hostname-bin=./pwn",
    "--compress-program=./pwn",
    "-S1b",
    "'1w PWN'",
    "'1e ./pwn'",
    "'s/x/y/w PWN'",
    "'s/o/./pwn/e'",
    "1,2p",
    "'BEGIN{system(\"./pwn\")}'",
    "'{print > \"PWN\"}'",
    "'{print $1}'",
    "-m a.txt",
    "-C",
    "-O./pwn",
    "--open-files-in-pager=./pwn",
    "--ext-diff",
    "--textconv",
    "-c core.pager=./pwn",
    "--upload-pack=./pwn",
    "-p",
    "-t",
    "./pwn",
    "$(./pwn)",
    "`./pwn`",
    "\"$(./pwn)\"",
    "<(./pwn)",
    "${U:-$(./pwn)}",
    "$((`./pwn`))",
    "$HOME",
    "~/secret",
    "$HOME/secret",
    "../home/secret",
    "/proc/self/environ",
    "-d",
    ",",
    "-s",
    "--color=always",
    "-f1",
    "-h",
    "'a b'",
    "$'a.txt'",
];

const ENDS: [&str; 20] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "> PWN",
    ">> PWN",
    ">| PWN",
    "&> PWN",
    "2>/dev/null",
    "2>&1",
    "< a.txt",
    "<<< x",
    "<<EOF\nx\nEOF",
    "<<EOF\n$(./pwn)\nEOF",
    "<<'EOF'\n$(./pwn)\nEOF",
    "> /dev/null",
    "> \"$U\"PWN",
    "1<>PWN",
];

const JOINTS: [&str; 8] = [" && ", " || ", " ; ", " | ", " |& ", "\n", " & ", " # x\n"];

const BEFORE: [&str; 12] =
    ["", "", "", "", "", "", "", "LC_ALL=C ", "PATH=.:$PATH ", "BASH_ENV=./pwn ", "X=1 ", "! "];

fn pick<'a>(dice: &mut Dice, from: &[&'a str]) -> &'a str {
    from[dice.below(from.len())]
}

fn simple(dice: &mut Dice) -> String {
    let mut text = pick(dice, &BEFORE).to_owned();
    if dice.below(8) == 0 {
        text.push_str(pick(dice, &WRAPPERS));
        text.push(' ');
    }
    let program = pick(dice, &PROGRAMS);
    text.push_str(program);
    if program == "git" {
        text.push(' ');
        text.push_str(pick(dice, &GIT));
    }
    for _ in 0..dice.below(4) {
        text.push(' ');
        text.push_str(pick(dice, &WORDS));
    }
    if program == "[" {
        text.push_str(" ]");
    }
    let end = pick(dice, &ENDS);
    if !end.is_empty() {
        text.push(' ');
        text.push_str(end);
    }
    text
}

fn line(dice: &mut Dice) -> String {
    let mut text = simple(dice);
    for _ in 0..dice.below(3) {
        text.push_str(pick(dice, &JOINTS));
        text.push_str(&simple(dice));
    }
    match dice.below(12) {
        0 => format!("for f in *.txt; do {text}; done"),
        1 => format!("if {text}; then {text}; fi"),
        2 => format!("({text})"),
        3 => format!("{{ {text}; }}"),
        _ => text,
    }
}

/// A workspace with something to run and something to steal, and the world around it.
struct Ground {
    _keep: tempfile::TempDir,
    root: PathBuf,
    home: PathBuf,
    log: PathBuf,
}

impl Ground {
    fn new() -> Ground {
        let keep = tempfile::tempdir().unwrap();
        let base = keep.path().canonicalize().unwrap();
        let ground = Ground {
            root: base.join("w"),
            home: base.join("home"),
            log: base.join("log"),
            _keep: keep,
        };
        files::write(&ground.root.join("a.txt"), "x y\nfoo\n");
        files::write(&ground.root.join("b.txt"), "z\n");
        files::write(&ground.root.join("dir/c.txt"), "x\n");
        files::write(&ground.root.join("prog.awk"), "BEGIN{system(\"./pwn\")}\n");
        files::write(&ground.home.join("secret"), "canary\n");
        files::write(&ground.root.join("pwn"), "#!/bin/sh\nexit 0\n");
        files::set_mode(&ground.root.join("pwn"), 0o755);
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=x", "-c", "user.email=x@x"]).args(args);
            let status = git.current_dir(&ground.root).env("HOME", &ground.home).output().unwrap();
            assert!(status.status.success(), "{status:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-qm", "x"]);
        files::make_folder(&ground.log);
        ground
    }

    fn is_allowed(&self, command: &str, rules: &Rules) -> bool {
        let subject = Subject::Command {
            command: command.to_owned(),
            cwd: self.root.clone(),
            // Git is asked about where nothing keeps it in; here something does.
            run: Run::Watched,
        };
        let context = Context {
            mode: Mode::Default,
            rules,
            roots: std::slice::from_ref(&self.root),
            home: Some(&self.home),
        };
        let request = Request { tool: "Bash", subjects: &[subject], params: &[] };
        policy::decide(&request, &context).verdict == Verdict::Allow
    }

    /// Runs the command where it can do no harm, and gives what strace saw.
    fn run(&self, command: &str) -> String {
        let log = self.log.join("trace");
        let mut bwrap = Command::new("bwrap");
        bwrap.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
        bwrap.args(["--unshare-net", "--die-with-parent", "--new-session"]);
        for writable in [&self.root, &self.home, &self.log] {
            bwrap.arg("--bind").arg(writable).arg(writable);
        }
        bwrap.arg("--chdir").arg(&self.root);
        bwrap.args(["timeout", "-k", "1", "5", "strace", "-f", "-qq", "-s", "4096", "-e"]);
        bwrap.args(["trace=%file,%network,execve,ftruncate", "-o"]).arg(&log);
        bwrap.args(["bash", "-c", command]);
        bwrap.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &self.home);
        bwrap.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        bwrap.status().unwrap();
        String::from_utf8_lossy(&files::bytes(&log)).into_owned()
    }
}

/// The first thing that a harmless command would not have done.
fn effect(trace: &str) -> Option<String> {
    // Calling somebody is an effect even when nobody answers.
    let failed = |line: &str| line.contains(" = -1 ") && !line.contains("AF_INET");
    let harmless = ["\"/dev/null\"", "\"/dev/tty\"", "\"/dev/stderr\"", "\"/dev/stdout\""];
    trace.lines().filter(|line| !failed(line)).find_map(|line| {
        let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
        let name = call.split('(').next().unwrap_or_default();
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"]
            .iter()
            .any(|flag| call.contains(flag));
        let bad = match name {
            "open" | "openat" | "openat2" | "creat" => {
                (writes && !harmless.iter().any(|sink| call.contains(sink)))
                    || call.contains("home/secret\"")
                    || call.contains("/environ")
            }
            "unlink" | "unlinkat" | "rename" | "renameat" | "renameat2" | "mkdir" | "mkdirat"
            | "rmdir" | "link" | "linkat" | "symlink" | "symlinkat" | "chmod" | "fchmodat"
            | "chown" | "fchownat" | "truncate" | "ftruncate" | "mknod" | "mknodat"
            | "utimensat" | "setxattr" | "mount" => true,
            "connect" | "sendto" | "bind" => call.contains("AF_INET"),
            "execve" => call.contains("pwn") && call.starts_with("execve(\"./pwn"),
            _ => false,
        };
        bad.then(|| call.to_owned())
    })
}

/// The index of git is refreshed by `git status`, which is what the command is for.
fn is_gits_own(effect: &str) -> bool {
    effect.contains("/.git/index") || effect.contains("\".git/index")
}

#[expect(clippy::disallowed_methods, reason = "a longer run is asked for from outside")]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn what_needs_no_question_has_no_effect() {
    let ground = Ground::new();
    let rules = Rules::default();
    let mut dice = Dice::new(number("BOWLINE_SEED", 4));
    let generated = number("BOWLINE_ORACLE", 6_000);
    let (mut run, mut escapes) = (0, Vec::new());
    for _ in 0..generated {
        let command = line(&mut dice);
        if !ground.is_allowed(&command, &rules) {
            continue;
        }
        run += 1;
        let found = effect(&ground.run(&command)).filter(|found| !is_gits_own(found));
        escapes.extend(found.map(|effect| format!("{command:?} did {effect}")));
    }
    assert!(run > generated / 200, "only {run} of {generated} lines were allowed");
    assert!(escapes.is_empty(), "{} of {run} escaped:\n{}", escapes.len(), escapes.join("\n"));
}

#[test]
fn the_oracle_sees_what_it_should() {
    let ground = Ground::new();
    let seen = |command: &str| effect(&ground.run(command)).is_some();
    for harmful in [
        "echo x > PWN",
        "./pwn",
        "cat ../home/secret",
        "sed -n 'w PWN' a.txt",
        "find . -exec ./pwn {} \\;",
        "cat /proc/self/environ",
        "mkdir d",
        "exec 3<>/dev/tcp/127.0.0.1/9",
    ] {
        assert!(seen(harmful), "{harmful}");
    }
    for harmless in ["cat a.txt", "ls -la", "grep x a.txt 2>/dev/null", "sort a.txt | uniq -c"] {
        assert!(!seen(harmless), "{harmless}");
    }
}
