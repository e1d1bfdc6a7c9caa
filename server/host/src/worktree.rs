//! A git worktree for one piece of work: made below `.claude/worktrees` of the repository, on a
//! branch of its own, and gone again when nothing came of it.
//!
//! Only in a folder that is trusted: a checkout runs the filters that the repository names, in the
//! sandbox where there is one. Its hooks do not run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use exec::Walls;
use extend::TrustStore;

use crate::context::HostContext;
use crate::git::{self, Git};
use crate::repository;
use crate::store;

/// A large repository is checked out meanwhile.
const WITHIN: Duration = Duration::from_secs(300);
const LONGEST_NAME: usize = 64;

pub struct Worktree {
    /// Where the files are.
    pub path: PathBuf,
    /// The main checkout.
    main: PathBuf,
    branch: String,
    /// Where the branch began; none for one that was there before.
    began: Option<String>,
}

impl Worktree {
    /// Makes it, or takes the one of this name that is there.
    pub async fn open(host: &HostContext, cwd: &Path, name: &str) -> Result<Self, String> {
        check_name(name)?;
        let here = repository::around(cwd)
            .ok_or_else(|| format!("{} is in no git repository.", cwd.display()))?;
        let main = repository::main_folder(&here)
            .ok_or("The repository has no checkout of its own to make one beside.")?;
        let (trust, _) =
            TrustStore::load(&host.locations.bowline_home, host.locations.home.as_deref());
        if !trust.is_trusted(&main) {
            return Err(format!(
                "{} is not trusted yet; start `bowline` in it and say /trust yes first.",
                main.display()
            ));
        }
        let base = base(&main)?;
        let (path, branch) = (base.join(name), format!("worktree-{name}"));
        let mut tree = Self { path, main, branch, began: None };
        match workspace::kind(&tree.path) {
            Ok(None) => tree.make(host).await?,
            // One that belongs to another repository, or to none, is not ours to work in.
            _ if repository::around(&tree.path).as_ref() == Some(&tree.path)
                && repository::main_folder(&tree.path).as_ref() == Some(&tree.main) => {}
            _ => return Err(format!("{} is in the way.", tree.path.display())),
        }
        Ok(tree)
    }

    async fn make(&mut self, host: &HostContext) -> Result<(), String> {
        let head = self.git(host, &self.main, &["rev-parse", "--verify", "HEAD"]).await?;
        let head = head.trim().to_owned();
        let path = self.path.to_str().ok_or("The folder's name is not UTF-8.")?;
        let words = ["worktree", "add", "-q", "-b", &self.branch, "--", path, &head];
        self.git(host, &self.main, &words).await?;
        self.began = Some(head);
        Ok(())
    }

    /// Takes away what this call made, when there is nothing in it: no change, no commit. Says what
    /// became of it.
    pub async fn close(self, host: &HostContext) -> Option<String> {
        let began = self.began.as_deref()?;
        let status = self.git(host, &self.path, &["status", "--porcelain", "--ignored"]).await;
        let unchanged = status.is_ok_and(|status| status.trim().is_empty());
        let commit = repository::head(&self.path);
        let (shown, branch) = (self.path.display(), &self.branch);
        if !unchanged || commit.as_deref() != Some(began) {
            return Some(format!("The worktree {shown} (branch {branch}) holds what was done."));
        }
        let path = self.path.to_str()?;
        // Nothing is in it, as was just seen, so git need not look, and then runs no filter either.
        // What is removed cannot be a mount.
        let words = ["worktree", "remove", "--force", "--", path];
        let removed = self.plain_git(host, &words).await;
        let removed = match removed {
            Ok(_) => self.plain_git(host, &["branch", "-q", "-d", "--", branch]).await,
            Err(error) => Err(error),
        };
        Some(match removed {
            Ok(_) => format!("The worktree {shown} was left unchanged, so it is gone again."),
            Err(error) => format!("The worktree {shown} could not be removed: {error}."),
        })
    }

    /// Outside the walls: only for what runs nothing of the repository's.
    async fn plain_git(&self, host: &HostContext, words: &[&str]) -> Result<String, String> {
        let (repository, walls) = (self.main.clone(), Walls::Open);
        let git = Git { repository, walls, within: WITHIN, env: Vec::new() };
        let home = host.var("HOME").map(ToOwned::to_owned);
        git.run(home, words.iter().map(Into::into).collect()).await
    }

    async fn git(&self, host: &HostContext, at: &Path, words: &[&str]) -> Result<String, String> {
        // The sandbox is looked for when it is first needed, which takes a moment; nobody waits for
        // anything else yet.
        let kept = git::with_work_trees(host, self.main.clone());
        let (walls, _temp) = kept.ok_or("No temporary folder could be made for the sandbox.")?;
        let git = Git { repository: at.to_owned(), walls, within: WITHIN, env: Vec::new() };
        let home = host.var("HOME").map(ToOwned::to_owned);
        git.run(home, words.iter().map(Into::into).collect()).await
    }
}

/// A name becomes part of a path and of a branch.
fn check_name(name: &str) -> Result<(), String> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let sound = letters
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("..")
        && !name.ends_with(['.', '-'])
        && !name.to_ascii_lowercase().ends_with(".lock")
        && !name.to_ascii_lowercase().ends_with(".git")
        && name.len() <= LONGEST_NAME;
    match sound {
        true => Ok(()),
        false => Err(format!(
            "{name:?} cannot be the name of a worktree; use letters, digits, - and _, such as \
             fix-login."
        )),
    }
}

/// The folder for all worktrees, which git does not see. A link on the way could lead anywhere.
fn base(main: &Path) -> Result<PathBuf, String> {
    let base = main.join(".claude/worktrees");
    let is_straight = |path: &Path| match workspace::kind(path) {
        Ok(None) => true,
        Ok(Some(workspace::Kind::Folder)) => {
            workspace::real_path(path).is_ok_and(|real| real == path)
        }
        _ => false,
    };
    if !is_straight(&main.join(".claude")) || !is_straight(&base) {
        return Err(format!("{} leads elsewhere; worktrees are not made there.", base.display()));
    }
    let failed = |error: std::io::Error| format!("{}: {error}.", base.display());
    let made = store::make_folder(&base).map_err(failed)?;
    if made != base {
        return Err(format!("{} leads elsewhere; worktrees are not made there.", base.display()));
    }
    store::keep_once(&base.join(".gitignore"), "*\n").map_err(failed)?;
    Ok(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["a", "fix-login", "v1.2", "A_b"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "x".repeat(65);
        for name in
            ["", ".git", "..", "a/b", "-x", "a b", "x.lock", "x.git", "a..b", "x.", "é", "~", &long]
        {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
