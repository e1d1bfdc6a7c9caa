//! What a call wants of its session: an agent made ready, to be run by the call itself.

use tools::AgentWish;

use super::Ran;

pub enum AgentRequest {
    Start(AgentWish),
    /// One that has ended goes on with a message.
    GoOn {
        ran: Ran,
        mail: String,
    },
}
