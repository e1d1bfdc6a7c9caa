//! The core: the main loop that owns the world, and the handles by which doors and sessions reach
//! it. It never waits; whatever takes time is done elsewhere and comes back as an [`Event`].

mod beside;
mod buffers;
mod cards;
mod chat;
mod client_servers;
mod commands;
mod commits;
mod diagnostics;
mod door;
mod edits;
mod event;
mod focus;
mod follow;
mod hunk_at;
mod inline;
mod ledgers;
mod lenses;
mod load;
mod lost_messages;
mod main_loop;
mod notifications;
mod on_demand;
mod outbox;
mod pages;
mod request;
mod requests;
mod resync;
mod rewind;
mod rpc;
mod sessions;
mod state;
mod switch;
mod texts;
mod undo;
mod writes;

pub use cards::{Card, show as show_card};
pub use chat::Writer as ChatWriter;
pub use client_servers::{ClientLine, ClientServers, client_line};
pub use commands::{AfterCommand, BeforeCommand};
pub use diagnostics::compare as compare_findings;
pub use door::{Asked, Door, DoorId, Profile};
pub use event::{
    ClosedEdit, Company, Computed, CoreHandle, Event, LostMessage, OpenEdit, Purpose, Sync,
};
pub use focus::Focused;
pub use inline::{Stop, bytes, land as land_inline};
pub use ledgers::{HunkEvent, HunkNews, Receiver};
pub use main_loop::spawn;
pub use mcp::SdkLine;
pub use on_demand::{Refresh, Wanted};
pub use outbox::{Outbox, Outgoing};
pub use pages::{SCHEME as PAGE_SCHEME, diff as diff_page, name as page_name, show as show_page};
pub use request::request;
pub use requests::{ACTION_KINDS, COMMANDS, FEATURES, STANDARD};
pub use rewind::Rewind;
pub use rpc::{Reply, RpcError, RpcResult};
