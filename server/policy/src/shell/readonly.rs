//! The table of commands that only look. A command is read-only when its program is listed and
//! every option it is given is; what it reads is returned, to be judged like any other read.

mod filters;

use super::flags::{Flags, NO_FLAGS, sort};
use super::git;
use super::prove::Literal;

/// What a read-only command reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    pub(crate) paths: Vec<String>,
    /// The folder a `cd` goes to.
    pub(crate) enters: Option<String>,
    /// It trusts the configuration of the repository it runs in.
    pub(crate) is_git: bool,
}

/// What the words that are not options mean to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    Paths,
    /// A pattern first, then paths.
    PatternThenPaths,
    /// One input file at most; a second one would be written.
    OnePath,
    Text,
    None,
}

struct Program {
    names: &'static [&'static str],
    flags: Flags,
    operands: Operands,
    /// Whether file names that start with a dash could turn into harmful options.
    globs: Globs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Globs {
    Fine,
    Ask,
}

/// What follows links into other folders by itself is not here (`grep -R`, `diff -r`): nobody could
/// tell which files it reads.
#[rustfmt::skip]
const TABLE: &[Program] = &[
    row(&["ls"], flags("aAlhRrtSs1FdiLHnopqQkmxXUuvCcgGbBNfZD", "", &["color", "all", "almost-all", "human-readable", "recursive", "reverse", "sort", "time", "size", "directory", "group-directories-first", "full-time", "time-style", "inode", "classify"]), Operands::Paths, Globs::Fine),
    row(&["cat", "tac", "rev"], flags("nbsAEeTtuv", "", &["number", "number-nonblank", "show-all", "show-ends", "show-tabs", "squeeze-blank"]), Operands::Paths, Globs::Fine),
    row(&["nl"], flags("p", "bdfhilnsvw", &["body-numbering", "number-format", "number-width", "starting-line-number"]), Operands::Paths, Globs::Fine),
    row(&["head", "tail"], flags("qvzfFr0123456789", "nc", &["lines", "bytes", "quiet", "silent", "verbose", "follow", "zero-terminated"]), Operands::Paths, Globs::Fine),
    row(&["wc"], flags("clmwL", "", &["lines", "words", "bytes", "chars", "max-line-length"]), Operands::Paths, Globs::Ask),
    row(&["grep", "egrep", "fgrep"], flags("EFGPivwxcLlqsohHnbTZrazUyu0123456789", "ABCme", &["include", "exclude", "exclude-dir", "color", "colour", "ignore-case", "word-regexp", "line-regexp", "line-number", "recursive", "count", "files-with-matches", "files-without-match", "only-matching", "invert-match", "extended-regexp", "fixed-strings", "perl-regexp", "basic-regexp", "max-count", "context", "after-context", "before-context", "no-messages", "quiet", "silent", "no-filename", "with-filename", "text", "null", "binary-files", "line-buffered", "regexp"]), Operands::PatternThenPaths, Globs::Fine),
    row(&["rg"], flags("ivwnlcoHINsSxFPUaup0q", "ABCmegtTrMdjE", &["files", "glob", "iglob", "type", "type-not", "type-list", "hidden", "no-hidden", "no-ignore", "ignore-case", "smart-case", "case-sensitive", "word-regexp", "line-regexp", "fixed-strings", "files-with-matches", "files-without-match", "count", "count-matches", "line-number", "no-line-number", "no-heading", "heading", "color", "max-count", "context", "after-context", "before-context", "multiline", "multiline-dotall", "only-matching", "stats", "sort", "sortr", "json", "max-depth", "trim", "vimgrep", "pcre2", "no-filename", "with-filename", "replace", "unrestricted", "invert-match", "regexp", "column", "no-messages", "quiet", "text", "max-columns", "threads", "no-config"]), Operands::PatternThenPaths, Globs::Ask),
    row(&["diff", "cmp", "comm"], flags("uNqwbBiayEZdtcesp1230456789", "UCxIFWL", &["unified", "brief", "color", "side-by-side", "ignore-all-space", "ignore-space-change", "ignore-blank-lines", "ignore-case", "new-file", "text", "exclude", "stat", "width", "strip-trailing-cr", "report-identical-files"]), Operands::Paths, Globs::Ask),
    row(&["stat"], flags("Lftx", "c", &["format", "printf", "dereference", "terse", "file-system"]), Operands::Paths, Globs::Fine),
    row(&["du", "df"], flags("shackmbxLHPST0", "dtB", &["max-depth", "summarize", "human-readable", "apparent-size", "total", "all", "si", "threshold", "bytes", "exclude", "one-file-system"]), Operands::Paths, Globs::Ask),
    row(&["file"], flags("biLhkrN", "", &["brief", "mime", "mime-type", "mime-encoding", "dereference"]), Operands::Paths, Globs::Ask),
    row(&["sort"], flags("bdfgiMhnRrVcCmsuz", "kt", &["numeric-sort", "reverse", "unique", "key", "field-separator", "human-numeric-sort", "version-sort", "ignore-case", "stable", "check", "zero-terminated", "general-numeric-sort", "dictionary-order"]), Operands::Paths, Globs::Ask),
    row(&["uniq"], flags("cdDiuz", "fsw", &["count", "repeated", "unique", "ignore-case", "skip-fields", "skip-chars", "check-chars"]), Operands::OnePath, Globs::Ask),
    row(&["cut"], flags("nsz", "bcdf", &["delimiter", "fields", "characters", "bytes", "complement", "output-delimiter", "only-delimited"]), Operands::Paths, Globs::Fine),
    row(&["paste"], flags("sz", "d", &["delimiters", "serial"]), Operands::Paths, Globs::Fine),
    row(&["column"], flags("texn", "sco", &["table", "separator", "output-separator"]), Operands::Paths, Globs::Fine),
    row(&["fold"], flags("bs", "w", &["width", "spaces", "bytes"]), Operands::Paths, Globs::Fine),
    row(&["fmt"], flags("cstu", "w", &["width", "crown-margin", "tagged-paragraph", "split-only", "uniform-spacing"]), Operands::Paths, Globs::Fine),
    row(&["expand"], flags("i", "t", &["initial", "tabs"]), Operands::Paths, Globs::Fine),
    row(&["unexpand"], flags("a", "t", &["all", "first-only", "tabs"]), Operands::Paths, Globs::Fine),
    row(&["od"], flags("abcdfilosxv", "AjNSt", &["address-radix", "skip-bytes", "read-bytes", "strings", "format", "output-duplicates", "traditional"]), Operands::Paths, Globs::Fine),
    row(&["hexdump"], flags("bcCdoxv", "nse", &["canonical", "length", "skip", "format", "no-squeezing"]), Operands::Paths, Globs::Fine),
    row(&["strings"], flags("afow0123456789", "nte", &["all", "bytes", "radix", "encoding", "print-file-name", "include-all-whitespace"]), Operands::Paths, Globs::Fine),
    row(&["base64"], flags("di", "w", &["decode", "wrap"]), Operands::OnePath, Globs::Ask),
    row(&["tr"], flags("cCdst", "", &["complement", "delete", "squeeze-repeats", "truncate-set1"]), Operands::Text, Globs::Fine),
    row(&["basename", "dirname"], flags("az", "s", &["multiple", "suffix", "zero"]), Operands::Text, Globs::Fine),
    row(&["realpath", "readlink"], flags("efmLPqsznv", "", &["canonicalize", "canonicalize-existing", "canonicalize-missing", "no-symlinks", "quiet", "strip", "zero", "relative-to", "relative-base"]), Operands::Paths, Globs::Fine),
    row(&["md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum"], flags("bt", "", &["binary", "text", "tag"]), Operands::Paths, Globs::Ask),
    row(&["tree"], flags("adfilsShDpugrtFCNQJ", "LPI", &["dirsfirst", "noreport", "prune", "gitignore", "du", "filelimit", "sort", "matchdirs", "ignore-case"]), Operands::Paths, Globs::Ask),
    row(&["which", "type"], flags("asptP", "", &["all"]), Operands::Text, Globs::Ask),
    row(&["pwd"], flags("LP", "", &[]), Operands::None, Globs::Fine),
    row(&["whoami", "nproc", "uptime"], flags("", "", &[]), Operands::None, Globs::Fine),
    row(&["id", "uname"], flags("asnrvmpoiugGn", "", &["all", "kernel-name", "machine"]), Operands::Text, Globs::Ask),
    row(&["seq"], flags("w0123456789", "sf", &["equal-width", "separator"]), Operands::Text, Globs::Ask),
    row(&["sleep"], flags("", "", &[]), Operands::Text, Globs::Ask),
];

