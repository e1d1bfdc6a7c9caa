//! `protocol/README.md` names every method and event type of the crate, and no other.

use std::collections::BTreeSet;

use crate::{EventBody, methods};

const README: &str = include_str!("../../README.md");

/// What stands between backticks.
fn quoted() -> BTreeSet<&'static str> {
    README.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_readme_names_every_method_and_event() {
    let quoted = quoted();
    let known = methods().iter().map(|info| info.method).chain(EventBody::NAMES.iter().copied());
    let missing: Vec<&str> = known.filter(|name| !quoted.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn the_readme_names_no_method_that_does_not_exist() {
    let known: BTreeSet<&str> = methods().iter().map(|info| info.method).collect();
    let named = quoted().into_iter().filter(|name| name.starts_with("agent/"));
    let wrong: Vec<&str> = named.filter(|name| !known.contains(name)).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}

#[test]
fn the_readme_names_no_event_that_does_not_exist() {
    let families: BTreeSet<&str> =
        EventBody::NAMES.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    let is_event = |name: &&str| {
        name.split_once('.').is_some_and(|(family, rest)| {
            families.contains(family) && rest.chars().all(|c| c.is_ascii_alphabetic())
        })
    };
    let named = quoted().into_iter().filter(is_event);
    let wrong: Vec<&str> = named.filter(|name| !EventBody::NAMES.contains(name)).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}
