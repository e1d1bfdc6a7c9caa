//! Two fuzz targets, the shell reader and the rule parser: seeds that are cut up and put together
//! again, always in the same way, and laws that every result must obey. `BOWLINE_FUZZ=100000` runs
//! so many inputs instead of the few of every test run.

#![expect(clippy::disallowed_methods, reason = "the seeds are data on disk")]

use std::path::{Path, PathBuf};

use crate::decide::*;
use crate::rule::Rule;
use crate::rules::Source;
use crate::shell::lex::{Token, lex};
use crate::shell::prove::{Simple, prove};

/// How many inputs each target gets without being told.
const INPUTS: usize = 2_000;
/// Longer inputs cost time and find nothing that shorter ones do not.
const LONGEST: usize = 600;

const PIECES: [&str; 44] = [
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "${",
    "}",
    "'",
    "\"",
    "\\",
    "<",
    ">",
    ">>",
    "<<E\n",
    "<<'E'\n",
    "\nE\n",
    ">&",
    "#",
    "*",
    "?",
    "[",
    "~",
    "=",
    "!",
    "$X",
    "$IFS",
    "touch x",
    "cat secret",
    "git",
    "cd ..",
    "env ",
    "bash -c ",
    "eval ",
    "if ",
    "do ",
    "\u{e9}",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

fn seeds(target: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fuzz").join(target);
    let text = std::fs::read_to_string(folder.join("seeds.txt")).unwrap();
    let unescaped = |line: &str| {
        line.replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\r", "\r")
            .replace("\\u202e", "\u{202e}")
            .replace("\\u200b", "\u{200b}")
    };
    text.lines().map(unescaped).collect()
}

/// Runs `law` on the seeds and on what becomes of them.
fn fuzz(target: &str, law: impl Fn(&str, &str)) {
    let seeds = seeds(target);
    let wanted = std::env::var("BOWLINE_FUZZ").ok().and_then(|count| count.parse().ok());
    let mut dice = Dice(7);
    for seed in &seeds {
        law(seed, &seeds[0]);
    }
    for _ in 0..wanted.unwrap_or(INPUTS) {
        let mut text: Vec<char> = dice.pick(&seeds).chars().collect();
        for _ in 0..=dice.below(4) {
            mutate(&mut text, &seeds, &mut dice);
        }
        text.truncate(LONGEST);
        let text: String = text.into_iter().collect();
        let other = dice.pick(&seeds).clone();
        law(&text, &other);
    }
}

fn mutate(text: &mut Vec<char>, seeds: &[String], dice: &mut Dice) {
    let from = dice.below(text.len() + 1);
    let to = (from + dice.below(12)).min(text.len());
    let piece: Vec<char> = match dice.below(5) {
        0 => Vec::new(),
        1 | 2 => dice.pick(&PIECES).chars().collect(),
        3 => {
            let other: Vec<char> = dice.pick(seeds).chars().collect();
            let start = dice.below(other.len());
            other.into_iter().skip(start).take(20).collect()
        }
        _ => text[from..to].repeat(2),
    };
    let to = if dice.below(2) == 0 { from } else { to };
    text.splice(from..to, piece);
}

fn entry(behavior: Behavior, rule: &str) -> Entry {
    Entry { behavior, rule: rule.parse().unwrap(), source: Source::User }
}

fn verdict(command: &str, entries: &[Entry], mode: Mode, run: Run) -> Verdict {
    let rules: Rules = entries.iter().cloned().collect();
    let roots = [PathBuf::from("/w/proj")];
    let home = Some(Path::new("/home/u"));
    let context = Context { mode, rules: &rules, roots: &roots, home };
    let subjects = [Subject::Command { command: command.into(), cwd: roots[0].clone(), run }];
    decide(&Request { tool: "Bash", subjects: &subjects, params: &[] }, &context).verdict
}

/// Whether text put behind it starts afresh.
fn is_complete(text: &str) -> bool {
    !lex(text, None).unfinished && !text.ends_with('\\')
}

#[test]
fn the_shell_reader_obeys_its_laws() {
    fuzz("shell", |text, other| {
        denies_hold(text);
        rules_only_do_what_they_say(text);
        the_strictest_part_wins(text, other);
        words_survive_quoting(text);
        let _ = crate::explain(text, Path::new("/w/proj"), Some(Path::new("/home/u")));
        let _ = crate::is_excluded(text, &["git *".to_owned()]);
        let _ = crate::touched_paths(text, Path::new("/w/proj"), None);
    });
}

/// Words before and behind never lose a deny, whatever mode is on and wherever it runs.
fn denies_hold(text: &str) {
    let rules = [entry(Behavior::Deny, "Bash(touch *)"), entry(Behavior::Allow, "Bash")];
    let judge = |text: &str, run| verdict(text, &rules, Mode::BypassPermissions, run);
    for run in [Run::Open, Run::Contained] {
        if judge(text, run) != Verdict::Deny || !is_complete(text) {
            continue;
        }
        for more in [format!("true; {text}"), format!("{text}\ntrue"), format!("true\n{text}\n:")] {
            assert_eq!(judge(&more, run), Verdict::Deny, "{run:?} {more:?}");
        }
    }
}

/// A deny or ask rule never loosens, an allow rule never tightens.
fn rules_only_do_what_they_say(text: &str) {
    let base = [entry(Behavior::Allow, "Bash(git *)"), entry(Behavior::Ask, "Bash(cargo *)")];
    // One mode and one way to run for each input: there are very many.
    let modes = [Mode::AcceptEdits, Mode::Plan, Mode::BypassPermissions];
    let runs = [Run::Open, Run::Contained, Run::Watched];
    let (mode, run) = (modes[text.len() % 3], runs[text.len() / 3 % 3]);
    let before = verdict(text, &base, mode, run);
    let with = |more: Entry| {
        let [one, two] = base.clone();
        verdict(text, &[one, two, more], mode, run)
    };
    for rule in ["Bash(touch *)", "Read(secret)", "Bash(git log:*)"] {
        for behavior in [Behavior::Deny, Behavior::Ask] {
            let after = with(entry(behavior, rule));
            assert!(after >= before, "{behavior:?} {rule} {mode} {run:?} {text:?}");
        }
    }
    for rule in ["Bash", "Bash(touch *)", "Edit", "Bash(rm:*)"] {
        let after = with(entry(Behavior::Allow, rule));
        assert!(after <= before, "allow {rule} {mode} {run:?} {text:?}");
    }
}

fn the_strictest_part_wins(text: &str, other: &str) {
    let runs = |text: &str| lex(text, None).tokens.iter().any(|t| matches!(t, Token::Word(_)));
    if !is_complete(text) || !is_complete(other) || !runs(text) {
        return;
    }
    let rules = [entry(Behavior::Allow, "Bash(git *)"), entry(Behavior::Deny, "Bash(touch *)")];
    let judge = |text: &str| verdict(text, &rules, Mode::Default, Run::Open);
    let whole = judge(&format!("{text}\n{other}"));
    assert!(whole >= judge(text).max(judge(other)), "{text:?} and {other:?}");
}

/// What is proven stays the same when every word is quoted.
fn words_survive_quoting(text: &str) {
    let Ok(parts) = prove(text, None) else { return };
    let globbed = |part: &Simple| part.words.iter().any(|word| word.glob);
    if parts.iter().any(|part| globbed(part) || part.words.is_empty()) {
        return;
    }
    let quoted = |part: &Simple| {
        let words = part.words.iter().map(|word| format!("'{}'", word.text.replace('\'', "'\\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let again = parts.iter().map(quoted).collect::<Vec<_>>().join("\n");
    let words = |parts: &[Simple]| {
        let texts = |part: &Simple| part.words.iter().map(|w| w.text.clone()).collect::<Vec<_>>();
        parts.iter().map(texts).collect::<Vec<_>>()
    };
    match prove(&again, None) {
        Ok(proven) => assert_eq!(words(&proven), words(&parts), "{text:?} as {again:?}"),
        Err(unproven) => panic!("{text:?} as {again:?}: {}", unproven.why),
    }
}

#[test]
fn the_rule_parser_obeys_its_laws() {
    fuzz("rules", |text, other| {
        let _ = Rule::parse_list(text);
        let Ok(rule) = text.parse::<Rule>() else { return };
        assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule.clone()), "{text:?}");
        let source = Source::User;
        let commands = ["git log -5", "touch x", "cat secret > out", other];
        for command in commands {
            let none = verdict(command, &[], Mode::Default, Run::Open);
            for behavior in [Behavior::Deny, Behavior::Ask] {
                let entries = [Entry { behavior, rule: rule.clone(), source }];
                let stricter = verdict(command, &entries, Mode::Default, Run::Open);
                assert!(stricter >= none, "{behavior:?} {text:?} {command:?}");
            }
            let entries = [Entry { behavior: Behavior::Allow, rule: rule.clone(), source }];
            let looser = verdict(command, &entries, Mode::Default, Run::Open);
            assert!(looser <= none, "allow {text:?} {command:?}");
        }
        a_rule_means_the_command_it_spells(&rule);
    });
}

/// A deny for the words of one proven command, with nothing but those words, denies it.
fn a_rule_means_the_command_it_spells(rule: &Rule) {
    let Some(spec) =
        rule.spec().filter(|spec| !spec.contains(['*', ':', '#', ';', '&', '|', '\n']))
    else {
        return;
    };
    if rule.tool() != "Bash" || prove(spec, None).is_err() {
        return;
    }
    let entries = [Entry { behavior: Behavior::Deny, rule: rule.clone(), source: Source::User }];
    let judged = verdict(spec, &entries, Mode::BypassPermissions, Run::Contained);
    let single = prove(spec, None).is_ok_and(|parts| {
        parts.len() == 1 && parts[0].redirects.is_empty() && parts[0].assignments.is_empty()
    });
    assert!(!single || judged == Verdict::Deny, "{rule}");
}
