//! Syntax colours for code fences.
//!
//! The grammars take tens of milliseconds to load, so they are loaded on the first fence, on a
//! thread of their own; what a token looks like is decided here, from the user's own palette.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use anstyle::Style;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::line::Line;
use super::theme;

/// Beyond this much code a fence goes on in one colour: nobody reads it all.
const FENCE_LIMIT: usize = 50 * 1024;
/// Grammars take about ten microseconds for a byte. So much code may be coloured in one burst, and
/// so much more for each frame drawn: an answer that streams is coloured whole, a flood is not.
const BURST: usize = 6 * 1024;
const FOR_EACH_FRAME: usize = 48;
/// Minified code makes grammars crawl.
const LINE_LIMIT: usize = 2 * 1024;

/// The grammars, and which token looks how.
pub(crate) struct Grammars {
    syntaxes: SyntaxSet,
    styles: Vec<(Scope, Style)>,
}

impl Grammars {
    pub fn load() -> Self {
        let styles = [
            ("comment", theme::COMMENT),
            ("string", theme::STRING),
            ("constant.numeric", theme::NUMBER),
            ("constant.language", theme::NUMBER),
            ("constant.character", theme::NUMBER),
            ("keyword.operator", theme::PLAIN),
            ("keyword", theme::KEYWORD),
            ("storage.type.function", theme::KEYWORD),
            ("storage", theme::KEYWORD),
            ("entity.name.function", theme::FUNCTION),
            ("support.function", theme::FUNCTION),
            ("variable.function", theme::FUNCTION),
            ("entity.name.tag", theme::KEYWORD),
            ("entity.name", theme::TYPE),
            ("support.type", theme::TYPE),
            ("support.class", theme::TYPE),
            ("markup.inserted", theme::ADDED),
            ("markup.deleted", theme::REMOVED),
            ("markup.heading", theme::HEADING),
        ];
        let styles = styles
            .into_iter()
            .filter_map(|(name, style)| Some((Scope::new(name).ok()?, style)))
            .collect();
        Self { syntaxes: SyntaxSet::load_defaults_newlines(), styles }
    }

    fn style(&self, stack: &ScopeStack) -> Style {
        for scope in stack.as_slice().iter().rev() {
            let known = self.styles.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
            if let Some((_, style)) = known {
                return *style;
            }
        }
        theme::PLAIN
    }
}

/// One code fence being coloured line by line.
pub(crate) struct Highlighter {
    grammars: Arc<Grammars>,
    state: ParseState,
    stack: ScopeStack,
    spent: usize,
}

impl Highlighter {
    /// `None` when no grammar knows the language.
    pub fn new(grammars: &Arc<Grammars>, language: &str) -> Option<Self> {
        let language = match language {
            "ts" | "tsx" | "typescript" | "jsx" | "mjs" => "js",
            "zsh" | "shell" | "console" => "sh",
            "jsonc" | "json5" => "json",
            "" => return None,
            other => other,
        };
        let syntax = grammars.syntaxes.find_syntax_by_token(language)?;
        Some(Self {
            grammars: Arc::clone(grammars),
            state: ParseState::new(syntax),
            stack: ScopeStack::new(),
            spent: 0,
        })
    }

    /// Colours the next line; `None` once the fence is too large or the grammar gave up.
    pub fn line(&mut self, code: &str) -> Option<Line> {
        self.spent += code.len() + 1;
        if self.spent > FENCE_LIMIT || code.len() > LINE_LIMIT {
            return None;
        }
        let with_end = format!("{code}\n");
        let operations = self.state.parse_line(&with_end, &self.grammars.syntaxes).ok()?;
        let mut line = Line::default();
        let mut start = 0;
        for (at, operation) in operations {
            let end = at.min(code.len());
            line.push(code.get(start..end)?, self.grammars.style(&self.stack));
            start = end;
            self.stack.apply(&operation).ok()?;
        }
        line.push(code.get(start..)?, self.grammars.style(&self.stack));
        Some(line)
    }
}

/// The way to the grammars that everybody shares.
#[derive(Clone)]
pub(crate) struct Highlighting {
    shared: Option<Arc<Loading>>,
}

