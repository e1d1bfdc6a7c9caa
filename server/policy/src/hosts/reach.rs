//! How far away an address is: the open internet, this machine and its network, or the place where
//! machines keep their credentials.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Public,
    /// Loopback, private and special networks: a wildcard allow does not reach them.
    Private,
    /// Link-local addresses and others where clouds hand out credentials.
    Metadata,
}

/// Whether an address belongs to this machine, its network, or no host of the internet at all.
/// IPv4 addresses inside IPv6 ones (mapped, NAT64, 6to4) count as what they are.
pub fn is_private(address: IpAddr) -> bool {
    Reach::of_address(address) != Reach::Public
}

/// Whether an address belongs to a network of the user's own, and not to this machine.
pub fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, ..] = address.octets();
            let shared = a == 100 && (64..128).contains(&b);
            (address.is_private() || shared) && of_v4(address) == Reach::Private
        }
        IpAddr::V6(address) => address.is_unique_local() && of_v6(address) == Reach::Private,
    }
}

/// Names that clouds give to their metadata services.
const METADATA_NAMES: [&str; 3] =
    ["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"];

/// Metadata services outside 169.254/16.
const METADATA_V4: [Ipv4Addr; 2] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192)];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);

impl Reach {
    pub(super) fn of_name(name: &str) -> Reach {
        if METADATA_NAMES.contains(&name) {
            Reach::Metadata
        } else if name == "localhost" || name.ends_with(".localhost") {
            Reach::Private
        } else {
            Reach::Public
        }
    }

    pub(crate) fn of_address(address: IpAddr) -> Reach {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

fn of_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    if address.is_link_local() || METADATA_V4.contains(&address) {
        return Reach::Metadata;
    }
    let special = address.is_loopback()
        || address.is_private()
        || a == 0 // "this network": connects to ourselves
        || (a == 100 && (64..128).contains(&b)) // shared by a provider's customers
        || (a == 192 && b == 0 && c == 0) // protocol assignments
        || (a == 198 && (b == 18 || b == 19)) // benchmarks
        || a >= 224; // multicast, reserved, broadcast
    if special { Reach::Private } else { Reach::Public }
}

fn of_v6(address: Ipv6Addr) -> Reach {
    if let Some(inner) = embedded(address) {
        return of_v4(inner);
    }
    if address.is_unicast_link_local() || address == METADATA_V6 {
        return Reach::Metadata;
    }
    let segments = address.segments();
    let special = address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_multicast()
        || segments[0] & 0xffc0 == 0xfec0 // site-local, long deprecated
        || segments[..3] == [0x64, 0xff9b, 1] // NAT64 of somebody's own
        || segments[..2] == [0x2001, 0]; // Teredo: hides where it goes
    if special { Reach::Private } else { Reach::Public }
}

/// The IPv4 address that packets to this IPv6 address really go to.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b] = address.segments();
    let segments = address.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    let mapped = address.to_ipv4_mapped();
    // `::1` and `::` are loopback and unspecified, not IPv4.
    let compatible = segments[..6] == [0; 6] && a != 0;
    let nat64 = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let six_to_four = segments[0] == 0x2002;
    mapped
        .or_else(|| (compatible || nat64).then(|| from(a, b)))
        .or_else(|| six_to_four.then(|| from(segments[1], segments[2])))
}
