//! Denies hold in every spelling: each deny, each way to write the program, each place to put it.

use proptest::prelude::*;

use super::{decide_command, decide_run};
use crate::decide::{Run, Verdict};
use crate::mode::Mode;

/// One way to write a program name.
fn spelled(name: &str, how: usize) -> String {
    let (start, end) = name.split_at(2);
    match how {
        0 => name.to_owned(),
        1 => format!("{start}''{end}"),
        2 => format!("{start}\"{end}\""),
        3 => format!("{start}\\{end}"),
        4 => format!("{start}\\\n{end}"),
        5 => format!("'{name}'"),
        6 => format!("/usr/bin/{name}"),
        7 => format!("\\{name}"),
        8 => format!("$'\\x{:x}'{}", name.as_bytes()[0], &name[1..]),
        9 => format!("$'{name}'"),
        10 => format!("$\"{name}\""),
        11 => format!("{{{name},}}"),
        12 => format!("{{,}}{name}"),
        13 => format!("/proc/self/root/usr/bin/{name}"),
        14 => format!("./{name}"),
        15 => name.chars().map(|c| format!("\\{c}")).collect(),
        16 => format!("$'\\{:o}'{}", name.as_bytes()[0], &name[1..]),
        17 => format!("$EMPTY{name}"),
        18 => format!("{name}${{IFS}}-q"),
        19 => format!("$'{name}\\0zzz'"),
        20 => format!("$'\\{:o}{}'", u32::from(name.as_bytes()[0]) + 256, &name[1..]),
        21 => format!("$'\\x{{{:x}}}{}'", name.as_bytes()[0], &name[1..]),
        22 => format!("{{{0}..{0}}}{1}", &name[..1], &name[1..]),
        23 => format!("{{{{{{{{{{{name},a}},b}},c}},d}},e}}"),
        25 => format!("{{,{name}}}"),
        24 => format!("{{,}}{{,}}{{,}}{{,}}{{,}}{name}"),
        _ => format!("/usr/../bin/{start}''{end}"),
    }
}

/// One place to put a command.
fn placed(command: &str, how: usize) -> String {
    match how {
        0 => command.to_owned(),
        1 => format!("A=b C=d {command}"),
        2 => format!("env -i A=b {command}"),
        3 => format!("timeout 5 {command}"),
        4 => format!("nice -n 3 nohup {command}"),
        5 => format!("true\n{command}"),
        6 => format!("({command})"),
        7 => format!("{{ {command}; }}"),
        8 => format!("echo $({command})"),
        9 => format!("echo \"`{}`\"", command.replace('`', "")),
        10 => format!("true && {command}"),
        11 => format!("false || {command}"),
        12 => format!("ls | {command}"),
        13 => format!("if true; then {command}; fi"),
        14 => format!("for i in 1 2; do {command}; done"),
        15 => format!("while true; do {command}; done"),
        16 => format!("case a in a) {command};; esac"),
        17 => format!("f() {{ {command}; }}; f"),
        18 => format!("! {command}"),
        19 => format!("sudo -u x {command}"),
        20 => format!("echo a | xargs {command}"),
        21 => format!("{command} &"),
        22 => format!("> /dev/null {command}"),
        23 => format!("cat <({command})"),
        24 => format!("# note\n{command}"),
        25 => format!("time -p {command}"),
        26 => format!("{}{command}", "true && ".repeat(60)),
        27 => format!("exec {command}"),
        28 => format!("strace -o /dev/null {command}"),
        29 => format!("echo ${{A:-$({command})}}"),
        30 => format!("bash -c {}", quoted(command)),
        31 => format!("sh -ec {}", quoted(command)),
        32 => format!("eval {}", quoted(command)),
        33 => format!("trap {} EXIT", quoted(command)),
        34 => format!("script -qc {}", quoted(command)),
        35 => format!("su -c {}", quoted(command)),
        36 => format!("bash <<'E'\n{command}\nE"),
        37 => format!("cat <<E\n$({command})\nE"),
        38 => format!("sh <<< {}", quoted(command)),
        39 => format!("stdbuf -o0 {command}"),
        40 => format!("setsid -w {command}"),
        41 => format!("flock f {command}"),
        42 => format!("unshare -r {command}"),
        43 => format!("ionice -c3 taskset 1 chrt -b 0 {command}"),
        44 => format!("command {command}"),
        45 => format!("busybox {command}"),
        46 => format!("/lib64/ld-linux-x86-64.so.2 {command}"),
        47 => format!("find . -exec {command} \\;"),
        48 => format!("coproc X {{ {command}; }}"),
        49 => format!("function f {{ {command}; }}; f"),
        50 => format!("alias a={}; a", quoted(command)),
        51 => format!("[[ -n $({command}) ]]"),
        52 => format!("A=$({command})"),
        53 => format!("select i in 1; do {command}; done"),
        54 => format!("for ((i=0; i<1; i++)); do {command}; done"),
        55 => format!("{command} | cat"),
        56 => format!("until {command}; do :; done"),
        57 => format!("{{ {command}; }} > out 2>&1"),
        58 => format!("A=b; {command}"),
        59..80 => placed_with_others(command, how),
        _ => format!("echo {}; {command}", "x".repeat(11_000)),
    }
}

