//! `headersHelper`: a command that prints the headers a server wants to see.
//!
//! What it printed holds until the server refuses it. Walls and environment are up to whoever makes
//! this: a project's helper is somebody else's program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use exec::{Exit, Program, Spec, Walls};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

const WITHIN: Duration = Duration::from_secs(10);
const LONGEST: usize = 64 * 1024;

pub struct HeadersHelper {
    /// For a shell.
    pub command: String,
    pub cwd: PathBuf,
    /// All but the server's name and address, which are added.
    pub env: Vec<(OsString, OsString)>,
    pub walls: Walls,
    /// Held while the command runs, so that it runs once for all who wait.
    last: Mutex<Option<HeaderMap>>,
}

impl HeadersHelper {
    pub fn new(
        command: &str,
        cwd: PathBuf,
        env: Vec<(OsString, OsString)>,
        walls: Walls,
    ) -> HeadersHelper {
        HeadersHelper { command: command.to_owned(), cwd, env, walls, last: Mutex::default() }
    }

    /// The headers for a server, the last ones if they are good. `refused` are those that the server
    /// did not want. A value is never told, not even in an error: it is what opens the door.
    pub(crate) async fn headers(
        &self,
        server: &str,
        url: &str,
        refused: Option<&HeaderMap>,
    ) -> Result<HeaderMap, String> {
        let mut last = self.last.lock().await;
        if let Some(headers) = last.as_ref() {
            let all_refused = refused.is_some_and(|refused| {
                headers.iter().all(|(name, value)| refused.get(name) == Some(value))
            });
            if !all_refused {
                return Ok(headers.clone());
            }
        }
        *last = None;
        let headers = self.run(server, url).await.map_err(|why| {
            format!("The command of `headersHelper` {why}; try it in a shell, or correct it.")
        })?;
        Ok(last.insert(headers).clone())
    }

    async fn run(&self, server: &str, url: &str) -> Result<HeaderMap, String> {
        let arguments = vec!["-c".into(), self.command.as_str().into()];
        let program = Program::Argv { program: "/bin/sh".into(), arguments };
        let mut spec = Spec::new(program, &self.cwd, self.walls.clone());
        (spec.env, spec.timeout, spec.output_cap) = (self.env.clone(), WITHIN, LONGEST);
        let told = [("CLAUDE_CODE_MCP_SERVER_NAME", server), ("CLAUDE_CODE_MCP_SERVER_URL", url)];
        for (name, value) in told {
            spec.env.retain(|(known, _)| known != name);
            spec.env.push((name.into(), value.into()));
        }
        let finished = exec::run(spec, CancellationToken::new(), |_| ()).await;
        let finished = finished.map_err(|error| format!("did not start ({error})"))?;
        match finished.status {
            Exit::Code(0) => read(&finished.stdout),
            Exit::Code(code) => Err(format!("failed with exit code {code}")),
            Exit::TimedOut => Err(format!("took longer than {} s", WITHIN.as_secs())),
            _ => Err("was stopped".to_owned()),
        }
    }
}

/// Headers in the order of their names.
fn read(printed: &str) -> Result<HeaderMap, String> {
    // Serde's own words could repeat a part of a value.
    let texts: BTreeMap<String, String> = serde_json::from_str(printed.trim())
        .map_err(|_| "did not print a JSON object of texts".to_owned())?;
    header_map(&texts).map_err(|name| format!("printed a header {name:?} that cannot be sent"))
}

/// The error is the name of a header that cannot be sent. Its value is not repeated: it may be a
/// key.
pub(crate) fn header_map(texts: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(texts.len());
    for (name, value) in texts {
        let bad = || name.escape_debug().take(80).collect::<String>();
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.insert(header, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helper(command: &str) -> HeadersHelper {
        let env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        HeadersHelper::new(command, "/".into(), env, Walls::Open)
    }

    async fn get(helper: &HeadersHelper, refused: Option<&HeaderMap>) -> Result<String, String> {
        let headers = helper.headers("git", "https://x/mcp", refused).await?;
        Ok(headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect::<Vec<_>>()
            .join(", "))
    }

    #[tokio::test]
    async fn the_command_knows_the_server() {
        let command = r#"printf '{"X-Name": "%s", "X-Url": "%s"}' "$CLAUDE_CODE_MCP_SERVER_NAME" "$CLAUDE_CODE_MCP_SERVER_URL""#;
        let expect = "x-name: git, x-url: https://x/mcp";
        assert_eq!(get(&helper(command), None).await.unwrap(), expect);
    }

    #[tokio::test]
    async fn it_runs_again_only_when_its_headers_were_refused() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let count = count.to_str().unwrap();
        let command = format!("echo x >> {count}; printf '{{\"n\": \"%s\"}}' $(wc -l < {count})");
        let helper = helper(&command);
        assert_eq!(get(&helper, None).await.unwrap(), "n: 1");
        assert_eq!(get(&helper, None).await.unwrap(), "n: 1");
        let refused = helper.headers("git", "https://x/mcp", None).await.unwrap();
        assert_eq!(get(&helper, Some(&refused)).await.unwrap(), "n: 2");
        // Somebody else who was refused with the old ones gets the new ones.
        assert_eq!(get(&helper, Some(&refused)).await.unwrap(), "n: 2");
    }

    #[tokio::test]
    async fn nonsense_is_told_without_what_was_printed() {
        for (command, expect) in [
            ("echo canary", "did not print a JSON object of texts"),
            ("echo '{\"a\": 1}'", "did not print a JSON object of texts"),
            ("echo '[\"canary\"]'", "did not print a JSON object of texts"),
            ("echo '{\"a b\": \"canary\"}'", "printed a header \"a b\" that cannot be sent"),
            ("printf %s '{\"a\": \"canary\\n\"}'", "printed a header \"a\" that cannot be sent"),
            ("echo canary; exit 3", "failed with exit code 3"),
        ] {
            let error = get(&helper(command), None).await.unwrap_err();
            assert!(error.contains(expect) && !error.contains("canary"), "{command}: {error}");
        }
    }
}
