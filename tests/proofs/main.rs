//! Proofs: what Bowline promises, shown through its doors. One file for each capability.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a proof that fails should stop where it fails"
)]

mod acp;
mod acp_peers;
mod actions;
mod agent_files;
mod agents;
mod agents_reach;
mod agents_team;
mod attachments;
mod auto;
mod auto_memory;
mod booby_traps;
mod checkpoints;
mod command_line;
mod command_words;
mod commands;
mod config;
mod contained;
mod context;
mod cost;
mod diagnostics;
mod fixture_cases;
mod guards;
mod headless;
mod helpers;
mod hook_events;
mod hook_kinds;
mod hooks;
mod inline;
mod interleavings;
mod joining;
mod kept;
mod kills;
mod language;
mod language_server;
mod mcp_commands;
mod mcp_peers;
mod mcp_serve;
mod mcp_sessions;
mod mcp_sign_in;
mod media;
mod memory;
mod model_options;
mod openai;
mod oracle;
mod overlay;
mod packaging;
mod permissions;
mod permitted_models;
mod plain;
mod planning;
mod plugins;
mod plugins_only;
mod questions;
mod queue;
mod races;
mod receipts;
mod recovery;
mod rehearsal;
mod review;
mod rewind;
mod sandbox;
mod scopes;
mod sdk;
mod sdk_control;
mod sdk_peers;
mod secrets;
mod session_copies;
mod sessions;
mod skeleton;
mod skill_files;
mod skill_forks;
mod skills;
mod slow_faults;
mod styles;
mod sync;
mod tasks;
mod telemetry;
mod tidy;
mod tools;
mod toolset;
mod transport;
mod trust;
mod turns;
mod web;
mod worktrees;
mod writers;
