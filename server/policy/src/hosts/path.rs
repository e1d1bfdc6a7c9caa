//! Paths of web addresses that two programs may read differently.

/// Whether a path climbs (`..`) in any spelling: with `%2e` for a dot, or with `%2f`, `%5c` or a
/// backslash where one program sees a separator and the next does not.
pub fn is_ambiguous_path(path: &str) -> bool {
    let mut plain = path.to_ascii_lowercase();
    // Encoded twice is still encoded for whoever decodes twice. Nobody means more than this.
    for _ in 0..4 {
        plain = plain.replace("%25", "%");
    }
    if plain.contains("%25") {
        return true;
    }
    let plain = plain.replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    plain.split(['/', '\\']).any(|segment| segment == "..")
}