const fn flags(short: &'static str, valued: &'static str, long: &'static [&'static str]) -> Flags {
    Flags { short, valued, long }
}

const fn row(
    names: &'static [&'static str],
    flags: Flags,
    operands: Operands,
    globs: Globs,
) -> Program {
    Program { names, flags, operands, globs }
}

/// Programs whose version may be asked for without running anything of the project. Those that pick
/// the program to ask by a file of the project are not among them: rustup stands in for `cargo` and
/// `rustc`, and `rust-toolchain.toml` may name a folder; `go.mod` and `global.json` do the like.
const VERSIONED: &[&str] = &[
    "node", "npm", "deno", "bun", "python", "python3", "pip", "pip3", "uv", "java", "javac", "gcc",
    "g++", "clang", "make", "cmake", "git", "docker", "ruby", "perl", "bash", "rg", "kubectl",
    "gh", "tsc", "jq", "curl", "tar", "php",
];

/// What the command reads, if it is proven to do nothing else.
pub(crate) fn looks(words: &[Literal]) -> Option<Looks> {
    let (name, rest) = words.split_first()?;
    let name = name.text.as_str();
    let globbed = rest.iter().any(|word| word.glob);
    // An unquoted pattern may become an option, if a file of that name exists.
    if rest.iter().any(|word| word.glob && word.text.starts_with('-')) {
        return None;
    }
    if let Some(program) = TABLE.iter().find(|program| program.names.contains(&name)) {
        return if globbed && program.globs == Globs::Ask { None } else { by_table(rest, program) };
    }
    match name {
        "echo" | "true" | "false" | ":" => Some(Looks::default()),
        _ if globbed => None,
        "git" => git::looks(rest).or_else(|| version_query(name, rest)),
        "find" => find(rest),
        "cd" => cd(rest),
        "printf" => printf(rest),
        "test" => test(rest),
        "date" => date(rest),
        "sed" => sed(rest),
        "awk" | "gawk" | "mawk" | "nawk" => filters::awk(rest),
        "jq" => filters::jq(rest),
        "command" => command_query(rest),
        _ => version_query(name, rest),
    }
}

