//! `--managed-settings`: what the program that started us forbids. It is the weakest part of the
//! managed policy: it counts where the administrator of the machine says nothing, and it can only
//! forbid, because whoever starts a program is not its administrator.

use jsonc_parser::parse_to_serde_value;
use serde_json::{Map, Value};

use super::parse::options;

/// What makes things stricter, whatever it is set to. Nothing that switches hooks off: they may be guards.
const STRICTER: [&str; 24] = [
    "permissions.deny",
    "permissions.ask",
    "permissions.disableBypassPermissionsMode",
    "permissions.disableAutoMode",
    "permissions.denyInsteadOfPrompting",
    "permissions.blockReadsOutsideWorkingDirectories",
    "permissions.blockWritesOutsideWorkingDirectories",
    "disableAutoMode",
    "allowManagedPermissionRulesOnly",
    "allowedMcpServers",
    "deniedMcpServers",
    "allowManagedMcpServersOnly",
    "availableModels",
    "availableModelsMatch",
    "enforceAvailableModels",
    "deniedModels",
    "allowedProviders",
    "maxEffortLevel",
    "strictKnownMarketplaces",
    "allowedMarketplaces",
    "blockedMarketplaces",
    "disableBundledSkills",
    "disableSkillShellExecution",
    "sandbox.credentials",
];

/// What makes things stricter when it is set to this.
const STRICTER_AS: [(&str, bool); 6] = [
    ("sandbox.enabled", true),
    ("sandbox.failIfUnavailable", true),
    ("sandbox.autoAllowBashIfSandboxed", false),
    ("sandbox.allowUnsandboxedCommands", false),
    ("sandbox.network.strictAllowlist", true),
    ("sandbox.network.allowManagedDomainsOnly", true),
];

/// Lists below `sandbox` that close something.
const CLOSES: [&str; 3] = [
    "sandbox.network.deniedDomains",
    "sandbox.filesystem.denyRead",
    "sandbox.filesystem.denyWrite",
];

/// What counts of a policy, and the keys that do not. The error is a sentence.
pub(super) fn restrictive(text: &str) -> Result<(Value, Vec<String>), String> {
    let parsed: Option<Value> = parse_to_serde_value(text, &options())
        .map_err(|error| format!("The policy is not valid JSON ({error})."))?;
    match parsed {
        Some(Value::Object(policy)) => {
            let mut left_out = Vec::new();
            let kept = keep(policy, "", &mut left_out);
            Ok((Value::Object(kept), left_out))
        }
        _ => Err("The policy is no JSON object.".to_owned()),
    }
}

fn keep(fields: Map<String, Value>, above: &str, left_out: &mut Vec<String>) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in fields {
        let key = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let closes = STRICTER.contains(&key.as_str())
            || CLOSES.contains(&key.as_str())
            || STRICTER_AS.iter().any(|(known, as_)| *known == key && value == Value::Bool(*as_));
        match value {
            value if closes => drop(kept.insert(name, value)),
            Value::Object(below) if is_above(&key) => {
                let below = keep(below, &key, left_out);
                if !below.is_empty() {
                    kept.insert(name, Value::Object(below));
                }
            }
            _ => left_out.push(key),
        }
    }
    kept
}

/// Whether something below this key may count.
fn is_above(key: &str) -> bool {
    let as_set = STRICTER_AS.iter().map(|(known, _)| known);
    let mut known = STRICTER.iter().chain(&CLOSES).chain(as_set);
    known.any(|known| known.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_host_can_only_forbid() {
        let policy = json!({
            "permissions": { "deny": ["WebFetch"], "allow": ["Bash"], "defaultMode": "acceptEdits" },
            "sandbox": {
                "enabled": true,
                "allowUnsandboxedCommands": true,
                "network": { "deniedDomains": ["x.example"], "allowedDomains": ["*"] },
            },
            "env": { "A": "b" },
            "hooks": {},
            "model": "opus",
        });
        let (kept, mut left_out) = restrictive(&policy.to_string()).unwrap();
        let expect = json!({
            "permissions": { "deny": ["WebFetch"] },
            "sandbox": { "enabled": true, "network": { "deniedDomains": ["x.example"] } },
        });
        assert_eq!(kept, expect);
        left_out.sort();
        let expect = [
            "env",
            "hooks",
            "model",
            "permissions.allow",
            "permissions.defaultMode",
            "sandbox.allowUnsandboxedCommands",
            "sandbox.network.allowedDomains",
        ];
        assert_eq!(left_out, expect);
        assert!(restrictive("[]").is_err());
        assert!(restrictive("{").is_err());
    }
}
