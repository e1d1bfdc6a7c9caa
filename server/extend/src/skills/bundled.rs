//! Skills of our own, for work that comes up everywhere. Any other of the same name goes before them.

use super::{Skill, SkillForm, SkillSource, head};
use crate::frontmatter;

const ALL: [(&str, &str); 7] = [
    ("batch", include_str!("bundled/batch.md")),
    ("debug", include_str!("bundled/debug.md")),
    ("loop", include_str!("bundled/loop.md")),
    ("remember", include_str!("bundled/remember.md")),
    ("simplify", include_str!("bundled/simplify.md")),
    ("skill-creator", include_str!("bundled/skill-creator.md")),
    ("verify", include_str!("bundled/verify.md")),
];

pub(super) fn all() -> impl Iterator<Item = Skill> {
    ALL.into_iter().filter_map(|(name, text)| {
        let (written, body) = frontmatter::split(text);
        let (head, _) = head::read(written.unwrap_or_default(), body, SkillForm::Skill).ok()?;
        Some(Skill {
            name: name.to_owned(),
            alias: None,
            source: SkillSource::Bundled,
            form: SkillForm::Skill,
            file: None,
            folder: None,
            plugin: None,
            head,
            body: body.trim().to_owned(),
            unapproved: false,
            waits_for: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_can_be_read() {
        assert_eq!(all().count(), ALL.len());
        for (name, text) in ALL {
            let (written, body) = frontmatter::split(text);
            let read = head::read(written.unwrap(), body, SkillForm::Skill);
            let (head, problems) = read.ok().unwrap();
            assert_eq!(problems, [], "{name}");
            assert_eq!(head.name.as_deref(), Some(name));
            assert!(head.description.len() > 40 && body.len() > 400, "{name}");
        }
    }
}
