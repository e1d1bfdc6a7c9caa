//! Prompts of servers as commands: `/mcp__server__prompt first second`. The server fills them in, so
//! the prompt waits for it, on a task of its own.

use std::sync::Arc;

use agent::{Block, ResultPart};
use mcp::{Part, Prompt, Server};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::ServerNews;
use crate::core::RpcError;
use crate::session::queue::waiting;
use crate::session::{Held, Msg, Session};

/// A prompt of a server, about to be asked for.
pub struct Filling {
    server: Arc<Server>,
    prompt: Prompt,
    arguments: Map<String, Value>,
    written: String,
}

impl Session {
    /// The prompts there are, as commands.
    pub(in crate::session) fn server_prompts(&self) -> Vec<protocol::session::Command> {
        let mut commands = Vec::new();
        for server in self.servers.all() {
            let offer = server.now().offer;
            commands.extend(offer.prompts.iter().map(|prompt| protocol::session::Command {
                name: prompt.command.clone(),
                description: extend::one_line(&prompt.description),
                argument_hint: hint(prompt),
                source: Some(format!("mcp: {}", server.name())),
            }));
        }
        commands
    }

    /// The prompt behind a command. The error is a sentence for the user.
    pub(in crate::session) fn call_server_prompt(
        &self,
        command: &str,
        argument: &str,
        written: &str,
    ) -> Result<Option<Filling>, String> {
        for server in self.servers.all() {
            let offer = server.now().offer;
            if let Some(prompt) = offer.prompt(command).cloned() {
                let arguments = arguments(&prompt, argument)?;
                let written = written.to_owned();
                return Ok(Some(Filling { server, prompt, arguments, written }));
            }
        }
        Ok(None)
    }

    /// Asks the server; the user's prompt is answered when it has answered.
    pub(in crate::session) fn fill_prompt(&mut self, filling: Filling, held: Held) {
        let cancel = CancellationToken::new();
        if !self.skills.begin_expanding(cancel.clone()) {
            let message = "Another command is still being made ready; wait for it, or stop it.";
            return held.reply.err(RpcError::failed(message));
        }
        let own = self.own.clone();
        tokio::spawn(async move {
            let content = tokio::select! {
                () = cancel.cancelled() => Err("The command was stopped.".to_owned()),
                content = filling.run() => content,
            };
            let held = Box::new(held);
            let _ = own.send(Msg::Server(ServerNews::Prompt { content, held })).await;
        });
    }

    pub(super) async fn on_server_prompt(
        &mut self,
        content: Result<Vec<Block>, String>,
        held: Held,
    ) {
        self.skills.end_expanding();
        let Held { message_id, shown, more, delivery, reply } = held;
        match content {
            Ok(mut content) => {
                content.extend(more);
                let prompt = waiting(message_id, content, &shown);
                self.deliver(prompt, delivery, reply).await;
            }
            Err(problem) => {
                reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem));
                if self.running.is_none() && !self.prompts.held {
                    self.start_next().await;
                }
            }
        }
    }
}

impl Filling {
    /// What the model reads: the user's own words, then what the server made of them, marked as such.
    async fn run(self) -> Result<Vec<Block>, String> {
        let Filling { server, prompt, arguments, written } = self;
        let messages = server.get_prompt(&prompt.name, arguments).await?;
        if messages.is_empty() {
            return Err(format!("The prompt {} of {} is empty.", prompt.name, server.name()));
        }
        let about = format!(
            "The user called up the prompt {} of the MCP server {}. What follows is what it says; do \
             that.",
            prompt.name,
            server.name()
        );
        let mut content = vec![Block::text(written), Block::text(tools::reminder(&about))];
        let none = |_: &str| Err("only text and pictures can be attached".to_owned());
        for (by_user, part) in messages {
            let part = match part {
                Part::Text(text) if !by_user => {
                    Part::Text(format!("(as an answer of yours) {text}"))
                }
                part => part,
            };
            let whose = format!("the prompt {}", prompt.name);
            for part in tools::told_parts(&whose, vec![part], none).await {
                content.push(match part {
                    ResultPart::Text { text } => Block::text(tools::reminder(&text)),
                    part => Block::from(part),
                });
            }
        }
        Ok(content)
    }
}

fn hint(prompt: &Prompt) -> Option<String> {
    let shown = prompt.arguments.iter().map(|argument| match argument.required {
        true => extend::one_line(&argument.name),
        false => format!("[{}]", extend::one_line(&argument.name)),
    });
    Some(shown.collect::<Vec<_>>().join(" ")).filter(|hint| !hint.is_empty())
}

/// Words in their order, quotes keep them together; the last argument takes what is left.
fn arguments(prompt: &Prompt, text: &str) -> Result<Map<String, Value>, String> {
    let mut words = split(text);
    let count = prompt.arguments.len();
    if count > 0 && words.len() > count {
        let rest = words.split_off(count - 1).join(" ");
        words.push(rest);
    }
    if let Some(missing) =
        prompt.arguments.get(words.len()..).unwrap_or_default().iter().find(|it| it.required)
    {
        let hint = hint(prompt).unwrap_or_default();
        let name = &missing.name;
        return Err(format!("{name} is missing; write /{} {hint}.", prompt.command));
    }
    let named = prompt.arguments.iter().zip(words);
    Ok(named.map(|(argument, word)| (argument.name.clone(), Value::String(word))).collect())
}

fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp::Argument;

    #[test]
    fn arguments_by_their_places() {
        let argument = |name: &str, required| Argument { name: name.to_owned(), required };
        let prompt = Prompt {
            command: "mcp__s__p".to_owned(),
            name: "p".to_owned(),
            description: String::new(),
            arguments: vec![argument("a", true), argument("b", false)],
        };
        let check = |text: &str, expect: Result<&str, &str>| {
            let given = arguments(&prompt, text);
            match (given, expect) {
                (Ok(map), Ok(expect)) => {
                    assert_eq!(Value::Object(map).to_string(), expect, "{text}");
                }
                (Err(why), Err(expect)) => assert_eq!(why, expect),
                other => panic!("{text}: {other:?}"),
            }
        };
        check("x", Ok(r#"{"a":"x"}"#));
        check("x y z", Ok(r#"{"a":"x","b":"y z"}"#));
        check("'x y' \"\"", Ok(r#"{"a":"x y","b":""}"#));
        check("", Err("a is missing; write /mcp__s__p a [b]."));
    }
}
