//! Files that a command makes although its words look like any others: the value of an output
//! option, the second of two files, everything a downloader is pointed at.

use super::program;
use super::programs::READS_FILES;

/// Options that name a file to write: letters, and long names.
const OPTIONS: &[(&str, &str, &[&str])] = &[
    ("sort", "oT", &["output", "temporary-directory"]),
    (
        "curl",
        "oDc",
        &[
            "output",
            "dump-header",
            "cookie-jar",
            "output-dir",
            "trace",
            "trace-ascii",
            "stderr",
            "etag-save",
            "hsts",
            "alt-svc",
            "libcurl",
        ],
    ),
    (
        "wget",
        "OoaP",
        &["output-document", "output-file", "append-output", "directory-prefix", "save-cookies"],
    ),
    ("tree", "o", &[]),
    ("base64", "o", &["output"]),
    ("iconv", "o", &["output"]),
    ("gpg", "o", &["output"]),
    ("zstd", "o", &[]),
    ("git", "o", &["output", "output-directory"]),
    ("openssl", "", &["out", "keyout"]),
    ("find", "", &["fprint", "fprint0", "fls", "fprintf"]),
];

/// Programs that write the files they are given, unless they are told not to.
const CHANGES: [&str; 12] = [
    "dos2unix", "unix2dos", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "vi", "vim",
    "nano", "emacs",
];

/// The arguments that name files the program writes.
pub(crate) fn outputs<'a>(name: &str, arguments: &'a [String]) -> Vec<&'a str> {
    let operands = || arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let mut found = by_option(name, arguments);
    match name {
        // The second file is the output.
        "uniq" | "xxd" => found.extend(operands().skip(1)),
        // Without a name of its own, a download has the name of its address.
        "wget" => found.extend(operands().map(program)),
        "curl" => {
            let named = |word: &String| {
                word.starts_with("--remote-name") || super::flags::has_letter(word, &['O'])
            };
            if arguments.iter().any(named) {
                found.extend(operands().map(program));
            }
        }
        name if CHANGES.contains(&name) => found.extend(operands()),
        _ => {}
    }
    found
}

fn by_option<'a>(name: &str, arguments: &'a [String]) -> Vec<&'a str> {
    let known = OPTIONS.iter().find(|(known, ..)| *known == name);
    let (letters, long): (&str, &[&str]) = match known {
        Some((_, letters, long)) => (letters, long),
        // Of programs we know the others write nothing; of the rest most call it so.
        None if READS_FILES.contains(&name) => return Vec::new(),
        None => ("o", &["output", "out", "outfile", "output-file"]),
    };
    let mut found = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let next = arguments.get(at + 1).map(String::as_str);
        let Some(option) = word.strip_prefix('-') else { continue };
        let name = option.strip_prefix('-').unwrap_or(option);
        let (given, value) = match name.split_once('=') {
            Some((given, value)) => (given, Some(value)),
            None => (name, None),
        };
        if given.len() > 1 && long.iter().any(|known| known.starts_with(given)) {
            found.extend(value.or(next));
        }
        // In a cluster the value is what follows the letter, or the next word.
        if let Some(letter) = option.find(|c| letters.contains(c)).filter(|_| name == option) {
            let glued = option.get(letter + 1..).unwrap_or_default();
            found.extend(if glued.is_empty() { next } else { Some(glued) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found() {
        let check = |text: &str, expect: &[&str]| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(outputs(&words[0], &words[1..]), expect, "{text}");
        };
        check("sort -o a b", &["a"]);
        check("sort -uoa b", &["a"]);
        check("sort --outp=a b", &["a"]);
        check("sort -k2 b", &[]);
        check("curl -sLo a https://h/x", &["a"]);
        check("curl -sO https://h/.bashrc", &[".bashrc"]);
        check("curl https://h/x", &[]);
        check("wget -qO a https://h/x", &["a", "a", "x"]);
        check("wget https://h/.bashrc", &[".bashrc"]);
        check("uniq a b", &["b"]);
        check("xxd -r a b", &["b"]);
        check("grep -o a b", &[]);
        check("gcc -o a b.c", &["a"]);
        check("pandoc --output a b", &["a"]);
        check("openssl x -out a", &["a"]);
        check("find . -fprint a", &["a"]);
        check("gunzip a", &["a"]);
        check("tar xf a", &[]);
    }
}
