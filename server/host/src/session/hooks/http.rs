//! A hook that is an address: told by a POST, heard by the answer's body. An empty answer is fine,
//! an object in JSON is what a command would have printed, and anything but a success is a failure.

use std::collections::BTreeMap;
use std::time::Duration;

use extend::HttpHookLimits;
use regex::{Captures, Regex};

use super::around::Around;
use super::output::Printed;

pub(super) struct Post<'a> {
    pub(super) url: &'a str,
    pub(super) headers: &'a BTreeMap<String, String>,
    /// Variables that this hook may fill in.
    pub(super) variables: &'a [String],
    pub(super) limits: &'a HttpHookLimits,
    pub(super) input: String,
    pub(super) timeout: Duration,
}

pub(super) async fn run(around: &Around, post: Post<'_>) -> Result<Printed, String> {
    if let Some(allowed) = &post.limits.urls
        && !allowed.iter().any(|pattern| covers(pattern, post.url))
    {
        return Err("may not be asked: the setting `allowedHttpHookUrls` does not name it".into());
    }
    let mut headers = Vec::new();
    for (name, value) in post.headers {
        headers.push((name.clone(), filled(value, &post, around)?));
    }
    let answer = web::post_json(post.url, &headers, post.input, post.timeout).await?;
    let body = answer.body.trim();
    if !(200..300).contains(&answer.status) {
        return Err(format!("answered with the status {}", answer.status));
    }
    match body.is_empty() || body.starts_with('{') {
        true => Ok(Printed::words(body.to_owned())),
        false => Err("answered with something else than a JSON object".to_owned()),
    }
}

/// `*` stands for anything. The part before the path is compared without regard to case.
fn covers(pattern: &str, url: &str) -> bool {
    let pieces = pattern.split('*').map(regex::escape).collect::<Vec<_>>();
    Regex::new(&format!("^{}$", pieces.join(".*"))).is_ok_and(|pattern| pattern.is_match(url))
}

/// `$NAME` and `${NAME}` become the user's variables, where they may be named; others become nothing,
/// so that no secret goes along by mistake.
fn filled(value: &str, post: &Post<'_>, around: &Around) -> Result<String, String> {
    let name = Regex::new(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")
        .map_err(|error| error.to_string())?;
    let may = |name: &str| {
        let general = post.limits.variables.as_ref();
        post.variables.iter().any(|known| known == name)
            && general.is_none_or(|names| names.iter().any(|known| known == name))
    };
    let filled = name.replace_all(value, |found: &Captures<'_>| {
        let name = found.get(1).or_else(|| found.get(2)).map(|it| it.as_str()).unwrap_or_default();
        let variable = around.host.var(name).filter(|_| may(name));
        variable.and_then(|value| value.to_str()).unwrap_or_default().to_owned()
    });
    // A value with a line in it would be two headers.
    Ok(filled.replace(['\r', '\n'], ""))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn patterns_of_addresses() {
        assert!(covers("https://hooks.test/*", "https://hooks.test/a/b"));
        assert!(!covers("https://hooks.test/*", "https://hooks.test.evil/a"));
        assert!(!covers("https://hooks.test/", "https://hooks.test/a"));
        assert!(covers("*", "http://127.0.0.1:1/x"));
        assert!(covers("http://localhost:*/x", "http://localhost:80/x"));
        assert!(!covers("https://a.test/(", "https://a.test/"));
    }
}