/// The options that leave a program of the table harmless.
pub(crate) fn flags_of(name: &str) -> Option<&'static Flags> {
    TABLE.iter().find(|program| program.names.contains(&name)).map(|program| &program.flags)
}

/// Whether the program is known to look at files.
pub(crate) fn is_listed(name: &str) -> bool {
    let reads = |program: &&Program| {
        program.names.contains(&name)
            && !matches!(program.operands, Operands::Text | Operands::None)
    };
    TABLE.iter().any(|program| reads(&program))
}

fn by_table(arguments: &[Literal], program: &Program) -> Option<Looks> {
    let sorted = sort(arguments, &program.flags)?;
    let skipped = match program.operands {
        Operands::None if !sorted.operands.is_empty() => return None,
        Operands::OnePath if sorted.operands.len() > 1 => return None,
        Operands::None | Operands::Text => sorted.operands.len(),
        Operands::Paths | Operands::OnePath => 0,
        Operands::PatternThenPaths => {
            usize::from(!sorted.has(&["-e", "--regexp", "--files", "--type-list"]))
        }
    };
    let paths = sorted.operands.iter().skip(skipped).map(|path| (*path).to_owned()).collect();
    Some(Looks { paths, ..Looks::default() })
}

/// Tests and actions of `find` that change nothing and run nothing.
const FIND_SAFE: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-lname",
    "-type",
    "-xtype",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-not",
    "-o",
    "-or",
    "-a",
    "-and",
    "-print",
    "-print0",
    "-printf",
    "-empty",
    "-prune",
    "-regex",
    "-iregex",
    "-regextype",
    "-user",
    "-group",
    "-perm",
    "-ls",
    "-depth",
    "-xdev",
    "-mount",
    "-quit",
    "-readable",
    "-writable",
    "-executable",
    "-links",
    "-inum",
    "-samefile",
    "-true",
    "-false",
    "-H",
    "-P",
    "-daystart",
];

