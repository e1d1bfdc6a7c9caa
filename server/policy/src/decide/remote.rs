//! The web and MCP servers.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::{Context, Decision, because};
use crate::mode::Mode;
use crate::rules::{Behavior, Entry};
use crate::suggest;
use crate::wildcard::wildcard;

pub(super) fn fetch(tool: &str, url: &str, context: &Context<'_>) -> Decision {
    let target = Target::parse(url);
    let host = target.as_ref().ok().map(|target| target.host.as_str());
    let reach = target.as_ref().map_or(Reach::Public, |target| target.reach);
    let find =
        |behavior| context.rules.with(behavior).find(|entry| speaks_of(entry, tool, host, reach));
    if let Some(entry) = find(Behavior::Deny) {
        return Decision::deny(because(entry));
    }
    let target = match &target {
        Ok(target) => target,
        Err(why) => return Decision::deny(format!("The address cannot be fetched: {why}.")),
    };
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(because(entry));
    }
    if target.has_login {
        return Decision::always_ask(format!(
            "The address carries a login; it would really go to {}.",
            target.host
        ));
    }
    if let Some(entry) = find(Behavior::Allow) {
        return Decision::allow(because(entry));
    }
    match (target.reach, context.mode) {
        (Reach::Metadata, _) => Decision::deny(format!(
            "{} is a link-local address, where machines keep their credentials.",
            target.host
        )),
        (_, Mode::BypassPermissions) => Decision::allow("The mode bypassPermissions allows this."),
        (Reach::Private, _) => Decision::ask(
            format!("{} is an address of this machine or its network.", target.host),
            suggest::domain(&target.host),
        ),
        (Reach::Public, _) => Decision::ask(
            format!("It would fetch from {}.", target.host),
            suggest::domain(&target.host),
        ),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Public,
    /// Loopback and private networks: a wildcard allow does not reach them.
    Private,
    /// Link-local: cloud metadata services.
    Metadata,
}

struct Target {
    host: String,
    reach: Reach,
    has_login: bool,
}

impl Target {
    fn parse(url: &str) -> Result<Target, &'static str> {
        let url = Url::parse(url).map_err(|_| "it is not a valid URL")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("only http and https are fetched");
        }
        let has_login = !url.username().is_empty() || url.password().is_some();
        let (host, reach) = match url.host().ok_or("it has no host")? {
            Host::Domain(name) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                let local = name == "localhost" || name.ends_with(".localhost");
                (name, if local { Reach::Private } else { Reach::Public })
            }
            Host::Ipv4(address) => (address.to_string(), reach_v4(address)),
            Host::Ipv6(address) => (address.to_string(), reach_v6(address)),
        };
        if host.is_empty() {
            return Err("it has no host");
        }
        Ok(Target { host, reach, has_login })
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && (64..128).contains(&second);
    if address.is_link_local() {
        Reach::Metadata
    } else if address.is_loopback()
        || address.is_private()
        || address.is_unspecified()
        || address.is_broadcast()
        || address.is_multicast()
        || shared
        || first == 0
    {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if let Some(inner) = address.to_ipv4_mapped() {
        return reach_v4(inner);
    }
    if address.is_unicast_link_local() {
        Reach::Metadata
    } else if address.is_loopback()
        || address.is_unique_local()
        || address.is_unspecified()
        || address.is_multicast()
    {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn speaks_of(entry: &Entry, tool: &str, host: Option<&str>, reach: Reach) -> bool {
    let rule = &entry.rule;
    let narrow = entry.behavior == Behavior::Allow;
    if (narrow && rule.has_tool_wildcard()) || !(rule.names(tool) || rule.names("WebFetch")) {
        return false;
    }
    let Some(spec) = rule.spec() else { return !narrow || reach == Reach::Public };
    match (spec.strip_prefix("domain:"), host) {
        (Some(domain), Some(host)) => {
            let literal = !domain.contains('*');
            domain_matches(domain, host) && (!narrow || literal || reach == Reach::Public)
        }
        (Some(_), None) => false,
        // A pattern nobody can check tightens everything and loosens nothing.
        (None, _) => !narrow,
    }
}

/// `*.h` is any subdomain but not `h` itself; any other `*` stays inside one label.
fn domain_matches(pattern: &str, host: &str) -> bool {
    let pattern =
        pattern.trim().trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    if pattern == "*" {
        return true;
    }
    if let Some(parent) = pattern.strip_prefix("*.")
        && !parent.contains('*')
    {
        return host.strip_suffix(parent).is_some_and(|sub| sub.len() > 1 && sub.ends_with('.'));
    }
    let (patterns, labels) = (pattern.split('.'), host.split('.'));
    patterns.clone().count() == labels.clone().count()
        && patterns.zip(labels).all(|(pattern, label)| wildcard(pattern, label))
}

pub(super) fn mcp(server: &str, tool: &str, context: &Context<'_>) -> Decision {
    let find =
        |behavior| context.rules.with(behavior).find(|entry| speaks_of_mcp(entry, server, tool));
    let full = format!("mcp__{server}__{tool}");
    match find(Behavior::Deny) {
        Some(entry) if entry.rule.spec().is_none() => return Decision::deny(because(entry)),
        // Only a look at the input could tell; until then a person does.
        Some(entry) => return Decision::always_ask(because(entry)),
        None => {}
    }
    if context.mode == Mode::Plan {
        return Decision::deny(format!(
            "Plan mode is on: {full} might change something, so it waits for the user to approve the plan."
        ));
    }
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(because(entry));
    }
    if let Some(entry) = find(Behavior::Allow) {
        return Decision::allow(because(entry));
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow("The mode bypassPermissions allows this.");
    }
    Decision::ask(
        format!("The tool {tool} of the MCP server {server} may do anything."),
        suggest::mcp(&full),
    )
}

fn speaks_of_mcp(entry: &Entry, server: &str, tool: &str) -> bool {
    let rule = &entry.rule;
    let whole = format!("mcp__{server}");
    let full = format!("{whole}__{tool}");
    if entry.behavior != Behavior::Allow {
        return rule.names(&whole) || rule.names(&full);
    }
    let after_server = rule.tool().strip_prefix(&whole).and_then(|rest| rest.strip_prefix("__"));
    rule.spec().is_none()
        && (rule.tool() == whole || after_server.is_some_and(|pattern| wildcard(pattern, tool)))
}
