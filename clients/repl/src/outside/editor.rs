//! The prompt in the user's own editor: a file for them alone, which is gone afterwards.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A longer text is no prompt.
const LONGEST: u64 = 8 << 20;

/// Waits until the editor has ended; the terminal is its own meanwhile. The error says what went wrong.
pub(crate) async fn edit(editor: Option<&str>, text: &str) -> Result<String, String> {
    let words = editor.map(split).filter(|words| !words.is_empty());
    let words = words.unwrap_or_else(|| vec!["vi".to_owned()]);
    let (program, arguments) = words.split_first().ok_or("No editor is named.")?;
    let file = Draft::new(text)?;
    let mut command = tokio::process::Command::new(program);
    let status = command.args(arguments).arg(&file.path).status().await;
    match status {
        Err(error) => Err(format!(
            "The editor `{program}` cannot be started: {error}; $VISUAL and $EDITOR name it."
        )),
        Ok(status) if !status.success() => {
            Err(format!("The editor `{program}` ended with an error; the prompt is as it was."))
        }
        Ok(_) => file.read(),
    }
}

/// `$EDITOR` may have arguments; quotes keep blanks together. No shell looks at it.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for letter in command.chars() {
        match (letter, quote) {
            ('"' | '\'', None) => (quote, begun) = (Some(letter), true),
            (letter, Some(open)) if letter == open => quote = None,
            (letter, None) if letter.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (letter, _) => {
                begun = true;
                word.push(letter);
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

struct Draft {
    folder: PathBuf,
    path: PathBuf,
}

impl Draft {
    /// In a folder of its own that nobody else may enter, so that no editor's backup is left behind.
    fn new(text: &str) -> Result<Self, String> {
        use std::os::unix::fs::DirBuilderExt as _;
        let failed =
            |error: std::io::Error| format!("The prompt cannot be written to a file: {error}.");
        let base: OsString = std::env::temp_dir().into();
        let mut last = None;
        for attempt in 0..100 {
            let folder =
                Path::new(&base).join(format!("bowline-prompt-{}-{attempt}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => {
                    let path = folder.join("prompt.md");
                    let draft = Self { folder, path };
                    let file = OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .mode(0o600)
                        .open(&draft.path);
                    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)?;
                    return Ok(draft);
                }
                Err(error) => last = Some(error),
            }
        }
        Err(failed(last.unwrap_or_else(|| std::io::ErrorKind::AlreadyExists.into())))
    }

    fn read(&self) -> Result<String, String> {
        let failed =
            |error: std::io::Error| format!("What the editor wrote cannot be read: {error}.");
        let file = std::fs::File::open(&self.path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > LONGEST {
            return Err(
                "What the editor wrote is longer than 8 MB; the prompt is as it was.".to_owned()
            );
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed is at least nobody else's.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_with_arguments() {
        assert_eq!(split("code --wait"), ["code", "--wait"]);
        assert_eq!(split("  '/opt/my editor/ed' -n \"a b\" "), ["/opt/my editor/ed", "-n", "a b"]);
        assert_eq!(split("vim; rm -rf $HOME"), ["vim;", "rm", "-rf", "$HOME"]);
        assert!(split("  ").is_empty());
    }

    #[tokio::test]
    async fn what_the_editor_leaves_is_the_prompt() {
        let written = edit(Some("sed -i s/old/new/"), "an old prompt\n").await;
        assert_eq!(written.as_deref(), Ok("an new prompt\n"));
        let failed = edit(Some("false"), "x").await;
        assert!(failed.is_err_and(|why| why.contains("`false` ended with an error")));
        let missing = edit(Some("/nowhere/ed"), "x").await;
        assert!(missing.is_err_and(|why| why.contains("cannot be started")));
    }
}