struct Loading {
    /// Bytes that may still be coloured.
    allowance: AtomicUsize,
    grammars: OnceLock<Arc<Grammars>>,
    started: OnceLock<()>,
    /// Called from the loading thread, so that what waited for the grammars is drawn.
    ready: Box<dyn Fn() + Send + Sync>,
}

/// What a fence should do now.
pub(crate) enum Readiness {
    Ready(Arc<Grammars>),
    /// Wait: the grammars are on their way.
    Loading,
    /// Draw without colours.
    Off,
}

impl Highlighting {
    pub fn off() -> Self {
        Self { shared: None }
    }

    /// `ready` is called once, when the first fence has had the grammars loaded.
    pub fn lazy(ready: impl Fn() + Send + Sync + 'static) -> Self {
        let loading = Loading {
            allowance: AtomicUsize::new(BURST),
            grammars: OnceLock::new(),
            started: OnceLock::new(),
            ready: Box::new(ready),
        };
        Self { shared: Some(Arc::new(loading)) }
    }

    /// A frame is being drawn: some more code may be coloured.
    pub fn new_frame(&self) {
        if let Some(shared) = &self.shared {
            let left = shared.allowance.load(Ordering::Relaxed);
            shared.allowance.store((left + FOR_EACH_FRAME).min(BURST), Ordering::Relaxed);
        }
    }

    /// Takes `bytes` from the allowance; false when there is not enough left.
    pub fn spend(&self, bytes: usize) -> bool {
        let Some(shared) = &self.shared else { return false };
        let left = shared.allowance.load(Ordering::Relaxed).checked_sub(bytes);
        if let Some(left) = left {
            shared.allowance.store(left, Ordering::Relaxed);
        }
        left.is_some()
    }

    /// Already loaded, for tests and measurements that must not depend on a thread.
    #[cfg(test)]
    pub fn loaded() -> Self {
        let highlighting = Self::lazy(|| {});
        if let Some(shared) = &highlighting.shared {
            shared.grammars.get_or_init(|| Arc::new(Grammars::load()));
        }
        highlighting
    }

    pub fn readiness(&self) -> Readiness {
        let Some(shared) = &self.shared else { return Readiness::Off };
        if let Some(grammars) = shared.grammars.get() {
            return Readiness::Ready(Arc::clone(grammars));
        }
        let mut fresh = false;
        shared.started.get_or_init(|| fresh = true);
        if fresh {
            let loading = Arc::clone(shared);
            let thread = std::thread::Builder::new().name("grammars".into()).spawn(move || {
                loading.grammars.get_or_init(|| Arc::new(Grammars::load()));
                (loading.ready)();
            });
            if thread.is_err() {
                return Readiness::Off;
            }
        }
        Readiness::Loading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_tokens_and_keeps_the_text() {
        let grammars = Arc::new(Grammars::load());
        let mut rust = Highlighter::new(&grammars, "rust").expect("rust is known");
        for code in ["fn main() {", "    let text = \"hi\"; // why", "}", ""] {
            assert_eq!(rust.line(code).expect("small").text(), code);
        }
        let line = rust.line("let x = 1; // note").expect("small");
        let style_of = |text: &str| {
            line.spans.iter().find(|span| span.text.contains(text)).map(|span| span.style)
        };
        assert_eq!(style_of("let"), Some(theme::KEYWORD));
        assert_eq!(style_of("1"), Some(theme::NUMBER));
        assert_eq!(style_of("note"), Some(theme::COMMENT));
        assert!(Highlighter::new(&grammars, "no-such-language").is_none());
    }

    #[test]
    fn a_flood_is_not_coloured_and_patience_comes_back() {
        let highlighting = Highlighting::lazy(|| {});
        assert!(highlighting.spend(BURST));
        assert!(!highlighting.spend(1));
        highlighting.new_frame();
        assert!(highlighting.spend(FOR_EACH_FRAME));
        assert!(!highlighting.spend(1));
    }

    #[test]
    fn gives_up_on_a_giant_fence() {
        let grammars = Arc::new(Grammars::load());
        let mut rust = Highlighter::new(&grammars, "rust").expect("rust is known");
        assert!(rust.line(&"x".repeat(FENCE_LIMIT + 1)).is_none());
    }
}
