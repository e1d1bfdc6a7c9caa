//! Everything a command might run, in every spelling we can undo. Used to refuse or ask, never to
//! allow: it may find too much, and what it cannot see it reports as `unseen`.

use std::collections::{HashSet, VecDeque};

use super::lex::{Lexed, Token, Word, lex};
use super::programs::{KEYWORDS, SHELLS};
use super::reading::Reading;
use super::runners::{runs_its_input, runs_its_words, scripts_of};
use super::{LONGEST, program};

/// Scripts inside scripts inside scripts: deeper than this nobody writes in good faith.
const DEEPEST: usize = 8;
/// Characters looked at in all, so that nesting cannot multiply the work without end.
const BUDGET: usize = 4_000_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Suspect {
    pub(crate) words: Vec<String>,
    /// Any tail of the words may be a command of its own, as after `env` or `xargs`.
    pub(crate) runs_its_words: bool,
    /// Those of the words that become file names.
    pub(crate) globs: Vec<String>,
    /// Those of the arguments and files that are only known when it runs.
    pub(crate) unknown: Vec<String>,
    pub(crate) writes: Vec<String>,
    pub(crate) reads: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Suspects {
    pub(crate) commands: Vec<Suspect>,
    /// Some program or script is only known when it runs.
    pub(crate) unseen: bool,
}

/// What `text` may run; `home` is what `$HOME` stands for, if known.
pub(crate) fn suspects(text: &str, home: Option<&str>) -> Suspects {
    suspects_in(&Reading::new(text, home), home)
}

/// The same for a command that was read already.
pub(crate) fn suspects_in(reading: &Reading<'_>, home: Option<&str>) -> Suspects {
    let text = reading.text;
    let mut found = Suspects::default();
    let mut budget = BUDGET.max(text.len());
    let mut known = HashSet::from([text.to_owned()]);
    let mut scripts = VecDeque::new();
    // Our lexer and tree-sitter may each be led astray; hardly both by the same text.
    if text.len() <= LONGEST && text.contains(['$', '`', '<', '#', '\n']) {
        scripts.extend(reading.command_texts().into_iter().map(|text| (text.to_owned(), 1)));
    }
    scripts.extend(found.read(&reading.lexed).into_iter().map(|inner| (inner, 1)));
    while let Some((script, depth)) = scripts.pop_front() {
        if depth > DEEPEST || script.len() > budget {
            found.unseen = true;
            continue;
        }
        budget -= script.len();
        if known.contains(&script) {
            continue;
        }
        let deeper = found.read(&lex(&script, home));
        scripts.extend(deeper.into_iter().map(|inner| (inner, depth + 1)));
        known.insert(script);
    }
    found
}

/// One simple command, still as words.
#[derive(Default)]
struct Piece {
    words: Vec<Word>,
    writes: Vec<Word>,
    reads: Vec<Word>,
    /// Targets of `>&` and `<&`, which bash expands a second time without their quotes.
    expanded_twice: Vec<String>,
}

impl Piece {
    /// Whether what comes in may be run: by anything but a few programs that are known to copy it.
    fn may_run_its_input(&self) -> bool {
        const COPIES: [&str; 7] = ["cat", "tee", "cd", "echo", "mkdir", "chmod", "head"];
        let Some(first) = self.words.first() else { return false };
        let second = self.words.get(1).map(Word::text);
        let commits = first.text() == "git" && matches!(second.as_deref(), Some("commit" | "add"));
        first.dynamic || !(commits || COPIES.contains(&first.text().as_str()))
    }
}

fn pieces(lexed: &Lexed) -> Vec<Piece> {
    let mut all = vec![Piece::default()];
    let mut target: Option<&str> = None;
    for token in &lexed.tokens {
        match token {
            Token::Control(_) => {
                target = None;
                all.push(Piece::default());
            }
            Token::Redirect(op) => target = Some(op),
            Token::Word(word) => {
                let Some(piece) = all.last_mut() else { continue };
                if matches!(target, Some(">&" | "<&")) {
                    piece.expanded_twice.push(word.text());
                }
                match target.take() {
                    None => piece.words.extend(word.braces()),
                    Some("<" | "<&") => piece.reads.push(word.clone()),
                    // Here-strings and the delimiters of here-documents are data.
                    Some("<<<" | "<<" | "<<-") => piece.words.extend(word.braces()),
                    Some(_) => piece.writes.push(word.clone()),
                }
            }
        }
    }
    all
}

impl Suspects {
    /// Records the commands of a script and returns the scripts inside it.
    fn read(&mut self, lexed: &Lexed) -> Vec<String> {
        self.unseen |= lexed.unfinished;
        let pieces = pieces(lexed);
        let is_data = pieces.iter().all(|piece| !piece.may_run_its_input());
        let mut deeper = lexed.nested.clone();
        for document in &lexed.documents {
            // An interpreter may be reading it.
            if !(document.verbatim && is_data) {
                deeper.push(document.body.clone());
            }
        }
        for piece in pieces {
            deeper.append(&mut self.add(piece));
        }
        deeper
    }

    /// Records a piece and returns the scripts its arguments may hold.
    fn add(&mut self, piece: Piece) -> Vec<String> {
        let mut scripts = piece.expanded_twice;
        let mut words = piece.words.into_iter().peekable();
        while let Some(word) = words.peek() {
            let text = word.text();
            if let Some(value) = assigned_value(&text) {
                scripts.push(value.to_owned());
                // The number between the brackets is worked out, whatever quotes are around it.
                scripts.extend(text.split_once("]=").map(|(name, _)| format!(": {name}")));
            } else if !KEYWORDS.contains(&text.as_str()) {
                break;
            }
            words.next();
            // `function name { …`: the name runs nothing yet.
            if text == "function" {
                words.next();
            }
        }
        let words: Vec<Word> = words.collect();
        let name = words.first().map(|word| program(&word.text()).to_owned()).unwrap_or_default();
        let runs_its_words = runs_its_words(&name, &words);
        if let Some(first) = words.first() {
            self.unseen |= first.dynamic || (first.is_glob() && name != "[" && name != "[[");
        }
        self.unseen |= runs_its_input(&name, &words);
        let runs_text = SHELLS.contains(&name.as_str()) || name == "eval";
        self.unseen |= runs_text && words.iter().skip(1).any(|word| word.dynamic);
        let texts = |words: &[Word]| words.iter().map(Word::text).collect::<Vec<String>>();
        let arguments = texts(words.get(1..).unwrap_or_default());
        scripts.extend(scripts_of(&name, &arguments));
        if runs_its_words {
            self.unseen |= words.iter().skip(1).take(4).any(|word| word.dynamic && name != "find");
            self.unseen |= words.len() > MOST_TAILS || hidden_behind(&words);
            for (at, text) in arguments.iter().enumerate().take(MOST_TAILS) {
                let rest = arguments.get(at + 1..).unwrap_or_default();
                scripts.extend(scripts_of(program(text), rest));
            }
            // `alias a='b c'`: what comes after the sign is a command.
            let assigned = arguments.iter().filter_map(|text| assigned_value(text));
            scripts.extend(assigned.map(str::to_owned));
            scripts.extend(arguments.into_iter().filter(|text| is_script(text)));
        }
        let that = |test: fn(&Word) -> bool| -> Vec<String> {
            let all = words.iter().skip(1).chain(&piece.writes).chain(&piece.reads);
            all.filter(|word| test(word)).map(Word::text).collect()
        };
        let globs = words.iter().filter(|word| word.is_glob()).map(Word::text).collect();
        let suspect = Suspect {
            unknown: that(Word::is_unknown),
            words: texts(&words),
            globs,
            runs_its_words,
            writes: texts(&piece.writes),
            reads: texts(&piece.reads),
        };
        if suspect != Suspect::default() {
            self.commands.push(suspect);
        }
        scripts
    }
}

/// Words of a runner that are looked at one by one; with more it is not known what runs.
const MOST_TAILS: usize = 256;

/// Whether a command among the words runs what comes in: `env sh`, `timeout 5 bash`.
fn hidden_behind(words: &[Word]) -> bool {
    (1..words.len()).any(|at| {
        let tail = words.get(at..).unwrap_or_default();
        let name = tail.first().map(Word::text).unwrap_or_default();
        // A lone dot among arguments is a folder, and a name behind an option often is just that.
        let named = words.get(at - 1).is_some_and(|before| before.text().ends_with("name"));
        name != "." && !named && runs_its_input(program(&name), tail)
    })
}

/// The value of `NAME=value`, `NAME+=value` or `NAME[index]=value`.
fn assigned_value(text: &str) -> Option<&str> {
    let (name, value) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    plain.then_some(value)
}

fn is_script(text: &str) -> bool {
    text.contains([
        ' ', '\t', '\n', ';', '|', '&', '$', '`', '(', '<', '>', '=', '{', '\\', '\'', '"',
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let found = suspects(text, None).commands.iter().any(|suspect| {
            let tails = if suspect.runs_its_words { suspect.words.len() } else { 1 };
            suspect.words.iter().take(tails).any(|word| program(word) == "touch")
        });
        assert!(found, "{text}");
    }

    #[test]
    fn hidden_commands_are_found() {
        for text in [
            "touch x",
            "to''uch x",
            "if true; then touch x; fi",
            "for i in 1; do touch x; done",
            "for ((i=0;i<1;i++)); do touch x; done",
            "case a in a) touch x;; esac",
            "f() { touch x; }; f",
            "(touch x)",
            "{ touch x; }",
            "echo $(touch x)",
            "echo \"`touch x`\"",
            "echo ${A:-$(touch x)}",
            "echo $((`touch x`))",
            "cat <(touch x)",
            "bash -c 'touch x'",
            "bash -c \"bash -c 'touch x'\"",
            "eval 'touch x'",
            "trap 'touch x' EXIT",
            "alias ls='touch x'",
            "A=b touch x",
            "A=touch; $A x",
            "env -i A=b touch x",
            "find . -exec touch {} \\;",
            "xargs -t touch",
            "{touch,x}",
            "cat <<EOF\n$(touch x)\nEOF",
            "! touch x",
            "ls &&&& touch x",
            "coproc touch x",
            "/usr/bin/../bin/touch x",
            "echo $(case a in a) touch x;; esac)",
            "cat <<E\n'\nE\ntouch x; echo '",
            "echo $(cat <<E\n'\nE\n); touch x; echo '",
            "echo $(true # '\n); touch x; echo '",
            "echo \"$(echo case)\"; touch x; echo \"\"",
            "bash <<E\ntouch x\nE",
            "echo $((1<<2))\ntouch x",
            "cat <<-E\n\t'\n\tE\ntouch x; echo '",
            "time -p touch x",
            "echo >& '$(touch x)'",
        ] {
            check(text);
        }
    }

    #[test]
    fn commands_that_others_run_are_found() {
        for text in [
            "let 'a[$(touch x)]'",
            "printf -v 'a[$(touch x)]' y",
            "test -v 'a[$(touch x)]'",
            "[ -v 'a[$(touch x)]' ]",
            "[[ 'a[$(touch x)]' -eq 1 ]]",
            "unset 'a[$(touch x)]'",
            "read 'a[$(touch x)]' <<< 1",
            "declare 'a[$(touch x)]'=1",
            "a['$(touch x)']=1",
            "env -S'touch x'",
            "env -iS'touch x'",
            "env --split-string='touch x'",
            "su -c'touch x'",
            "su --command='touch x'",
            "fd . -xtouch",
            "coreutils --coreutils-prog=touch x",
            "/lib/ld.so touch x",
            "genv touch x",
            "gxargs touch",
            "tmux new-session touch x",
            "npx touch x",
            "npm exec -- touch x",
            "uv run touch x",
            "poetry run touch x",
            "direnv exec . touch x",
            "git bisect run touch x",
            "git submodule foreach 'touch x'",
            "git rebase --exec 'touch x' main",
            "git rebase -x 'touch x' main",
            "git -c alias.y='!touch x' y",
            "git -c core.pager='touch x' -p log",
            "git fetch --upload-pack='touch x' y",
            "git clone 'ext::touch x' y",
            "hash -p /usr/bin/touch t",
        ] {
            check(text);
        }
    }

    #[test]
    fn unseen_programs_are_reported() {
        let check = |text: &str, expect: bool| {
            assert_eq!(suspects(text, None).unseen, expect, "{text}");
        };
        check("$X y", true);
        check("$(echo rm) y", true);
        check("bash -c \"$X\"", true);
        check("./zz* x", true);
        check("echo 'x", true);
        check("echo touch x | sh", true);
        check("curl x | bash -s -- y", true);
        check("source <(echo touch x)", true);
        check(". /dev/stdin", true);
        check("echo touch | xargs -I% % x", true);
        check("find . -exec {} \\;", true);
        check("echo touch x | env sh", true);
        check("echo touch x | timeout 5 bash", true);
        check("echo touch x | xargs -0 sh -c", true);
        check("echo touch x | xargs env", true);
        check("echo touch x | parallel", true);
        check("enable -f ./x.so touch", true);
        check("find . -name sh", false);
        check("find .", false);
        check("timeout 5 bash x.sh", false);
        check("ls | xargs -n 1 cat", false);
        check("bash x.sh", false);
        check("bash -c 'ls'", false);
        check(". venv/bin/activate", false);
        check("ls | xargs cat", false);
        check("echo $X", false);
        check("ls *.rs", false);
    }
}
