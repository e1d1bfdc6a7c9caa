//! What the model is told of skills: each with a line, and all together within a budget, so that a
//! hundred of them do not crowd out the work.

use std::fmt::Write as _;

use super::{Skill, SkillSource};

/// How long it may get, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingLimits {
    pub all: usize,
    pub each: usize,
}

/// Less of a description says nothing: then the name has to do.
const LEAST: usize = 20;

/// A skill, and whether more than its name is told.
pub type Listed<'a> = (&'a Skill, bool);

/// A line for each. Where they do not fit, our own stay as they are and the others share what is
/// left; then names must do, and those that still do not fit are counted.
pub fn listing(skills: &[Listed<'_>], limits: ListingLimits) -> String {
    let full: Vec<String> = skills.iter().map(|listed| line(listed, limits.each)).collect();
    if size(&full) <= limits.all {
        return full.concat();
    }
    let own = |(skill, _): &Listed<'_>| skill.source == SkillSource::Bundled;
    let of_ours: usize =
        skills.iter().zip(&full).filter(|(it, _)| own(it)).map(|(_, l)| l.chars().count()).sum();
    let names: usize =
        skills.iter().filter(|it| !own(it)).map(|(it, _)| it.name.chars().count() + 5).sum();
    let others = skills.iter().filter(|it| !own(it)).count().max(1);
    let share = limits.all.saturating_sub(of_ours + names) / others;
    let shorter: Vec<String> = match share >= LEAST {
        true => skills
            .iter()
            .map(|listed| {
                line(listed, if own(listed) { limits.each } else { share.min(limits.each) })
            })
            .collect(),
        false => skills.iter().map(|(skill, _)| line(&(skill, false), 0)).collect(),
    };
    let (mut text, mut left_out) = (String::new(), 0_usize);
    for line in shorter {
        match text.chars().count() + line.chars().count() <= limits.all {
            true => text.push_str(&line),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "- … and {left_out} more, which the user can name");
    }
    text
}

fn size(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).sum()
}

fn line((skill, told): &Listed<'_>, most: usize) -> String {
    let what = match (&skill.head.when_to_use, skill.head.description.as_str()) {
        (Some(when), "") => when.clone(),
        (Some(when), what) => format!("{what} - {when}"),
        (None, what) => what.to_owned(),
    };
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    if !told || what.is_empty() {
        return format!("- {}\n", skill.name);
    }
    let cut: String = match what.chars().count() > most {
        true => what.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => what,
    };
    format!("- {}: {cut}\n", skill.name)
}
