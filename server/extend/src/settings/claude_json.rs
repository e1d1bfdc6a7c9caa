//! `~/.claude.json`, where Claude Code keeps the MCP servers that the user added: for everywhere, and
//! for single folders. It is only read, and only that part of it.

use std::path::Path;

use serde_json::Value;

use super::parse::Parsed;
use crate::files;

/// The servers for everywhere; with a folder, those for it. A file that cannot be read has none.
pub(super) fn parsed(text: &str, folder: Option<&Path>) -> Parsed {
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    let servers = match folder {
        None => &root["mcpServers"],
        Some(folder) => {
            let projects = root["projects"].as_object().into_iter().flatten();
            // Compared as folders: the user may have gone there by another name.
            let named = |named: &str| {
                let named = Path::new(named);
                named == folder || (named.is_absolute() && files::real(named) == folder)
            };
            let here = projects.into_iter().find(|(name, _)| named(name));
            here.map_or(&Value::Null, |(_, project)| &project["mcpServers"])
        }
    };
    let servers = servers.as_object().cloned().unwrap_or_default();
    Parsed { mcp: servers.into_iter().collect(), ..Parsed::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_for_everywhere_and_for_a_folder() {
        let text = r#"{"mcpServers": {"a": {}}, "projects": {
            "/w": {"mcpServers": {"b": {}}, "history": []}, "/x": {}}}"#;
        let names = |text: &str, folder: Option<&str>| -> Vec<String> {
            let parsed = parsed(text, folder.map(Path::new));
            parsed.mcp.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(text, None), ["a"]);
        assert_eq!(names(text, Some("/w")), ["b"]);
        assert_eq!(names(text, Some("/x")), [""; 0]);
        assert_eq!(names(text, Some("/y")), [""; 0]);
        assert_eq!(names("{", None), [""; 0]);
        assert_eq!(names(r#"{"mcpServers": [1]}"#, None), [""; 0]);
    }
}
