//! Patterns for hosts, and the lists made of them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::reach::is_inside;
use super::{Host, HostError, Reach, shown};
use crate::wildcard::wildcard;

/// `h` is that host alone, `*.h` everything below it but not `h` itself, another `*` stays inside
/// its label, `10.0.0.0/8` is a network, and a lone `*` any host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostPattern {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    Any,
    Exact(Host),
    Below(Host),
    /// One pattern for each label.
    Labels(Vec<String>),
    Net {
        address: IpAddr,
        bits: u8,
    },
}

impl HostPattern {
    pub fn parse(text: &str) -> Result<HostPattern, HostError> {
        let text = text.trim();
        let kind = match text.strip_prefix("*.") {
            _ if text.is_empty() => return Err(HostError::Empty),
            _ if text == "*" => Kind::Any,
            Some(parent) if !parent.contains('*') => Kind::Below(name(parent, text)?),
            _ if text.contains('*') => Kind::Labels(labels(text)?),
            _ if text.contains('/') => network(text).ok_or_else(|| odd(text))?,
            _ => Kind::Exact(Host::parse(text)?),
        };
        Ok(HostPattern { text: text.to_owned(), kind })
    }

    /// Whether the pattern speaks of this host: what a deny or an ask needs to know.
    pub fn matches(&self, host: &Host) -> bool {
        match &self.kind {
            Kind::Any => true,
            Kind::Exact(exact) => exact == host,
            Kind::Below(parent) => below(parent, host).is_some(),
            Kind::Labels(patterns) => host.name().is_some_and(|name| {
                patterns.len() == name.split('.').count()
                    && patterns.iter().zip(name.split('.')).all(|(p, label)| wildcard(p, label))
            }),
            Kind::Net { address, bits } => {
                host.address().is_some_and(|mine| contains(*address, *bits, mine))
            }
        }
    }

    /// Whether the pattern opens this host. A wildcard opens neither this machine and its network
    /// nor a name in punycode, which may look like another: those need to be named.
    pub fn opens(&self, host: &Host) -> bool {
        let named = match &self.kind {
            Kind::Exact(_) | Kind::Net { .. } => true,
            Kind::Any | Kind::Labels(_) => !host.is_international(),
            Kind::Below(parent) => {
                below(parent, host).is_some_and(|sub| !sub.split('.').any(is_punycode))
            }
        };
        let wild = matches!(self.kind, Kind::Any | Kind::Labels(_) | Kind::Below(_));
        self.matches(host) && named && (!wild || host.reach() == Reach::Public)
    }
}

fn is_punycode(label: &str) -> bool {
    label.starts_with("xn--")
}

/// What stands before `.parent`; `None` when the host is not below it.
fn below<'a>(parent: &Host, host: &'a Host) -> Option<&'a str> {
    let sub = host.name()?.strip_suffix(parent.name()?)?;
    sub.strip_suffix('.').filter(|sub| !sub.is_empty())
}

fn odd(text: &str) -> HostError {
    HostError::OddPattern(shown(text))
}

fn name(parent: &str, text: &str) -> Result<Host, HostError> {
    Host::parse(parent).ok().filter(|host| host.name().is_some()).ok_or_else(|| odd(text))
}

fn labels(text: &str) -> Result<Vec<String>, HostError> {
    let text = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_*".contains(c);
    let labels: Vec<String> = text.split('.').map(str::to_owned).collect();
    let sound = labels.iter().all(|label| !label.is_empty() && label.chars().all(plain));
    sound.then_some(labels).ok_or_else(|| odd(&text))
}

fn network(text: &str) -> Option<Kind> {
    let (address, bits) = text.split_once('/')?;
    let address = Host::parse(address).ok()?.address()?;
    let bits: u8 = bits.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    (bits <= most).then_some(Kind::Net { address, bits })
}

fn contains(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    let high = |value: u128, width: u32| match width - u32::from(bits) {
        shift if shift == width => 0,
        shift => value >> shift,
    };
    match (network, address) {
        (IpAddr::V4(net), IpAddr::V4(mine)) => {
            high(u32::from(net).into(), 32) == high(u32::from(mine).into(), 32)
        }
        (IpAddr::V6(net), IpAddr::V6(mine)) => {
            high(u128::from(net), 128) == high(u128::from(mine), 128)
        }
        _ => false,
    }
}

impl FromStr for HostPattern {
    type Err = HostError;

    fn from_str(text: &str) -> Result<HostPattern, HostError> {
        HostPattern::parse(text)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Which hosts commands may reach. An empty list of allowed hosts allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules {
    pub allowed: Vec<HostPattern>,
    pub denied: Vec<HostPattern>,
    /// Whatever is not allowed is denied: nobody is asked.
    pub strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostVerdict {
    Allow,
    Deny,
    /// No rule speaks of it: a person may.
    Ask,
}

impl HostRules {
    /// Whether a rule allows exactly this name, so that it may also be one inside the user's own
    /// network. This machine and where machines keep their credentials need to be named themselves.
    pub fn names_inside(&self, host: &Host, address: IpAddr) -> bool {
        let named =
            |pattern: &HostPattern| matches!(&pattern.kind, Kind::Exact(exact) if exact == host);
        self.judge(host) == HostVerdict::Allow
            && self.allowed.iter().any(named)
            && !self.denied.iter().any(|pattern| pattern.matches(&Host::from(address)))
            && is_inside(address)
    }

    /// Denied before allowed; where machines keep their credentials, only by name.
    pub fn judge(&self, host: &Host) -> HostVerdict {
        if self.denied.iter().any(|pattern| pattern.matches(host)) {
            HostVerdict::Deny
        } else if self.allowed.iter().any(|pattern| pattern.opens(host)) {
            HostVerdict::Allow
        } else if self.strict || host.reach() == Reach::Metadata {
            HostVerdict::Deny
        } else {
            HostVerdict::Ask
        }
    }
}
