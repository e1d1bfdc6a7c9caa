//! Programs that fetch and pack: the options that only say how.

/// Options that are known to be harmless.
struct Known {
    /// Letters without a value, and with one.
    short: &'static str,
    valued: &'static str,
    /// Long names, without a value and with one.
    long: &'static [&'static str],
    valued_long: &'static [&'static str],
}

const CURL: Known = Known {
    short: "sSLfIvigN46#",
    valued: "HAemrwo",
    long: &[
        "silent",
        "show-error",
        "location",
        "fail",
        "fail-with-body",
        "head",
        "verbose",
        "include",
        "globoff",
        "no-buffer",
        "ipv4",
        "ipv6",
        "progress-bar",
        "no-progress-meter",
        "compressed",
        "http1.1",
        "http2",
        "tlsv1.2",
        "tlsv1.3",
        "retry-all-errors",
        "path-as-is",
    ],
    valued_long: &[
        "header",
        "user-agent",
        "referer",
        "max-time",
        "range",
        "write-out",
        "output",
        "connect-timeout",
        "retry",
        "retry-delay",
        "retry-max-time",
        "max-redirs",
    ],
};

const WGET: Known = Known {
    short: "qcSvnN46",
    valued: "TtUO",
    long: &[
        "quiet",
        "no-verbose",
        "continue",
        "server-response",
        "spider",
        "show-progress",
        "https-only",
        "timestamping",
        "inet4-only",
        "inet6-only",
        "no-clobber",
    ],
    valued_long: &["timeout", "tries", "user-agent", "header", "output-document", "progress"],
};

const TAR: Known = Known {
    short: "cxtzjJvpkmaO",
    valued: "fC",
    long: &[
        "create",
        "extract",
        "get",
        "list",
        "gzip",
        "bzip2",
        "xz",
        "zstd",
        "verbose",
        "to-stdout",
        "auto-compress",
        "no-same-owner",
        "no-same-permissions",
        "keep-old-files",
        "wildcards",
        "preserve-permissions",
        "touch",
        "totals",
    ],
    valued_long: &[
        "file",
        "directory",
        "exclude",
        "strip-components",
        "sort",
        "mtime",
        "owner",
        "group",
    ],
};

pub(super) fn curl(rest: &[String]) -> Vec<&str> {
    let (mut found, operands) = strangers(rest, &CURL, |option, value| match option {
        "o" | "output" => matches!(value, "/dev/null" | "-"),
        "w" | "write-out" => !value.starts_with('@') && !value.contains("%output"),
        _ => !value.starts_with('@'),
    });
    found.extend(other_places(&operands));
    found
}

pub(super) fn wget(rest: &[String]) -> Vec<&str> {
    let (mut found, operands) = strangers(rest, &WGET, |option, value| {
        !matches!(option, "O" | "output-document")
            || matches!(value, "-" | "/dev/null" | "/dev/stdout")
    });
    found.extend(other_places(&operands));
    found
}

pub(super) fn tar(rest: &[String]) -> Vec<&str> {
    // A file with a colon is on another machine.
    let value = |option: &str, value: &str| !matches!(option, "f" | "file") || !value.contains(':');
    // The first word may be options without their dash.
    let bundled = rest.first().filter(|first| !first.starts_with('-'));
    let Some(bundle) = bundled else { return strangers(rest, &TAR, value).0 };
    let known = |c: char| TAR.short.contains(c) || TAR.valued.contains(c);
    let taken = bundle.chars().filter(|c| TAR.valued.contains(*c)).count();
    let values = rest.iter().skip(1).take(taken);
    let remote = bundle.contains('f') && values.into_iter().any(|word| word.contains(':'));
    let mut found: Vec<&str> = Vec::new();
    if remote || !bundle.chars().all(known) {
        found.push(bundle);
    }
    found.extend(strangers(rest.get(1 + taken..).unwrap_or_default(), &TAR, value).0);
    found
}

/// Whatever is not the first address, or no address of the web.
fn other_places<'a>(operands: &[&'a str]) -> Vec<&'a str> {
    let scheme = |word: &str| word.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_web = |word: &str| scheme(word).is_none_or(|it| matches!(it.as_str(), "http" | "https"));
    let mut others = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        if at > 0 || !is_web(operand) || operand.starts_with("file:") {
            others.push(*operand);
        }
    }
    others
}

/// The options that are not known or have a value that is not, and the operands.
fn strangers<'a>(
    words: &'a [String],
    known: &Known,
    is_fine: impl Fn(&str, &str) -> bool,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut found, mut operands) = (Vec::new(), Vec::new());
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            operands.extend(words);
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            if known.valued_long.contains(&name) {
                let value = value.or_else(|| words.next()).unwrap_or_default();
                found.extend((!is_fine(name, value)).then_some(word));
            } else if !known.long.contains(&name) {
                found.push(word);
            }
        } else if let Some(cluster) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            for (at, letter) in cluster.char_indices() {
                if known.valued.contains(letter) {
                    let glued = &cluster[at + letter.len_utf8()..];
                    let value =
                        if glued.is_empty() { words.next().unwrap_or_default() } else { glued };
                    let name = &cluster[at..at + letter.len_utf8()];
                    found.extend((!is_fine(name, value)).then_some(word));
                    break;
                }
                if !known.short.contains(letter) {
                    found.push(word);
                    break;
                }
            }
        } else {
            operands.push(word);
        }
    }
    (found, operands)
}
