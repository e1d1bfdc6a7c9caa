//! `@agent-NAME` in a prompt: the user wants that agent to do it.

use agent::Block;
use protocol::prompt::Block as PromptBlock;

use crate::session::Session;
use crate::session::prompt_media::mentioned;

impl Session {
    /// The prompt, with a note for the model about the agents it names.
    pub(in crate::session) fn with_agents_named(
        &self,
        shown: &[PromptBlock],
        mut content: Vec<Block>,
    ) -> Vec<Block> {
        let texts = shown.iter().filter_map(|block| match block {
            PromptBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let named = texts.flat_map(mentioned).filter_map(|name| name.strip_prefix("agent-"));
        let known = named.filter_map(|name| self.agents.resolve(name).ok());
        for name in known {
            let note = format!("The user wants the agent {name} for this: start it with Agent.");
            content.push(Block::text(tools::reminder(&note)));
        }
        content
    }
}
