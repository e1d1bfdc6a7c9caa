//! What files lose because of what other files say: everything loose when one is broken, and what
//! the administrator reserves for the managed policy.

use policy::{Behavior, Mode, Rule, Source};

use super::parse::{Located, Parsed};
use super::{Scoped, sandbox};

/// Lists that open something.
const OPENING_LISTS: [&str; 8] = [
    "sandbox.excludedCommands",
    "sandbox.network.allowedDomains",
    "sandbox.network.allowUnixSockets",
    "sandbox.filesystem.allowWrite",
    "sandbox.filesystem.allowRead",
    "autoMode.allow",
    "autoMode.environment",
    "enabledMcpjsonServers",
];
/// Single values that open something when they are as said here.
const OPENING_VALUES: [(&str, bool); 10] = [
    ("sandbox.enabled", false),
    ("sandbox.failIfUnavailable", false),
    ("sandbox.autoAllowBashIfSandboxed", true),
    ("sandbox.allowUnsandboxedCommands", true),
    ("sandbox.limitMemory", false),
    ("sandbox.network.allowAllUnixSockets", true),
    ("sandbox.network.allowLocalBinding", true),
    ("sandbox.filesystem.disabled", true),
    ("enableAllProjectMcpServers", true),
    (super::scope::BYPASS_AGREED, true),
];

pub(super) fn all(layers: &mut [Scoped]) {
    let strict = layers.iter().any(|layer| layer.parsed.broken);
    let managed = |key: &str| {
        let mut administrators = layers.iter().filter(|l| l.place.source == Source::Managed);
        administrators.any(|layer| says(&layer.parsed, key))
    };
    let rules_only = managed("allowManagedPermissionRulesOnly");
    let hooks_only = managed("allowManagedHooksOnly");
    let no_hooks_at_all = managed("disableAllHooks");
    let domains_only = managed("sandbox.network.allowManagedDomainsOnly");
    let reads_only = managed("sandbox.filesystem.allowManagedReadPathsOnly");
    let no_hooks = layers.iter().any(|layer| says(&layer.parsed, "disableAllHooks"));
    let models_only = layers.iter().any(|layer| {
        layer.place.source == Source::Managed && layer.parsed.lists.contains_key("availableModels")
    });
    for Scoped { place, parsed } in layers {
        let administrator = place.source == Source::Managed;
        if parsed.broken || (rules_only && !administrator) {
            take_rules(parsed, |_| true);
        }
        if domains_only && !administrator {
            take_list(parsed, "sandbox.network.allowedDomains");
            take_rules(parsed, |rule| rule.tool() == "WebFetch");
            take_ports(parsed);
        }
        // A project's own list only narrows, so it stays.
        if models_only && !administrator && !place.is_project() {
            take_list(parsed, "availableModels");
        }
        if reads_only && !administrator {
            take_list(parsed, "sandbox.filesystem.allowRead");
        }
        if parsed.broken {
            take_what_opens(parsed);
        }
        if strict && let Some(mode) = parsed.mode.take_if(|mode| is_loose(mode.value)) {
            parsed.forget(mode.at);
        }
        // The administrator's hooks can be switched off by the administrator only.
        if no_hooks_at_all || ((no_hooks || hooks_only) && !administrator) {
            parsed.hooks.clear();
            parsed.forget_key("hooks");
        }
    }
}

fn says(parsed: &Parsed, key: &str) -> bool {
    parsed.bools.get(key).is_some_and(|found| found.value)
}

/// Takes the allow rules out that are as said.
fn take_rules(parsed: &mut Parsed, which: impl Fn(&Rule) -> bool) {
    let (taken, kept) = std::mem::take(&mut parsed.rules).into_iter().partition(|located| {
        let (behavior, rule) = &located.value;
        *behavior == Behavior::Allow && which(rule)
    });
    parsed.rules = kept;
    let taken: Vec<Located<(Behavior, Rule)>> = taken;
    taken.iter().for_each(|located| parsed.forget(located.at));
}

fn take_list(parsed: &mut Parsed, key: &'static str) {
    parsed.lists.remove(key);
    parsed.forget_key(key);
}

/// A proxy of somebody's own would open hosts.
fn take_ports(parsed: &mut Parsed) {
    for key in [sandbox::HTTP_PORT, sandbox::SOCKS_PORT] {
        parsed.numbers.remove(key);
        parsed.forget_key(key);
    }
}

fn take_what_opens(parsed: &mut Parsed) {
    parsed.directories.clear();
    parsed.forget_key("permissions.additionalDirectories");
    for key in OPENING_LISTS {
        take_list(parsed, key);
    }
    take_ports(parsed);
    for (key, open) in OPENING_VALUES {
        if says(parsed, key) == open && parsed.bools.remove(key).is_some() {
            parsed.forget_key(key);
        }
    }
}

/// A mode that lets more happen unasked than `default` does.
pub(super) fn is_loose(mode: Mode) -> bool {
    matches!(mode, Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions)
}
