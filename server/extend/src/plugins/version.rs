//! Versions and ranges of them, as package managers write them.

use semver::{Version, VersionReq};

/// Whether a version lies in a range. What cannot be read satisfies nothing.
pub fn satisfies(range: &str, version: &str) -> bool {
    let Some(version) = read(version) else { return false };
    range.split("||").any(|part| requirement(part).is_some_and(|part| part.matches(&version)))
}

/// `1.2` is `1.2.0`, and a leading `v` does not count.
pub fn read(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let short = text.split(['-', '+']).next()?.matches('.').count();
    let numbers = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    match (numbers, short) {
        (true, 0) => Version::parse(&format!("{text}.0.0")).ok(),
        (true, 1) => Version::parse(&format!("{text}.0")).ok(),
        _ => Version::parse(text).ok(),
    }
}

/// A bare version means exactly that one, and a blank all parts of a range.
fn requirement(text: &str) -> Option<VersionReq> {
    let text = text.trim();
    if text.is_empty() || text == "latest" {
        return Some(VersionReq::STAR);
    }
    if let Ok(exact) = Version::parse(text.trim_start_matches('v')) {
        return VersionReq::parse(&format!("={exact}")).ok();
    }
    // `>= 1.0 < 2.0`: an operator belongs to what follows it.
    let mut parts: Vec<String> = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match parts.last_mut() {
            Some(last) if last.chars().all(|c| "<>=~^".contains(c)) => last.push_str(word),
            _ => parts.push(word.to_owned()),
        }
    }
    VersionReq::parse(&parts.join(", ")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_package_managers() {
        let check = |range: &str, version: &str, expect: bool| {
            assert_eq!(satisfies(range, version), expect, "{range} {version}");
        };
        check("^1.2", "1.9.0", true);
        check("^1.2", "2.0.0", false);
        check("~1.2.3", "1.2.9", true);
        check("~1.2.3", "1.3.0", false);
        check(">=1.0 <2", "1.5.0", true);
        check(">= 1.0 < 2", "2.0.0", false);
        check("1.2.3", "1.2.3", true);
        check("1.2.3", "1.2.4", false);
        check("1.x || ^3", "3.1.0", true);
        check("*", "0.1.0", true);
        check("latest", "0.1.0", true);
        check("^1", "v1.0", true);
        check("^1", "what", false);
        check("what", "1.0.0", false);
    }
}
