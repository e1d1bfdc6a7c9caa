//! The core: the main loop that owns the world, and the handles by which doors and sessions reach
//! it. It never waits; whatever takes time is done elsewhere and comes back as an [`Event`].

mod buffers;
mod door;
mod edits;
mod event;
mod main_loop;
mod outbox;
mod request;
mod requests;
mod resync;
mod rpc;
mod state;

pub use door::{Asked, Door, DoorId, Profile};
pub use event::{CoreHandle, Event, OpenEdit, Sync};
pub use main_loop::spawn;
pub use outbox::{Outbox, Outgoing};
pub use request::request;
pub use requests::FEATURES;
pub use rpc::{Reply, RpcError, RpcResult};
