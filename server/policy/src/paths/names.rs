//! The names a path is made of, taken apart once for everybody who compares them.

use std::path::{Component, Path};

/// With `.` and `..` resolved by name alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    plain: Vec<String>,
    /// In lower case; `None` where that is the same.
    folded: Option<Vec<String>>,
}

impl Names {
    pub(crate) fn of(path: &Path) -> Names {
        let mut plain: Vec<String> = Vec::new();
        for part in path.components() {
            match part {
                Component::RootDir | Component::CurDir => {}
                Component::ParentDir => {
                    plain.pop();
                }
                name => plain.push(name.as_os_str().to_string_lossy().into_owned()),
            }
        }
        let is_folded =
            |name: &String| name.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase());
        let folded = (!plain.iter().all(is_folded))
            .then(|| plain.iter().map(|name| name.to_lowercase()).collect());
        Names { plain, folded }
    }

    pub(crate) fn spelled(&self, ignore_case: bool) -> &[String] {
        match &self.folded {
            Some(folded) if ignore_case => folded,
            _ => &self.plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_resolved_and_folded() {
        let check = |path: &str, plain: &[&str], folded: &[&str]| {
            let names = Names::of(Path::new(path));
            assert_eq!(names.spelled(false), plain, "{path}");
            assert_eq!(names.spelled(true), folded, "{path}");
        };
        check("/a/b", &["a", "b"], &["a", "b"]);
        check("/a/./../B//C", &["B", "C"], &["b", "c"]);
        check("/../É", &["É"], &["é"]);
        check("./x", &["x"], &["x"]);
        check("/", &[], &[]);
    }
}
