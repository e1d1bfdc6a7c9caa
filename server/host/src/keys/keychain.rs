//! The keychain of macOS, through the system's own program. A key is never an argument, where other
//! users could read it: it goes in by standard input.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use exec::{Companion, Exit, Program, Spec, Walls};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const PROGRAM: &str = "/usr/bin/security";
/// What the entries are filed under.
const SERVICE: &str = "bowline";
/// The keychain may ask the user first.
const WITHIN: Duration = Duration::from_secs(60);
const LONGEST: usize = 64 * 1024;

pub(crate) struct Keychain {
    home: PathBuf,
}

impl Keychain {
    pub(crate) fn new(home: PathBuf) -> Keychain {
        Keychain { home }
    }

    pub(crate) fn is_there(&self) -> bool {
        cfg!(target_os = "macos")
    }

    pub(crate) async fn find(&self, account: &str) -> Result<String, String> {
        let found = self.run(&find_arguments(account)).await?;
        Ok(found.trim().to_owned())
    }

    pub(crate) async fn remove(&self, account: &str) -> Result<(), String> {
        self.run(&remove_arguments(account)).await.map(|_| ())
    }

    pub(crate) async fn store(&self, account: &str, key: &str) -> Result<(), String> {
        let failed = || "The keychain did not take the key; unlock it and try again.".to_owned();
        let started =
            Companion::start(PROGRAM, &["-i".into()], &self.home, &self.env(), &Walls::Open);
        let Companion { mut input, process: mut child, .. } = started.map_err(|_| failed())?;
        let told = async {
            input.write_all(store_command(account, key).as_bytes()).await.ok()?;
            input.shutdown().await.ok()?;
            drop(input);
            (child.ended().await == Exit::Code(0)).then_some(())
        };
        timeout(WITHIN, told).await.ok().flatten().ok_or_else(failed)?;
        // The program ends well even when its command did not.
        match self.find(account).await? == key {
            true => Ok(()),
            false => Err(failed()),
        }
    }

    async fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let arguments = arguments.iter().map(OsString::from).collect();
        let program = Program::Argv { program: PROGRAM.into(), arguments };
        let mut spec = Spec::new(program, &self.home, Walls::Open);
        (spec.env, spec.timeout, spec.output_cap) = (self.env(), WITHIN, LONGEST);
        let finished = exec::run(spec, CancellationToken::new(), |_| ()).await;
        match finished {
            Ok(finished) if finished.status == Exit::Code(0) => Ok(finished.stdout),
            _ => Err("The keychain has no key of ours, or did not give it; run `bowline auth \
                      login`."
                .to_owned()),
        }
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        vec![("HOME".into(), self.home.clone().into())]
    }
}

fn find_arguments(account: &str) -> [&str; 6] {
    ["find-generic-password", "-a", account, "-s", SERVICE, "-w"]
}

fn remove_arguments(account: &str) -> [&str; 5] {
    ["delete-generic-password", "-a", account, "-s", SERVICE]
}

/// One line for the program's interactive mode, the key as hexadecimal digits.
fn store_command(account: &str, key: &str) -> String {
    let digits: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("add-generic-password -U -a {account} -s {SERVICE} -X {digits}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_no_argument() {
        assert_eq!(
            store_command("anthropic", "k 'y"),
            "add-generic-password -U -a anthropic -s bowline -X 6b202779\n"
        );
        assert!(find_arguments("anthropic").contains(&"-w"));
        assert_eq!(remove_arguments("openai")[2], "openai");
    }
}
