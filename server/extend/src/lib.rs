//! The files users write: settings, and which folders they trust.
//!
//! Only `files` touches the disk. Nothing here runs, connects or decides; what a file says is read,
//! checked and handed on. What cannot be read is a visible problem and makes us stricter.

mod files;
pub mod home;
pub mod settings;
pub mod trust;

pub use settings::{
    LanguageServerSetting, Locations, McpServers, SaveBeforeCommands, Settings, SettingsProblem,
    load,
};
pub use trust::{Decision, TrustError, TrustStore};
