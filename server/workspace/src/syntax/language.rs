//! The languages we can parse, and how a file name tells which one it is.

use std::path::Path;

use tree_sitter::Language as Grammar;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Rust,
    TypeScript,
    Tsx,
    JavaScript,
    Python,
    Go,
    C,
    Cpp,
    Java,
    Bash,
    Json,
    Toml,
    Yaml,
    Markdown,
}

impl Language {
    pub const ALL: [Language; 14] = [
        Language::Rust,
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
        Language::Python,
        Language::Go,
        Language::C,
        Language::Cpp,
        Language::Java,
        Language::Bash,
        Language::Json,
        Language::Toml,
        Language::Yaml,
        Language::Markdown,
    ];

    /// The language of a file, by its name alone.
    pub fn of(path: &Path) -> Option<Language> {
        let name = path.file_name()?.to_str()?;
        let whole = match name {
            "Cargo.lock" | "Pipfile" | "poetry.lock" | "uv.lock" => Some(Language::Toml),
            ".bashrc" | ".bash_profile" | ".bash_aliases" | ".profile" | "PKGBUILD" => {
                Some(Language::Bash)
            }
            ".clang-format" | ".clang-tidy" => Some(Language::Yaml),
            _ => None,
        };
        whole.or_else(|| Language::of_extension(&path.extension()?.to_str()?.to_ascii_lowercase()))
    }

    fn of_extension(extension: &str) -> Option<Language> {
        Some(match extension {
            "rs" => Language::Rust,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
            "py" | "pyi" | "pyw" => Language::Python,
            "go" => Language::Go,
            "c" => Language::C,
            // A header may belong to either, and the grammar of C++ reads those of C well.
            "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" => {
                Language::Cpp
            }
            "java" => Language::Java,
            "sh" | "bash" | "bats" | "ksh" => Language::Bash,
            "json" | "jsonc" | "json5" | "geojson" | "webmanifest" => Language::Json,
            "toml" => Language::Toml,
            "yaml" | "yml" => Language::Yaml,
            "md" | "markdown" | "mdx" => Language::Markdown,
            _ => return None,
        })
    }

    /// The name people write.
    pub fn name(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::TypeScript => "TypeScript",
            Language::Tsx => "TSX",
            Language::JavaScript => "JavaScript",
            Language::Python => "Python",
            Language::Go => "Go",
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Java => "Java",
            Language::Bash => "Bash",
            Language::Json => "JSON",
            Language::Toml => "TOML",
            Language::Yaml => "YAML",
            Language::Markdown => "Markdown",
        }
    }

    pub(super) fn grammar(self) -> Grammar {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            // It reads JavaScript as well, so a grammar for that alone would only weigh.
            Language::Tsx | Language::JavaScript => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::Bash => tree_sitter_bash::LANGUAGE.into(),
            Language::Json => tree_sitter_json::LANGUAGE.into(),
            Language::Toml => tree_sitter_toml_ng::LANGUAGE.into(),
            Language::Yaml => tree_sitter_yaml::LANGUAGE.into(),
            // Its second grammar, for what stands inside a line, has nothing for an outline.
            Language::Markdown => tree_sitter_md::LANGUAGE.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_tell_by_their_names() {
        let check = |name: &str, expect: Option<Language>| {
            assert_eq!(Language::of(Path::new(name)), expect, "{name}");
        };
        check("/a/b.rs", Some(Language::Rust));
        check("x.d.ts", Some(Language::TypeScript));
        check("x.TSX", Some(Language::Tsx));
        check("x.jsx", Some(Language::JavaScript));
        check("x.h", Some(Language::Cpp));
        check("Cargo.lock", Some(Language::Toml));
        check(".bashrc", Some(Language::Bash));
        check("a.b/Makefile", None);
        check("rs", None);
        check(".rs", None);
        check("/", None);
        check("", None);
    }
}
