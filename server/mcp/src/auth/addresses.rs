//! Which addresses a sign-in may lead to.
//!
//! What a server says about its sign-in service is somebody else's word: it could name a file, a
//! script, or a machine that only we can reach. So such an address must be HTTPS, and a name must
//! not lead into a network that the configured server is not in itself. Plain HTTP is for this
//! machine, when the server is on it.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use policy::{Host, is_inside, is_private};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

const RESOLVED_WITHIN: Duration = Duration::from_secs(10);

/// The rules for one server.
pub(crate) struct Addresses {
    /// The host of the server, and of the metadata that its configuration names: the user's words.
    configured: Vec<Host>,
    /// Names that requests were made to. Whatever else is looked up belongs to a proxy, which is
    /// the user's own.
    asked: Mutex<BTreeSet<String>>,
}

impl Addresses {
    pub(crate) fn new(server: &Url, metadata: Option<&Url>) -> Addresses {
        let hosts = std::iter::once(server).chain(metadata);
        let configured = hosts.filter_map(|url| Host::of(url).ok()).collect();
        Addresses { configured, asked: Mutex::default() }
    }

    /// Whether a request may go to this address, or the user's browser be sent there. The error is
    /// the end of a sentence about it.
    pub(crate) fn check(&self, url: &Url) -> Result<(), String> {
        let host = Host::of(url).map_err(|_| "names no host".to_owned())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("holds a user name or a password".to_owned());
        }
        match url.scheme() {
            "https" => {}
            "http" if is_here(&host) && self.is_server_here() => {}
            "http" => return Err("is not HTTPS".to_owned()),
            _ => return Err("is no page of the web".to_owned()),
        }
        if self.configured.contains(&host) {
            return Ok(());
        }
        if is_here(&host) && !self.is_server_here() {
            return Err("leads to this machine".to_owned());
        }
        match host.address() {
            Some(address) => self.check_address(address),
            None => Ok(()),
        }
    }

    /// As [`Addresses::check`], and the name will be looked up with care.
    pub(crate) fn ask(&self, url: &Url) -> Result<(), String> {
        self.check(url)?;
        if let Some(name) = Host::of(url).ok().as_ref().and_then(Host::name) {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        }
        Ok(())
    }

    /// An address that a name of somebody else's stands for.
    fn check_address(&self, address: IpAddr) -> Result<(), String> {
        let near = self.configured.iter().filter_map(Host::address);
        let fits = match address.to_canonical() {
            address if address.is_loopback() => self.is_server_here(),
            address if is_inside(address) => {
                self.is_server_here() || near.into_iter().any(is_inside)
            }
            address => !is_private(address),
        };
        match fits {
            true => Ok(()),
            false => Err(format!("leads to {address}, which only this machine reaches")),
        }
    }

    fn is_server_here(&self) -> bool {
        self.configured.first().is_some_and(is_here)
    }

    /// Whether the configured server's name stands for a machine of the user's own network: then
    /// its sign-in service may be one, too.
    async fn is_server_inside(&self) -> bool {
        let Some(name) = self.configured.first().and_then(Host::name) else { return false };
        addresses_of(name).await.is_ok_and(|found| found.into_iter().any(is_inside))
    }

    fn is_watched(&self, name: &Host) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        !self.configured.contains(name) && name.name().is_some_and(|name| asked.contains(name))
    }
}

