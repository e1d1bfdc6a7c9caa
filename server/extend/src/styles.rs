//! Output styles that users write: `output-styles/*.md`, in the project's folders and their own.

use std::path::{Path, PathBuf};

use agent::prompt::Style;
use serde::Deserialize;

use crate::settings::Locations;
use crate::{files, frontmatter};

/// More than this in one folder is a mistake.
const MOST: usize = 100;
/// As instructions go, this is long.
const LONGEST: usize = 100 * 1024;

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Head {
    name: Option<String>,
    description: Option<String>,
    keep_coding_instructions: bool,
}

/// Every style there is, the strongest first, each name once: the project's when the folder is
/// trusted, the user's, then those that are built in.
pub fn styles(locations: &Locations, cwd: &Path, trusted: bool) -> Vec<Style> {
    let mut found: Vec<Style> = Vec::new();
    let written =
        folders(locations, cwd, trusted).into_iter().flat_map(|folder| in_folder(&folder));
    for style in written.chain(Style::built_in()) {
        if !found.iter().any(|known| is_named(known, &style.name)) {
            found.push(style);
        }
    }
    found
}

/// The style of that name, however it is capitalised.
pub fn is_named(style: &Style, name: &str) -> bool {
    style.name.to_lowercase() == name.trim().to_lowercase()
}

fn folders(locations: &Locations, cwd: &Path, trusted: bool) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if trusted {
        folders.extend([".bowline", ".claude"].map(|folder| cwd.join(folder)));
    }
    folders.push(locations.bowline_home.clone());
    folders.extend(locations.home.as_ref().map(|home| home.join(".claude")));
    folders.into_iter().map(|folder| folder.join("output-styles")).collect()
}

fn in_folder(folder: &Path) -> Vec<Style> {
    let mut names = files::list(folder);
    names.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    names.sort();
    names.iter().take(MOST).filter_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Option<Style> {
    let text = files::read(path).ok()??;
    let (head, body) = frontmatter::split(&text);
    let head: Head = head.and_then(|head| frontmatter::parse(head).ok()).unwrap_or_default();
    let stem = path.file_stem()?.to_str()?.to_owned();
    let body = body.trim();
    let usable = !body.is_empty() && body.len() <= LONGEST;
    usable.then(|| Style {
        name: head.name.filter(|name| !name.trim().is_empty()).unwrap_or(stem),
        description: head.description.unwrap_or_default(),
        text: body.to_owned(),
        keeps_coding: head.keep_coding_instructions,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_projects_own_come_first_when_it_is_trusted() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        let write = |name: &str, text: &str| {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        };
        write("p/.claude/output-styles/terse.md", "Be terse.");
        write("home/.claude/output-styles/terse.md", "Be terser.");
        let poet = "---\nname: Poet\nkeep-coding-instructions: true\n---\nIn verse.\n";
        write("home/.bowline/output-styles/x.md", poet);
        write("home/.bowline/output-styles/empty.md", "---\nname: Nothing\n---\n");
        let locations = Locations {
            bowline_home: at("home/.bowline"),
            home: Some(at("home")),
            managed: at("etc"),
        };
        let text = |trusted: bool, name: &str| {
            let all = styles(&locations, &at("p"), trusted);
            all.into_iter().find(|style| is_named(style, name)).map(|style| style.text)
        };
        assert_eq!(text(true, "TERSE").as_deref(), Some("Be terse."));
        assert_eq!(text(false, "terse").as_deref(), Some("Be terser."));
        assert_eq!(text(false, "poet").as_deref(), Some("In verse."));
        assert_eq!(text(true, "nothing"), None);
        assert!(text(true, "concise").is_some());
    }
}
