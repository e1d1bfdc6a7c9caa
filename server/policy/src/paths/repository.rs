//! What a repository's configuration makes git run.
//!
//! Git has many settings that name a program, and gets new ones. So this knows those that are
//! harmless, which is what `git init`, `git clone` and everyday work write, and names the rest.

/// Of `section.key`; a `*` stands for every key of the section.
const HARMLESS: [&str; 64] = [
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.worktree",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.abbrev",
    "core.quotepath",
    "core.compression",
    "core.preloadindex",
    "core.untrackedcache",
    "core.commitgraph",
    "core.longpaths",
    "core.protectntfs",
    "core.protecthfs",
    "core.whitespace",
    "core.sharedrepository",
    "core.trustctime",
    "core.checkstat",
    "core.splitindex",
    "core.hidedotfiles",
    "core.excludesfile",
    "core.commentchar",
    "advice.*",
    "author.*",
    "branch.autosetupmerge",
    "branch.autosetuprebase",
    "branch.sort",
    "color.*",
    "column.*",
    "commit.*",
    "committer.*",
    "diff.algorithm",
    "diff.colormoved",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renames",
    "diff.renamelimit",
    "extensions.*",
    "feature.*",
    "fetch.*",
    "gc.auto",
    "gc.autodetach",
    "index.*",
    "init.*",
    "lfs.repositoryformatversion",
    "log.*",
    "maintenance.auto",
    "maintenance.strategy",
    "merge.conflictstyle",
    "merge.ff",
    "pull.*",
    "push.*",
    "remote.pushdefault",
    "rerere.*",
    "status.*",
    "user.*",
];

/// Of `section.name.key`.
const HARMLESS_IN: [(&str, &[&str]); 4] = [
    (
        "branch",
        &[
            "remote",
            "merge",
            "rebase",
            "description",
            "pushremote",
            "vscode-merge-base",
            "gh-merge-base",
        ],
    ),
    (
        "remote",
        &[
            "url",
            "pushurl",
            "fetch",
            "push",
            "mirror",
            "tagopt",
            "prune",
            "promisor",
            "partialclonefilter",
            "gh-resolved",
        ],
    ),
    ("submodule", &["url", "active", "branch", "update", "ignore", "fetchrecursesubmodules"]),
    ("color", &["*"]),
];