/// Looks a name up once; the connection goes to exactly the addresses that were checked.
pub(crate) struct Lookup(pub(crate) Arc<Addresses>);

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let rules = self.0.clone();
        Box::pin(async move {
            let found = look_up(name.as_str(), &rules).await?;
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

async fn look_up(name: &str, rules: &Addresses) -> Result<Vec<IpAddr>, io::Error> {
    let host = Host::parse(name).map_err(io::Error::other)?;
    if host.is_localhost() {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let found = addresses_of(name).await?;
    if rules.is_watched(&host) {
        // One wrong address among others is enough: the next answer could have it first.
        for address in &found {
            if is_inside(*address) && rules.is_server_inside().await {
                continue;
            }
            rules.check_address(*address).map_err(|why| io::Error::other(format!("it {why}")))?;
        }
    }
    Ok(found)
}

async fn addresses_of(name: &str) -> Result<Vec<IpAddr>, io::Error> {
    let looking = tokio::net::lookup_host((name, 0));
    let found = tokio::time::timeout(RESOLVED_WITHIN, looking).await;
    let found = found.map_err(|_| io::Error::other("the name service did not answer"))??;
    Ok(found.map(|address| address.ip()).collect())
}

fn is_here(host: &Host) -> bool {
    host.is_localhost()
        || host.address().is_some_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(server: &str, url: &str, expect: Result<(), &str>) {
        let rules = Addresses::new(&Url::parse(server).unwrap(), None);
        let result = rules.check(&Url::parse(url).unwrap());
        assert_eq!(result.as_ref().map_err(String::as_str).copied(), expect, "{server} {url}");
    }

    #[test]
    fn only_the_web_and_only_by_https() {
        let server = "https://mcp.example.com/mcp";
        check(server, "https://login.example.org/authorize", Ok(()));
        check(server, "https://mcp.example.com/token", Ok(()));
        check(server, "http://login.example.org/authorize", Err("is not HTTPS"));
        check(server, "file:///etc/passwd", Err("names no host"));
        check(server, "javascript:alert(1)", Err("names no host"));
        check(server, "ftp://example.org/x", Err("is no page of the web"));
        check(server, "vscode://example.org/x", Err("is no page of the web"));
        check(server, "https://u:p@example.org/x", Err("holds a user name or a password"));
    }

    #[test]
    fn nobody_else_leads_us_into_our_own_network() {
        let public = "https://mcp.example.com/mcp";
        check(public, "https://localhost/x", Err("leads to this machine"));
        check(public, "http://127.0.0.1:8080/x", Err("is not HTTPS"));
        let refused = |text: &str| format!("leads to {text}, which only this machine reaches");
        for address in ["10.0.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200"] {
            check(public, &format!("https://{address}/x"), Err(&refused(address)));
        }
        check(public, "https://[::ffff:10.0.0.1]/x", Err(&refused("10.0.0.1")));
        // A server of the user's own network may sign in with its neighbour, but not with a cloud's
        // metadata service.
        check("https://10.0.0.5/mcp", "https://10.0.0.9/x", Ok(()));
        check("https://10.0.0.5/mcp", "https://127.0.0.1/x", Err("leads to this machine"));
        let metadata = refused("169.254.169.254");
        check("https://10.0.0.5/mcp", "https://169.254.169.254/x", Err(&metadata));
    }

    #[test]
    fn a_server_on_this_machine_signs_in_on_this_machine() {
        let local = "http://127.0.0.1:3000/mcp";
        check(local, "http://127.0.0.1:4000/authorize", Ok(()));
        check(local, "http://localhost:4000/authorize", Ok(()));
        check(local, "https://login.example.org/", Ok(()));
        check(local, "http://login.example.org/", Err("is not HTTPS"));
        let metadata = "leads to 169.254.169.254, which only this machine reaches";
        check(local, "https://169.254.169.254/", Err(metadata));
    }

    #[tokio::test]
    async fn a_name_of_somebody_else_does_not_lead_home() {
        let rules = Addresses::new(&Url::parse("https://mcp.example.com").unwrap(), None);
        assert!(rules.check_address("127.0.0.1".parse().unwrap()).is_err());
        assert!(rules.check_address("10.1.2.3".parse().unwrap()).is_err());
        assert!(rules.check_address("fe80::1".parse().unwrap()).is_err());
        assert!(rules.check_address("93.184.216.34".parse().unwrap()).is_ok());
        rules.ask(&Url::parse("https://login.example.org/x").unwrap()).unwrap();
        assert!(rules.is_watched(&Host::parse("login.example.org").unwrap()));
        assert!(!rules.is_watched(&Host::parse("mcp.example.com").unwrap()));
        assert!(!rules.is_watched(&Host::parse("proxy.corp").unwrap()));
    }
}
