//! Tables of what is read and what is refused.

use super::*;

fn git(url: &str) -> PluginSource {
    PluginSource::Git { url: url.to_owned(), reference: None, commit: None, folder: None }
}

#[test]
fn people_write_sources_shortly() {
    let check = |text: &str, expect: Option<PluginSource>| {
        assert_eq!(PluginSource::typed(text, Path::new("/w")).ok(), expect, "{text:?}");
    };
    check("acme/tools", Some(git("https://github.com/acme/tools.git")));
    check("https://example.org/x.git", Some(git("https://example.org/x.git")));
    check("git@example.org:a/b.git", Some(git("git@example.org:a/b.git")));
    let file = PluginSource::File { url: "https://example.org/m.json".into() };
    check("https://example.org/m.json", Some(file));
    check("./here", Some(PluginSource::Local("/w/./here".into())));
    check("/there", Some(PluginSource::Local("/there".into())));
    let tagged = PluginSource::Git {
        url: "https://github.com/a/b.git".into(),
        reference: Some("v2".into()),
        commit: None,
        folder: None,
    };
    check("a/b#v2", Some(tagged));
    check("http://example.org/x", None);
    check("ext::sh -c id", Some(PluginSource::Local("/w/ext::sh -c id".into())));
    check("file:///x", None);
    check("", None);
}

#[test]
fn the_sources_of_entries() {
    let check = |value: Value, expect: Result<&str, &str>| {
        let found = PluginSource::of_entry(&value).map(|source| source.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expect, "{value}");
    };
    check(json!("./plugins/a"), Ok("./plugins/a"));
    check(json!("../a"), Err("must begin with ./ and stay inside the marketplace"));
    check(json!(1), Err("must be a path or an object"));
    check(
        json!({"source": "github", "repo": "a/b", "ref": "v1"}),
        Ok("https://github.com/a/b.git#v1"),
    );
    check(json!({"source": "github", "repo": "a/../b"}), Err("needs a `repo` such as owner/name"));
    check(json!({"source": "url", "url": "https://u:secret@h/x.git"}), Ok("https://h/x.git"));
    check(
        json!({"source": "url", "url": "--upload-pack=id"}),
        Err("needs a `url` that begins with https:// or ssh://"),
    );
    check(
        json!({"source": "git-subdir", "url": "a/b", "path": "../x"}),
        Err("needs a `path` inside the repository"),
    );
    check(
        json!({"source": "github", "repo": "a/b", "ref": "-x"}),
        Err("needs a `ref` that is a branch or a tag"),
    );
    check(
        json!({"source": "github", "repo": "a/b", "sha": "abc"}),
        Err("needs a `sha` of 40 hexadecimal digits"),
    );
    check(json!({"source": "npm", "package": "@a/b", "version": "1"}), Ok("npm:@a/b@1"));
    check(json!({"source": "npm", "package": "--x"}), Err("needs a `package` such as @scope/name"));
    check(
        json!({"source": "archive", "url": "http://h/x.tgz"}),
        Err("needs an address that begins with https://"),
    );
    check(
        json!({"source": "command", "command": "id"}),
        Err("is a command, which Bowline does not run to get a plugin"),
    );
    check(json!({"source": "moon"}), Err("has a kind nobody knows: `moon`"));
}

#[test]
fn what_is_kept_is_read_again() {
    for typed in ["a/b", "a/b#v1", "/there", "https://h/m.json", "git@h:a/b.git"] {
        let source = PluginSource::typed(typed, Path::new("/w")).unwrap();
        assert_eq!(PluginSource::of_marketplace(&source.to_json()), Ok(source), "{typed}");
    }
}
