//! What the client wants of the world around it: an editor, the clipboard, a word to who looks elsewhere.
//! Here it is only said; whoever runs the client does it.

use protocol::event::Severity;
use protocol::prompt::{Block, ImageBlock};
use tokio::time::{Duration, Instant};

use super::App;

/// Who has not touched a key for so long may be looking at something else.
const AWAY: Duration = Duration::from_secs(10);
/// Pictures that wait for their prompt.
const MOST_PICTURES: usize = 20;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Errand {
    /// Draw everything again.
    Redraw,
    /// Let the user write this in their own editor.
    Edit(String),
    /// Look into the clipboard.
    Clipboard,
    /// Put this into the clipboard.
    Copy(String),
    /// Tell a user who may look elsewhere.
    Notify(String),
    /// Write a file about keys to begin with.
    WriteKeys(String),
}

/// What the clipboard holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Clipping {
    /// In Base64.
    Picture {
        mime: String,
        data: String,
        size: usize,
    },
    Text(String),
    /// Nothing, with the reason.
    Nothing(String),
}

/// Whether the user looks at the terminal, as far as one can know.
#[derive(Debug, Default)]
pub(super) struct Attention {
    /// As the terminal tells it; many do not.
    focused: Option<bool>,
    last_key: Option<Instant>,
}

impl Attention {
    pub fn focus(&mut self, there: bool) {
        self.focused = Some(there);
    }

    pub fn key(&mut self, now: Instant) {
        self.last_key = Some(now);
        // Who types is there.
        self.focused = self.focused.map(|_| true);
    }

    fn is_elsewhere(&self, now: Instant) -> bool {
        match self.focused {
            Some(there) => !there,
            None => self.last_key.is_none_or(|last| now >= last + AWAY),
        }
    }
}

/// Pictures that were pasted; the text of the prompt names them.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    waiting: Vec<(String, Block)>,
    count: usize,
}

impl Pictures {
    /// The name under which it stands in the text.
    fn add(&mut self, mime_type: String, data: String) -> String {
        self.count += 1;
        let name = format!("[Image #{}]", self.count);
        let block =
            ImageBlock { mime_type, data: Some(data), uri: None, width: None, height: None };
        if self.waiting.len() >= MOST_PICTURES {
            self.waiting.remove(0);
        }
        self.waiting.push((name.clone(), Block::Image(block)));
        name
    }

    /// The prompt with the pictures that it still names. They are its own from then on.
    pub fn content(&mut self, text: &str) -> Vec<Block> {
        let (named, others) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition::<Vec<_>, _>(|(name, _)| text.contains(name.as_str()));
        self.waiting = others;
        std::iter::once(Block::text(text))
            .chain(named.into_iter().map(|(_, block)| block))
            .collect()
    }
}

impl App {
    /// Something waits for the user, or is done.
    pub(super) fn call_user(&mut self, text: &str, now: Instant) {
        if self.attention.is_elsewhere(now) {
            self.errands.push(Errand::Notify(text.to_owned()));
        }
    }

    pub(super) fn written(&mut self, outcome: Result<String, String>) {
        match outcome {
            Ok(text) => {
                // Editors end a file with a line end that nobody wrote.
                self.start.editor.refill(text.strip_suffix('\n').unwrap_or(&text));
                self.complete();
            }
            Err(why) => self.notice(Severity::Warning, &why),
        }
    }

    pub(super) fn clipped(&mut self, clipping: Clipping, now: Instant) {
        match clipping {
            Clipping::Picture { mime, data, size } => {
                let name = self.pictures.add(mime, data);
                self.start.editor.paste(&format!("{name} "));
                self.hint(
                    &format!("{name}: a picture of {} kB goes along", size.div_ceil(1000)),
                    now,
                );
            }
            Clipping::Text(text) => {
                self.start.editor.paste(&text);
                self.complete();
            }
            Clipping::Nothing(why) => self.hint(&why, now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_go_with_the_prompt_that_names_them() {
        let mut pictures = Pictures::default();
        let one = pictures.add("image/png".into(), "AAAA".into());
        let two = pictures.add("image/png".into(), "BBBB".into());
        assert_eq!((one.as_str(), two.as_str()), ("[Image #1]", "[Image #2]"));
        let content = pictures.content("look at [Image #2]");
        assert_eq!(content.len(), 2);
        assert!(
            matches!(&content[1], Block::Image(image) if image.data.as_deref() == Some("BBBB"))
        );
        assert_eq!(pictures.content("[Image #2] again").len(), 1, "it went already");
        assert_eq!(pictures.content("[Image #1]").len(), 2);
    }

    #[test]
    fn who_is_called() {
        let start = Instant::now();
        let mut attention = Attention::default();
        assert!(attention.is_elsewhere(start), "nobody was ever seen");
        attention.key(start);
        assert!(!attention.is_elsewhere(start));
        assert!(attention.is_elsewhere(start + AWAY));
        attention.focus(false);
        assert!(attention.is_elsewhere(start));
        attention.key(start);
        assert!(!attention.is_elsewhere(start + AWAY), "the terminal says so");
    }
}
