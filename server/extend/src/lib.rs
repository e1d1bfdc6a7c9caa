//! The files users write: settings, and which folders they trust. Settings are read and merged
//! (`settings`), written (`edit`) and watched (`watch`); `trust` remembers decisions, and
//! `settings::bring` says what a folder would switch on.
//!
//! Only `files` touches the disk. Nothing here runs, connects or decides; what a file says is read,
//! checked and handed on. What cannot be read is a visible problem and makes us stricter.

pub mod credentials;
pub mod edit;
mod files;
mod hash;
pub mod home;
pub mod settings;
pub mod trust;
mod watch;

pub use files::Stamp;
pub use settings::{
    AutoMode, Brings, BringsKind, Brought, Effective, Given, HookKind, HookSetting,
    LanguageServerSetting, Locations, McpServers, Origin, PermissionLimits, SandboxSettings,
    SaveBeforeCommands, Settings, SettingsProblem, bring, load, one_line,
};
pub use trust::{Decision, Standing, TrustError, TrustStore};
pub use watch::Watch;
