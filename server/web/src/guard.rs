//! Where names may lead: never to this machine or its network, unless they say so themselves.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use policy::{Host, is_private};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

const RESOLVED_WITHIN: Duration = Duration::from_secs(10);

/// Looks a name up once; the connection goes to exactly the addresses that were checked.
pub(crate) struct Guarded;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = addresses(name.as_str()).await?;
            let found: Addrs = Box::new(found.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(found)
        })
    }
}

async fn addresses(name: &str) -> Result<Vec<IpAddr>, io::Error> {
    let host = Host::parse(name).map_err(|error| refused(error.to_string()))?;
    // Whatever a resolver says, this is us; the policy was asked about it by that name.
    if host.is_localhost() {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let looking = tokio::net::lookup_host((name, 0));
    let found = tokio::time::timeout(RESOLVED_WITHIN, looking).await;
    let found = found.map_err(|_| refused("the name service did not answer".to_owned()))??;
    check(found.map(|address| address.ip()).collect())
}

/// One private address among others is enough: the next answer could have it first.
fn check(found: Vec<IpAddr>) -> Result<Vec<IpAddr>, io::Error> {
    if let Some(private) = found.iter().find(|address| is_private(**address)) {
        let why = format!("the name leads to {private}, an address of this machine or its network");
        return Err(refused(why));
    }
    Ok(found)
}

fn refused(why: String) -> io::Error {
    io::Error::other(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_lead_home() {
        let leads = |addresses: &[&str], allowed: bool| {
            let found = addresses.iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(check(found).is_ok(), allowed, "{addresses:?}");
        };
        leads(&["93.184.216.34"], true);
        leads(&["93.184.216.34", "10.0.0.1"], false);
        leads(&["127.0.0.1"], false);
        leads(&["169.254.169.254"], false);
        leads(&["::1"], false);
        leads(&["::ffff:10.0.0.1"], false);
        leads(&["fc00::1"], false);
    }

    #[tokio::test]
    async fn this_machine_is_known_by_its_name() {
        let found = addresses("localhost").await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback));
        assert!(addresses("a b").await.is_err());
    }
}