/// Places where only some program or builtin runs it.
fn placed_with_others(command: &str, how: usize) -> String {
    match how {
        59 => format!("let {}", quoted(&format!("a[$({command})]"))),
        60 => format!("printf -v {} y", quoted(&format!("a[$({command})]"))),
        61 => format!("[[ {} -eq 0 ]]", quoted(&format!("a[$({command})]"))),
        62 => format!("unset {}", quoted(&format!("a[$({command})]"))),
        63 => format!("env -S{}", quoted(command)),
        64 => format!("/lib64/ld.so {command}"),
        65 => format!("x86_64 {command}"),
        66 => format!("genv {command}"),
        67 => format!("tmux new-session {command}"),
        68 => format!("valgrind -q {command}"),
        69 => format!("npx {command}"),
        70 => format!("npm exec -- {command}"),
        71 => format!("uv run {command}"),
        72 => format!("poetry run {command}"),
        73 => format!("direnv exec . {command}"),
        74 => format!("git bisect run {command}"),
        75 => format!("git submodule foreach {}", quoted(command)),
        76 => format!("git rebase --exec {} main", quoted(command)),
        77 => format!("git -c alias.y={} y", quoted(&format!("!{command}"))),
        78 => format!("screen -dm {command}"),
        _ => format!("su --command={}", quoted(command)),
    }
}

/// A text as one word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

const SPELLINGS: usize = 27;
const PLACES: usize = 81;
/// Spellings whose value is not known before they run: asking about them is enough.
const UNKNOWN: [usize; 2] = [17, 18];

