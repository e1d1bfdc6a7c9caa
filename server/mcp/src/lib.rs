//! MCP servers: which ones are configured, and what their tools are called.
//!
//! Pure: texts come in, values go out. Nothing here connects to a server or starts one.

mod config;
mod expand;
mod name;

pub use config::{ConfigProblem, RemoteKind, Scope, ServerConfig, Transport, parse_config};
pub use name::{server_key, split_tool_name, tool_name};
