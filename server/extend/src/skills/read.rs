//! From files to skills: what a folder holds, and what each file says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::head::{self, Reader};
use super::places::{Place, hash_of_grant, hash_of_hooks};
use super::{Skill, SkillForm, SkillProblem, SkillQuery};
use crate::files::{self, Stamp};
use crate::frontmatter;
use crate::memory::{Patterns, Reach, files_in};

/// A longer text is a book, and would fill the window.
const LONGEST: usize = 256 * 1024;
/// In one folder; more is a mistake.
const MOST: usize = 1_000;
const LONGEST_NAME: usize = 64;

/// A file that could be one.
pub(super) struct Found {
    pub(super) file: PathBuf,
    name: String,
    /// The folders of a command, joined with colons.
    group: Option<String>,
    form: SkillForm,
}

/// What lies in a place: skills before commands, each by name.
pub(super) fn files_of(place: &Place, seen: &mut Vec<(PathBuf, Option<Stamp>)>) -> Vec<Found> {
    let mut note = |path: &Path| seen.push((path.to_owned(), files::stamp(path)));
    note(&place.folder);
    let mut found = Vec::new();
    for skills in &place.skills {
        note(skills);
        let own = skills.join("SKILL.md");
        let mut folders = match files::is_file(&own) {
            true => vec![skills.clone()],
            false => files::list(skills),
        };
        // A folder with a manifest is a plugin, and brings its skills as one.
        if place.namespace.is_none() {
            folders.retain(|folder| !crate::plugins::has_manifest(folder));
        }
        folders.sort();
        folders.truncate(MOST);
        found.extend(folders.iter().filter_map(|folder| skill_in(folder, &mut note)));
    }
    for commands in &place.commands {
        note(commands);
        let (files, folder) = match files::is_file(commands) {
            true => (vec![commands.clone()], commands.parent().unwrap_or(commands)),
            false => (files_in(commands), commands.as_path()),
        };
        found.extend(files.into_iter().filter_map(|file| command(file, folder, &mut note)));
    }
    found
}

fn skill_in(folder: &Path, note: &mut impl FnMut(&Path)) -> Option<Found> {
    let (name, file) = (folder.file_name()?.to_str()?.to_owned(), folder.join("SKILL.md"));
    if files::is_dir(folder) {
        note(folder);
        note(&file);
    }
    let form = SkillForm::Skill;
    files::is_file(&file).then_some(Found { file, name, group: None, form })
}

fn command(file: PathBuf, commands: &Path, note: &mut impl FnMut(&Path)) -> Option<Found> {
    note(&file);
    file.ancestors().skip(1).take_while(|above| *above != commands).for_each(&mut *note);
    let name = file.file_stem()?.to_str()?.to_owned();
    let group = file.strip_prefix(commands).ok()?.parent();
    let group = group.map(|group| group.display().to_string().replace('/', ":"));
    let group = group.filter(|group| !group.is_empty());
    Some(Found { name, group, form: SkillForm::Command, file })
}

/// What a file switches on by itself, whatever else it says: rules that allow, and hooks.
pub(super) fn switches_on(found: &Found) -> (Vec<policy::Rule>, Option<serde_json::Value>) {
    let text = files::read(&found.file).ok().flatten().unwrap_or_default();
    let (head, body) = frontmatter::split(&text);
    let read = head::read(head.unwrap_or_default(), body, found.form);
    read.map(|(head, _)| (head.allowed_tools, head.hooks)).unwrap_or_default()
}

