//! Long words of hooks: what is beyond the first 10,000 characters goes to a file that the model may
//! read.

use super::Hooks;
use super::output::Said;
use crate::store;

/// More than this of any one text is kept elsewhere.
const CAP: usize = 10_000;

/// The beginning of a text that is only shown.
pub(super) fn head(text: &str) -> String {
    match cut(text) {
        Some((head, left)) => format!("{head}… ({left} more characters)"),
        None => text.to_owned(),
    }
}

/// Where a text is to be cut, and how much is behind that.
fn cut(text: &str) -> Option<(&str, usize)> {
    let (at, _) = text.char_indices().nth(CAP)?;
    Some((&text[..at], text[at..].chars().count()))
}

impl Hooks {
    pub(super) async fn cut(&self, mut said: Said) -> Said {
        let decision = said.decision.as_mut().map(|(_, reason)| reason);
        let texts = [&mut said.blocked, &mut said.stop, &mut said.notice, &mut said.context];
        for text in texts.into_iter().flatten().chain(decision) {
            if let Some((head, left)) = cut(text) {
                *text = match self.keep(text.clone()).await {
                    Ok(path) => {
                        format!("{head}…\n({left} more characters; all of it is in {path})")
                    }
                    Err(error) => {
                        tracing::warn!(error, "what a hook said could not be kept");
                        format!("{head}… ({left} more characters are lost)")
                    }
                };
            }
        }
        said
    }

    async fn keep(&self, text: String) -> Result<String, String> {
        let name = format!("{}.txt", self.runs().begin());
        let path = self.0.around.tasks.output_folder()?.join(name);
        let to = path.clone();
        let redacted = self.0.around.state.redactor().redact(&text).into_owned();
        let kept = tokio::task::spawn_blocking(move || store::keep_once(&to, &redacted)).await;
        kept.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_by_characters() {
        assert_eq!(head("short"), "short");
        let long = "ä".repeat(CAP + 3);
        assert!(head(&long).ends_with("ä… (3 more characters)"));
        assert_eq!(cut(&"x".repeat(CAP)), None);
    }
}
