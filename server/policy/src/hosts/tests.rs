//! Hosts in every spelling, and what patterns make of them.

use std::net::IpAddr;

use proptest::prelude::*;

use super::*;

#[test]
fn one_host_has_one_form() {
    let check = |text: &str, expect: &str| {
        assert_eq!(Host::parse(text).map(|host| host.to_string()).as_deref(), Ok(expect), "{text}");
    };
    check("example.com", "example.com");
    check("EXAMPLE.Com.", "example.com");
    check("bücher.example", "xn--bcher-kva.example");
    check("аpple.com", "xn--pple-43d.com");
    check("a_b.example", "a_b.example");
    check("127.1", "127.0.0.1");
    check("0x7f.1", "127.0.0.1");
    check("0177.0.0.1", "127.0.0.1");
    check("2130706433", "127.0.0.1");
    check("１２７.0.0.1", "127.0.0.1");
    check("127.0.0.1.", "127.0.0.1");
    check("::1", "::1");
    check("[::1]", "::1");
    check("::ffff:10.0.0.1", "10.0.0.1");
    check("[::ffff:a9fe:a9fe]", "169.254.169.254");
}

#[test]
fn what_is_no_host_is_refused() {
    let long_label = format!("{}.com", "a".repeat(64));
    let long_name = "abc.".repeat(70);
    for text in [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a b",
        "a\tb",
        "good.io\0.evil.com",
        "good.io%00",
        "a%2eb",
        "u@h",
        "h:80",
        "a/b",
        "a\\b",
        "a?b",
        "a#b",
        "[::1",
        "1.2.3.4.5",
        "256.1.1.1",
        "*.com",
        &long_label,
        &long_name,
    ] {
        assert!(Host::parse(text).is_err(), "{text:?} is {:?}", Host::parse(text));
    }
}

#[test]
fn private_is_whatever_is_not_the_internet() {
    let check = |text: &str, expect: bool| {
        assert_eq!(is_private(text.parse::<IpAddr>().unwrap()), expect, "{text}");
    };
    for private in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2001::1",
        "2002:7f00:1::",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        check(private, true);
    }
    for public in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.167.0.1",
        "198.17.0.1",
        "223.255.255.255",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
        "2606:4700:4700::1111",
    ] {
        check(public, false);
    }
}

#[test]
fn patterns_match_whole_labels() {
    let check = |pattern: &str, host: &str, expect: bool| {
        let (pattern, host) = (HostPattern::parse(pattern).unwrap(), Host::parse(host).unwrap());
        assert_eq!(pattern.matches(&host), expect, "{pattern} {host}");
    };
    check("good.io", "good.io", true);
    check("Good.IO.", "good.io", true);
    check("good.io", "good.io.evil.com", false);
    check("good.io", "agood.io", false);
    check("*.good.io", "a.good.io", true);
    check("*.good.io", "a.b.good.io", true);
    check("*.good.io", "good.io", false);
    check("*.good.io", "agood.io", false);
    check("api-*.good.io", "api-1.good.io", true);
    check("api-*.good.io", "api-1.x.good.io", false);
    check("*.*.io", "a.b.io", true);
    check("*.*.io", "b.io", false);
    check("*", "anything.example", true);
    check("10.0.0.0/8", "10.200.0.1", true);
    check("10.0.0.0/8", "11.0.0.1", false);
    check("0.0.0.0/0", "8.8.8.8", true);
    check("0.0.0.0/0", "::1", false);
    check("fd00::/8", "fd12::1", true);
    check("10.0.0.1", "::ffff:10.0.0.1", true);
    check("10.0.0.1", "0xa.1", true);
    for broken in
        ["", " ", "*.", "a..*", "https://good.io", "good.io:443", "10.0.0.0/33", "a/8", "*.0.0.1"]
    {
        assert!(HostPattern::parse(broken).is_err(), "{broken:?}");
    }
}

#[test]
fn lists_deny_first_and_open_nothing_by_accident() {
    use HostVerdict::{Allow, Ask, Deny};
    let check = |allowed: &[&str], denied: &[&str], host: &str, expect: HostVerdict| {
        let parse = |list: &[&str]| list.iter().map(|p| HostPattern::parse(p).unwrap()).collect();
        let rules = HostRules { allowed: parse(allowed), denied: parse(denied), strict: false };
        let verdict = rules.judge(&Host::parse(host).unwrap());
        assert_eq!(verdict, expect, "{allowed:?} {denied:?} {host}");
        let strictly = HostRules { strict: true, ..rules }.judge(&Host::parse(host).unwrap());
        let unasked = if expect == Ask { Deny } else { expect };
        assert_eq!(strictly, unasked, "strictly {allowed:?} {denied:?} {host}");
    };
    check(&[], &[], "good.io", Ask);
    check(&["good.io"], &[], "good.io", Allow);
    check(&["*.good.io"], &["x.good.io"], "x.good.io", Deny);
    check(&["x.good.io"], &["*"], "x.good.io", Deny);
    check(&["*"], &[], "good.io", Allow);
    check(&["*"], &[], "localhost", Ask);
    check(&["*"], &[], "10.0.0.1", Ask);
    check(&["*"], &[], "169.254.169.254", Deny);
    check(&["169.254.169.254"], &[], "169.254.169.254", Allow);
    check(&["localhost"], &[], "localhost", Allow);
    check(&["*"], &[], "xn--pple-43d.com", Ask);
    check(&["*.good.io"], &[], "xn--pi-6kc.good.io", Ask);
    check(&["*.bücher.example"], &[], "a.xn--bcher-kva.example", Allow);
    check(&["xn--pple-43d.com"], &[], "аpple.com", Allow);
    check(&[], &["169.254.0.0/16"], "::ffff:169.254.169.254", Deny);
}

