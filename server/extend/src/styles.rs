//! Output styles that people write: `output-styles/*.md`, the administrator's, the project's, the
//! user's and those of plugins. Beside them stand those that are built in.

use std::path::{Path, PathBuf};

use agent::prompt::Style;
use serde_json::{Map, Value};

use crate::memory::root_of;
use crate::plugins::Plugin;
use crate::settings::Locations;
use crate::{files, frontmatter};

/// More than this in one folder is a mistake.
const MOST: usize = 100;
/// As instructions go, this is long.
const LONGEST: usize = 100 * 1024;

/// Where a plugin keeps styles: a folder, or a single file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleRoot {
    pub folder: PathBuf,
    /// Stands before the name of each: `plugin:name`.
    pub label: String,
}

impl StyleRoot {
    pub(crate) fn of(plugins: &[Plugin]) -> Vec<StyleRoot> {
        let roots = |plugin: &Plugin| {
            let label = plugin.manifest.name.clone();
            let root =
                |folder: &PathBuf| StyleRoot { folder: folder.clone(), label: label.clone() };
            plugin.styles.iter().map(root).collect::<Vec<_>>()
        };
        plugins.iter().flat_map(roots).collect()
    }
}

/// Whose styles are wanted.
pub struct StyleQuery<'a> {
    pub locations: &'a Locations,
    pub cwd: &'a Path,
    pub trusted: bool,
    pub plugins: &'a [StyleRoot],
}

/// Every style there is, the strongest first, each name once.
#[derive(Debug, Default)]
pub struct Styles {
    pub list: Vec<Style>,
    /// The one that a plugin wants to be used while it is switched on (`force-for-plugin`).
    pub forced: Option<String>,
    /// What is wrong in their files, a sentence each.
    pub problems: Vec<String>,
}

impl Styles {
    /// May wait for the disk.
    pub fn load(query: &StyleQuery<'_>) -> Styles {
        let mut styles = Styles::default();
        for folder in folders(query) {
            styles.read_folder(&folder, None);
        }
        for root in query.plugins {
            styles.read_folder(&root.folder, Some(&root.label));
        }
        Style::built_in().into_iter().for_each(|style| styles.add(style));
        styles
    }

    /// The style of that name, however it is capitalised.
    pub fn find(&self, name: &str) -> Option<&Style> {
        let name = name.trim().to_lowercase();
        self.list.iter().find(|style| style.name.to_lowercase() == name)
    }

    fn add(&mut self, style: Style) {
        if self.find(&style.name).is_none() {
            self.list.push(style);
        }
    }

    fn read_folder(&mut self, folder: &Path, label: Option<&str>) {
        let mut paths = match files::is_file(folder) {
            true => vec![folder.to_owned()],
            false => files::list(folder),
        };
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
        paths.sort();
        for path in paths.iter().take(MOST) {
            self.read(path, label);
        }
    }

    fn read(&mut self, path: &Path, label: Option<&str>) {
        let mut problem = |why: &str| self.problems.push(format!("{}: {why}", path.display()));
        let text = match files::read(path) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(error) => return problem(&format!("it {error}.")),
        };
        let (head, body) = frontmatter::split(&text);
        let (body, parsed) = (body.trim(), head.map(frontmatter::parse::<Map<String, Value>>));
        if body.is_empty() {
            return problem("the style says nothing; it is left out.");
        }
        if body.len() > LONGEST {
            return problem("it is too long for a style; it is left out.");
        }
        let head = match parsed.transpose() {
            Ok(head) => head.unwrap_or_default(),
            Err(why) => {
                problem(&format!("the head is not YAML ({why}); it counts for nothing."));
                Map::new()
            }
        };
        let word = |key: &str| head.get(key).and_then(Value::as_str).map(str::trim);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let own = word("name").filter(|name| !name.is_empty()).map(str::to_owned).or(stem);
        let Some(own) = own else { return };
        let name = label.map_or_else(|| own.clone(), |label| format!("{label}:{own}"));
        if label.is_some() && yes(&head, "force-for-plugin") && self.forced.is_none() {
            self.forced = Some(name.clone());
        }
        self.add(Style {
            name,
            description: word("description").unwrap_or_default().to_owned(),
            text: body.to_owned(),
            keeps_coding: yes(&head, "keep-coding-instructions"),
        });
    }
}

fn yes(head: &Map<String, Value>, key: &str) -> bool {
    match head.get(key) {
        Some(Value::Bool(yes)) => *yes,
        Some(Value::String(word)) => matches!(word.as_str(), "yes" | "on" | "true" | "1"),
        Some(Value::Number(number)) => number.as_u64() == Some(1),
        _ => false,
    }
}

