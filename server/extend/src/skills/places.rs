//! Where skills and commands are, from strong to weak.

use std::fmt;
use std::path::{Path, PathBuf};

use policy::Source;
use serde_json::json;

use super::SkillQuery;
use crate::memory::{below as folders_below, root_of};
use crate::settings::Locations;
use crate::trust::Standing;
use crate::{files, hash};

/// Who wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillSource {
    Managed,
    User,
    Project,
    Plugin,
    Bundled,
}

impl SkillSource {
    pub fn name(self) -> &'static str {
        match self {
            SkillSource::Managed => "managed",
            SkillSource::User => "user",
            SkillSource::Project => "project",
            SkillSource::Plugin => "plugin",
            SkillSource::Bundled => "bundled",
        }
    }
}

impl fmt::Display for SkillSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What others bring: a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRoot {
    pub folder: PathBuf,
    /// Folders of skills, or single skills; `skills/` of a plugin that says nothing else.
    pub skills: Vec<PathBuf>,
    /// Folders of commands, or single ones.
    pub commands: Vec<PathBuf>,
    /// What its names begin with: `label:name`.
    pub label: String,
    /// Where it may keep data.
    pub data: Option<PathBuf>,
}

/// One folder to look into.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) skills: Vec<PathBuf>,
    pub(super) commands: Vec<PathBuf>,
    pub(super) source: SkillSource,
    /// Names begin with it.
    pub(super) namespace: Option<String>,
    /// Names that are taken begin with it instead: where the folder is.
    pub(super) prefix: Option<String>,
    /// What relative patterns are relative to.
    pub(super) base: PathBuf,
    /// Its files must lie below this folder, or be allowed by a rule.
    pub(super) within: Option<PathBuf>,
    /// What may be used of it; the user's own needs no approval.
    pub(super) standing: Option<Standing>,
    pub(super) data: Option<PathBuf>,
}

impl Place {
    fn own(folder: PathBuf, source: SkillSource, base: &Path) -> Place {
        Place {
            skills: vec![folder.join("skills")],
            commands: vec![folder.join("commands")],
            folder,
            source,
            namespace: None,
            prefix: None,
            base: base.to_owned(),
            within: None,
            standing: None,
            data: None,
        }
    }

    /// What a project brings, ours first.
    fn of_project(base: &Path, within: &Path, standing: &Standing) -> [Place; 2] {
        [".bowline", ".claude"].map(|name| Place {
            within: Some(within.to_owned()),
            standing: Some(standing.clone()),
            ..Place::own(base.join(name), SkillSource::Project, base)
        })
    }
}

/// Those that hold for the whole session.
pub(super) fn always(query: &SkillQuery<'_>) -> Vec<Place> {
    let SkillQuery { locations, cwd, given, .. } = query;
    let mut places = Vec::new();
    for folder in ["bowline", "claude-code"].map(|name| locations.managed.join(name)) {
        places.push(Place::own(folder, SkillSource::Managed, cwd));
    }
    if given.has(Source::User) {
        let own = locations.home.as_ref().map(|home| home.join(".claude"));
        for folder in [Some(locations.bowline_home.clone()), own].into_iter().flatten() {
            places.push(Place::own(folder, SkillSource::User, cwd));
        }
    }
    if given.has(Source::Project) {
        if query.standing.is_trusted() {
            let root = root_of(cwd);
            for folder in cwd.ancestors().take_while(|folder| folder.starts_with(&root)) {
                places.extend(Place::of_project(folder, &root, query.standing));
            }
        }
        for (folder, standing) in query.added.iter().filter(|(_, it)| it.is_trusted()) {
            places.extend(Place::of_project(folder, folder, standing));
        }
    }
    places.extend(query.more.iter().map(|root| Place {
        namespace: Some(root.label.clone()),
        skills: root.skills.clone(),
        commands: root.commands.clone(),
        data: root.data.clone(),
        ..Place::own(root.folder.clone(), SkillSource::Plugin, cwd)
    }));
    places
}

/// The folders below the session's on the way to a file, from the top. A repository of its own is
/// somebody else's.
pub(super) fn below(cwd: &Path, path: &Path) -> Vec<PathBuf> {
    let foreign = |folder: &PathBuf| files::is_something(&folder.join(".git"));
    folders_below(cwd, path).into_iter().take_while(|folder| !foreign(folder)).collect()
}

/// What a folder below the session's brings.
pub(super) fn of_nested(folder: &Path, query: &SkillQuery<'_>) -> Vec<Place> {
    if !query.given.has(Source::Project) || !query.standing.is_trusted() {
        return Vec::new();
    }
    let prefix = folder.strip_prefix(query.cwd).ok().map(|path| path.display().to_string());
    let places = Place::of_project(folder, &root_of(query.cwd), query.standing);
    places.into_iter().map(|place| Place { prefix: prefix.clone(), ..place }).collect()
}

/// A project's skill or command that would count if it were trusted. Only what it allows by itself
/// is approved one by one; it is told by its rule and its name.
pub(crate) struct BroughtSkill {
    pub(crate) file: PathBuf,
    /// The rules it would have for a turn.
    pub(crate) allows: Vec<policy::Rule>,
    /// The hooks it would bring.
    pub(crate) hooks: Option<serde_json::Value>,
}

/// Reads what a project's skills allow, as data.
pub(crate) fn brought(locations: &Locations, cwd: &Path) -> Vec<BroughtSkill> {
    let root = root_of(cwd);
    let folders = cwd.ancestors().take_while(|folder| folder.starts_with(&root));
    let own: Vec<PathBuf> = [Some(locations.bowline_home.clone())]
        .into_iter()
        .chain([locations.home.as_ref().map(|home| home.join(".claude"))])
        .flatten()
        .map(|folder| files::real(&folder))
        .collect();
    let places = folders.flat_map(|folder| Place::of_project(folder, &root, &Standing::vouched()));
    // In the home directory the user's own folders look like a project's.
    let places = places.filter(|place| !own.contains(&files::real(&place.folder)));
    let found = places.flat_map(|place| super::read::files_of(&place, &mut Vec::new()));
    found
        .map(|found| {
            let (allows, hooks) = super::read::switches_on(&found);
            BroughtSkill { allows, hooks, file: found.file }
        })
        .collect()
}

/// By which the hooks in a head are approved: the file, and what they are.
pub(crate) fn hash_of_hooks(file: &Path, hooks: &serde_json::Value) -> String {
    hash::of("hooks of a head", &json!([files::real(file).display().to_string(), hooks]))
}

/// By which a skill's allow rules are approved: the file, and what it allows.
pub(crate) fn hash_of_grant(file: &Path, rules: &[policy::Rule]) -> String {
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    hash::of("skill allows", &json!([files::real(file).display().to_string(), rules]))
}
