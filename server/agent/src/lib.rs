//! The agent, without its hands: what a conversation is, how a turn goes, what a request says.
//!
//! Pure. Nothing here reads a clock, a file or a socket; inputs come in, effects go out, and the
//! session task in `host` carries them out. That is what makes every path of a turn a small test.

pub mod cache;
pub mod classifier;
pub mod context;
pub mod conversation;
pub mod helpers;
pub mod inline;
pub mod journal;
pub mod message;
pub mod models;
pub mod prompt;
pub mod queue;
pub mod request;
pub mod spending;
pub mod stream;
pub mod title;
pub mod tokens;
pub mod turn;
pub mod usage;

pub use conversation::Conversation;
pub use journal::Record;
pub use message::{Block, ImageSource, Message, ResultPart, Role, pdf_document};
pub use queue::{PromptQueue, WaitingPrompt};
pub use request::{CacheTtl, Effort, ModelRequest, Piece, Thinking};
pub use spending::{Spending, Used};
pub use stream::{ModelError, ModelErrorKind, StopReason, StreamEvent};
pub use title::{Title, TitleOrigin};
pub use usage::Usage;
