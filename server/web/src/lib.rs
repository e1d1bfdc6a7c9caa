//! Pages of the web: fetched with care, made readable, remembered for a while.
//!
//! Nothing here decides whether a host may be asked; callers ask `policy` first, about the very
//! address they hand in. What a page may not do is decided here: lead to another host, to this
//! machine or its network by another name, be endless, or take for ever.

mod cache;
mod client;
mod fetch;
mod guard;
mod html;
mod page;
mod post;
mod search;

pub use fetch::{Fetched, Web, WebError};
pub use html::markdown;
pub use page::{Body, Page};
pub use post::{Posted, post_json};
pub use search::{SearchHit, SearchService};
