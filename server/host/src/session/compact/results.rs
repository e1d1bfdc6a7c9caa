//! Results that are too long for the model: they go to files before they are written down.

use std::path::PathBuf;

use agent::Record;
use agent::context::budget;

use super::Session;
use crate::store;

impl Session {
    /// Results that are too long for the model go to files, before they are written down.
    pub(in crate::session) async fn fit_results(&mut self, record: Record) -> Record {
        let Record::Results { turn, mut content } = record else { return record };
        budget::fit_media(&mut content);
        let keeps = |call: &str| self.conversation.tool_of(call).is_none_or(|tool| tool == "Read");
        for long in budget::too_long(&content, keeps) {
            match self.keep_result(&long).await {
                Ok(path) => budget::replace(&mut content, &long, &path.display().to_string()),
                // Better long than lost.
                Err(error) => tracing::warn!(error, "a long result could not be kept"),
            }
        }
        Record::Results { turn, content }
    }

    async fn keep_result(&mut self, long: &budget::TooLong) -> Result<PathBuf, String> {
        let path = self.tasks.output_folder()?.join(format!("{}.txt", file_name(&long.call)));
        let (to, text) = (path.clone(), long.text.clone());
        let kept = tokio::task::spawn_blocking(move || store::keep_once(&to, &text)).await;
        kept.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        Ok(path)
    }
}

/// A call's name comes from the model's provider.
fn file_name(call: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    call.chars().take(100).map(safe).collect()
}