/// The settings of a configuration that may make git run something, each once. A text that git
/// might read otherwise than we do is one of them.
pub fn commands(config: &str) -> Vec<String> {
    let mut found = Vec::new();
    match settings(config) {
        Some(settings) => {
            for setting in settings.iter().filter(|setting| !setting.is_harmless()) {
                let name = setting.name();
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        None => found.push("text that cannot be read".to_owned()),
    }
    found
}

struct Setting {
    section: String,
    sub: Option<String>,
    key: String,
    value: String,
}

impl Setting {
    fn name(&self) -> String {
        match &self.sub {
            Some(sub) => format!("{}.{sub}.{}", self.section, self.key),
            None => format!("{}.{}", self.section, self.key),
        }
    }

    fn is_harmless(&self) -> bool {
        // `!command` runs it, and `helper::address` runs the helper.
        if self.value.starts_with('!') || self.value.contains("::") {
            return false;
        }
        let fits = |known: &str, key: &str| known == "*" || known == key;
        match &self.sub {
            None => HARMLESS
                .iter()
                .filter_map(|known| known.split_once('.'))
                .any(|(section, known)| section == self.section && fits(known, &self.key)),
            Some(_) => HARMLESS_IN.iter().any(|(section, keys)| {
                *section == self.section && keys.iter().any(|known| fits(known, &self.key))
            }),
        }
    }
}

/// `None` for what is not written as git writes it.
fn settings(config: &str) -> Option<Vec<Setting>> {
    let config = config.strip_prefix('\u{feff}').unwrap_or(config);
    if config.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\n')) {
        return None;
    }
    let mut found = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    let mut lines = config.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        while line.starts_with('[') {
            let (head, rest) = header(&line)?;
            section = Some(head);
            line = rest;
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // A value goes on in the next line after a backslash, a comment does not.
        while ends_open(&line) {
            if line.contains(['#', ';']) {
                return None;
            }
            line.pop();
            line.push_str(lines.next().unwrap_or_default());
        }
        let (section, sub) = section.clone()?;
        let (key, value) = line.split_once('=').unwrap_or((&line, ""));
        let key = key.trim().to_ascii_lowercase();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let value = value.trim().chars().filter(|c| !matches!(c, '"' | '\\')).collect();
        found.push(Setting { section, sub, key, value });
    }
    Some(found)
}

fn ends_open(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

type Head = (String, Option<String>);

/// `[section]`, `[section.sub]` or `[section "sub"]`, and what follows in the line.
fn header(line: &str) -> Option<(Head, String)> {
    let inside = line.strip_prefix('[')?;
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let end = inside.find(|c: char| !name(c))?;
    let (section, rest) = inside.split_at(end);
    let section = section.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        let (section, sub) = match section.split_once('.') {
            Some((section, sub)) => (section.to_owned(), Some(sub.to_owned())),
            None => (section, None),
        };
        return Some(((section, sub), rest.trim().to_owned()));
    }
    let mut rest = rest.trim_start().strip_prefix('"')?.chars();
    let mut sub = String::new();
    loop {
        match rest.next()? {
            '"' => break,
            '\\' => sub.push(rest.next()?),
            c => sub.push(c),
        }
    }
    let rest = rest.as_str().strip_prefix(']')?;
    Some(((section, Some(sub)), rest.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(config: &str, expect: &[&str]) {
        assert_eq!(commands(config), expect, "{config}");
    }

    #[test]
    fn what_init_and_clone_write_is_harmless() {
        check("", &[]);
        check(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
             \tlogallrefupdates = true\n[remote \"origin\"]\n\turl = https://h/x.git\n\
             \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\
             \tremote = origin\n\tmerge = refs/heads/main\n# a = b\n; c\n",
            &[],
        );
        check("[submodule \"a/b\"]\n\tactive = true\n\turl = ../x\n\tupdate = rebase\n", &[]);
        check("[user]\nname = A = B\nemail = a@b\n[push] default = simple\n", &[]);
        check("[remote \"o\"]\r\n\turl = git@h:x\r\n", &[]);
    }

    #[test]
    fn what_names_a_program_is_found_in_any_spelling() {
        check("[core]\nfsmonitor = ./x\n", &["core.fsmonitor"]);
        check("[CORE]\n\tFsMonitor=./x\n", &["core.fsmonitor"]);
        check("[core] fsmonitor = x", &["core.fsmonitor"]);
        check("[core][core]hooksPath=x\n", &["core.hookspath"]);
        check("[core]\nbare = true \\\n\nsshCommand = x", &["core.sshcommand"]);
        check("\u{feff}[core]\npager = x\neditor = y\npager = z\n", &["core.pager", "core.editor"]);
        check("[filter \"x\"]\nsmudge = a\n", &["filter.x.smudge"]);
        check("[filter.x]\nclean = a\n", &["filter.x.clean"]);
        check("[diff]\nexternal = a\n", &["diff.external"]);
        check("[diff \"x\"]\ntextconv = a\n", &["diff.x.textconv"]);
        check(
            "[include]\npath = a\n[includeIf \"gitdir:/\"]\npath = b\n",
            &["include.path", "includeif.gitdir:/.path"],
        );
        check("[alias]\nst = !x\n", &["alias.st"]);
        check("[submodule \"a\"]\nupdate = \"!x\"\n", &["submodule.a.update"]);
        check(
            "[remote \"o\"]\nurl = ext:\":\"x\nuploadpack = y\n",
            &["remote.o.url", "remote.o.uploadpack"],
        );
        check("[remote \"a\\\"]\\nb\"]\nvcs = x\n", &["remote.a\"]nb.vcs"]);
        check("[gc]\nrecentObjectsHook = x\n", &["gc.recentobjectshook"]);
    }

    #[test]
    fn what_cannot_be_read_is_not_trusted() {
        for config in [
            "fsmonitor = x",
            "[core\nfsmonitor = x",
            "[core]\nfs monitor = x",
            "[a \"b]",
            "[core]\nbare = true # \\\nfsmonitor = x",
            "[core]\nbare\0 = x",
        ] {
            check(config, &["text that cannot be read"]);
        }
    }
}
