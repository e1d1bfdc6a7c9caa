//! What the agent may do: permission rules, modes, and `decide`, the one function that answers
//! allow, ask or deny for every effect of every tool.
//!
//! This room never touches a file, a process, the network or a clock. Callers find out the real
//! path behind a name and hand it in; the answer depends on nothing but the arguments.
//! Whatever is not understood is asked or denied, never allowed.

pub mod auto;
mod decide;
mod explain;
mod hosts;
mod mode;
mod paths;
mod rule;
mod rules;
mod secrets;
mod shell;
mod suggest;
mod visible;
mod wildcard;

pub use decide::{Context, Decision, DeniedPaths, Request, Run, Subject, Verdict, Why, decide};
pub use explain::{PartView, explain, loses_work_in, only_looks};
pub use hosts::{
    Host, HostError, HostPattern, HostRules, HostVerdict, is_ambiguous_path, is_inside, is_private,
};
pub use mode::{Mode, UnknownMode};
pub use paths::{pinned, repository};
pub use rule::{Rule, RuleError};
pub use rules::{Behavior, Entry, Limits, RemovedTools, Rules, Source, removed_tools};
pub use secrets::{
    MARK, RedactStream, Redactor, Secrets, is_injection_name, is_secret_name, scrub, secret_values,
};
pub use shell::excluded::{is_excluded, names_command};
pub use shell::touch::{Touched, touched_paths};
pub use visible::visible;
pub use wildcard::{may_name, wildcard};
