//! Where a plugin or a marketplace comes from, as files and the command line write it.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::manifest::inside;

/// Where to get a folder, or for a marketplace also a single file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginSource {
    /// Of the marketplace's own folder.
    Within(PathBuf),
    /// A folder or file of this machine.
    Local(PathBuf),
    Git {
        url: String,
        reference: Option<String>,
        commit: Option<String>,
        folder: Option<PathBuf>,
    },
    Npm {
        package: String,
        version: Option<String>,
        registry: Option<String>,
    },
    /// A `.tar.gz` over HTTPS.
    Archive {
        url: String,
        sha256: Option<String>,
    },
    /// A marketplace's file over HTTPS.
    File {
        url: String,
    },
}

impl PluginSource {
    /// The source of an entry of a marketplace. The error is the end of a sentence.
    pub fn of_entry(value: &Value) -> Result<PluginSource, String> {
        match value {
            Value::String(path) => match inside(path) {
                Some(path) => Ok(PluginSource::Within(path)),
                None => Err("must begin with ./ and stay inside the marketplace".to_owned()),
            },
            Value::Object(source) => of_object(source),
            _ => Err("must be a path or an object".to_owned()),
        }
    }

    /// The source of a marketplace, in a file.
    pub fn of_marketplace(value: &Value) -> Result<PluginSource, String> {
        let source =
            value.as_object().ok_or("must be an object such as {\"source\": \"github\"}")?;
        let text = |key: &str| source.get(key).and_then(Value::as_str);
        match text("source") {
            Some("url") => match text("url").map(https) {
                Some(Ok(url)) => Ok(PluginSource::File { url }),
                Some(Err(error)) => Err(error),
                None => Err("needs a `url`".to_owned()),
            },
            Some("git") => of_git(source, None),
            Some("directory" | "file") => match text("path").map(Path::new) {
                Some(path) if path.is_absolute() => Ok(PluginSource::Local(path.to_owned())),
                _ => Err("needs an absolute `path`".to_owned()),
            },
            _ => of_object(source),
        }
    }

    /// The source of a marketplace, as people type it: `owner/repository`, an address, or a path.
    pub fn typed(text: &str, cwd: &Path) -> Result<PluginSource, String> {
        let text = text.trim();
        let (address, reference) = match text.rsplit_once('#') {
            Some((address, reference)) => (address, Some(reference.to_owned())),
            None => (text, None),
        };
        let git = |url: String| PluginSource::Git { url, reference, commit: None, folder: None };
        if address.ends_with(".json") && address.starts_with("https://") {
            return https(address).map(|url| PluginSource::File { url });
        }
        if is_git_address(address) {
            return Ok(git(address.to_owned()));
        }
        if address.contains("://") {
            return Err("must be an https:// or ssh:// address".to_owned());
        }
        let is_path = address.starts_with(['.', '/', '~']) || address.is_empty();
        match github(address) {
            Some(url) if !is_path => Ok(git(url)),
            _ if address.is_empty() => Err("is empty".to_owned()),
            _ => Ok(PluginSource::Local(cwd.join(text))),
        }
    }

    /// As a file keeps it; what [`PluginSource::of_marketplace`] reads.
    pub fn to_json(&self) -> Value {
        let mut all = match self {
            PluginSource::Within(path) => json!({ "source": "directory", "path": path }),
            PluginSource::Local(path) => json!({ "source": "directory", "path": path }),
            PluginSource::Git { url, reference, commit, folder } => json!({
                "source": "git", "url": url, "ref": reference, "sha": commit, "path": folder,
            }),
            PluginSource::Npm { package, version, registry } => json!({
                "source": "npm", "package": package, "version": version, "registry": registry,
            }),
            PluginSource::Archive { url, sha256 } => {
                json!({ "source": "archive", "url": url, "sha256": sha256 })
            }
            PluginSource::File { url } => json!({ "source": "url", "url": url }),
        };
        if let Some(all) = all.as_object_mut() {
            all.retain(|_, value| !value.is_null());
        }
        all
    }
}

/// One line for people. A password in an address is not shown.
impl fmt::Display for PluginSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PluginSource::Within(path) => write!(f, "./{}", path.display()),
            PluginSource::Local(path) => write!(f, "{}", path.display()),
            PluginSource::Git { url, reference, .. } => {
                f.write_str(&without_password(url))?;
                reference.iter().try_for_each(|reference| write!(f, "#{reference}"))
            }
            PluginSource::Npm { package, version, .. } => {
                write!(f, "npm:{package}")?;
                version.iter().try_for_each(|version| write!(f, "@{version}"))
            }
            PluginSource::Archive { url, .. } | PluginSource::File { url } => {
                f.write_str(&without_password(url))
            }
        }
    }
}

fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rfind('@')) {
        (Some((scheme, _)), Some(at)) => format!("{scheme}://{}", &url[at + 1..]),
        _ => url.to_owned(),
    }
}

fn of_object(source: &Map<String, Value>) -> Result<PluginSource, String> {
    let text = |key: &str| source.get(key).and_then(Value::as_str).map(str::to_owned);
    match text("source").as_deref() {
        Some("github") => {
            let repository = text("repo").ok_or("needs a `repo`")?;
            let url = github(&repository).ok_or("needs a `repo` such as owner/name")?;
            of_git(source, Some(url))
        }
        Some("url" | "git-subdir") => of_git(source, None),
        Some("npm") => {
            let package = text("package").filter(|name| is_package(name));
            let package = package.ok_or("needs a `package` such as @scope/name")?;
            let registry = text("registry").map(|url| https(&url)).transpose()?;
            Ok(PluginSource::Npm { package, version: text("version"), registry })
        }
        Some("archive") => {
            let url = https(&text("url").ok_or("needs a `url`")?)?;
            let sha256 = text("sha256").map(|sum| sum.to_ascii_lowercase());
            Ok(PluginSource::Archive { url, sha256 })
        }
        Some("command") => {
            Err("is a command, which Bowline does not run to get a plugin".to_owned())
        }
        Some(other) => Err(format!("has a kind nobody knows: `{}`", other.escape_debug())),
        None => Err("needs a `source` such as \"github\"".to_owned()),
    }
}

fn of_git(source: &Map<String, Value>, url: Option<String>) -> Result<PluginSource, String> {
    let text = |key: &str| source.get(key).and_then(Value::as_str).map(str::to_owned);
    let url = url.or_else(|| text("url")).ok_or("needs a `url`")?;
    // `git-subdir` takes the short form as well.
    let url = github(&url).unwrap_or(url);
    if !is_git_address(&url) {
        return Err("needs a `url` that begins with https:// or ssh://".to_owned());
    }
    let folder = text("path").map(|path| {
        let dotted = if path.starts_with("./") { path } else { format!("./{path}") };
        inside(&dotted).ok_or("needs a `path` inside the repository")
    });
    let folder = folder.transpose()?;
    let reference = text("ref");
    let plain = |word: &String| {
        !word.is_empty() && !word.starts_with('-') && !word.contains(char::is_whitespace)
    };
    if !reference.iter().all(plain) {
        return Err("needs a `ref` that is a branch or a tag".to_owned());
    }
    let commit = text("sha");
    if commit.iter().any(|sha| sha.len() != 40 || !sha.chars().all(|c| c.is_ascii_hexdigit())) {
        return Err("needs a `sha` of 40 hexadecimal digits".to_owned());
    }
    Ok(PluginSource::Git { url, reference, commit, folder })
}

/// What git may be handed: nothing that it takes for an option or that runs a program.
fn is_git_address(url: &str) -> bool {
    let plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    let scheme = ["https://", "ssh://"].iter().any(|scheme| url.starts_with(scheme));
    let scp = url.split_once('@').is_some_and(|(user, rest)| {
        let word = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        word(user)
            && !user.starts_with('-')
            && rest.split_once(':').is_some_and(|(host, _)| word(host) && !host.starts_with('-'))
    });
    plain && (scheme || scp)
}

/// `owner/name`, and nothing else.
fn github(text: &str) -> Option<String> {
    let (owner, name) = text.split_once('/')?;
    let word = |text: &str| {
        !text.is_empty()
            && !text.starts_with(['-', '.'])
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    (word(owner) && word(name)).then(|| format!("https://github.com/{owner}/{name}.git"))
}

fn is_package(name: &str) -> bool {
    let bare = name.strip_prefix('@').unwrap_or(name);
    let parts: Vec<_> = bare.split('/').collect();
    let scoped = name.starts_with('@');
    let word = |part: &&str| {
        part.chars().next().is_some_and(|c| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    parts.len() == if scoped { 2 } else { 1 } && parts.iter().all(word)
}

fn https(url: &str) -> Result<String, String> {
    let plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    match plain && url.starts_with("https://") && url.len() > "https://".len() {
        true => Ok(url.to_owned()),
        false => Err("needs an address that begins with https://".to_owned()),
    }
}