fn find(arguments: &[Literal]) -> Option<Looks> {
    let mut paths = Vec::new();
    for word in arguments {
        let text = word.text.as_str();
        let number = text
            .strip_prefix(['-', '+'])
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if text.starts_with('-') && !number {
            if !FIND_SAFE.contains(&text) {
                return None;
            }
        } else if !matches!(text, "(" | ")" | "!" | ",") {
            paths.push(text.to_owned());
        }
    }
    Some(Looks { paths, ..Looks::default() })
}

fn cd(arguments: &[Literal]) -> Option<Looks> {
    match arguments {
        [folder] if !folder.text.starts_with('-') && !folder.text.is_empty() => {
            Some(Looks { enters: Some(folder.text.clone()), ..Looks::default() })
        }
        _ => None,
    }
}

/// `printf -v name` evaluates array subscripts in the name.
fn printf(arguments: &[Literal]) -> Option<Looks> {
    let first = arguments.first()?;
    (!first.text.starts_with('-')).then(Looks::default)
}

fn test(arguments: &[Literal]) -> Option<Looks> {
    const KNOWN: [&str; 13] =
        ["-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z", "-nt", "-ot"];
    let mut paths = Vec::new();
    for word in arguments {
        let text = word.text.as_str();
        if text.starts_with('-') {
            if !KNOWN.contains(&text) {
                return None;
            }
        } else if !matches!(text, "=" | "!=" | "==" | "!") {
            paths.push(text.to_owned());
        }
    }
    Some(Looks { paths, ..Looks::default() })
}

/// An operand without `+` would set the clock.
fn date(arguments: &[Literal]) -> Option<Looks> {
    let flags = Flags {
        short: "uRI",
        valued: "d",
        long: &["utc", "iso-8601", "rfc-3339", "date", "universal"],
    };
    let sorted = sort(arguments, &flags)?;
    sorted.operands.iter().all(|operand| operand.starts_with('+')).then(Looks::default)
}

/// Only `sed -n <lines>p file …`, the usual way to look at part of a file.
fn sed(arguments: &[Literal]) -> Option<Looks> {
    let [flag, script, files @ ..] = arguments else { return None };
    let plain = |word: &&Literal| !word.text.starts_with('-');
    if flag.text != "-n" || !prints_lines(&script.text) || !files.iter().all(|file| plain(&file)) {
        return None;
    }
    let paths = files.iter().map(|file| file.text.clone()).collect();
    Some(Looks { paths, ..Looks::default() })
}

/// `12p`, `1,20p`, `5,$p` and several of them with `;` between.
fn prints_lines(script: &str) -> bool {
    let address = |text: &str| {
        text == "$" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    script.split(';').all(|part| {
        part.trim().strip_suffix('p').is_some_and(|lines| match lines.split_once(',') {
            Some((from, to)) => address(from) && address(to),
            None => address(lines),
        })
    })
}

fn command_query(arguments: &[Literal]) -> Option<Looks> {
    let [flag, _, ..] = arguments else { return None };
    matches!(flag.text.as_str(), "-v" | "-V").then(Looks::default)
}

fn version_query(name: &str, arguments: &[Literal]) -> Option<Looks> {
    let [flag] = arguments else { return None };
    let asks = match flag.text.as_str() {
        "--version" => true,
        // A version query only where it is known to be one.
        "-V" => matches!(name, "python" | "python3" | "rg" | "pip"),
        _ => false,
    };
    (asks && VERSIONED.contains(&name)).then(Looks::default)
}

/// Shared with `git`: options that are known, and the operands as paths.
pub(super) fn with_flags(arguments: &[Literal], flags: &Flags) -> Option<Looks> {
    let sorted = sort(arguments, flags)?;
    let paths = sorted.operands.iter().map(|path| (*path).to_owned()).collect();
    Some(Looks { paths, is_git: true, ..Looks::default() })
}

pub(super) fn without_flags(arguments: &[Literal]) -> Option<Looks> {
    with_flags(arguments, &NO_FLAGS)
}

#[cfg(test)]
mod tests;