/// The administrator's, the project's from the session's folder up, the user's.
fn folders(query: &StyleQuery<'_>) -> Vec<PathBuf> {
    let locations = query.locations;
    let mut folders: Vec<PathBuf> =
        ["bowline", "claude-code"].map(|name| locations.managed.join(name)).into();
    if query.trusted {
        let top = root_of(query.cwd);
        let around = query.cwd.ancestors().take_while(|folder| folder.starts_with(&top));
        folders.extend(around.flat_map(|it| [".bowline", ".claude"].map(|name| it.join(name))));
    }
    folders.push(locations.bowline_home.clone());
    folders.extend(locations.home.as_ref().map(|home| home.join(".claude")));
    folders.into_iter().map(|folder| folder.join("output-styles")).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]
mod tests {
    use std::fs;

    use super::*;

    struct Place(tempfile::TempDir);

    impl Place {
        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
            fs::write(self.at(name), text).unwrap();
        }

        fn load(&self, trusted: bool, plugins: &[StyleRoot]) -> Styles {
            let locations = Locations {
                bowline_home: self.at("home/.bowline"),
                home: Some(self.at("home")),
                managed: self.at("etc"),
            };
            let cwd = self.at("p/sub");
            fs::create_dir_all(&cwd).unwrap();
            fs::create_dir_all(self.at("p/.git")).unwrap();
            Styles::load(&StyleQuery { locations: &locations, cwd: &cwd, trusted, plugins })
        }
    }

    #[test]
    fn the_projects_own_come_first_when_it_is_trusted() {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("p/.claude/output-styles/terse.md", "Be terse.");
        place.write("home/.claude/output-styles/terse.md", "Be terser.");
        let poet = "---\nname: Poet\nkeep-coding-instructions: yes\n---\nIn verse.\n";
        place.write("home/.bowline/output-styles/x.md", poet);
        let text = |trusted: bool, name: &str| {
            place.load(trusted, &[]).find(name).map(|style| style.text.clone())
        };
        assert_eq!(text(true, "TERSE").as_deref(), Some("Be terse."));
        assert_eq!(text(false, "terse").as_deref(), Some("Be terser."));
        assert_eq!(text(false, "poet").as_deref(), Some("In verse."));
        assert!(place.load(false, &[]).find("poet").unwrap().keeps_coding);
        for name in ["concise", "Proactive", "Explanatory", "Learning"] {
            assert!(text(true, name).is_some(), "{name}");
        }
        place.write("p/sub/.bowline/output-styles/terse.md", "Nearest.");
        assert_eq!(text(true, "terse").as_deref(), Some("Nearest."));
        place.write("etc/bowline/output-styles/terse.md", "As the company wants.");
        assert_eq!(text(true, "terse").as_deref(), Some("As the company wants."));
    }

    #[test]
    fn a_plugins_are_named_after_it_and_one_may_be_wanted() {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("plug/output-styles/pirate.md", "---\nforce-for-plugin: true\n---\nArr.");
        place.write("plug/output-styles/calm.md", "Calmly.");
        place.write("home/.claude/output-styles/x.md", "---\nforce-for-plugin: true\n---\nNo.");
        let root = StyleRoot { folder: place.at("plug/output-styles"), label: "port".to_owned() };
        let styles = place.load(false, &[root]);
        assert_eq!(styles.forced.as_deref(), Some("port:pirate"));
        assert_eq!(styles.find("port:calm").unwrap().text, "Calmly.");
        assert!(styles.find("pirate").is_none());
    }

    #[test]
    fn what_is_wrong_is_told() {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("home/.bowline/output-styles/empty.md", "---\nname: Nothing\n---\n");
        place.write("home/.bowline/output-styles/odd.md", "---\n\t- : {\n---\nStill said.");
        place.write("home/.bowline/output-styles/long.md", &"x".repeat(LONGEST + 1));
        place.write("home/.bowline/output-styles/notes.txt", "no style");
        let styles = place.load(true, &[]);
        let told = styles.problems.join("\n");
        assert!(told.contains("empty.md: the style says nothing"), "{told}");
        assert!(told.contains("odd.md: the head is not YAML"), "{told}");
        assert!(told.contains("long.md: it is too long"), "{told}");
        assert_eq!(styles.problems.len(), 3, "{told}");
        assert_eq!(styles.find("odd").unwrap().text, "Still said.");
        assert!(styles.find("nothing").is_none());
    }
}
