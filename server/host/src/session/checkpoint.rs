//! What a command is about to throw away, kept first: the files as they are, and the branches and
//! stashes, as a commit under `refs/bowline/checkpoints`. Neither the index nor a file is touched.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use exec::Walls;

use crate::git::{Git, Variable};

const REFS: &str = "refs/bowline/checkpoints";
const WITHIN: Duration = Duration::from_secs(30);
/// How many are kept: of a session, and of all together.
const MOST_OF_SESSION: usize = 20;
const MOST: usize = 200;
/// More, or larger, files that git does not know are left out.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// More branches and stashes are not kept with one checkpoint.
const MOST_NAMES: usize = 200;

/// Makes checkpoints in one repository.
pub(super) struct Keeper {
    pub(super) repository: PathBuf,
    pub(super) walls: Walls,
    pub(super) home: Option<OsString>,
    /// Where the list of files is put together.
    pub(super) index: PathBuf,
}

impl Keeper {
    /// Says where everything is now, or why it is not kept.
    pub(super) async fn keep(self, session: &str) -> String {
        let shown = self.repository.display().to_string();
        match self.checkpoint(session).await {
            Ok((name, left_out)) => format!(
                "Before the command, the files in {shown} were kept as {name}, without those that \
                 git ignores{left_out}. `git restore --source={name} -- PATH` gets files back; \
                 `git log -1 {name}` names the branches and stashes as they were."
            ),
            Err(why) => format!(
                "Nothing was kept before the command in {shown}, so what it threw away is gone: {why}."
            ),
        }
    }

    async fn checkpoint(&self, session: &str) -> Result<(String, &'static str), String> {
        // Attributes would run filters; without them files are kept byte by byte.
        let empty = self.git(&["hash-object", "-t", "tree", "--stdin"], &[]).await?;
        let plain = [("GIT_ATTR_SOURCE".into(), empty.trim().into())];
        let head = self.git(&["rev-parse", "--verify", "-q", "HEAD"], &[]).await.ok();
        let head = head.map(|head| head.trim().to_owned());
        if let Some(head) = &head {
            self.git(&["read-tree", head], &plain).await?;
        }
        let others = self.git(&["ls-files", "-z", "-o", "--exclude-standard"], &plain).await?;
        let fits = fits(self.repository.clone(), others).await;
        self.git(&["add", if fits { "-A" } else { "-u" }], &plain).await?;
        let tree = self.git(&["write-tree"], &plain).await?;
        let (mut parents, names) = self.names().await;
        parents.splice(..0, head);
        let commit = self.commit(tree.trim(), &parents, &names).await?;
        let name = self.name(session).await?;
        self.git(&["update-ref", &name, commit.trim()], &[]).await?;
        let left_out = if fits { "" } else { " and the many or large ones that it does not know" };
        Ok((name, left_out))
    }

    /// Commits that only a branch, a tag or a stash may lead to, and what they are called.
    async fn names(&self) -> (Vec<String>, String) {
        let format =
            "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)";
        let count = format!("--count={MOST_NAMES}");
        let places = ["for-each-ref", format, &count, "refs/heads", "refs/tags"];
        let named = self.git(&places, &[]).await.unwrap_or_default();
        let most = format!("-{MOST_NAMES}");
        let stashes = ["reflog", "show", &most, "--format=commit %H   %gd", "refs/stash"];
        let stashes = self.git(&stashes, &[]).await.unwrap_or_default();
        let (mut commits, mut text) = (Vec::new(), String::new());
        for line in named.lines().chain(stashes.lines()) {
            let words: Vec<&str> = line.split(' ').collect();
            let [kind, object, to_kind, to, name] = words[..] else { continue };
            let commit = match (kind, to_kind) {
                ("commit", _) => object,
                (_, "commit") => to,
                _ => continue,
            };
            text.push_str(&format!("{commit} {name}\n"));
            if !commits.iter().any(|known| known == commit) {
                commits.push(commit.to_owned());
            }
        }
        (commits, text)
    }

    async fn commit(&self, tree: &str, parents: &[String], names: &str) -> Result<String, String> {
        let message = format!("Kept by Bowline before a command\n\n{names}");
        let mut words = vec!["commit-tree", "--no-gpg-sign", tree, "-m", &message];
        let mut known: Vec<&String> = Vec::new();
        for parent in parents {
            if !known.contains(&parent) {
                words.extend(["-p", parent]);
                known.push(parent);
            }
        }
        self.git(&words, &[]).await
    }

    /// A new name for this session; the oldest ones go when there are too many.
    async fn name(&self, session: &str) -> Result<String, String> {
        let list = ["for-each-ref", "--sort=creatordate", "--format=%(refname)", REFS];
        let all = self.git(&list, &[]).await?;
        let all: Vec<&str> = all.lines().collect();
        let own = format!("{REFS}/{session}/");
        let of_session: Vec<&str> =
            all.iter().copied().filter(|name| name.starts_with(&own)).collect();
        let number = |name: &&str| name.strip_prefix(&own)?.parse::<u64>().ok();
        let last = of_session.iter().filter_map(number).max().unwrap_or_default();
        let surplus = |list: &[&str], most: usize| (list.len() + 1).saturating_sub(most);
        let old = of_session.iter().take(surplus(&of_session, MOST_OF_SESSION));
        for name in old.chain(all.iter().take(surplus(&all, MOST))) {
            // One that is gone already is no harm.
            let _ = self.git(&["update-ref", "-d", name], &[]).await;
        }
        Ok(format!("{own}{}", last.saturating_add(1)))
    }

    async fn git(&self, words: &[&str], env: &[Variable]) -> Result<String, String> {
        let index = ("GIT_INDEX_FILE".into(), self.index.clone().into_os_string());
        let git = Git {
            repository: self.repository.clone(),
            walls: self.walls.clone(),
            within: WITHIN,
            env: env.iter().cloned().chain([index]).collect(),
        };
        git.run(self.home.clone(), words.iter().map(OsString::from).collect()).await
    }
}

/// Whether the files that git does not know are few and small enough to be kept.
async fn fits(repository: PathBuf, names: String) -> bool {
    let weigh = move || {
        let mut left = MOST_BYTES;
        names.split_terminator('\0').enumerate().all(|(at, name)| {
            let stamp = workspace::stamp(&repository.join(name)).ok().flatten();
            let size = stamp.map_or(0, |stamp| stamp.size());
            let fits = at < MOST_FILES && size <= left;
            left = left.saturating_sub(size);
            fits
        })
    };
    tokio::task::spawn_blocking(weigh).await.unwrap_or_default()
}
