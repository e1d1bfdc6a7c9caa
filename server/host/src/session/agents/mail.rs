//! What agents write to each other, and to agents that have ended.

use super::family::RUNNING;
use super::{AgentNews, Family, Gateway};

/// Whoever is not read has written enough.
pub(super) const MAILBOX: usize = 32;
/// A longer one belongs into a file.
const LONGEST: usize = 64 * 1024;

/// A message as its reader is told of it.
pub(super) fn words(sender: &str, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    format!("A message from the agent {sender}:\n{text}")
}

/// The one that leads the session.
const MAIN: [&str; 3] = ["main", "lead", "team-lead"];

impl Gateway {
    pub(super) async fn deliver(&self, to: String, text: String) -> Result<String, String> {
        let sender = self.member().map_or("main", |member| member.called.as_str());
        if MAIN.contains(&to.as_str()) {
            if self.member().is_none() {
                return Err("You are the one who leads; name an agent.".to_owned());
            }
            self.family().tell(AgentNews::Mail(words(sender, &text))).await;
            return Ok("The agent that leads the session has it.".to_owned());
        }
        let own = self.member().map(|member| member.id.as_str());
        // Marked as what it is: no words of the user.
        let mail = tools::reminder(&words(sender, &text));
        if to == "*" {
            return Ok(to_all(self.family(), own, &mail));
        }
        let found = self.family().find(&to);
        if found.as_ref().is_some_and(|agent| Some(agent.id.as_str()) == own) {
            return Err("That is yourself.".to_owned());
        }
        self.put(&to, mail).await
    }

    /// What the user has to say to an agent: words like those of any prompt.
    pub(in crate::session) async fn say_as_user(
        &self,
        to: &str,
        words: String,
    ) -> Result<String, String> {
        self.put(to, words).await
    }

    /// Into the mailbox of one at work; any other goes on with it.
    async fn put(&self, to: &str, mail: String) -> Result<String, String> {
        use tokio::sync::mpsc::error::TrySendError;
        let found = self.family().find(to);
        let Some(mailbox) = found.as_ref().and_then(|agent| agent.mailbox.as_ref()) else {
            return self.go_on(to, mail).await;
        };
        match mailbox.try_send(mail) {
            Ok(()) => Ok(format!("{to} is at work and reads it with its next step.")),
            Err(TrySendError::Full(_)) => {
                Err(format!("{to} has not read its last messages yet; write later."))
            }
            Err(TrySendError::Closed(_)) => {
                Err(format!("{to} is just ending; write again in a moment."))
            }
        }
    }

    /// An agent that has ended takes up its work again, in the background.
    async fn go_on(&self, to: &str, mail: String) -> Result<String, String> {
        let launch = self.resume(to, mail).await?;
        let id = launch.id().to_owned();
        launch.start(Default::default()).await?;
        Ok(format!("{to} had ended and goes on with it, as {id}, in the background."))
    }
}

fn to_all(family: &Family, own: Option<&str>, mail: &str) -> String {
    let others = family.all().into_iter().filter(|agent| Some(agent.id.as_str()) != own);
    let mailboxes = others.filter(|agent| agent.state == RUNNING).filter_map(|it| it.mailbox);
    let sent = mailboxes.filter(|mailbox| mailbox.try_send(mail.to_owned()).is_ok()).count();
    format!("{sent} agents that are at work read it with their next step.")
}
