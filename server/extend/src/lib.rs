//! The files users write: settings, instructions (`memory`), and which folders they trust. Settings are read and merged
//! (`settings`), written (`edit`) and watched (`watch`); `trust` remembers decisions, and
//! `settings::bring` says what a folder would switch on.
//!
//! Only `files` touches the disk, and `plugins::tree`, which copies what the user installs. Nothing here runs, connects or decides; what a file says is read,
//! checked and handed on. What cannot be read is a visible problem and makes us stricter.

mod agents;
mod agreed_tools;
pub mod credentials;
pub mod edit;
mod files;
mod frontmatter;
mod hash;
pub mod home;
pub mod hooks;
pub mod memory;
pub mod neighbours;
pub mod plugins;
pub mod settings;
pub mod skills;
mod styles;
pub mod trust;
mod watch;

pub use agents::{
    AgentDefinition, AgentMemory, AgentProblem, AgentQuery, AgentRoot, AgentSource, Agents,
    COORDINATOR, FORK, ToolFilter,
};
pub use agreed_tools::{AgreedTool, AgreedTools, Agreement};
pub use files::Stamp;
pub use hooks::{HookEvent, HookKind, HookSetting};
pub use memory::{Memory, MemoryFile, MemoryQuery, MemoryScope, NoteScope, Reach};
pub use settings::{
    AutoMode, Brings, BringsKind, Brought, Chosen, CompactSettings, Effective, Given, GivenPlugin,
    HelperCommand, HelperSettings, HttpHookLimits, KeptSettings, LanguageServerSetting, Locations,
    McpAdmission, McpServers, ModelOptions, Origin, PermissionLimits, PluginSettings, Prompting,
    SandboxSettings, SaveBeforeCommands, Settings, SettingsProblem, SkillSettings, SkillShown,
    StatusLine, ToolSettings, WebSearchSetting, bring, check_plugin, load, nearest, one_line,
};
pub use skills::{Skill, SkillQuery, SkillRoot, SkillSource, Skills};
pub use styles::{StyleQuery, StyleRoot, Styles};
pub use trust::{Decided, Decision, Standing, TrustError, TrustStore};
pub use watch::Watch;
