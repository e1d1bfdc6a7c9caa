//! Hosts, and the patterns people write for them.
//!
//! A host is parsed once, into a name or an address, and only that is ever compared: no prefixes,
//! no text as somebody spelled it. Whatever cannot be parsed is no host.

mod path;
mod pattern;
mod reach;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use url::Url;

pub use path::is_ambiguous_path;
pub use pattern::{HostPattern, HostRules, HostVerdict};
pub(crate) use reach::Reach;
pub use reach::{is_inside, is_private};

/// The most that DNS can carry.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// A machine's name in lower case and punycode, without a dot at its end, or its address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Host(Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Name(String),
    /// An IPv4 address that came dressed as an IPv6 one is the IPv4 address.
    Address(IpAddr),
}

/// Why a text is no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error("the host is empty: write a name such as example.com")]
    Empty,
    #[error("`{0}` is not a host: write a name such as example.com or an address")]
    Odd(String),
    #[error("the host is longer than a name can be: at most 253 characters, 63 between two dots")]
    TooLong,
    #[error(
        "`{0}` is not a host pattern: write example.com, *.example.com or a network such as 10.0.0.0/8"
    )]
    OddPattern(String),
}

impl Host {
    /// Reads a host as it stands in a command, a setting or a proxy request: no scheme, no port.
    /// Names become lower case and punycode; addresses may be spelled in any way (`0x7f.1`,
    /// `2130706433`), with or without the brackets of IPv6.
    pub fn parse(text: &str) -> Result<Host, HostError> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Host::from(address));
        }
        // A browser would decode the percent sign; the resolver would not. Two readings are one
        // too many.
        if text.contains(['%', '\0']) || text.chars().any(char::is_whitespace) {
            return Err(HostError::Odd(shown(text)));
        }
        let parsed = url::Host::parse(text).map_err(|error| match error {
            url::ParseError::EmptyHost => HostError::Empty,
            _ => HostError::Odd(shown(text)),
        })?;
        match parsed {
            url::Host::Ipv4(address) => Ok(Host::from(IpAddr::from(address))),
            url::Host::Ipv6(address) => Ok(Host::from(IpAddr::from(address))),
            url::Host::Domain(name) => Host::named(&name),
        }
    }

    /// The host of an address that was parsed already.
    pub fn of(url: &Url) -> Result<Host, HostError> {
        match url.host() {
            None => Err(HostError::Empty),
            Some(url::Host::Ipv4(address)) => Ok(Host::from(IpAddr::from(address))),
            Some(url::Host::Ipv6(address)) => Ok(Host::from(IpAddr::from(address))),
            Some(url::Host::Domain(name)) => Host::named(name),
        }
    }

    /// A name that went through the URL parser, which made it lower case and punycode.
    fn named(name: &str) -> Result<Host, HostError> {
        let name = name.strip_suffix('.').unwrap_or(name);
        if name.is_empty() {
            return Err(HostError::Empty);
        }
        if name.len() > LONGEST_NAME || name.split('.').any(|label| label.len() > LONGEST_LABEL) {
            return Err(HostError::TooLong);
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        if name.split('.').any(str::is_empty) || !name.chars().all(plain) {
            return Err(HostError::Odd(shown(name)));
        }
        Ok(Host(Kind::Name(name.to_owned())))
    }

    /// `None` for an address.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Kind::Name(name) => Some(name),
            Kind::Address(_) => None,
        }
    }

    /// `None` for a name.
    pub fn address(&self) -> Option<IpAddr> {
        match self.0 {
            Kind::Name(_) => None,
            Kind::Address(address) => Some(address),
        }
    }

    /// `localhost` and what lies below it: this machine, whatever a resolver may say.
    pub fn is_localhost(&self) -> bool {
        self.name().is_some_and(|name| name == "localhost" || name.ends_with(".localhost"))
    }

    /// Whether a part of the name is punycode, and so may look like another name.
    pub fn is_international(&self) -> bool {
        self.name().is_some_and(|name| name.split('.').any(|label| label.starts_with("xn--")))
    }

    /// The host and a port, as they stand in a URL.
    pub fn with_port(&self, port: u16) -> String {
        match self.0 {
            Kind::Address(IpAddr::V6(address)) => format!("[{address}]:{port}"),
            _ => format!("{self}:{port}"),
        }
    }

    pub(crate) fn reach(&self) -> Reach {
        match &self.0 {
            Kind::Address(address) => Reach::of_address(*address),
            Kind::Name(name) => Reach::of_name(name),
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Host {
        Host(Kind::Address(address.to_canonical()))
    }
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Host, HostError> {
        Host::parse(text)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Name(name) => f.write_str(name),
            Kind::Address(address) => address.fmt(f),
        }
    }
}

/// What is wrong, short and harmless to a terminal.
fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
