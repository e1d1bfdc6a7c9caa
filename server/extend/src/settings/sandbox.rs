//! What settings say about the sandbox, and how they write paths there.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::parse::{Located, Parsed};
use super::{credentials, scope};

pub(super) const HTTP_PORT: &str = "sandbox.network.httpProxyPort";
pub(super) const SOCKS_PORT: &str = "sandbox.network.socksProxyPort";
pub(super) const IGNORED: &str = "sandbox.ignoreViolations";

/// The sandbox as all files together want it. Paths are absolute; `None` says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    pub enabled: Option<bool>,
    pub fail_if_unavailable: Option<bool>,
    /// Whether a command that the sandbox contains runs without a question.
    pub auto_allow: Option<bool>,
    /// Whether the model may ask to leave the sandbox.
    pub allow_unsandboxed: Option<bool>,
    /// Whether a process may have no more memory than the machine has.
    pub limit_memory: Option<bool>,
    /// Patterns of commands that run outside, as Bash rules write them.
    pub excluded_commands: Vec<String>,
    pub allowed_domains: Vec<String>,
    pub denied_domains: Vec<String>,
    pub allow_write: Vec<PathBuf>,
    pub deny_write: Vec<PathBuf>,
    pub deny_read: Vec<PathBuf>,
    pub allow_read: Vec<PathBuf>,
    /// Services of this machine may be asked by any Unix socket,
    pub all_unix_sockets: Option<bool>,
    /// or by these, where the sandbox goes by paths.
    pub unix_sockets: Vec<PathBuf>,
    /// Whether ports of this machine may be opened, where a command shares them.
    pub local_binding: Option<bool>,
    /// Ports of the user's own proxies for HTTP and SOCKS, in place of ours.
    pub proxy_ports: [Option<u16>; 2],
    /// Whether commands may write wherever the user may.
    pub open_disk: Option<bool>,
    /// Refusals that are not told: by the commands' patterns, parts of what was refused.
    pub ignored: Vec<(String, Vec<String>)>,
    /// A host that is not among the allowed ones is refused, not asked about.
    pub only_allowed_domains: bool,
    /// Files with secrets: nothing opens them again.
    pub credential_files: Vec<PathBuf>,
    /// Variables with secrets, which no child process gets.
    pub credential_variables: Vec<String>,
}

impl SandboxSettings {
    /// Adds a weaker file. `root` is where its relative paths begin.
    pub(super) fn merge(&mut self, parsed: &Parsed, root: &Path, home: Option<&Path>) {
        let flag = |key: &str| parsed.bools.get(key).map(|located| located.value);
        self.enabled = self.enabled.or(flag("sandbox.enabled"));
        self.fail_if_unavailable = self.fail_if_unavailable.or(flag("sandbox.failIfUnavailable"));
        self.auto_allow = self.auto_allow.or(flag("sandbox.autoAllowBashIfSandboxed"));
        self.allow_unsandboxed =
            self.allow_unsandboxed.or(flag("sandbox.allowUnsandboxedCommands"));
        self.limit_memory = self.limit_memory.or(flag("sandbox.limitMemory"));
        join(&mut self.excluded_commands, texts(parsed, "sandbox.excludedCommands"));
        join(&mut self.allowed_domains, texts(parsed, "sandbox.network.allowedDomains"));
        join(&mut self.denied_domains, texts(parsed, "sandbox.network.deniedDomains"));
        let paths = |key: &str, denies: Denies| {
            let written = texts(parsed, key);
            written.flat_map(|text| meant(&text, root, home, denies)).collect::<Vec<_>>()
        };
        join(&mut self.allow_write, paths("sandbox.filesystem.allowWrite", Denies::No));
        join(&mut self.allow_read, paths("sandbox.filesystem.allowRead", Denies::No));
        join(&mut self.deny_write, paths("sandbox.filesystem.denyWrite", Denies::Yes));
        join(&mut self.deny_read, paths("sandbox.filesystem.denyRead", Denies::Yes));
        join(&mut self.credential_files, paths(credentials::FILES, Denies::Yes));
        join(&mut self.credential_variables, texts(parsed, credentials::VARIABLES));
        self.all_unix_sockets =
            self.all_unix_sockets.or(flag("sandbox.network.allowAllUnixSockets"));
        self.local_binding = self.local_binding.or(flag("sandbox.network.allowLocalBinding"));
        self.open_disk = self.open_disk.or(flag("sandbox.filesystem.disabled"));
        join(&mut self.unix_sockets, paths("sandbox.network.allowUnixSockets", Denies::No));
        for (port, key) in self.proxy_ports.iter_mut().zip([HTTP_PORT, SOCKS_PORT]) {
            let written = parsed.numbers.get(key).and_then(|port| u16::try_from(*port).ok());
            *port = port.or(written.filter(|port| *port > 0));
        }
        join(&mut self.ignored, parsed.raw.get(IGNORED).into_iter().flat_map(lists));
        let says = |key: &str| flag(key) == Some(true);
        self.only_allowed_domains |= says("sandbox.network.strictAllowlist")
            || says("sandbox.network.allowManagedDomainsOnly");
    }
}