#[test]
fn climbing_paths_are_seen_in_every_spelling() {
    let check = |path: &str, expect| assert_eq!(is_ambiguous_path(path), expect, "{path}");
    check("/a/../b", true);
    check("/a/%2E%2e/b", true);
    check("/a/.%2e", true);
    check("/a/..%2fb", true);
    check("/a%5c..%5Cb", true);
    check("/a\\..\\b", true);
    check("/a/%252e%252e/b", true);
    check("/a/%25252e./b", true);
    check("/a/b..c/...", false);
    check("/@scope%2fname", false);
    check("/a/./b", false);
    check("/100%25", false);
}

proptest! {
    #[test]
    fn parsing_never_panics_and_is_stable(text in any::<String>()) {
        let _ = HostPattern::parse(&text);
        let _ = is_ambiguous_path(&text);
        if let Ok(host) = Host::parse(&text) {
            prop_assert_eq!(Host::parse(&host.to_string()), Ok(host.clone()));
            prop_assert!(HostPattern::parse(&host.to_string()).unwrap().opens(&host));
        }
    }

    /// However an IPv4 address is dressed as an IPv6 one, it stays as private as it is.
    #[test]
    fn an_address_cannot_hide(bits in any::<u32>()) {
        let plain = std::net::Ipv4Addr::from(bits);
        let [a, b, c, d] = plain.octets();
        let (high, low) = ((bits >> 16) as u16, bits as u16);
        let dressed = [
            format!("::ffff:{plain}"),
            format!("64:ff9b::{plain}"),
            format!("2002:{high:x}:{low:x}::"),
            format!("0x{bits:x}"),
            format!("{bits}"),
            format!("0{a:o}.0x{b:x}.{c}.{d}"),
        ];
        for text in dressed {
            let address = Host::parse(&text).unwrap().address().unwrap();
            prop_assert_eq!(is_private(address), is_private(plain.into()), "{}", text);
        }
    }

    #[test]
    fn a_wildcard_never_reaches_its_apex_or_a_stranger(name in "[a-z]{1,8}(\\.[a-z]{1,8}){1,2}", sub in "[a-z]{1,8}") {
        let pattern = HostPattern::parse(&format!("*.{name}")).unwrap();
        let inside = Host::parse(&format!("{sub}.{name}")).unwrap();
        prop_assert!(pattern.opens(&inside));
        // An ending of its own: `b.b.b.b` is below `b.b` after all.
        let last = "other9";
        for stranger in [name.clone(), format!("{sub}{name}"), format!("{sub}.{name}.{last}")] {
            prop_assert!(!pattern.matches(&Host::parse(&stranger).unwrap()), "{}", stranger);
        }
    }
}

#[test]
fn a_name_that_a_rule_names_may_lead_inside() {
    let check = |allowed: &str, host: &str, address: &str, expect: bool| {
        let rules = HostRules {
            allowed: vec![HostPattern::parse(allowed).unwrap()],
            ..HostRules::default()
        };
        let named = rules.names_inside(&Host::parse(host).unwrap(), address.parse().unwrap());
        assert_eq!(named, expect, "{allowed} {host} {address}");
    };
    check("git.corp.io", "git.corp.io", "10.1.2.3", true);
    check("git.corp.io", "git.corp.io", "::ffff:192.168.0.1", true);
    check("git.corp.io", "git.corp.io", "fd12::1", true);
    check("git.corp.io", "git.corp.io", "100.64.0.1", true);
    check("*.corp.io", "git.corp.io", "10.1.2.3", false);
    check("*", "git.corp.io", "10.1.2.3", false);
    check("other.io", "git.corp.io", "10.1.2.3", false);
    check("git.corp.io", "git.corp.io", "127.0.0.1", false);
    check("git.corp.io", "git.corp.io", "169.254.169.254", false);
    check("git.corp.io", "git.corp.io", "100.100.100.200", false);
    check("git.corp.io", "git.corp.io", "fe80::1", false);
    check("git.corp.io", "git.corp.io", "0.0.0.0", false);
}
