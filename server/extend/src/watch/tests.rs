//! Files come, change and go; our own writes are told from others'.

#![expect(clippy::disallowed_methods, reason = "the tests make the files that are watched")]

use std::fs;

use policy::Behavior;

use super::*;
use crate::edit::{self, Scope, Target};

#[test]
fn changes_are_noticed_once_and_our_own_are_not() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let locations = Locations {
        bowline_home: base.join("home"),
        home: Some(base.clone()),
        managed: base.join("etc"),
    };
    let cwd = base.join("work");
    fs::create_dir_all(cwd.join(".bowline")).unwrap();
    fs::create_dir_all(base.join("etc/bowline")).unwrap();
    let mut watch = Watch::new(&locations, &cwd, true, &Given::default());
    assert!(watch.changed().is_empty());

    let user = Target::new(Scope::User, &locations, &cwd);
    let rule = |text: &str| text.parse().unwrap();
    let written = edit::add_rule(&user, Behavior::Allow, &rule("Read(a)")).unwrap();
    watch.note_own_write(&user.file, written.stamp);
    assert!(watch.changed().is_empty());

    // Somebody else writes after us, before we look.
    let written = edit::add_rule(&user, Behavior::Allow, &rule("Read(b)")).unwrap();
    fs::write(&user.file, "{}").unwrap();
    watch.note_own_write(&user.file, written.stamp);
    assert_eq!(watch.changed(), std::slice::from_ref(&user.file));
    assert!(watch.changed().is_empty());

    for name in [
        "work/.bowline/settings.local.json",
        "work/.mcp.json",
        "etc/bowline/managed-settings.json",
        "home/trust.json",
    ] {
        fs::write(base.join(name), "{}").unwrap();
        assert_eq!(watch.changed(), [base.join(name)]);
        fs::remove_file(base.join(name)).unwrap();
        assert_eq!(watch.changed(), [base.join(name)]);
    }
    let part = base.join("etc/bowline/managed-settings.d/10-x.json");
    fs::create_dir(part.parent().unwrap()).unwrap();
    assert_eq!(watch.changed(), [part.parent().unwrap()]);
    fs::write(&part, "{}").unwrap();
    assert!(watch.changed().contains(&part));
    fs::write(&part, "{ }").unwrap();
    assert_eq!(watch.changed(), [part]);

    // Without trust the project is not looked at.
    watch.set_trusted(false);
    fs::write(cwd.join(".mcp.json"), "{}").unwrap();
    assert!(watch.changed().is_empty());
}