/// An object of lists of texts.
fn lists(written: &Value) -> Vec<(String, Vec<String>)> {
    let texts = |list: &Value| {
        let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let all = written.as_object().into_iter().flatten();
    all.map(|(pattern, list)| (pattern.clone(), texts(list))).collect()
}

/// Whether a path is there to be closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Denies {
    Yes,
    No,
}

pub(super) fn texts(parsed: &Parsed, key: &str) -> impl Iterator<Item = String> + use<> {
    let list = parsed.lists.get(key).map_or_else(Vec::new, |list| {
        list.iter().map(|Located { value, .. }| value.clone()).collect::<Vec<_>>()
    });
    list.into_iter()
}

/// Adds what is not there yet.
pub(super) fn join<T: PartialEq>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for each in more {
        if !all.contains(&each) {
            all.push(each);
        }
    }
}

/// The folder that relative paths of a file begin in.
pub(super) fn root<'a>(file: &'a Path, project: bool, cwd: &'a Path) -> &'a Path {
    match file.parent() {
        Some(folder) if !project && file.is_absolute() => folder,
        _ => cwd,
    }
}

/// The paths that a written one means: `//x` is absolute, `~/x` is below the home, `/x` and `x`
/// are below `root`. Whoever writes `/x` in order to close it may well have meant the root of the
/// disk, so both are closed.
fn meant(written: &str, root: &Path, home: Option<&Path>, denies: Denies) -> Vec<PathBuf> {
    if written.trim().is_empty() {
        return Vec::new();
    }
    let below = path(written, root, home);
    let single = written.starts_with('/') && !written.starts_with("//");
    match single && denies == Denies::Yes {
        true => vec![below, scope::absolute(written, root, home)],
        false => vec![below],
    }
}

/// One path as settings of the sandbox write it.
pub(super) fn path(written: &str, root: &Path, home: Option<&Path>) -> PathBuf {
    let text = match written.strip_prefix('/') {
        Some(rest) if rest.starts_with('/') => rest,
        Some(rest) => rest,
        None => written,
    };
    scope::absolute(text, root, home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_where_they_should() {
        let check = |written: &str, expect: &[&str]| {
            let (root, home) = (Path::new("/work/a"), Some(Path::new("/home/ann")));
            let found = meant(written, root, home, Denies::Yes);
            assert_eq!(found, expect.iter().map(PathBuf::from).collect::<Vec<_>>(), "{written}");
        };
        check("//srv/x", &["/srv/x"]);
        check("~/x", &["/home/ann/x"]);
        check("~", &["/home/ann"]);
        check("x/../y", &["/work/a/y"]);
        check("./x", &["/work/a/x"]);
        check("/etc", &["/work/a/etc", "/etc"]);
        check("///x", &["/x"]);
        check(" ", &[]);
        assert_eq!(
            meant("/x", Path::new("/work"), None, Denies::No),
            [PathBuf::from("/work/x")],
            "what opens is only what it says"
        );
    }
}
