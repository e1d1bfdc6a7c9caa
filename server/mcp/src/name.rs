//! What an MCP tool is called for the model and in permission rules: `mcp__server__tool`.
//!
//! The part for the server never holds `__` and never ends in `_`, so that a name can be split
//! again and a rule about one server never speaks of another's tools.

const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";
/// What the API takes as a tool name.
const MAX_NAME: usize = 64;
/// Leaves at least 17 characters for the tool.
const MAX_SERVER: usize = 40;
/// An underscore and eight digits.
const SUFFIX: usize = 9;

/// The full name of a tool. Names that are too long are cut and told apart by a hash.
pub fn tool_name(server: &str, tool: &str) -> String {
    let server = server_key(server);
    let room = MAX_NAME - PREFIX.len() - server.len() - SEPARATOR.len();
    let plain = if tool.is_empty() { "_".to_owned() } else { normalise(tool) };
    format!("{PREFIX}{server}{SEPARATOR}{}", cut(plain, tool, room))
}

/// A server's name as it stands in tool names and rules. Two servers with the same key cannot be
/// told apart, so only one of them may be used.
pub fn server_key(server: &str) -> String {
    let mut key = String::new();
    for c in normalise(server).chars() {
        if c != '_' || !key.ends_with('_') {
            key.push(c);
        }
    }
    let key = key.trim_end_matches('_').to_owned();
    if key.is_empty() {
        return format!("{:08x}", hash(server));
    }
    cut(key, server, MAX_SERVER)
}

/// The server's key and the tool's part of a full name; `None` when it is no MCP tool's name.
pub fn split_tool_name(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix(PREFIX)?.split_once(SEPARATOR)?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

fn normalise(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}

/// Shortens to `room` bytes; `original` makes the hash, because it alone is unique.
fn cut(name: String, original: &str, room: usize) -> String {
    if name.len() <= room {
        return name;
    }
    let head = name[..room - SUFFIX].trim_end_matches('_');
    format!("{head}_{:08x}", hash(original))
}

/// FNV-1a, folded. Written out because names must stay the same from one release to the next.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_made_of_plain_characters() {
        let check = |server: &str, tool: &str, expect: &str| {
            assert_eq!(tool_name(server, tool), expect, "{server} {tool}");
        };
        check("git", "log", "mcp__git__log");
        check("my server", "do.it", "mcp__my_server__do_it");
        check("plugin:a:b", "x-y", "mcp__plugin_a_b__x-y");
        check("a__b", "c__d", "mcp__a_b__c__d");
        check("a_", "_t", "mcp__a___t");
        check("_a", "t", "mcp___a__t");
        check("git", "", "mcp__git___");
        check("git", "größe", "mcp__git__gr__e");
        // Written down, so that a change of the hash does not go unnoticed.
        check("ü", "t", "mcp__bdda0ded__t");
        check(
            "git",
            &"very_long_tool_name_".repeat(5),
            "mcp__git__very_long_tool_name_very_long_tool_name_very_5b94a961",
        );
    }

    #[test]
    fn only_mcp_names_are_split() {
        let check = |name: &str, expect: Option<(&str, &str)>| {
            assert_eq!(split_tool_name(name), expect, "{name}");
        };
        check("mcp__git__log", Some(("git", "log")));
        check("mcp__git__a__b", Some(("git", "a__b")));
        check("mcp__git", None);
        check("mcp__git__", None);
        check("mcp____log", None);
        check("Bash", None);
        check("", None);
    }

    #[test]
    fn long_names_that_differ_stay_different() {
        let long = "x".repeat(100);
        let names = [
            tool_name("s", &format!("{long}a")),
            tool_name("s", &format!("{long}b")),
            tool_name(&format!("{long}a"), "t"),
            tool_name(&format!("{long}b"), "t"),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_name_fits_and_gives_back_its_server(server in ".{0,90}", tool in ".{0,90}") {
            let name = tool_name(&server, &tool);
            prop_assert!(name.len() <= MAX_NAME, "{}", name);
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            let (key, rest) = split_tool_name(&name).unwrap();
            prop_assert_eq!(key, server_key(&server));
            prop_assert!(!rest.is_empty());
            // The key of a key is the key itself: rules are written with it.
            prop_assert_eq!(server_key(key), key);
        }
    }
}
