//! What a file consists of, judged by its lines alone.

/// A structural summary, in Markdown.
pub(super) fn describe(name: &str, lines: &[String]) -> String {
    let language = language(name);
    let items = items(language, lines);
    let blank = lines.iter().filter(|line| line.trim().is_empty()).count();
    let comments = lines.iter().filter(|line| is_comment(line)).count();
    let mut text = format!(
        "`{name}` is {} of {} lines ({blank} blank, {comments} comment).",
        language.name,
        lines.len()
    );
    if let Some(purpose) = purpose(lines) {
        text.push_str(&format!(" It opens with: “{purpose}”"));
    }
    if items.is_empty() {
        return text;
    }
    const SHOWN: usize = 40;
    text.push_str(&format!("\n\nTop-level items ({}):\n", items.len()));
    for (line, item) in items.iter().take(SHOWN) {
        text.push_str(&format!("\n- line {line}: `{item}`"));
    }
    if items.len() > SHOWN {
        text.push_str(&format!("\n- … and {} more", items.len() - SHOWN));
    }
    text
}

pub(super) struct Language {
    pub(super) name: &'static str,
    extensions: &'static [&'static str],
    /// How a line at the left margin begins that opens an item.
    openers: &'static [&'static str],
}

#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    Language { name: "Rust", extensions: &["rs"], openers: &["pub ", "fn ", "struct ", "enum ", "trait ", "impl ", "impl<", "mod ", "const ", "static ", "type ", "macro_rules!", "async fn ", "unsafe "] },
    Language { name: "Python", extensions: &["py", "pyi"], openers: &["def ", "class ", "async def "] },
    Language { name: "TypeScript", extensions: &["ts", "tsx", "mts"], openers: &["export ", "function ", "class ", "interface ", "type ", "enum ", "const ", "async function "] },
    Language { name: "JavaScript", extensions: &["js", "jsx", "mjs", "cjs"], openers: &["export ", "function ", "class ", "const ", "async function ", "module.exports"] },
    Language { name: "Go", extensions: &["go"], openers: &["func ", "type ", "var ", "const ", "package "] },
    Language { name: "Java", extensions: &["java", "kt"], openers: &["public ", "class ", "interface ", "enum ", "fun ", "data class ", "object "] },
    Language { name: "C or C++", extensions: &["c", "h", "cc", "cpp", "hpp"], openers: &["#define ", "struct ", "class ", "enum ", "typedef ", "namespace ", "static ", "int ", "void ", "template"] },
    Language { name: "Ruby", extensions: &["rb"], openers: &["def ", "class ", "module "] },
    Language { name: "Lua", extensions: &["lua"], openers: &["function ", "local function ", "local ", "return "] },
    Language { name: "shell script", extensions: &["sh", "bash", "zsh"], openers: &["function "] },
    Language { name: "Markdown", extensions: &["md"], openers: &["# ", "## ", "### "] },
    Language { name: "TOML", extensions: &["toml"], openers: &["["] },
    Language { name: "YAML", extensions: &["yml", "yaml"], openers: &[] },
    Language { name: "JSON", extensions: &["json", "jsonc"], openers: &[] },
];

const PLAIN: Language = Language { name: "text", extensions: &[], openers: &[] };

pub(super) fn language(name: &str) -> &'static Language {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let found = LANGUAGES.iter().find(|known| known.extensions.contains(&extension.as_str()));
    found.unwrap_or(&PLAIN)
}

impl Language {
    /// The tag of a code block.
    pub(super) fn tag(&self) -> &'static str {
        self.extensions.first().copied().unwrap_or("")
    }
}

/// Does this line open an item of any language? For telling a definition from a use.
pub(super) fn is_definition(line: &str) -> bool {
    const DEFINING: &[&str] = &[
        "fn ",
        "struct ",
        "enum ",
        "trait ",
        "type ",
        "def ",
        "class ",
        "function ",
        "interface ",
        "func ",
        "const ",
        "static ",
        "macro_rules!",
        "let ",
        "var ",
        "mod ",
        "module ",
    ];
    DEFINING.iter().any(|word| line.contains(word))
}

fn items(language: &Language, lines: &[String]) -> Vec<(usize, String)> {
    let opens = |line: &str| language.openers.iter().any(|opener| line.starts_with(opener));
    let numbered = lines.iter().enumerate().filter(|(_, line)| opens(line));
    numbered.map(|(at, line)| (at + 1, shortened(line))).collect()
}

fn shortened(line: &str) -> String {
    let line = line.trim_end().trim_end_matches(['{', ':']).trim_end();
    let mut short: String = line.chars().take(90).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short.replace('`', "'")
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#!", "# ", "--", "/*", "* ", "\"\"\""].iter().any(|mark| line.starts_with(mark))
}

/// The first comment or heading says what a file is for, where anything does.
fn purpose(lines: &[String]) -> Option<String> {
    let first = lines.iter().find(|line| !line.trim().is_empty() && !line.starts_with("#!"))?;
    if !is_comment(first) {
        return None;
    }
    let text = first.trim().trim_start_matches(['/', '!', '#', '-', '*', '"', ' ']);
    (!text.is_empty()).then(|| shortened(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expect: &[&str]) {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let described = describe(name, &lines);
        for words in expect {
            assert!(described.contains(words), "{described:?} lacks {words:?}");
        }
    }

    #[test]
    fn files_are_described_by_their_lines() {
        check(
            "a.rs",
            "//! Opens doors.\n\npub fn open() {\n    fn inner() {}\n}\nstruct Door;\n",
            &[
                "Rust of 6 lines (1 blank, 1 comment)",
                "Opens doors.",
                "items (2)",
                "line 3: `pub fn open()`",
            ],
        );
        check("b.py", "def f(x):\n  pass\nclass C:\n", &["Python", "`def f(x)`", "`class C`"]);
        check("c.unknown", "hello\n", &["text of 1 lines"]);
        check("empty.toml", "", &["0 lines"]);
    }
}