/// What a file says; problems tell why it is left out, or what of it.
pub(super) fn skill(
    found: &Found,
    place: &Place,
    query: &SkillQuery<'_>,
    problems: &mut Vec<SkillProblem>,
) -> Option<Skill> {
    let mut problem = |line: Option<usize>, message: String| {
        problems.push(SkillProblem { file: found.file.clone(), line, message });
    };
    let real = files::real(&found.file);
    let outside = place.within.as_ref().is_some_and(|within| !real.starts_with(within));
    let text = match text_of(found, place, query, outside.then_some(&real)) {
        Ok(text) => text?,
        Err(message) => {
            problem(None, message);
            return None;
        }
    };
    let (written, body) = frontmatter::split(&text);
    let (mut head, told) = match head::read(written.unwrap_or_default(), body, found.form) {
        Ok(read) => read,
        Err(Reader { problems, .. }) => {
            problems.into_iter().for_each(|(line, text)| problem(Some(line), text));
            return None;
        }
    };
    told.into_iter().for_each(|(line, text)| problem(Some(line), text));
    let granted = place.standing.as_ref().is_none_or(|standing| {
        standing.has_approved(&hash_of_grant(&found.file, &head.allowed_tools))
    });
    let mut unapproved = !granted && !head.allowed_tools.is_empty();
    if unapproved {
        head.allowed_tools.clear();
    }
    if let (Some(standing), Some(hooks)) = (&place.standing, &head.hooks)
        && !standing.has_approved(&hash_of_hooks(&found.file, hooks))
    {
        unapproved = true;
        head.hooks = None;
    }
    let waits_for = (!head.paths.is_empty()).then(|| {
        let (patterns, wrong) = Patterns::new(&head.paths, &place.base);
        wrong.into_iter().for_each(|text| problem(None, format!("`paths`: {text}.")));
        Arc::new((place.base.clone(), patterns))
    });
    let (name, alias) = names(found, place, &head);
    let folder = found.file.parent().filter(|_| found.form == SkillForm::Skill).map(files::real);
    Some(Skill {
        name,
        alias,
        source: place.source,
        form: found.form,
        file: Some(found.file.clone()),
        // A link out of the project does not open what it leads to.
        folder: folder.filter(|_| !outside),
        plugin: place.namespace.is_some().then(|| (place.folder.clone(), place.data.clone())),
        body: body.trim().to_owned(),
        head,
        unapproved,
        waits_for,
    })
}

/// The text of a file that may be used; nothing of one that a rule hides. The error says why not.
/// `elsewhere`: where it really is, outside of what was trusted.
fn text_of(
    found: &Found,
    place: &Place,
    query: &SkillQuery<'_>,
    elsewhere: Option<&PathBuf>,
) -> Result<Option<String>, String> {
    if !can_be_called(&found.name) {
        return Err(format!(
            "{:?} cannot be typed as a name; use letters, digits, dashes, dots and underscores.",
            found.name
        ));
    }
    if let Some(real) = elsewhere.filter(|real| !(query.may_read)(real, Reach::Outside)) {
        let real = real.display();
        return Err(format!(
            "It is really {real}, outside the project; it is left out. Allow it with a rule \
             `Read(/{real})` in your settings."
        ));
    }
    if place.source != super::SkillSource::Managed && !(query.may_read)(&found.file, Reach::Own) {
        return Ok(None);
    }
    let text = files::read(&found.file).map_err(|error| format!("It {error}; it is left out."))?;
    let (_, body) = text.as_deref().map(frontmatter::split).unwrap_or_default();
    match (&text, body.len() > LONGEST) {
        (Some(_), true) => {
            Err(format!("It is longer than {} KiB; it is left out.", LONGEST / 1024))
        }
        (Some(_), false) if body.trim().is_empty() => {
            Err("It says nothing; it is left out.".to_owned())
        }
        _ => Ok(text),
    }
}

/// The short name, and the one with its folders.
fn names(found: &Found, place: &Place, head: &head::Head) -> (String, Option<String>) {
    let last = match (&place.namespace, &head.name) {
        (Some(_), Some(name)) if found.form == SkillForm::Skill && can_be_called(name) => name,
        _ => &found.name,
    };
    let with = |before: &Option<String>, name: String| match before {
        Some(before) => format!("{before}:{name}"),
        None => name,
    };
    let grouped = with(&found.group, last.clone());
    let alias = with(&place.prefix, with(&place.namespace, grouped));
    let name = with(&place.namespace, last.clone());
    let alias = Some(alias).filter(|alias| *alias != name);
    (name, alias)
}

/// What can stand behind a slash.
fn can_be_called(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(char::is_alphanumeric)
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}