/// Every deny, in every spelling and at every place, in the sandbox and out of it.
#[test]
fn no_spelling_gets_past_a_deny() {
    let mut lost = Vec::new();
    for (name, rule) in [("touch", "Bash(touch *)"), ("curl", "Bash(curl:*)")] {
        for (spelling, place) in (0..SPELLINGS).flat_map(|s| (0..PLACES).map(move |p| (s, p))) {
            // Backslashes inside backticks need more quoting than a table can carry.
            if place == 9 && [3, 4, 7, 8, 15, 16, 19, 20, 21].contains(&spelling) {
                continue;
            }
            let command = placed(&format!("{} x y", spelled(name, spelling)), place);
            for run in [Run::Open, Run::Contained] {
                let verdict = decide_run(&command, run, Mode::BypassPermissions, rule, "Bash");
                let unknown = UNKNOWN.contains(&spelling) && verdict == Verdict::Ask;
                if verdict != Verdict::Deny && !unknown {
                    lost.push(format!("{spelling}/{place} {run:?} {verdict:?}: {:.200}", command));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{} get past:\n{}", lost.len(), lost.join("\n"));
}

/// What is only known when it runs is asked about beside a deny.
#[test]
fn what_hides_its_program_is_asked_about_beside_a_deny() {
    for command in [
        "echo touch x | env sh",
        "echo touch x | timeout 5 bash",
        "echo touch x | xargs -0 sh -c",
        "echo touch x | xargs env",
        "echo touch x | parallel",
        "env /usr/bin/touc?",
        "env /usr/bin/t[o]uch x",
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} x",
        "$'\\xc3\\xa9' x",
        "enable -f ./x.so other",
    ] {
        for run in [Run::Open, Run::Contained] {
            let verdict =
                decide_run(command, run, Mode::BypassPermissions, "Bash(touch *)", "Bash");
            assert_eq!(verdict, Verdict::Ask, "{run:?} {command}");
        }
    }
}

/// Options before a command do not hide it.
#[test]
fn options_before_a_command_do_not_hide_it() {
    for (rule, commands) in [
        ("Bash(git push:*)", ["git -C . push", "git --no-pager push", "git -c a=b push origin x"]),
        (
            "Bash(cargo publish *)",
            ["cargo +nightly publish", "cargo -q publish", "cargo --config a publish"],
        ),
        (
            "Bash(npm publish:*)",
            ["npm --prefix x publish", "npm -s publish", "npm --prefix=x publish"],
        ),
        ("Bash(docker rm *)", ["docker --context x rm y", "docker -H x rm y", "docker -D rm y"]),
        (
            "Bash(kubectl delete:*)",
            [
                "kubectl -n x delete y",
                "kubectl --context=x delete y",
                "kubectl -n x --context z delete y",
            ],
        ),
    ] {
        for command in commands {
            let verdict =
                decide_run(command, Run::Contained, Mode::BypassPermissions, rule, "Bash");
            assert_eq!(verdict, Verdict::Deny, "{rule}: {command}");
        }
    }
}

/// The same for a file that must not be read.
#[test]
fn no_spelling_gets_past_a_denied_file() {
    let paths = [
        "secret",
        "./secret",
        "sub/../secret",
        "/w/proj/secret",
        "'secret'",
        "sec''ret",
        "\"sec\"ret",
        "se\\cret",
        "$'secret'",
        "$'\\x73ecret'",
        "../proj/secret",
        "{secret,}",
        ".//secret",
        "sec\\\nret",
        "SECRET",
        "/w/./proj/secret",
    ];
    let uses = [
        "cat {}",
        "head -c 9 {}",
        "wc -l < {}",
        "cp {} x",
        "mv {} x",
        "base64 {}",
        "grep . {}",
        "sort {}",
        "diff {} a",
        "dd if={}",
        "tar cf x {}",
        "sed -n 1p {}",
        "awk 1 {}",
        "xxd {}",
        "date -f {}",
        "wc --files0-from={}",
        "curl -d @{} x",
        "ln {} x",
        "tac {}",
        "od -c {}",
        "cat < {}",
        "cat 0< {}",
        "while read l; do :; done < {}",
        "jq . {}",
        "vim {}",
        "rsync {} x",
        "env cat {}",
        "xargs cat {}",
        "timeout 5 cat {}",
        "bash -c 'cat '{}",
        "echo $(<{})",
    ];
    let mut lost = Vec::new();
    for (path, usage) in paths.iter().flat_map(|p| uses.iter().map(move |u| (p, u))) {
        let command = usage.replace("{}", path);
        // A value after `=` or `@` is not a word of its own to expand braces in.
        if path.contains('{') && usage.contains(['=', '@', '<']) {
            continue;
        }
        for run in [Run::Open, Run::Contained] {
            let verdict =
                decide_run(&command, run, Mode::BypassPermissions, "Read(secret)", "Bash");
            if verdict != Verdict::Deny {
                lost.push(format!("{run:?} {verdict:?}: {command}"));
            }
        }
    }
    assert!(lost.is_empty(), "{} get past:\n{}", lost.len(), lost.join("\n"));
}

proptest! {
    /// However it is written and wherever it stands, a denied program stays denied in every mode,
    /// even beside a rule that allows everything.
    #[test]
    fn a_denied_program_is_denied_in_every_spelling(
        name in prop::sample::select(vec!["touch", "curl", "rm", "terraform"]),
        spelling in 0usize..17,
        place in 0usize..PLACES,
        outer in 0usize..PLACES,
        mode in prop::sample::select(Mode::ALL.to_vec()),
    ) {
        let inner = placed(&format!("{} x y", spelled(name, spelling)), place);
        // Backslashes inside backticks need more quoting than a table can carry.
        let outer = if outer == 9 || place == 9 { 0 } else { outer };
        prop_assume!(!(place == 9 && [3, 4, 7, 8, 15, 16, 19, 20, 21].contains(&spelling)));
        let command = placed(&inner, outer);
        let verdict = decide_command(&command, mode, &format!("Bash({name} *)"), "Bash");
        prop_assert_eq!(verdict, Verdict::Deny, "{}", command);
    }

    /// Without any rule, a command that writes through a redirection is never simply run.
    #[test]
    fn redirections_are_never_free(
        op in prop::sample::select(vec![">", ">>", ">|", "&>", "&>>", ">&", "1>", "2>>"]),
        target in "[a-z]{1,8}",
        place in 0usize..19,
    ) {
        let command = placed(&format!("echo x {op} {target}"), place);
        let verdict = decide_command(&command, Mode::Default, "Bash(zzz)", "Bash(echo *)");
        prop_assert_ne!(verdict, Verdict::Allow, "{}", command);
    }
}
