//! The web and MCP servers.

use url::Url;

use super::{Context, Decision, Why, because};
use crate::hosts::{Host, HostPattern, Reach, is_ambiguous_path};
use crate::mode::Mode;
use crate::rules::{Behavior, Entry};
use crate::suggest;
use crate::wildcard::wildcard;

pub(super) fn fetch(tool: &str, url: &str, context: &Context<'_>) -> Decision {
    let target = Target::parse(url);
    let host = target.as_ref().ok().map(|target| &target.host);
    let find = |behavior| context.rules.with(behavior).find(|entry| speaks_of(entry, tool, host));
    if let Some(entry) = find(Behavior::Deny) {
        return Decision::deny(Why::Rule, because(entry));
    }
    let target = match &target {
        Ok(target) => target,
        Err(why) => {
            return Decision::deny(
                Why::Forbidden,
                format!("The address cannot be fetched: {why}."),
            );
        }
    };
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    let host = &target.host;
    if target.has_login {
        return Decision::always_ask(
            Why::Network,
            format!("The address carries a login; it would really go to {host}."),
        );
    }
    if target.has_backslash {
        return Decision::always_ask(
            Why::Network,
            format!(
                "The address has a backslash, which not everybody reads alike; it would go to {host}."
            ),
        );
    }
    if let Some(entry) = find(Behavior::Allow) {
        return Decision::allow(Why::Rule, because(entry));
    }
    match (host.reach(), context.mode) {
        (Reach::Metadata, _) => Decision::deny(
            Why::Forbidden,
            format!("{host} is a link-local address, where machines keep their credentials."),
        ),
        (_, Mode::BypassPermissions) => {
            Decision::allow(Why::Mode, "The mode bypassPermissions allows this.")
        }
        (Reach::Private, _) => Decision::ask(
            Why::Network,
            format!("{host} is an address of this machine or its network."),
            suggest::domain(host),
        ),
        (Reach::Public, _) if host.is_international() => Decision::ask(
            Why::Network,
            format!("It would fetch from {host}, a name that may look like another."),
            suggest::domain(host),
        ),
        (Reach::Public, _) => Decision::ask(
            Why::Network,
            format!("It would fetch from {host}."),
            suggest::domain(host),
        ),
    }
}

struct Target {
    host: Host,
    has_login: bool,
    has_backslash: bool,
}

impl Target {
    fn parse(text: &str) -> Result<Target, &'static str> {
        let url = Url::parse(text).map_err(|_| "it is not a valid URL")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("only http and https are fetched");
        }
        let host = Host::of(&url).map_err(|_| "it has no host that can be looked up")?;
        let (authority, path) = split(text);
        if host.reach() != Reach::Public
            && host.address().is_some_and(|address| {
                address.is_ipv4() && !authority.contains(&address.to_string())
            })
        {
            return Err("it hides an address of this machine or its network; write it plainly");
        }
        if is_ambiguous_path(path) {
            return Err("its path climbs, which can be read in two ways; write where it leads");
        }
        Ok(Target {
            host,
            has_login: !url.username().is_empty() || url.password().is_some(),
            has_backslash: authority.contains('\\'),
        })
    }
}

/// What stands between the slashes and the path, and the path, both as written. A backslash is
/// kept: to a browser it ends the host, to others it does not.
fn split(text: &str) -> (&str, &str) {
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest).trim_start_matches(['/', '\\']);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

fn speaks_of(entry: &Entry, tool: &str, host: Option<&Host>) -> bool {
    let rule = &entry.rule;
    let narrow = entry.behavior == Behavior::Allow;
    if (narrow && rule.has_tool_wildcard()) || !(rule.names(tool) || rule.names("WebFetch")) {
        return false;
    }
    let Some(spec) = rule.spec() else {
        return !narrow || host.is_some_and(is_open);
    };
    let pattern = spec.strip_prefix("domain:").map(HostPattern::parse);
    match (pattern, host) {
        (Some(Ok(pattern)), Some(host)) if narrow => pattern.opens(host),
        (Some(Ok(pattern)), Some(host)) => pattern.matches(host),
        (Some(Ok(_)), None) => false,
        // A pattern nobody can check tightens everything and loosens nothing.
        (Some(Err(_)) | None, _) => !narrow,
    }
}

/// What a rule for any host opens.
fn is_open(host: &Host) -> bool {
    host.reach() == Reach::Public && !host.is_international()
}

/// Rules speak of searching as a whole; one with a pattern cannot be checked, so it only asks.
pub(super) fn search(tool: &str, query: &str, context: &Context<'_>) -> Decision {
    let find = |behavior| context.rules.with(behavior).find(|entry| entry.rule.names(tool));
    match find(Behavior::Deny) {
        Some(entry) if entry.rule.spec().is_none() => {
            return Decision::deny(Why::Rule, because(entry));
        }
        Some(entry) => return Decision::always_ask(Why::Rule, because(entry)),
        None => {}
    }
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    let whole = |entry: &&Entry| entry.rule.tool() == tool && entry.rule.spec().is_none();
    if let Some(entry) = context.rules.with(Behavior::Allow).find(whole) {
        return Decision::allow(Why::Rule, because(entry));
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    let reason = format!("These words would go to a search service: {query}");
    Decision::ask(Why::Network, reason, suggest::whole(tool))
}

/// Something of a server, and the tool by which it is wanted: its own, or one of ours.
pub(super) struct Called<'a> {
    pub(super) by: &'a str,
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
}

pub(super) fn mcp(
    called: &Called<'_>,
    only_a_person: Option<&str>,
    context: &Context<'_>,
) -> Decision {
    let Called { server, tool, .. } = called;
    let find = |behavior| context.rules.with(behavior).find(|entry| speaks_of_mcp(entry, called));
    let full = format!("mcp__{server}__{tool}");
    match find(Behavior::Deny) {
        Some(entry) if entry.rule.spec().is_none() => {
            return Decision::deny(Why::Rule, because(entry));
        }
        // Only a look at the input could tell; until then a person does.
        Some(entry) => return Decision::always_ask(Why::Rule, because(entry)),
        None => {}
    }
    if context.mode == Mode::Plan {
        return Decision::deny(
            Why::Mode,
            format!(
                "Plan mode is on: {full} might change something, so it waits for the user to approve the plan."
            ),
        );
    }
    if let Some(entry) = find(Behavior::Ask) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    if let Some(reason) = only_a_person {
        return Decision::always_ask(Why::Person, reason);
    }
    if let Some(entry) = find(Behavior::Allow) {
        return Decision::allow(Why::Rule, because(entry));
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    Decision::ask(
        Why::Unproven,
        format!("The tool {tool} of the MCP server {server} may do anything."),
        suggest::whole(&full),
    )
}

fn speaks_of_mcp(entry: &Entry, called: &Called<'_>) -> bool {
    let Called { by, server, tool } = called;
    let rule = &entry.rule;
    let whole = format!("mcp__{server}");
    let full = format!("{whole}__{tool}");
    if entry.behavior != Behavior::Allow {
        // Whether a rule about an argument applies has been looked at already.
        if rule.param().is_some() {
            return false;
        }
        return rule.names(&whole) || rule.names(&full) || rule.names(by);
    }
    let after_server = rule.tool().strip_prefix(&whole).and_then(|rest| rest.strip_prefix("__"));
    rule.spec().is_none()
        && (rule.tool() == whole
            || rule.tool() == *by
            || after_server.is_some_and(|pattern| wildcard(pattern, tool)))
}
